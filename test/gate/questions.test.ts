// The questions of proxies over HTTP: what each way of asking reads, and how it is answered.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readProxies } from '../../src/domain/gate/proxies.ts';
import type { GateSummary } from '../../src/surfaces/gate/outcome.ts';
import { exchange, statusesIn } from '../support/raw-socket.ts';
import { ofOneServer, startService, type TestService } from '../support/service.ts';
import { allWays, ask, makeEdge, makeRoute, restrictTo, send, type WayOfAsking, ways } from './support.ts';

let service: TestService;
let edge: string;
let route: string;
const decided: GateSummary[] = [];
beforeAll(async () => {
  const gateProxies = readProxies(['127.0.0.1', '10.0.0.5']);
  service = ofOneServer(await startService({ gateProxies, gateDecided: (summary) => decided.push(summary) }));
  edge = await makeEdge(service);
  route = await makeRoute(service, edge, '/app');
  await makeRoute(service, edge, '/app/private', { options_passthrough: true });
});

describe.each(allWays)('%s', (way) => {
  test('lets a request pass, with all identity headers and nothing else', async () => {
    expect(await ask(service.url, way, edge)).toEqual({
      status: 200,
      head: [
        'Content-Length: 0',
        'Cache-Control: no-store',
        'Remote-User: ',
        'Remote-Groups: ',
        'Remote-Email: ',
        'Remote-Name: ',
        'Sallyport-Identity: ',
      ],
      body: '',
    });
  });

  test('is counted', async () => {
    decided.length = 0;
    await ask(service.url, way, edge);
    await ask(service.url, way, edge, { url: 'https://app.example.com/app/private?secret=1' });
    expect(decided).toEqual([
      {
        way,
        result: 'allow',
        reason: 'none',
        edgeId: edge,
        accountId: expect.stringMatching(/^acct_/),
        routeId: route,
        requestId: null,
        ipRestrictions: null,
        particulars: null,
        seconds: expect.any(Number),
      },
      {
        way,
        result: 'login',
        reason: 'login',
        edgeId: edge,
        accountId: expect.stringMatching(/^acct_/),
        routeId: expect.stringMatching(/^edghtsrt_/),
        requestId: expect.stringMatching(/^op_/),
        ipRestrictions: null,
        particulars: {
          askedEdge: edge,
          host: 'app.example.com',
          path: '/app/private',
          client: '203.0.113.7',
          user: null,
          attributes: null,
        },
        seconds: expect.any(Number),
      },
    ]);
  });

  test.each([
    ['another host', { url: 'https://open.example.com/app' }, 'host'],
    ['another port', { url: 'https://app.example.com:444/app' }, 'host'],
    ['another scheme', { url: 'http://app.example.com/app' }, 'host'],
    ['a host that is none', { url: 'https://app.example.com%00/app' }, 'request'],
    ['two hosts', { url: 'https://app.example.com,app.example.com/app' }, 'request'],
    ['a user in the host', { url: 'https://x@app.example.com/app' }, 'request'],
    ['no path of a route', { url: 'https://app.example.com/' }, 'route'],
    ['a path that leads elsewhere', { url: 'https://app.example.com/app/../x' }, 'path'],
    ['a path that is encoded', { url: 'https://app.example.com/app/%2e%2e%2fx' }, 'path'],
    ['an address that is none', { address: 'unknown' }, 'request'],
    ['no address', { address: '' }, 'request'],
  ])('refuses %s', async (_, asked, reason) => {
    decided.length = 0;
    expect((await ask(service.url, way, edge, asked)).status).toBe(403);
    expect(decided.map((summary) => summary.reason)).toEqual([reason]);
  });

  test.each([
    ['a protected route', { url: 'https://app.example.com/app/private' }],
    ['a protected route, encoded', { url: 'https://app.example.com/app/%70rivate' }],
  ])('demands a login for %s, and leads no program to it', async (_, asked) => {
    const begin = 'https://app.example.com/app/private';
    const { status, head, body } = await ask(service.url, way, edge, asked);
    expect([status, head.map((line) => line.replace(/op_\w{26}/, 'REFERENCE'))]).toEqual([
      401,
      [
        `WWW-Authenticate: Sallyport realm="login", login="${begin}"`,
        `Sallyport-Login: ${begin}`,
        'Cache-Control: no-store',
        'X-Request-Id: REFERENCE',
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${body.length}`,
      ],
    ]);
    expect(JSON.parse(body)).toEqual({
      error: 'login_required',
      message: 'A login is required. Open the address of the login in a browser.',
      login: begin,
    });
  });

  const html = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8';
  const fetchMetadata = (mode: string, destination: string) => [
    html,
    `Sec-Fetch-Mode: ${mode}`,
    `Sec-Fetch-Dest: ${destination}`,
  ];
  test.each([
    ['a page view', fetchMetadata('navigate', 'document'), true],
    ['a page view of a browser that says nothing', [html], true],
    ['a page view whose proxy passes on no Accept', fetchMetadata('navigate', 'document').slice(1), true],
    ['a frame', fetchMetadata('navigate', 'iframe'), false],
    ['an object', fetchMetadata('navigate', 'object'), false],
    ['a script that asks for a page', fetchMetadata('cors', 'empty'), false],
    ['a script that says so', [html, 'X-Requested-With: XMLHttpRequest'], false],
    ['a prefetch', [...fetchMetadata('navigate', 'document'), 'Sec-Purpose: prefetch'], false],
    ['a prerendering', [...fetchMetadata('navigate', 'document'), 'Sec-Purpose: prefetch;prerender'], false],
    ['a prefetch of a link', [...fetchMetadata('no-cors', 'empty'), 'Sec-Purpose: prefetch'], false],
    ['a prefetch of an older browser', [html, 'Purpose: prefetch'], false],
    ['two modes', [...fetchMetadata('navigate', 'document'), 'Sec-Fetch-Mode: cors'], false],
    ['who refuses pages', ['Accept: application/json, text/html;q=0'], false],
  ])('leads to the login, or does not: %s', async (_, headers, isLed) => {
    const { status, head } = await ask(service.url, way, edge, {
      url: 'https://app.example.com/app/private/x',
      headers,
    });
    const led = head.filter((line) => /^(Location|Set-Cookie):/i.test(line)).length;
    expect([status, led]).toEqual(isLed ? [way === 'auth-request' ? 401 : 302, 2] : [401, 0]);
  });

  test('shows who sends a form without a session a page that leads on, to where the form was', async () => {
    const url = 'https://app.example.com/app/private/save';
    const form = (referer: string) =>
      ask(service.url, way, edge, {
        url,
        method: 'POST',
        headers: [...fetchMetadata('navigate', 'document'), `Referer: ${referer}`],
      });
    for (const [referer, link] of [
      ['https://app.example.com/app/edit?a="b"&c', 'https://app.example.com/app/edit?a=%22b%22&#38;c'],
      ['https://evil.example/app/edit', 'https://app.example.com/app/private'],
      ['https://app.example.com//evil.example/', 'https://app.example.com/app/private'],
      ['https://app.example.com/.sallyport/logout', 'https://app.example.com/app/private'],
    ] as const) {
      const { status, head, body } = await form(referer);
      expect([status, head.filter((line) => /^(Location|Set-Cookie):/i.test(line))]).toEqual([
        way === 'auth-request' ? 403 : 401,
        [],
      ]);
      expect(body).toContain('What you have sent has not arrived: log in, and send it again.');
      expect(body).toContain(`<a href="${link}">Log in</a>`);
      // nginx inserts these into its own page.
      expect(head).toContain(`Sallyport-Link: ${link}`);
      expect(head).toContain('Sallyport-Link-Text: Log in');
    }
  });

  test.each([
    ['upper case', { url: 'https://APP.example.COM/app' }],
    ['a port', { url: 'https://app.example.com:443/app' }],
    ['a query that would be no path', { url: 'https://app.example.com/app?next=//../%2f;%' }],
    ['preflights of a protected route', { url: 'https://app.example.com/app/private', method: 'OPTIONS' }],
    ['any method', { method: 'PURGE' }],
  ])('takes %s', async (_, asked) => {
    expect((await ask(service.url, way, edge, asked)).status).toBe(200);
  });

  test('wants each of its headers exactly once', async () => {
    const { request, headers } = ways[way](edge, {});
    // Without a Host header, or with two, the server answers before the gate is asked.
    const own = headers.filter((line) => !line.startsWith('Host:'));
    for (const line of own) {
      const without = headers.filter((other) => other !== line);
      expect([line, (await send(service.url, request, without)).status]).toEqual([line, 403]);
      expect([line, (await send(service.url, request, [...headers, line])).status]).toEqual([line, 403]);
      expect([line, (await send(service.url, request, [...headers, line.toUpperCase()])).status]).toEqual([line, 403]);
    }
    expect((await send(service.url, request, headers)).status).toBe(200);
  });

  describe('reads no headers of the other ways', () => {
    const strangeHeaders = () => {
      // If these headers were trusted, everything would pass.
      const theirs = allWays.filter((other) => other !== way).flatMap((other) => ways[other](edge, open).headers);
      const own = new Set(ways[way](edge, {}).headers.map((line) => line.split(':')[0]));
      const others = ['X-Original-URI: /app', 'X-Forwarded-Prefix: /app', 'X-HTTP-Method-Override: OPTIONS'];
      return [...theirs, ...others].filter((line) => !own.has(line.split(':')[0]));
    };
    const open = { method: 'OPTIONS', url: 'https://app.example.com/app' };

    test('beside its own', async () => {
      const denied = { url: 'https://app.example.com/app/private', address: '203.0.113.7' };
      const headers = strangeHeaders();
      expect((await ask(service.url, way, edge, { ...denied, headers })).status).toBe(401);
      expect((await ask(service.url, way, edge, { headers })).status).toBe(200);
    });

    test('in place of its own', async () => {
      const { request, headers } = ways[way](edge, {});
      for (const line of headers.filter((own) => !own.startsWith('Host:'))) {
        const others = [...headers.filter((other) => other !== line), ...strangeHeaders()];
        expect([line, (await send(service.url, request, others)).status]).toEqual([line, 403]);
      }
    });
  });

  test.each([
    ['unknown', 'edghts_01h455vb4pex5vsknk084sn02q'],
    ['of another kind', 'edgtls_01h455vb4pex5vsknk084sn02q'],
    ['missing', ''],
    ['malformed', '%2e%2e'],
  ])('refuses an edge that is %s', async (_, id) => {
    decided.length = 0;
    expect((await ask(service.url, way, id)).status).toBe(403);
    expect(decided.map(({ reason }) => reason)).toEqual(['edge']);
  });

  test('asks the edge that is named, whoever else has one with the same host', async () => {
    const stranger = ofOneServer(await service.asNewAccount());
    const theirs = await makeEdge(stranger);
    await makeRoute(stranger, theirs, '/');
    const statusOf = async (id: string, path: string) =>
      (await ask(service.url, way, id, { url: `https://app.example.com${path}` })).status;
    expect([await statusOf(theirs, '/app/private'), await statusOf(theirs, '/')]).toEqual([200, 200]);
    expect([await statusOf(edge, '/app/private'), await statusOf(edge, '/')]).toEqual([401, 403]);
  });

  test('takes the last address that is no proxy for the client', async () => {
    const { restriction, policy } = await restrictTo(service, '203.0.113.0/24', true);
    const statusOf = async (address: string) => (await ask(service.url, way, edge, { address })).status;
    expect([
      await statusOf('203.0.113.7'),
      await statusOf('::ffff:203.0.113.7'),
      await statusOf('203.0.113.7, 10.0.0.5'),
      await statusOf('nonsense, 203.0.113.7, 10.0.0.5,127.0.0.1'),
      await statusOf('198.51.100.1'),
      await statusOf('203.0.113.7, 198.51.100.1'),
      await statusOf('2001:db8::1'),
    ]).toEqual([200, 200, 200, 200, 403, 403, 403]);
    await service.rest('DELETE', `/ip_restrictions/${restriction}`);
    await service.rest('DELETE', `/ip_policies/${policy}`);
  });

  test('lets pass with a warning what a restriction refuses that is not enforced', async () => {
    const { restriction } = await restrictTo(service, '198.51.100.0/24', false);
    decided.length = 0;
    expect((await ask(service.url, way, edge)).status).toBe(200);
    const ipRestrictions = { address: '203.0.113.7', refusedBy: [], wouldRefuse: [restriction] };
    expect(decided).toMatchObject([{ result: 'warn', reason: 'address', ipRestrictions }]);
    await service.rest('DELETE', `/ip_restrictions/${restriction}`);
  });
});

describe('a refusal', () => {
  const asked = { url: 'https://app.example.com/none' };
  const sentence =
    'There is nothing at this address. Check it; if it is right, tell the administrator of this site the reference below: ' +
    'under it, the log names the host or path that has to be added.';
  const common = [
    'Cache-Control: no-store',
    'X-Request-Id: REFERENCE',
    // For nginx, which does not pass on the page.
    `Sallyport-Refusal: ${sentence}`,
    "Content-Security-Policy: default-src 'none'; style-src 'sha256-HASH'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options: nosniff',
    'X-Frame-Options: DENY',
    'Referrer-Policy: no-referrer',
  ];
  const refusal = async (accept: string, method = 'GET') => {
    const { status, head, body } = await ask(service.url, 'forward-auth', edge, {
      ...asked,
      method,
      headers: [`Accept: ${accept}`],
    });
    const plain = (text: string) => text.replace(/op_\w{26}/g, 'REFERENCE').replace(/sha256-[\w+/=]+/, 'sha256-HASH');
    return { status, head: head.map(plain), body: plain(body) };
  };

  test('is a page for people', async () => {
    const { status, head, body } = await refusal('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(status).toBe(403);
    expect(head.slice(0, 8)).toEqual([...common, 'Content-Type: text/html; charset=utf-8']);
    expect(body.replace(/<style>.*<\/style>/s, '<style></style>')).toBe(`<!doctype html>
<html lang="en" translate="no">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Access denied</title>
<style></style>
</head>
<body>
<main>
<h1>Access denied</h1>
<p>${sentence}</p>
<p class="reference">Reference: REFERENCE</p>
</main>
</body>
</html>
`);
  });

  test.each([
    ['programs', '*/*', 'GET'],
    ['scripts', 'application/json', 'GET'],
  ])('is a sentence for %s', async (_, accept, method) => {
    expect(await refusal(accept, method)).toEqual({
      status: 403,
      head: [...common, 'Content-Type: text/plain; charset=utf-8', expect.stringMatching(/^Content-Length: \d+$/)],
      body: `Access denied. ${sentence}\nReference: REFERENCE\n`,
    });
  });

  test('has a style that its policy allows', async () => {
    const { head, body } = await ask(service.url, 'forward-auth', edge, { ...asked, headers: ['Accept: text/html'] });
    const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? '';
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(style))).toString('base64');
    expect(head.join('\n')).toContain(`'sha256-${digest}'`);
  });

  test('is the same for a host and a path that are not known, and names nothing', async () => {
    const answers = await Promise.all(
      ['https://app.example.com:444/app', 'https://evil.example/', 'https://app.example.com/none'].map((url) =>
        ask(service.url, 'forward-auth', edge, { url, headers: ['Accept: text/html'] }),
      ),
    );
    const bodies = new Set(answers.map(({ body }) => body.replace(/op_\w+/, '')));
    expect(bodies.size).toBe(1);
    expect([...bodies].join()).not.toMatch(/edghts|acct|example\.com|sallyport/i);
  });

  test('tells who comes from a refused network to come from another, with the way back to a page, whether or not there is one', async () => {
    const { restriction } = await restrictTo(service, '198.51.100.0/24', true);
    const page = async (target: string, method = 'GET') => {
      const url = `https://app.example.com${target}`;
      const asked = {
        url,
        method,
        headers: ['Accept: text/html', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'],
      };
      const { status, head, body } = await ask(service.url, 'forward-auth', edge, asked);
      expect([status, body]).toEqual([403, expect.stringContaining('<p>This site is not open to the network')]);
      const link = head.find((line) => line.startsWith('Sallyport-Link: '))?.slice('Sallyport-Link: '.length);
      expect(/<a href="([^"]*)">Try again<\/a>/.exec(body)?.[1]).toBe(link);
      return link;
    };
    expect(await page('/app')).toBe('https://app.example.com/app');
    expect(await page('/none')).toBe('https://app.example.com/none');
    expect(await page('/app?"><script>\'&')).toBe('https://app.example.com/app?&#34;&#62;&#60;script&#62;&#39;&#38;');
    expect(await page('/app', 'POST')).toBeUndefined();
    await service.rest('DELETE', `/ip_restrictions/${restriction}`);
  });
});

describe('whoever may not ask', () => {
  let stranger: TestService;
  const strangers: string[] = [];
  beforeAll(async () => {
    const strangerNoticed = (does: string, address: string) => strangers.push(`${does} ${address}`);
    stranger = ofOneServer(await startService({ gateProxies: readProxies(['10.0.0.5']), strangerNoticed }));
  });
  afterAll(() => stranger.close());

  test.each(allWays)('finds no gate at %s', async (way: WayOfAsking) => {
    const own = await makeEdge(stranger);
    await makeRoute(stranger, own, '/app');
    const { status, head, body } = await ask(stranger.url, way, own);
    const other = await send(stranger.url, 'GET /nothing HTTP/1.1', ['Host: gate']);
    const plain = (text: string) => text.replace(/op_\w{26}/g, 'REFERENCE');
    expect([status, head.map(plain), plain(body)]).toEqual([404, other.head.map(plain), plain(other.body)]);
  });

  test('is named for the log, with no question of ours in between', async () => {
    const own = await makeEdge(stranger);
    strangers.length = 0;
    await ask(stranger.url, 'auth-request', own);
    await send(stranger.url, 'GET /gate/nothing HTTP/1.1', ['Host: gate']);
    await send(stranger.url, 'GET /ip_policies HTTP/1.1', ['Host: gate']);
    await send(stranger.url, 'GET /ip_policies HTTP/1.1', ['Host: gate', 'X-Forwarded-For: 203.0.113.7']);
    expect(strangers).toEqual(['asks 127.0.0.1', 'forwards 127.0.0.1', 'forwards 127.0.0.1']);
  });

  test('is told by the connection alone', async () => {
    const own = await makeEdge(stranger);
    const headers = ['X-Real-IP: 10.0.0.5', 'Forwarded: for=10.0.0.5'];
    expect((await ask(stranger.url, 'auth-request', own, { address: '10.0.0.5', headers })).status).toBe(404);
  });
});

test.each([
  'GET /gate HTTP/1.1',
  'GET /gate/ HTTP/1.1',
  'GET /gate/other HTTP/1.1',
  'GET /gate/auth-requests HTTP/1.1',
  'GET //gate/auth-request/x HTTP/1.1',
  'GET /Gate/auth-request/x HTTP/1.1',
])('%s is a path that does not exist', async (request) => {
  expect((await send(service.url, request, ['Host: gate'])).status).toBe(404);
});

test('auth-request and forward-auth take nothing behind the edge but a query, which counts for nothing', async () => {
  for (const way of ['auth-request', 'forward-auth'] as const) {
    const { headers } = ways[way](edge, {});
    const statusOf = async (path: string) =>
      (await send(service.url, `GET /gate/${way}/${edge}${path} HTTP/1.1`, headers)).status;
    expect([
      await statusOf(''),
      await statusOf('?'),
      await statusOf('?x=//..'),
      await statusOf('/'),
      await statusOf('/app'),
    ]).toEqual([200, 200, 200, 403, 403]);
  }
});

test('connections stay open, also after refusals', async () => {
  const { request, headers } = ways['auth-request'](edge, {});
  const refused = ways['auth-request'](edge, { url: 'https://app.example.com/' });
  const question = [request, ...headers, '', ''].join('\r\n');
  const refusedQuestion = [refused.request, ...refused.headers, '', ''].join('\r\n');
  const last = [request, ...headers, 'Connection: close', '', ''].join('\r\n');
  const answer = await exchange(service.url, `${question}${refusedQuestion}${question}${last}`);
  expect(statusesIn(answer)).toEqual([200, 403, 200, 200]);
});

test('a body that a proxy sends along changes nothing', async () => {
  const { headers } = ways['ext-authz'](edge, {});
  const request = `POST /gate/ext-authz/${edge}/app HTTP/1.1`;
  expect((await send(service.url, request, [...headers, 'Content-Length: 0'])).status).toBe(200);
});
