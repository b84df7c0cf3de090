// The sealed state that travels with the browser: of a login that has begun, and of a logout. Pure.

import type { NamedUser } from '../saml/logout.ts';
import { isJsonObject } from '../values/json.ts';
import type { BegunLogin, LoginModule, Logins, SealedFor, Unsealed } from './login.ts';

type Module = Pick<LoginModule, 'accountId' | 'routeId'>;

/** A login that has begun in a browser, which itself remembers the target. */
export interface BegunHere extends BegunLogin {
  readonly browserHash: string;
  /** Of a login on its way to our pages, whether the page that it wants is too long to be kept. */
  readonly isTargetLost: boolean;
}

/** Says in a sealed state that the target is lost; no identifier of a browser looks like that. */
const lost = 'lost';

/** Seals the state of a login that begins. The result is short: 190 characters plus the length of the host. */
export function sealBegun(
  logins: Logins,
  module: Module,
  purpose: Extract<SealedFor, `login${string}`>,
  { browserHash, host, device, isTargetLost }: Omit<BegunHere, 'target'>,
): string {
  return logins.seal(module, purpose, [browserHash, host, isTargetLost ? lost : (device ?? '')].join(' '));
}

/** Opens a text from `sealBegun`, with its times; null for any other text, or if it is too old. */
export function openBegun(
  logins: Logins,
  module: Module,
  purpose: Extract<SealedFor, `login${string}`>,
  sealed: string,
): (BegunHere & Omit<Unsealed, 'text'>) | null {
  const opened = logins.open(module, purpose, sealed);
  const [, browserHash, host, note = ''] = /^([0-9a-f]{64}) (\S+) ([\w-]*)$/.exec(opened?.text ?? '') ?? [];
  if (opened === null || browserHash === undefined || host === undefined) return null;
  const { sealedAt, usableUntil } = opened;
  const isTargetLost = note === lost;
  const device = note === '' || isTargetLost ? null : note;
  return { host, browserHash, device, isTargetLost, target: '', sealedAt, usableUntil };
}

/** Returns the id of one of our requests. It must be an XML name, which a sealed text alone may not be. */
export function requestIdOf(sealed: string): string {
  return `_${sealed}`;
}

/** Returns the sealed text in the id of a request; empty if the id is not ours. */
export function sealedIn(requestId: string): string {
  return requestId.startsWith('_') ? requestId.slice(1) : '';
}

/** A user to log out at the identity provider. */
export interface Leaving {
  readonly named: NamedUser;
  /** The ID token of the login; null for none. */
  readonly idToken: string | null;
}

/** Seals whom to log out at the identity provider. */
export function sealLeaving(logins: Logins, module: Module, { named, idToken }: Leaving): string {
  return logins.seal(module, 'logout', JSON.stringify({ named, idToken }));
}

/** Opens a text from `sealLeaving`; null for any other text, or if it is too old. */
export function openLeaving(logins: Logins, module: Module, sealed: string): Leaving | null {
  const opened = logins.open(module, 'logout', sealed);
  const value: unknown = opened === null ? null : JSON.parse(opened.text);
  if (!isJsonObject(value) || !isNamedUser(value.named)) return null;
  return { named: value.named, idToken: typeof value.idToken === 'string' ? value.idToken : null };
}

/** Returns whether a value is a user's name as an identity provider gave it. */
export function isNamedUser(value: unknown): value is NamedUser {
  if (!isJsonObject(value)) return false;
  const { nameId, nameidFormat, nameQualifier, spNameQualifier, sessionIndex } = value;
  const optional = [nameQualifier, spNameQualifier, sessionIndex];
  return (
    typeof nameId === 'string' &&
    typeof nameidFormat === 'string' &&
    optional.every((text) => text === null || typeof text === 'string')
  );
}
