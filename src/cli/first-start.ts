// What the first start of a server creates, and what it tells the operator.

import { randomBytes } from 'node:crypto';
import { formatToken, tokenBytes } from '../domain/access/api-token.ts';
import { SallyportError } from '../domain/errors.ts';
import { remedies } from '../domain/remedies.ts';
import { hashOf } from '../domain/values/hash.ts';
import type { Storage } from '../storage/storage.ts';
import { serverItself } from '../storage/trail/origin.ts';

/** Name of the account that the first start creates. */
export const defaultAccountName = 'default';

/**
 * Creates the first account and its first API key, both or neither, if the database has no account yet.
 *
 * @param chosenToken the token of the key; null for a random one
 * @returns the token to show in example calls; null if there was nothing to do. A chosen token is never returned, so that it is
 *   never printed
 */
export async function makeFirstAccount(storage: Storage, chosenToken: string | null): Promise<string | null> {
  if (await storage.accounts.any()) return null;
  const token = chosenToken ?? formatToken(randomBytes(tokenBytes));
  const firstKey = { tokenHash: hashOf(token), description: 'First key' };
  try {
    await storage.accounts.create(defaultAccountName, serverItself, firstKey);
  } catch (error) {
    // Another server on the same new database was first, and has shown its operator the key.
    if (error instanceof SallyportError && error.code === 'DUPLICATE') return null;
    throw error;
  }
  return chosenToken === null ? token : '$BOOTSTRAP_API_KEY';
}

/**
 * Returns the welcome of the first start: the key, one call on each surface to paste into a shell, and the pages.
 *
 * @param url the base URL of clients' requests
 */
export function welcome(url: string, token: string): string {
  return `${isChosen(token) ? '' : firstKey(token)}
Create an IP policy over REST:

  curl -X POST ${url}/ip_policies -H "Authorization: Bearer ${token}" -H "Service-Version: 2" -H "Content-Type: application/json" -d '{"description": "office"}'

List the IP policies over GraphQL:

  curl ${url}/graphql -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" -d '{"query": "{ ipPolicies { totalCount nodes { id description } } }"}'

In a browser:

  ${url}/         the dashboard: sign in with the key
  ${url}/graphql  GraphiQL: explore the GraphQL schema and run queries
  ${url}/docs     REST reference: every route, to read and to try
`;
}

/** Returns what an operator can do who never got to see the welcome with this token. */
export function whereKeyIs(token: string): string {
  if (isChosen(token)) return '';
  return (
    `The first API key is lost with it: make another one with "${remedies.createKey()}", and revoke the lost one, which ` +
    `"${remedies.listKeys()}" calls "First key".`
  );
}

/** Whether the operator chose the first key, so that only its variable is named. */
function isChosen(token: string): boolean {
  return token.startsWith('$');
}

function firstKey(token: string): string {
  return `
Your first API key, shown only this once:

  ${token}

If this output is recorded (systemd's journal, the log of a container), the key is now in the record. Replace it: make another
one with "${remedies.createKey()}" (in a clone: npm run cli -- key create), then revoke this one with "${remedies.revokeKey('<id>')}".
`;
}
