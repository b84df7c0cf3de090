// What is sealed and travels with the browser: a login that has begun, and a logout. Pure.

import { isJsonObject } from '../json.ts';
import type { NamedUser } from '../saml/logout.ts';
import type { BegunLogin, LoginModule, Logins, SealedFor, Unsealed } from './login.ts';

type Module = Pick<LoginModule, 'accountId' | 'routeId'>;

/** A login that has begun in a browser, which knows itself where it wants to go. */
export interface BegunHere extends BegunLogin {
  readonly browserHash: string;
}

/** Seals the beginning of a login. It is short: 160 characters, and those of the host. */
export function sealBegun(
  logins: Logins,
  module: Module,
  purpose: Extract<SealedFor, `login${string}`>,
  { browserHash, host }: Pick<BegunHere, 'browserHash' | 'host'>,
): string {
  return logins.seal(module, purpose, `${browserHash} ${host}`);
}

/** Opens what `sealBegun` made, with its times; null when it is something else, or too old. */
export function openBegun(
  logins: Logins,
  module: Module,
  purpose: Extract<SealedFor, `login${string}`>,
  sealed: string,
): (BegunHere & Omit<Unsealed, 'text'>) | null {
  const opened = logins.open(module, purpose, sealed);
  const [, browserHash, host] = /^([0-9a-f]{64}) (\S+)$/.exec(opened?.text ?? '') ?? [];
  if (opened === null || browserHash === undefined || host === undefined) return null;
  return { host, browserHash, target: '', sealedAt: opened.sealedAt, usableUntil: opened.usableUntil };
}

/** Writes the id of a request of ours: an XML name, which a sealed text alone need not be. */
export function requestIdOf(sealed: string): string {
  return `_${sealed}`;
}

/** Gives the sealed text in the id of a request; empty for what is no id of ours. */
export function sealedIn(requestId: string): string {
  return requestId.startsWith('_') ? requestId.slice(1) : '';
}

/** Seals whom to log out at the identity provider. */
export function sealLeaving(logins: Logins, module: Module, named: NamedUser): string {
  return logins.seal(module, 'logout', JSON.stringify(named));
}

/** Opens what `sealLeaving` made; null when it is something else, or too old. */
export function openLeaving(logins: Logins, module: Module, sealed: string): NamedUser | null {
  const opened = logins.open(module, 'logout', sealed);
  const value: unknown = opened === null ? null : JSON.parse(opened.text);
  return isNamedUser(value) ? value : null;
}

/** Tells whether a value is the name of a user as an identity provider gave it. */
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
