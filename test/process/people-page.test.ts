// Runs the page "Your team signs in" as its reader does: every command on it, in order, against an identity provider; and signs in
// by what they have made.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { idpMetadata, wellKnownIdpKey } from '../support/identity-provider.ts';
import { clientId, clientSecret, type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { read } from '../support/source-files.ts';
import { apiKey, endOf, programFile, readyServer, run } from './support.ts';

const blocks = [...read('docs/people.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
const baseUrl = 'http://127.0.0.1:4000';

let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider(() => new Date());
});
afterAll(() => provider.close());

test('its commands do what it says, and people sign in', async () => {
  const database = await testDatabase();
  const toProvider = {
    OUTGOING_NETWORKS: '127.0.0.0/8',
    // The provider's certificate is its own.
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_NO_WARNINGS: '1',
  };
  const server = await readyServer(database, { BASE_URL: baseUrl, ...toProvider });
  const directory = mkdtempSync(join(tmpdir(), 'people-'));
  mkdirSync(join(directory, 'bin'));
  const program = `#!/bin/sh\nexec ${process.execPath} ${programFile('dist/cli.js')} "$@"\n`;
  writeFileSync(join(directory, 'bin/sallyport'), program, { mode: 0o755 });
  const metadataFile = join(directory, 'idp.xml');
  writeFileSync(metadataFile, idpMetadata([wellKnownIdpKey()]));
  const environment = {
    IDP_METADATA: metadataFile,
    URL: server.url,
    API_KEY: apiKey,
    ISSUER: provider.issuer,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    ...toProvider,
    ...database.environment,
  };
  const shell = (script: string) => {
    const whole = `cd ${directory}; PATH=${directory}/bin:$PATH; ${script}`;
    return endOf(run('bash', ['-euo', 'pipefail', '-c', whole], environment));
  };
  const made = await shell(blocks.slice(0, -2).join('\n'));
  const id = /sip_\w{26}/.exec(made.out)?.[0] ?? '';
  expect([made.code, made.errors, made.out.split('\n')[0]]).toEqual([
    0,
    '',
    `${baseUrl}/dashboard/sign-in/${id}/callback`,
  ]);
  expect(JSON.parse(made.out.split('\n')[1] ?? '')).toMatchObject({ id, name: 'Keycloak', enabled: true });
  const [, , metadataUrl = '', bySaml = ''] = made.out.split('\n');
  expect(metadataUrl).toMatch(/^http:\/\/127\.0\.0\.1:4000\/dashboard\/sign-in\/sip_\w{26}\/metadata$/);
  expect(JSON.parse(bySaml)).toMatchObject({ name: 'Keycloak (SAML)', enabled: true, protocol: 'saml' });

  const left = await fetch(`${server.url}/dashboard/sign-in/${id}`, { redirect: 'manual' });
  const [cookie = ''] = left.headers.getSetCookie().map((line) => line.split(';')[0]);
  const { pathname, search } = provider.answer(new URL(left.headers.get('location') ?? ''));
  const back = await fetch(`${server.url}${pathname}${search}`, { headers: { cookie } });
  const session = back.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { Cookie: session, 'Sallyport-Dashboard': '1', 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { scopes person { displayName roles } } }' }),
  });
  expect((await answer.json()).data.viewer).toEqual({
    scopes: ['write'],
    person: { displayName: 'Amy <amy@example.com>', roles: ['owner', 'operator'] },
  });

  const tested = async () => {
    const { code, out } = await shell('sallyport sign-in test');
    return [code, out.split('\n')[0]];
  };
  expect(await tested()).toEqual([0, 'The sign-in provider "Keycloak" answers.']);
  provider.lie({ metadata: { issuer: 'https://other.example' } });
  expect(await tested()).toEqual([
    1,
    expect.stringMatching(/^The sign-in provider "Keycloak" cannot be used: .* does not match the expected issuer/),
  ]);

  // Nothing has asked for a second person here.
  const approvals = await shell(blocks.at(-2) ?? '');
  expect([approvals.code, approvals.errors]).toEqual([1, expect.stringContaining('nothing was changed')]);
  const suspended = await shell(blocks.at(-1) ?? '');
  expect([suspended.code, suspended.out.split('\n').slice(0, 2)]).toEqual([
    0,
    ['The sign-in provider "Keycloak" is disabled.', 'The sign-in provider "Keycloak (SAML)" is disabled.'],
  ]);
});
