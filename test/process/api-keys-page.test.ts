// Runs the page "API keys" as its reader does: every command on it, in order, in one shell.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyScopes } from '../../src/domain/access/key-scopes.ts';
import { testDatabase } from '../support/database.ts';
import { read } from '../support/source-files.ts';
import { apiKey, endOf, programFile, readyServer, run } from './support.ts';

const page = read('docs/api-keys.md');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

test('names every area and every narrow scope', () => {
  const named = [...page.matchAll(/^\| `([\w:-]+)` \|/gm)].map(([, name]) => name);
  const areas = keyScopes.flatMap((scope) => (scope.endsWith(':read') ? [scope.slice(0, -':read'.length)] : []));
  const narrow = keyScopes.filter((scope) => !/^(.*:)?(read|write)$/.test(scope));
  expect(named).toEqual(['write', 'read', ...areas, ...narrow]);
});

test('its commands do what it says', async () => {
  const database = await testDatabase();
  const server = await readyServer(database);
  const directory = mkdtempSync(join(tmpdir(), 'api-keys-'));
  mkdirSync(join(directory, 'bin'));
  const program = `#!/bin/sh\nexec ${process.execPath} ${programFile('dist/cli.js')} "$@"\n`;
  writeFileSync(join(directory, 'bin/sallyport'), program, { mode: 0o755 });
  const script = `cd ${directory}; PATH=${directory}/bin:$PATH; ${blocks.join('\n')}`;
  const { code, out, errors } = await endOf(
    run('bash', ['-euo', 'pipefail', '-c', script], {
      URL: server.url,
      API_KEY: apiKey,
      ...database.environment,
    }),
  );
  const said = out
    .replace(/(ak|op)_\w{26}/g, '$1_...')
    .replace(/sallyport_[\w-]{51}/g, 'sallyport_...')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .trim()
    .split('\n');
  const key = { description: 'signs our hosts', scopes: ['ssh:write'], expiresAt: 'TIME' };
  expect({ code, errors, said }).toEqual({
    code: 0,
    errors: '',
    said: [
      'made ak_...',
      'ak_...',
      'sallyport_...',
      JSON.stringify({ data: { viewer: { account: { name: 'default' }, apiKey: key } } }),
      JSON.stringify({
        error_code: 'FORBIDDEN',
        status_code: 403,
        msg: 'The API key lacks "ip-policies:read"; it has "ssh:write".',
        details: { operation_id: 'op_...' },
      }),
      'ak_...  TIME  never used  write  never expires  First key',
      'ak_...  TIME  never used  ssh:write  expires TIME  signs our hosts',
      'ak_...  TIME  never used  ssh:write  expires TIME  signs our hosts',
      '',
      JSON.stringify({
        error_code: 'UNAUTHENTICATED',
        status_code: 401,
        msg: 'The API key is unknown, has expired or has been revoked.',
        details: { operation_id: 'op_...' },
      }),
    ],
  });
});
