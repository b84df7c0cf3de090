// The gate behind real reverse proxies, with the configurations of `deploy`: what passes, what does not, and what clients may try.

import { describe, expect, test } from 'vitest';
import { idpMetadata, send } from '../gate/support.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { read } from '../support/source-files.ts';
import {
  caddy,
  type Places,
  type ProxyKind,
  proxyKinds,
  startApplication,
  startForwarder,
  untilListening,
} from './gate-support.ts';
import { readyServer, rest, until } from './support.ts';

for (const { name, isInstalled } of proxyKinds) {
  if (!isInstalled) process.stderr.write(`${name} is not installed: its configuration in deploy is not tested.\n`);
}

/** Starts a proxy with an application, a server, and an edge with two routes: `/` is open, and `/private` requires a login. */
async function startBehind(kind: ProxyKind, more: Pick<Places, 'edit' | 'paths' | 'forwardsKeys'> = {}) {
  const server = await readyServer(await testDatabase());
  const make = async (path: string, body: object, method = 'POST') => {
    const answer = await rest(server.url, method, path, body);
    expect([path, answer.ok]).toEqual([path, true]);
    const { id }: { id: string } = await answer.json();
    return id;
  };
  const port = await freePort();
  const edge = await make('/edges/https', { hostports: [kind.hostport(port)] });
  await make(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' });
  const route = await make(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/private' });
  const saml = { idp_metadata: idpMetadata, options_passthrough: true };
  await make(`/edges/https/${edge}/routes/${route}/saml`, saml, 'PUT');

  const application = await startApplication();
  const gate = await startForwarder(Number(new URL(server.url).port));
  kind.start({ port, gatePort: gate.port, appPort: application.port, edge, ...more });
  await untilListening(port);
  const host = kind.hostport(port).replace(/:443$/, '');
  const ask = (request: string, headers: readonly string[] = [`Host: ${host}`], body = '') =>
    send(`http://127.0.0.1:${port}`, request, headers, body);
  /** Sends a request, and returns the status and the requests that arrived at the application. */
  const through = async (...request: Parameters<typeof ask>) => {
    application.arrived.length = 0;
    const { status } = await ask(...request);
    return { status, arrived: application.arrived.map(({ method, url, body }) => `${method} ${url}${body}`) };
  };
  return { server, make, gate, application, edge, route, host, ask, through };
}

describe.each(proxyKinds.filter(({ isInstalled }) => isInstalled))('behind $name', (kind) => {
  test('leads each path to the servers of its route, as the gate compares paths', async () => {
    const [shop, twin, help, team] = await Promise.all(Array.from({ length: 4 }, startApplication));
    const at = (server: typeof shop) => `127.0.0.1:${server?.port}`;
    const { application, ask } = await startBehind(kind, {
      paths: [
        { matchType: 'path_prefix', match: '/shop', servers: [at(shop), at(twin)] },
        { matchType: 'exact_path', match: '/shop/help', servers: [at(help)] },
        { matchType: 'path_prefix', match: '/shop/help.d/', servers: [at(team)] },
      ],
    });
    const wanted: [path: string, server: string][] = [
      ['/', 'application'],
      ['/sho', 'application'],
      ['/Shop', 'application'],
      ['/shop', 'shop'],
      ['/shopping?x', 'shop'],
      ['/%73hop/a', 'shop'],
      ['/shop/help', 'help'],
      ['/shop/help?x', 'help'],
      ['/shop/help/a', 'shop'],
      ['/shop/help.d/a', 'team'],
      ['/shop/helpxd/a', 'shop'],
    ];
    const all = { application: [application], shop: [shop, twin], help: [help], team: [team] };
    for (const [path, server] of wanted) {
      for (const each of Object.values(all).flat()) if (each !== undefined) each.arrived.length = 0;
      const { status } = await ask(`GET ${path} HTTP/1.1`);
      const reached = Object.entries(all).flatMap(([name, each]) =>
        each.flatMap((one) => one?.arrived.map(() => name)),
      );
      expect([path, status, reached]).toEqual([path, 200, [server]]);
    }
  });

  test('passes what the gate lets pass, and nothing else', async () => {
    const { server, make, gate, application, edge, route, host, ask, through } = await startBehind(kind);
    const own = `Host: ${host}`;
    const passed = (line: string) => ({ status: 200, arrived: [line] });

    // Requests that pass arrive unchanged.
    expect(await through('GET /a/b?c=%2F..//&d HTTP/1.1')).toEqual(passed('GET /a/b?c=%2F..//&d'));
    expect(await through('POST /form HTTP/1.1', [own, 'Content-Length: 5'], 'a=b&c')).toEqual(
      passed('POST /forma=b&c'),
    );
    expect(await through('DELETE /x HTTP/1.1')).toEqual(passed('DELETE /x'));
    expect(await through('OPTIONS /private HTTP/1.1')).toEqual(passed('OPTIONS /private'));
    expect(await through('GET /%61 HTTP/1.1', [own, 'Upgrade: websocket', 'X: y'])).toEqual(
      passed(kind.normalizes ? 'GET /a' : 'GET /%61'),
    );

    // Requests that the gate refuses never arrive, whatever else a client says.
    const openUrl = `https://${host}/`;
    const claims = [
      `X-Original-URL: ${openUrl}`,
      'X-Original-URI: /',
      'X-Original-Method: OPTIONS',
      'X-Forwarded-Method: OPTIONS',
      'X-Forwarded-Uri: /',
      `X-Forwarded-Host: ${host}`,
      'X-Forwarded-Proto: https',
      'X-Forwarded-For: 127.0.0.1',
      'X-HTTP-Method-Override: OPTIONS',
      'X-Rewrite-URL: /',
      'Forwarded: for=127.0.0.1;host=open.example.com;proto=https',
    ];
    const refused: [request: string, headers: string[]][] = [
      ['GET /private HTTP/1.1', [own]],
      ['GET /private?x=/ HTTP/1.1', [own]],
      ['GET /%70rivate HTTP/1.1', [own]],
      ['HEAD /private HTTP/1.1', [own]],
      ['POST /private HTTP/1.1', [own, 'Content-Length: 0']],
      ['GET /private HTTP/1.1', [own, ...claims]],
      ['GET /private HTTP/1.1', [own, 'Upgrade: websocket', 'X: y']],
      ['GET /private HTTP/1.1', [own, 'Range: bytes=0-0', 'If-None-Match: *']],
      ['GET //private HTTP/1.1', [own]],
      ['GET /x/../private HTTP/1.1', [own]],
      ['GET /x/%2e%2e/private HTTP/1.1', [own]],
      ['GET /x/..%2fprivate HTTP/1.1', [own]],
      ['GET /x;/../private HTTP/1.1', [own]],
      ['GET /x/..;/private HTTP/1.1', [own]],
      ['GET /%5cprivate HTTP/1.1', [own]],
      ['GET /x\\..\\private HTTP/1.1', [own]],
      ['GET /private?/.gate/ask HTTP/1.1', [own]],
    ];
    for (const [request, headers] of refused) {
      // A program that could log in gets 401; a path with another possible meaning is refused.
      const status = /^\w+ \/(?:p|%70)rivate/.test(request) ? 401 : 403;
      const got = await through(request, headers);
      const expected = kind.normalizes ? expect.toBeOneOf([400, 401, 403]) : status;
      expect([request, got]).toEqual([request, { status: expected, arrived: [] }]);
    }
    expect((await through('GET /private%00 HTTP/1.1')).arrived).toEqual([]);
    // Hosts that do not belong to the edge: the proxy itself answers, or the gate.
    const foreign: [request: string, headers: string[]][] = [
      ['GET / HTTP/1.1', ['Host: other.example.com']],
      ['GET / HTTP/1.1', ['Host: unknown.example.com', `X-Forwarded-Host: ${host}`]],
      ['GET http://other.example.com/ HTTP/1.1', [own]],
      [`GET http://${host}/private HTTP/1.1`, ['Host: other.example.com']],
      [`GET http://${host}/private HTTP/1.1`, [own]],
      ['GET / HTTP/1.1', [own, 'Host: other.example.com']],
      ['GET / HTTP/1.0', []],
    ];
    for (const [request, headers] of foreign) {
      expect([request, headers, (await through(request, headers)).arrived]).toEqual([request, headers, []]);
    }

    // Clients cannot tell the application who they are.
    const spellings = ['Remote-User', 'remote-groups', 'REMOTE-EMAIL', 'Remote-Name', 'Remote_User', 'remote_groups'];
    const names = [...spellings, 'Remote.User', 'Remote_Email', 'remote.name', 'remote-User_'];
    application.arrived.length = 0;
    await ask('GET / HTTP/1.1', [own, ...names.map((header) => `${header}: admin`)]);
    expect(application.arrived).toHaveLength(1);
    const headers = application.arrived[0]?.headers ?? {};
    const identity = Object.entries(headers).filter(([header]) => /^remote/i.test(header));
    expect(identity.filter(([, value]) => value !== '')).toEqual([]);
    expect(JSON.stringify(headers)).not.toMatch(/admin|\{http/);

    // A program passes by its key. The application sees neither that nor the cookies of the gate.
    const made = await rest(server.url, 'POST', '/api_keys', { scopes: ['gate:pass'] });
    const { id: programId, token }: { id: string; token: string } = await made.json();
    const cookie = `__Host-sallyport.${route}`;
    const sent = [
      `Authorization: Bearer ${token}`,
      `Cookie: ${cookie}=1; a=1; ${cookie}.0123abcd=2; b=${route}; ${cookie}=3`,
      'Sallyport-Identity: forged',
      'Sallyport_Identity: forged',
    ];
    application.arrived.length = 0;
    expect((await ask('GET /private HTTP/1.1', [own, ...sent])).status).toBe(200);
    const seen = application.arrived[0]?.headers ?? {};
    expect([seen['remote-user'], seen.authorization ?? '']).toEqual([programId, '']);
    expect(seen.cookie?.split(';').flatMap((pair) => pair.trim() || [])).toEqual(['a=1', `b=${route}`]);
    expect(JSON.stringify(seen)).not.toContain('forged');
    await ask('GET / HTTP/1.1', [own, 'Authorization: Bearer of-the-application']);
    expect(application.arrived.at(-1)?.headers.authorization).toBe('Bearer of-the-application');
    // With the switch of the edge it gets the key, with Caddy only where its configuration is that of such an edge.
    await make(`/edges/https/${edge}`, { forwards_keys: true }, 'PATCH');
    await ask('GET /private HTTP/1.1', [own, `Authorization: Bearer ${token}`]);
    const forwarded = kind.name === 'Caddy' ? undefined : `Bearer ${token}`;
    expect(application.arrived.at(-1)?.headers.authorization).toBe(forwarded);
    // A wrong key gets no way to a login.
    const wrong = await ask('GET /private HTTP/1.1', [own, 'Accept: text/html', 'Authorization: Bearer sallyport_no']);
    expect([wrong.status, JSON.parse(wrong.body).error]).toEqual([401, 'invalid_token']);

    // Restrictions apply to the address that the connection comes from.
    const policy = await make('/ip_policies', {});
    const range = { ip_policy_id: policy, cidr: '203.0.113.0/24', action: 'allow' };
    const rule = await make('/ip_policy_rules', range);
    await make('/ip_restrictions', { type: 'endpoints', ip_policy_ids: [policy], enforced: true });
    const spoofed = [own, 'X-Forwarded-For: 203.0.113.7', 'X-Real-IP: 203.0.113.7'];
    expect((await through('GET / HTTP/1.1', spoofed)).status).toBe(403);
    await make(`/ip_policy_rules/${rule}`, { cidr: kind.localClients ?? '127.0.0.0/8' }, 'PATCH');
    expect((await through('GET / HTTP/1.1', spoofed)).status).toBe(200);

    if (kind.name === 'nginx') {
      // The gate is told the host by which nginx chose the server block, not the other one that a client may send.
      expect(await through(`GET http://${host}/ HTTP/1.1`, ['Host: other.example.com'])).toEqual(passed('GET /'));
      // nginx keeps its connections to the gate, which keeps them longer than nginx does: 60 seconds.
      const before = gate.connections();
      for (let count = 0; count < 20; count += 1) await through('GET / HTTP/1.1');
      expect(gate.connections() - before).toBeLessThanOrEqual(1);
      const { headers } = await fetch(server.url);
      expect(Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60);
    } else {
      // A port that does not belong to the edge; nginx passes its own port.
      expect((await through('GET / HTTP/1.1', ['Host: app.example.com:1'])).arrived).toEqual([]);
    }

    // A refused user sees a page, from the gate or, with nginx, from its configuration. The log gives the reason under the
    // reference on the page, and the metrics count it.
    const shown = await ask('GET /private HTTP/1.1', [own, 'Accept: text/html']);
    expect([shown.status, shown.body.includes('<h1>Access denied</h1>')]).toEqual([403, true]);
    expect(shown.head.join('\n')).toMatch(/^content-type: text\/html/im);
    expect(shown.head.join('\n')).toMatch(/^content-security-policy: default-src 'none'/im);
    expect(shown.body).toContain('<p>You do not have access to this page.');
    expect(shown.body).not.toContain('<a ');
    // A program learns where a login begins; whoever has sent a form sees a page that leads on.
    const program = await ask('GET /private HTTP/1.1', [own, 'Accept: text/html', 'X-Requested-With: XMLHttpRequest']);
    const challenges = program.head.filter((line) => /^www-authenticate:/i.test(line));
    expect([program.status, challenges]).toEqual([401, [expect.stringMatching(/: Sallyport realm="login"/)]]);
    expect(JSON.parse(program.body)).toMatchObject({ error: 'login_required' });
    const frame = [own, 'Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'];
    expect((await ask('GET /private HTTP/1.1', frame)).status).toBe(401);
    const typed = [own, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Content-Length: 0'];
    const form = await ask('POST /private HTTP/1.1', typed);
    expect([form.status, form.body]).toEqual([
      kind.name === 'nginx' ? 403 : 401,
      expect.stringContaining('What you have sent has not arrived: log in, and send it again.'),
    ]);

    const late = await ask(`GET /.sallyport/session?ticket=${'a'.repeat(43)} HTTP/1.1`, [own, 'Accept: text/html']);
    expect([late.status, late.body]).toEqual([403, expect.stringContaining('<p>Your login has taken too long,')]);
    const reference = /Reference: (op_\w{26})</.exec(shown.body)?.[1];
    await until(() => server.log().some(({ requestId }) => requestId === reference));
    const line = server.log().find(({ requestId }) => requestId === reference);
    expect(line).toMatchObject({ msg: 'gate', way: kind.way, result: 'refuse', reason: 'login' });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^sallyport_gate_decisions_total\{result="refuse",reason="login"\} [1-9]/m);

    // If the gate is down, nobody passes.
    gate.break();
    const { status, arrived } = await through('GET / HTTP/1.1');
    expect([status >= 500, arrived]).toEqual([true, []]);
  });
});

test.runIf(caddy.isInstalled)(
  'Caddy passes on an API key if its file was written for an edge that forwards them',
  async () => {
    const { server, make, application, edge, host, ask } = await startBehind(caddy, { forwardsKeys: true });
    await make(`/edges/https/${edge}`, { forwards_keys: true }, 'PATCH');
    const { token }: { token: string } = await (
      await rest(server.url, 'POST', '/api_keys', { scopes: ['gate:pass'] })
    ).json();
    await ask('GET /private HTTP/1.1', [`Host: ${host}`, `Authorization: Bearer ${token}`]);
    expect(application.arrived.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
  },
);

test.runIf(caddy.isInstalled)('a query of the client in the URL of the question counts for nothing', async () => {
  // Without the question mark in its configuration, Caddy appends the client's query to that URL.
  const withoutMark = (text: string) => text.replace(/(uri \S+)\?$/m, '$1');
  const { gate, through } = await startBehind(caddy, { edit: withoutMark });
  const queries = ['x=/', '/private', '/&X-Forwarded-Uri=/', 'edge=edghts_0', '?', '#', '%00', '/../../auth-request/x'];
  for (const query of queries) {
    expect([query, await through(`GET /private?${query} HTTP/1.1`)]).toEqual([query, { status: 401, arrived: [] }]);
    const open = { status: 200, arrived: [`GET /open?${query}`] };
    expect([query, await through(`GET /open?${query} HTTP/1.1`)]).toEqual([query, open]);
  }
  expect(gate.received()).toContain('?x=/ HTTP/1.1');
});

test('nginx answers nothing itself where the gate must be asked first', () => {
  const configuration = read('deploy/nginx/app.example.com.conf').replace(/#.*/g, '');
  const locations = [
    ...configuration.matchAll(/^ +location ([^{]*?) \{((?:'[^']*'|[^{}']|\{(?:'[^']*'|[^{}'])*\})*)\}/gm),
  ];
  expect(locations.map(([, name]) => name)).toEqual([
    '/',
    '@gate_login',
    '@gate_refused',
    '@gate_unavailable',
    '= /.gate/ask',
  ]);
  const answering = locations.filter(([, , body = '']) => /\b(?:return|rewrite)\b/.test(body));
  expect(answering.map(([, name]) => name)).toEqual(['@gate_login', '@gate_refused', '@gate_unavailable']);
  // Outside of locations, such a directive would apply before all of them.
  expect(locations.reduce((rest, [text]) => rest.replace(text, ''), configuration)).not.toMatch(/return|rewrite/);
  expect(answering.every(([, , body = '']) => body.includes('auth_request off;'))).toBe(true);
});

test('every configuration names all headers that tell who sent a request', () => {
  const files = [
    'nginx/app.example.com.conf',
    'caddy/Caddyfile',
    'haproxy/gate.lua',
    'traefik/gate.yaml',
    'envoy/gate.yaml',
  ];
  for (const file of files) {
    const text = read(`deploy/${file}`).toLowerCase();
    for (const header of ['remote-user', 'remote-groups', 'remote-email', 'remote-name', 'sallyport-identity']) {
      expect([file, text.includes(header)]).toEqual([file, true]);
    }
  }
});
