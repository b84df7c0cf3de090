// Logins for which the session of the browser at another route or host of the same registration suffices, so that nobody is asked again.

import type { Request } from 'express';
import type { BegunLogin, LoginModule, Logins } from '../../domain/gate/login.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import type { ContinuingModule, Sessions } from '../../domain/gate/session.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { readDevice } from './device.ts';
import { ticketUrl } from './own-paths.ts';
import type { Step } from './saml-pages.ts';

/** Continues a session of the browser; null if it has none that a route may continue. */
export type ContinueLogin = (
  request: Request,
  module: ContinuingModule & Pick<LoginModule, 'routeId'>,
  begun: BegunLogin,
  /** A URL of our own, at which browsers are known. */
  ownUrl: string,
) => Promise<Step | null>;

/** Creates the function that continues sessions. */
export function createContinueLogin({
  logins,
  sessions,
  randomBytes,
}: {
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly randomBytes: (size: number) => Uint8Array;
}): ContinueLogin {
  return async (request, module, begun, ownUrl) => {
    const device = readDevice(request, ownUrl);
    const session = device === null ? null : await sessions.findContinued(module, device);
    if (session === null) return null;
    const ticket = newSecret(randomBytes, 32);
    const isKept = await logins.continueSession(module, { ...begun, device }, hashOf(ticket), session);
    return isKept ? { status: 303, location: ticketUrl(begun.host, ticket) } : null;
  };
}
