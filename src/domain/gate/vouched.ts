// Parses the stored JSON of a user whom an identity provider has vouched for. Pure.

import { isJsonObject } from '../values/json.ts';
import type { Vouched } from './login.ts';
import { isNamedUser } from './login-state.ts';

/** Parses the user whom an identity provider vouched for. Throws Error for JSON that this program has not written. */
export function readVouched(json: string): Vouched {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) throw new Error('A login names nobody.');
  const { user, email, name, groups, issuer, sessionEndsAt, named, attributeNames } = value;
  if (typeof user !== 'string' || typeof issuer !== 'string' || !Array.isArray(groups) || !isNamedUser(named)) {
    throw new Error('A login names nobody.');
  }
  return {
    user,
    email: typeof email === 'string' ? email : null,
    name: typeof name === 'string' ? name : null,
    groups: groups.map(String),
    // Logins of earlier versions lack it.
    attributeNames: Array.isArray(attributeNames) ? attributeNames.map(String) : null,
    issuer,
    named,
    sessionEndsAt: typeof sessionEndsAt === 'string' ? new Date(sessionEndsAt) : null,
  };
}
