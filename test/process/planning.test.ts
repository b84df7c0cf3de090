// Prisma's client and its query compiler: 33 MB of memory that a server uses only once a request needs more than the server's own
// statements.

import { expect, test } from 'vitest';
import { execute, testDatabase } from '../support/database.ts';
import { apiKey, readyServer, rest } from './support.ts';

/**
 * Makes a server print when it loads WebAssembly, and when a Prisma client unpacks its query compiler. Migrations load theirs in
 * another way.
 */
const telling = `globalThis.WebAssembly.Module = class extends WebAssembly.Module {
  constructor(bytes) { super(bytes); console.error('WebAssembly is loaded'); }
};
const { from } = Buffer;
Buffer.from = (value, encoding, length) => {
  if (encoding === 'base64url' && value.length > 10_000) console.error('A client is made');
  return from(value, encoding, length);
};`;

test('is not loaded for what servers do with every request, nor for what they write down of it', async () => {
  const database = await testDatabase();
  const told = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}` };
  const { url, child, ended, printed } = await readyServer(database, told);
  const { id } = await (await rest(url, 'POST', '/ip_policies', {})).json();
  const answers = [
    await rest(url, 'GET', `/ip_policies/${id}`),
    await rest(url, 'GET', '/ip_policies'),
    await rest(url, 'PATCH', `/ip_policies/${id}`, { description: 'office' }),
    await rest(url, 'GET', '/ip_policies', undefined, `${apiKey}-of-somebody-else`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401]);
  // The last use of the key is stored when the server stops, as it is every minute.
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  const lastUses = await execute(database, 'SELECT "lastUsedAt" FROM "ApiKey"');
  expect(lastUses).toEqual([[expect.stringMatching(/^20\d\d-/)]]);
  expect(printed.errors).not.toContain('WebAssembly is loaded');
  expect(printed.errors).not.toContain('A client is made');

  const other = await readyServer(database, told);
  const query = '{ viewer { account { name } } }';
  expect((await rest(other.url, 'POST', '/graphql', { query })).status).toBe(200);
  expect(other.printed.errors).toContain('WebAssembly is loaded');
  expect(other.printed.errors).toContain('A client is made');
});
