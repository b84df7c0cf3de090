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
  readonly routeId: string;
}

/** Says in a sealed state that the target is lost; no identifier of a browser looks like that. */
const lost = 'lost';

/**
 * Seals the state of a login that begins. The result is short: 190 characters plus the length of the host, and of the id of the route
 * if that uses the registration of the module of another one.
 */
export function sealBegun(
  logins: Logins,
  module: Module,
  purpose: Extract<SealedFor, `login${string}`>,
  { browserHash, host, device, isTargetLost, routeId }: Omit<BegunHere, 'target'>,
): string {
  const note = isTargetLost ? lost : (device ?? '');
  const forOther = routeId === module.routeId ? [] : [routeId];
  return logins.seal(module, purpose, [browserHash, host, note, ...forOther].join(' '));
}

/** Opens a text from `sealBegun`, with its times; null for any other text, or if it is too old. */
export function openBegun(
  logins: Logins,
  module: Module,
  purpose: Extract<SealedFor, `login${string}`>,
  sealed: string,
): (BegunHere & Omit<Unsealed, 'text'>) | null {
  const opened = logins.open(module, purpose, sealed);
  const form = /^([0-9a-f]{64}) (\S+) ([\w-]*)(?: (\w+))?$/;
  const [, browserHash, host, note = '', routeId = module.routeId] = form.exec(opened?.text ?? '') ?? [];
  if (opened === null || browserHash === undefined || host === undefined) return null;
  const { sealedAt, usableUntil } = opened;
  const isTargetLost = note === lost;
  const device = note === '' || isTargetLost ? null : note;
  return { host, browserHash, device, isTargetLost, routeId, target: '', sealedAt, usableUntil };
}

/** Returns the id of one of our requests. It must be an XML name, which a sealed text alone may not be. */
export function requestIdOf(sealed: string): string {
  return `_${sealed}`;
}

/** Returns the sealed text in the id of a request; empty if the id is not ours. */
export function sealedIn(requestId: string): string {
  return requestId.startsWith('_') ? requestId.slice(1) : '';
}

/** A logout on its way to our pages. */
export interface Leaving {
  /** The user to log out at the identity provider. */
  readonly named: NamedUser;
  /** The ID token of the login; null for none. */
  readonly idToken: string | null;
  /** The hosts at which sessions have ended. */
  readonly hosts: readonly string[];
}

/** Most hosts that a page about a logout names: the state in a URL must stay short. */
const namedHostsMax = 5;

/** Seals a logout. */
export function sealLeaving(logins: Logins, module: Module, { named, idToken, hosts }: Leaving): string {
  return logins.seal(module, 'logout', JSON.stringify({ named, idToken, hosts: hosts.slice(0, namedHostsMax) }));
}

/** Opens a text from `sealLeaving`; null for any other text, or if it is too old. */
export function openLeaving(logins: Logins, module: Module, sealed: string): Leaving | null {
  const opened = logins.open(module, 'logout', sealed);
  const value: unknown = opened === null ? null : JSON.parse(opened.text);
  if (!isJsonObject(value) || !isNamedUser(value.named) || !Array.isArray(value.hosts)) return null;
  const idToken = typeof value.idToken === 'string' ? value.idToken : null;
  return { named: value.named, idToken, hosts: value.hosts.map(String) };
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
