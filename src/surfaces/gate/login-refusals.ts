// Notes refused logins and logouts of users for the account's audit trail.

import { clientAddress } from '../../pipeline/client-address.ts';
import type { Reply } from '../../pipeline/request.ts';
import type { Refusals } from '../../storage/trail/refusals.ts';
import type { LoginFailure } from './session-events.ts';

/**
 * Notes that a login or a logout was refused. One that is refused before the module of the route has been found belongs to no
 * account, and is not noted.
 *
 * @param proxies number of proxies in front
 */
export function noteLoginRefusal(
  refusals: Refusals,
  { event, requestId, routeId, reason }: LoginFailure,
  reply: Reply,
  proxies: number,
): void {
  const { accountId } = reply.locals.trace;
  if (accountId === null) return;
  const address = clientAddress(reply.req, proxies)?.toString() ?? null;
  // The page that says so has status 403.
  const request = {
    requestId,
    surface: 'login',
    clientAddress: address,
    asked: `${event} ${routeId}`,
    code: 'FORBIDDEN',
  } as const;
  refusals.noteLogin(request, { accountId, at: routeId, reason });
}
