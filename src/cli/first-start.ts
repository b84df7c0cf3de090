// What the first start of a server makes, and what it tells the operator.

import { randomBytes } from 'node:crypto';
import { formatToken, hashToken, tokenBytes } from '../domain/api-token.ts';
import type { Storage } from '../storage/storage.ts';

/** Name of the account that the first start makes. */
export const defaultAccountName = 'default';

/**
 * Makes the first account with its first API key, both or none of them, if the database has no account yet.
 *
 * @param chosenToken the token of the key; null to make a random one
 * @returns what to put into example calls for the token, or null when there was nothing to do. A chosen token is never
 *   given back, so that it is never printed.
 */
export async function makeFirstAccount(storage: Storage, chosenToken: string | null): Promise<string | null> {
  if ((await storage.accounts.list()).length > 0) return null;
  const token = chosenToken ?? formatToken(randomBytes(tokenBytes));
  await storage.accounts.create(defaultAccountName, {
    tokenHash: hashToken(token),
    description: 'Made by the first start of the server',
  });
  return chosenToken === null ? token : '$BOOTSTRAP_API_KEY';
}

/** Writes the welcome: the key, and one call on each surface to paste into a shell. */
export function welcome(url: string, token: string): string {
  const shown = token.startsWith('$') ? '' : `\nYour first API key, shown only this once:\n\n  ${token}\n`;
  return `${shown}
Create an IP policy over REST:

  curl -X POST ${url}/ip_policies -H "Authorization: Bearer ${token}" -H "Service-Version: 2" -H "Content-Type: application/json" -d '{"description": "office"}'

List the IP policies over GraphQL:

  curl ${url}/graphql -H "Authorization: Bearer ${token}" -H "Content-Type: application/json" -d '{"query": "{ ipPolicies { totalCount nodes { id description } } }"}'

GraphiQL, to explore the schema in a browser: ${url}/graphql
`;
}
