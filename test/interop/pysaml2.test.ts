// A login at pysaml2, through nginx with the configuration from `deploy`: a different reader of our metadata and requests, and
// signatures by xmlsec1, unlike those in the other tests of the gate.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { proxyKinds, startApplication, untilListening } from '../process/gate-support.ts';
import { run, temporaryDirectory } from '../process/support.ts';
import { freePort } from '../support/free-port.ts';
import { makeIdpKey } from '../support/identity-provider.ts';
import { startService } from '../support/service.ts';

const python = '/usr/bin/python3';
const nginx = proxyKinds.find(({ name, isInstalled }) => name === 'nginx' && isInstalled);
const isInstalled =
  spawnSync(python, ['-c', 'import saml2']).status === 0 && spawnSync('xmlsec1', ['--version']).status === 0;
if (!isInstalled || nginx === undefined) {
  process.stderr.write('pysaml2, xmlsec1 or nginx is not installed: the test of logins at pysaml2 is skipped.\n');
}

const ours = 'https://login.example.com';
const host = 'app.example.com';

/** Starts the identity provider. */
async function startPysaml2() {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  const { privateKey, certificatePem } = makeIdpKey();
  writeFileSync(at('idp.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(at('idp.crt'), certificatePem);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  run(python, [join(import.meta.dirname, 'pysaml2.py'), directory, url, String(port)]);
  await untilListening(port);
  const register = (serviceProviderMetadata: string) => writeFileSync(at('sp.xml'), serviceProviderMetadata);
  return { register, metadata: await (await fetch(`${url}/metadata`)).text() };
}

test.skipIf(!isInstalled || nginx === undefined)(
  'a person logs in at pysaml2, which verifies what we say',
  async () => {
    const now = () => new Date();
    const service = await startService({ now, baseUrl: ours }, { now });
    onTestFinished(() => service.close());
    const idp = await startPysaml2();
    const edge = (await service.rest('POST', '/edges/https', { hostports: [`${host}:443`] })).body.id;
    const route = (await service.rest('POST', `/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' }))
      .body.id;
    const settings = { idp_metadata: idp.metadata, authorized_groups: ['staff'] };
    const module = (await service.rest('PUT', `/edges/https/${edge}/routes/${route}/saml`, settings)).body;
    const ourPage = (url: string, init?: RequestInit) =>
      fetch(url.replace(ours, service.url), { redirect: 'manual', ...init });
    idp.register(await (await ourPage(module.metadata_url)).text());

    const application = await startApplication();
    const port = await freePort();
    const gatePort = Number(new URL(service.url).port);
    nginx?.start({ port, gatePort, appPort: application.port, edge, tls: true });
    await untilListening(port);
    const get = (url: string, cookie: string) =>
      new Promise<{ status: number | undefined; location: string; cookie: string }>((resolve, reject) => {
        const { pathname, search } = new URL(url);
        const headers = { Host: host, Accept: 'text/html', Cookie: cookie };
        const connection = { host: '127.0.0.1', port, servername: host, rejectUnauthorized: false };
        request({ ...connection, path: pathname + search, headers }, async (answer) => {
          await text(answer);
          const { location = '', 'set-cookie': [set = ''] = [] } = answer.headers;
          resolve({ status: answer.statusCode, location, cookie: set.split(';')[0] ?? '' });
        })
          .once('error', reject)
          .end();
      });

    const page = `https://${host}/reports?page=2`;
    const sent = await get(page, '');
    const asked = (await ourPage(sent.location)).headers.get('location') ?? '';

    // It refuses our request if anything in it was changed.
    const changed = new URL(asked);
    changed.searchParams.append('RelayState', 'another');
    const refusal = await fetch(changed);
    expect([refusal.status, await refusal.text()]).toEqual([400, 'ValueError: the signature of the request is wrong']);

    const answer = await fetch(asked);
    const form = await answer.text();
    expect([answer.status, form]).toEqual([
      200,
      expect.stringContaining(`action="${module.assertion_consumer_service_url}"`),
    ]);
    const field = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(form)?.[1] ?? '';
    const body = new URLSearchParams({ SAMLResponse: field('SAMLResponse') });
    const brought = await ourPage(module.assertion_consumer_service_url, { method: 'POST', body });
    expect(brought.status).toBe(303);
    const admitted = await get(brought.headers.get('location') ?? '', sent.cookie);
    expect([admitted.status, admitted.location]).toEqual([302, page]);
    expect((await get(page, admitted.cookie)).status).toBe(200);

    const headers = application.arrived[0]?.headers ?? {};
    const [user, ...told] = ['user', 'groups', 'email', 'name'].map((name) => headers[`remote-${name}`]);
    // A persistent name is meaningless to other services.
    expect([user, ...told]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32,}$/),
      'staff,admins',
      'amy@example.com',
      'Amy %C3%84',
    ]);
    expect(service.failures).toEqual([]);
  },
);
