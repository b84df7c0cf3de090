// Outside judges of IP restriction modules: nginx, Caddy, nftables and HAProxy enforce the exports of an edge, and let in from two
// addresses whom the modules let in by address.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect as netConnect } from 'node:net';
import { join } from 'node:path';
import { connect, createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { idpMetadata } from '../gate/support.ts';
import { command, commandJson } from '../process/one-process.ts';
import { readyServer, rest, run, temporaryDirectory, until } from '../process/support.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { makeIdpKey } from '../support/identity-provider.ts';
import { temporaryPaths } from '../support/nginx.ts';

const sbin = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

/** Returns whether a program works here; prints a note if it does not. */
function works(command: string, args: readonly string[]): boolean {
  const { status } = spawnSync(command, args, { env: sbin });
  if (status !== 0) process.stderr.write(`Left out, because it does not work here: ${command} ${args.join(' ')}\n`);
  return status === 0;
}

const hasNginx = works('nginx', ['-v']);
const hasCaddy = works('caddy', ['version']);
const hasHaproxy = works('haproxy', ['-v']);

/** The policies of the doors allow the first address, and not the second. */
const [inside, outside] = ['127.0.0.1', '127.0.0.2'];
const end = '2099-01-01T00:00:00Z';

async function startWorld() {
  const database = await testDatabase();
  const { url } = await readyServer(database);
  const send = async (method: string, to: string, body?: object) => {
    const response = await rest(url, method, to, body);
    expect([to, response.status]).toEqual([to, expect.toBeOneOf([200, 201, 204])]);
    return response.status === 204 ? null : response.json();
  };
  const policyOf = async (cidr: string, more: object = {}): Promise<string> => {
    const { id } = await send('POST', '/ip_policies', {});
    await send('POST', '/ip_policy_rules', { ip_policy_id: id, action: 'allow', cidr, ...more });
    return id;
  };
  return { database, send, policyOf };
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** Creates an edge with routes of every kind, and returns the ids. */
async function makeEdge({ send, policyOf }: World) {
  const office = await policyOf(`${inside}/32`, { expires_at: end });
  const edge = (await send('POST', '/edges/https', {})).id;
  const addRoute = async (match: string, more: object = {}) =>
    (await send('POST', `/edges/https/${edge}/routes`, { match_type: 'path_prefix', match, ...more })).id;
  const only = { ip_policy_ids: [office] };
  const ids = {
    open: await addRoute('/open'),
    office: await addRoute('/office', { ip_restriction: only }),
    exact: await addRoute('/office/public', { match_type: 'exact_path' }),
    strange: await addRoute('/a.b (c)/é"$`', { ip_restriction: only }),
    nobody: await addRoute('/office/closed', { ip_restriction: { ip_policy_ids: [await policyOf('192.0.2.0/24')] } }),
    disabled: await addRoute('/disabled', { ip_restriction: { ...only, enabled: false } }),
    noLogin: await addRoute('/suffice', { ip_restriction: { ...only, mode: 'suffice' } }),
    login: await addRoute('/login', { ip_restriction: { ...only, mode: 'suffice' } }),
    both: await addRoute('/both', { ip_restriction: only }),
  };
  for (const id of [ids.login, ids.both]) {
    await send('PUT', `/edges/https/${edge}/routes/${id}/saml`, { idp_metadata: idpMetadata });
  }
  await send('POST', '/ip_restrictions', {
    type: 'endpoints',
    enforced: true,
    ip_policy_ids: [await policyOf('127.0.0.0/30')],
  });
  return { edge, ids };
}

/** Whom each path lets in by address: both, the one inside, or nobody. */
const expected: Readonly<Record<string, [inside: number, outside: number]>> = {
  '/open/x': [204, 204],
  '/office': [204, 403],
  '/office/x': [204, 403],
  '/%6fffice/x': [204, 403],
  '/Office': [403, 403],
  '/office/public': [204, 204],
  '/office/public/x': [204, 403],
  '/office/closed/x': [403, 403],
  '/a.b%20(c)/%C3%A9%22$%60/x': [204, 403],
  '/axb%20(c)/%C3%A9%22$%60/x': [403, 403],
  '/disabled': [204, 204],
  '/suffice': [204, 403],
  '/login': [204, 204],
  '/both': [204, 403],
  '/': [403, 403],
};

const statusFrom = (localAddress: string | undefined, port: number, path: string) =>
  new Promise<number>((resolve) => {
    const asked = request({ host: '127.0.0.1', port, localAddress, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', () => resolve(0)).end();
  });

async function statusesAt(port: number) {
  await until(async () => (await statusFrom(inside, port, '/')) !== 0);
  const found: Record<string, number[]> = {};
  for (const path of Object.keys(expected)) {
    found[path] = [await statusFrom(inside, port, path), await statusFrom(outside, port, path)];
  }
  return { found, beyond: await statusFrom('127.0.0.9', port, '/open/x') };
}

describe('the routes of an HTTPS edge', () => {
  test.runIf(hasNginx)('nginx', async () => {
    const world = await startWorld();
    const { edge, ids } = await makeEdge(world);
    const directory = temporaryDirectory();
    const args = ['export', 'nginx', '--edge', edge, '--out', directory];
    expect((await commandJson(world.database, args)).export).toEqual({
      directory,
      changed: ['sallyport-access.conf', 'sallyport-geo.conf', 'sallyport-routes.conf'],
      reloaded: false,
      notExpressed: [
        `only the gate asks for a login at the route ${ids.login}, which others than those whom its module allows need: it keeps nobody out.`,
        `only the gate asks for a login at the route ${ids.both}, from those whom its module allows.`,
      ],
    });
    const text = readFileSync(join(directory, 'sallyport-routes.conf'), 'utf8');
    expect(text.split('\n').slice(1, 7)).toEqual([
      `# IP restriction modules of the edge ${edge}: ${[ids.office, ids.strange, ids.nobody, ids.noLogin, ids.both].join(', ')}.`,
      `# True until ${end}, when a rule ends: write it again then.`,
      `# Not expressed: only the gate asks for a login at the route ${ids.login}, which others than those whom its module allows need: it keeps nobody out.`,
      `# Not expressed: only the gate asks for a login at the route ${ids.both}, from those whom its module allows.`,
      `# Include it in "http", and refuse in the servers of the edge, too: if ($sallyport_${edge} = 0) { return 403; }`,
      `geo $sallyport_${ids.exact} {`,
    ]);
    const port = await freePort();
    const home = temporaryDirectory();
    writeFileSync(
      join(home, 'nginx.conf'),
      `daemon off; master_process off; pid ${home}/pid; error_log stderr; events {}
      http { access_log off; ${temporaryPaths(home)} include ${directory}/sallyport-geo.conf; include ${directory}/sallyport-routes.conf;
        server { listen 127.0.0.1:${port}; if ($sallyport_allowed = 0) { return 403; } if ($sallyport_${edge} = 0) { return 403; }
          location / { return 204; } } }`,
    );
    run('nginx', ['-c', join(home, 'nginx.conf')], sbin);
    expect(await statusesAt(port)).toEqual({ found: expected, beyond: 403 });
  });

  test.runIf(hasCaddy)('Caddy', async () => {
    const world = await startWorld();
    const { edge } = await makeEdge(world);
    const directory = temporaryDirectory();
    const args = ['export', 'caddy', '--edge', edge, '--out', directory];
    expect((await commandJson(world.database, args)).export.changed).toEqual(['sallyport.caddy']);
    expect(readFileSync(join(directory, 'sallyport.caddy'), 'utf8')).toContain(`# True until ${end}, when a rule ends`);
    const port = await freePort();
    const home = temporaryDirectory();
    writeFileSync(
      join(home, 'Caddyfile'),
      `{\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n}\nhttp://:${port} {\n\troute {\n\t\timport ${directory}/sallyport.caddy\n\t\trespond 204\n\t}\n}\n`,
    );
    const adapter = ['--adapter', 'caddyfile'];
    run('caddy', ['run', '--config', join(home, 'Caddyfile'), ...adapter], {
      ...sbin,
      HOME: home,
      XDG_DATA_HOME: home,
    });
    expect(await statusesAt(port)).toEqual({ found: expected, beyond: 403 });
  });

  test('nftables lets connect whom any route allows, and says that it sees no paths', async () => {
    const world = await startWorld();
    const office = await world.policyOf('198.51.100.0/24');
    const branch = await world.policyOf('203.0.113.0/24');
    const edge = (await world.send('POST', '/edges/https', {})).id;
    const addRoute = (match: string, ...ip_policy_ids: string[]) =>
      world.send('POST', `/edges/https/${edge}/routes`, {
        match_type: 'path_prefix',
        match,
        ...(ip_policy_ids.length === 0 ? {} : { ip_restriction: { ip_policy_ids } }),
      });
    await addRoute('/office', office);
    await addRoute('/branch', branch);
    const directory = temporaryDirectory();
    const written = async () => {
      expect((await command(world.database, ['export', 'nftables', '--edge', edge, '--out', directory])).code).toBe(0);
      return readFileSync(join(directory, 'sallyport.nft'), 'utf8');
    };
    const text = await written();
    expect(text).toContain('elements = { 198.51.100.0-198.51.100.255, 203.0.113.0-203.0.113.255 }');
    expect(text).toContain('# It sees no paths: whoever any of the routes allows may connect.');
    await addRoute('/');
    expect(await written()).toContain('elements = { 0.0.0.0-255.255.255.255 }');
  });

  test('no program gets anything for an edge that is not there', async () => {
    const { database } = await startWorld();
    for (const program of ['nginx', 'caddy', 'nftables']) {
      const args = ['export', program, '--edge', 'edghts_01h455vb4pex5vsknk084sn02q', '--out', temporaryDirectory()];
      const kinds = program === 'nftables' ? 'HTTPS edge or TLS edge' : 'HTTPS edge';
      expect(await command(database, args)).toEqual({
        code: 1,
        out: '',
        errors: `There is no ${kinds} edghts_01h455vb4pex5vsknk084sn02q in the account.\n`,
      });
    }
  });
});

describe('a TLS edge', () => {
  test.runIf(hasHaproxy)('HAProxy passes connections on from whom the module allows', async () => {
    const world = await startWorld();
    const { privateKey, certificatePem: cert } = makeIdpKey();
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const server = createTlsServer({ key, cert }, (socket) => socket.end('served'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const target = `127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
    const backend = (await world.send('POST', '/backends/tunnel_group', { targets: [target] })).id;
    const port = await freePort();
    const { id } = await world.send('POST', '/edges/tls', {
      hostports: [`www.example.com:${port}`],
      backend: { backend_id: backend },
      ip_restriction: { ip_policy_ids: [await world.policyOf(`${inside}/32`, { expires_at: end })] },
    });
    const directory = temporaryDirectory();
    const args = ['export', 'haproxy', '--edge', id, '--out', directory, '--listen', '127.0.0.1'];
    expect((await commandJson(world.database, args)).export.changed).toEqual([
      'haproxy.cfg',
      'ip-restriction-ipv4.lst',
    ]);
    const config = join(directory, 'haproxy.cfg');
    expect(readFileSync(config, 'utf8')).toContain(`# True until ${end}, when a rule ends: write it again then.`);
    run('haproxy', ['-f', config], sbin);
    const answerTo = (localAddress: string) =>
      new Promise<string>((resolve) => {
        const plain = netConnect({ host: '127.0.0.1', port, localAddress });
        plain.on('error', () => {});
        const socket = connect({ socket: plain, servername: 'www.example.com', rejectUnauthorized: false });
        let answer = '';
        socket.on('data', (part) => {
          answer += part;
        });
        socket.on('error', () => {}).once('close', () => resolve(answer));
      });
    await until(async () => (await answerTo(inside)) !== '');
    expect([await answerTo(inside), await answerTo(outside)]).toEqual(['served', '']);
  });

  test('nftables lets connect whom the module allows', async () => {
    const world = await startWorld();
    const { id } = await world.send('POST', '/edges/tls', {
      ip_restriction: { ip_policy_ids: [await world.policyOf('198.51.100.0/24')] },
    });
    const directory = temporaryDirectory();
    expect((await command(world.database, ['export', 'nftables', '--edge', id, '--out', directory])).code).toBe(0);
    const text = readFileSync(join(directory, 'sallyport.nft'), 'utf8');
    expect(text).toContain('elements = { 198.51.100.0-198.51.100.255 }');
    expect(text).not.toContain('It sees no paths');
  });
});
