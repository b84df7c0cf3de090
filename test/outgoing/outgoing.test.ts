// The guard of requests to servers of others, with a real DNS server and real HTTP servers that do not mean well.

import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { SallyportError } from '../../src/domain/errors.ts';
import { parseAddress, parseRange } from '../../src/domain/ip/cidr.ts';
import { checkOutgoingUrl } from '../../src/domain/values/outgoing-url.ts';
import { mayConnect } from '../../src/outgoing/addresses.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts';
import { startListServer } from '../support/list-server.ts';

const loopback = [parseRange('networks', '127.0.0.0/8')];
const names: Record<string, DnsAnswer | (() => DnsAnswer)> = {};
const dns = await startDnsServer(names);
afterAll(() => dns.close());
const trusting = createOutgoing({ outgoingNetworks: loopback, outgoingDns: [dns.address] });
const careful = createOutgoing({ outgoingNetworks: [], outgoingDns: [dns.address] });
const request = { bytesMax: 1_000 };

async function listening(answer: RequestListener): Promise<number> {
  const { port, close } = await startListServer(answer);
  onTestFinished(close);
  return port;
}

async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => expect.fail('It succeeded.'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SallyportError)) throw error;
  return `${error.code}: ${error.message}`;
}

describe('the addresses that may be connected to', () => {
  test.each([
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['172.31.255.255', false],
    ['192.168.0.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['224.0.0.1', false],
    ['0.0.0.0', false],
    ['255.255.255.255', false],
    ['192.0.2.1', false],
    ['198.18.0.1', false],
    ['::', false],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:8.8.8.8', true],
    ['::127.0.0.1', false],
    ['fe80::1', false],
    ['fec0::1', false],
    ['fd00:ec2::254', false],
    ['ff02::1', false],
    ['64:ff9b::8.8.8.8', false],
    ['64:ff9b:1::a00:1', false],
    ['2002:7f00:1::', false],
    ['2001:0:1::', false],
    ['2001:db8::1', false],
    ['4000::1', false],
  ])('%s: %s', (text, isAllowed) => {
    expect(mayConnect(parseAddress('address', text), [])).toBe(isAllowed);
  });

  test('include the networks that the operator allows, and nothing beside them', () => {
    const allowed = [parseRange('networks', '10.20.0.0/16'), parseRange('networks', 'fd12::/48')];
    const may = (text: string) => mayConnect(parseAddress('address', text), allowed);
    expect(
      ['10.20.1.2', '::ffff:10.20.1.2', 'fd12::1', '10.21.0.1', '64:ff9b::10.20.1.2', 'fd12:0:1::1'].map(may),
    ).toEqual([true, true, true, false, false, false]);
  });
});

test.each([
  ['', 'must be an http or https URL of at most 2048 characters.'],
  ['ranges.example', 'must be an http or https URL of at most 2048 characters.'],
  ['/etc/passwd', 'must be an http or https URL of at most 2048 characters.'],
  [`https://a.example/${'x'.repeat(2_048)}`, 'must be an http or https URL of at most 2048 characters.'],
  [`https://a.example/${'\u00e4'.repeat(1_000)}`, 'must have at most 2048 characters.'],
  ['ftp://a.example/', 'must begin with http:// or https://.'],
  ['file:///etc/passwd', 'must begin with http:// or https://.'],
  ['javascript:1', 'must begin with http:// or https://.'],
  ['https://user:secret@a.example/', 'must have no user name or password: everybody sees them who sees the URL.'],
  ['https://user@a.example/', 'must have no user name or password: everybody sees them who sees the URL.'],
])('refuses %s as the URL of a request', (url, message) => {
  expect(() => checkOutgoingUrl('url', url)).toThrow(message);
});

test('reads what an allowed server answers, and sends nothing of ours', async () => {
  const port = await listening((asked, answer) => {
    answer
      .setHeader('etag', '"1"')
      .setHeader('x-a', ['1', '2'])
      .end(JSON.stringify([asked.url, asked.headers]));
  });
  names['lists.example'] = ['127.0.0.1', '10.0.0.1'];
  const url = `http://lists.example:${port}/a?b=c#d`;
  const answer = await trusting.fetch('account', url, { ...request, headers: { accept: 'text/plain' } });
  expect([
    answer.url,
    answer.status,
    answer.headers.etag,
    answer.headers['x-a'],
    JSON.parse(String(answer.body)),
  ]).toEqual([
    `http://lists.example:${port}/a?b=c`,
    200,
    '"1"',
    '1, 2',
    [
      '/a?b=c',
      {
        accept: 'text/plain',
        'accept-encoding': 'gzip, deflate, br',
        connection: 'close',
        host: `lists.example:${port}`,
        'user-agent': 'Sallyport',
      },
    ],
  ]);
});

test.each([
  'http://127.0.0.1:1/',
  'http://2130706433:1/',
  'http://0x7f.1:1/',
  'http://[::1]:1/',
  'http://[::ffff:127.0.0.1]:1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://localhost:1/',
  'http://inside.example:1/',
  'http://mapped.example:1/',
])('refuses %s, which is not public', async (url) => {
  names['inside.example'] = ['10.0.0.1', 'fd00::1'];
  names['mapped.example'] = ['::ffff:10.0.0.1'];
  expect(await failureOf(careful.fetch('account', url, request))).toMatch(
    /^OUTGOING_REFUSED: \S+ is (at \S+, which is )?not a public address, and this server connects to others only where its operator allows them in OUTGOING_NETWORKS\. Name a public host, or ask the operator\.$/,
  );
});

test('connects to the address that it has checked, whatever the name says a moment later', async () => {
  let looks = 0;
  const port = await listening((_, answer) => answer.end('checked'));
  // Every question but the first ones is answered with an address of somebody else.
  names['rebinding.example'] = () => (looks++ < 2 ? ['127.0.0.1'] : ['169.254.169.254']);
  const url = `http://rebinding.example:${port}/`;
  expect(String((await trusting.fetch('account', url, request)).body)).toBe('checked');
  expect(dns.asked.filter((question) => question.startsWith('rebinding.'))).toHaveLength(2);
  expect(await failureOf(trusting.fetch('account', url, request))).toContain('rebinding.example is at 169.254.169.254');
});

describe('a redirect', () => {
  const redirectingTo = (location: string) => listening((_, answer) => answer.writeHead(302, { location }).end());

  test('to the metadata address of clouds is refused', async () => {
    const port = await redirectingTo('http://169.254.169.254/latest/meta-data/');
    expect(await failureOf(trusting.fetch('account', `http://127.0.0.1:${port}/`, request))).toContain(
      'OUTGOING_REFUSED: 169.254.169.254 is not a public address',
    );
  });

  test.each([
    ['file:///etc/passwd', 'to a URL that must begin with http:// or https://.'],
    [
      'http://a:b@127.0.0.1/',
      'to a URL that must have no user name or password: everybody sees them who sees the URL.',
    ],
    ['http://[', 'to something that is not a URL.'],
    ['/', 'more than 5 times.'],
  ])('to %s fails', async (location, how) => {
    const port = await redirectingTo(location);
    expect(await failureOf(trusting.fetch('account', `http://127.0.0.1:${port}/`, request))).toBe(
      `OUTGOING_FAILED: 127.0.0.1:${port} redirects ${how}`,
    );
  });

  test('is followed five times, and takes only what is accepted along to another origin', async () => {
    const last = await listening((asked, answer) => answer.end(JSON.stringify(asked.headers)));
    const port = await listening((asked, answer) => {
      const step = Number(asked.url?.slice(1));
      answer.writeHead(307, { location: step < 5 ? `/${step + 1}` : `http://127.0.0.1:${last}/` }).end();
    });
    const headers = { accept: 'text/plain', authorization: 'Bearer secret' };
    const answer = await trusting.fetch('account', `http://127.0.0.1:${port}/1`, { ...request, headers });
    expect(answer.url).toBe(`http://127.0.0.1:${last}/`);
    expect(JSON.parse(String(answer.body))).toEqual({
      accept: 'text/plain',
      'accept-encoding': 'gzip, deflate, br',
      connection: 'close',
      host: `127.0.0.1:${last}`,
      'user-agent': 'Sallyport',
    });
  });

  test('of a POST fails', async () => {
    const port = await redirectingTo('/elsewhere');
    const sent = trusting.fetch('account', `http://127.0.0.1:${port}/`, { ...request, method: 'POST', body: 'x' });
    expect(await failureOf(sent)).toContain('redirects to another address, which only a GET may follow.');
  });
});

describe('an answer', () => {
  test('without end is cut off at the bound', async () => {
    let sentBytes = 0;
    const piece = Buffer.alloc(65_536, 'x');
    const port = await listening((_, answer) => {
      const more = () => {
        while (!answer.destroyed && answer.write(piece)) sentBytes += piece.length;
      };
      answer.on('drain', more).on('error', () => {});
      more();
    });
    expect(await failureOf(trusting.fetch('account', `http://127.0.0.1:${port}/`, request))).toBe(
      `OUTGOING_FAILED: 127.0.0.1:${port} answers with more than 1000 bytes, the most that are read.`,
    );
    // What the sockets of both sides hold, and not the gigabytes that the server would have sent.
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });

  test('is counted as it is when unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const port = await listening((_, answer) => answer.setHeader('content-encoding', 'gzip').end(bomb));
    const url = `http://127.0.0.1:${port}/`;
    expect(await failureOf(trusting.fetch('account', url, { bytesMax: bomb.length * 2 }))).toContain(
      'answers with more than',
    );
    expect((await trusting.fetch('account', url, { bytesMax: 50_000_000 })).body).toHaveLength(50_000_000);
  });

  test.each([
    ['zstd', 'answers in an encoding that was not asked for.'],
    ['gzip', 'sends data that cannot be decompressed.'],
  ])('that is no %s fails', async (encoding, how) => {
    const port = await listening((_, answer) => answer.setHeader('content-encoding', encoding).end('plain'));
    expect(await failureOf(trusting.fetch('account', `http://127.0.0.1:${port}/`, request))).toBe(
      `OUTGOING_FAILED: 127.0.0.1:${port} ${how}`,
    );
  });

  test('that breaks off fails, and so does one that never comes', async () => {
    const port = await listening((asked, answer) => {
      if (asked.url === '/breaks')
        answer.writeHead(200, { 'content-length': '10' }).write('x', () => asked.socket.destroy());
    });
    expect(await failureOf(trusting.fetch('account', `http://127.0.0.1:${port}/breaks`, request))).toContain(
      'broke the connection off, or does not speak HTTP',
    );
    const leaving = new AbortController();
    const waiting = trusting.fetch('account', `http://127.0.0.1:${port}/hangs`, request, leaving.signal);
    const reason = new Error('Nobody waits any more.');
    leaving.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('over plain HTTP where TLS is spoken is not read', async () => {
    const port = await listening((_, answer) => answer.end());
    expect(await failureOf(trusting.fetch('account', `https://127.0.0.1:${port}/`, request))).toBe(
      `OUTGOING_FAILED: 127.0.0.1:${port} does not speak TLS there.`,
    );
  });

  test('of nobody: the port refuses', async () => {
    const port = await listening(() => {});
    const taken = connect(port, '127.0.0.1');
    taken.destroy();
    expect(await failureOf(trusting.fetch('account', 'http://127.0.0.1:1/', request))).toBe(
      'OUTGOING_FAILED: 127.0.0.1:1 refuses connections. Check the port, and that the server runs.',
    );
  });
});

describe('a message', () => {
  const message = { headers: {}, body: 'told', bytesMax: 10 };
  const postTo = (port: number, signal = new AbortController().signal) =>
    trusting.post('a', `http://127.0.0.1:${port}/`, message, signal);

  test('is sent again, once, if its server has just ended the connection that was kept; a new one that breaks off is a failure', async () => {
    const known = new Set<object>();
    let asked = 0;
    let isBroken = false;
    const port = await listening((taken, answer) => {
      asked += 1;
      if (isBroken || known.has(taken.socket)) return void taken.socket.destroy();
      known.add(taken.socket);
      answer.end('thank you');
    });
    expect(String((await postTo(port)).body)).toBe('thank you');
    expect(String((await postTo(port)).body)).toBe('thank you');
    expect(asked).toBe(3);
    isBroken = true;
    expect(await failureOf(postTo(port))).toMatch(/^OUTGOING_FAILED: 127\.0\.0\.1:\d+ broke the connection off/);
  });

  test('is not sent any more after its server has been told to stop, while its receiver is looked up', async () => {
    let asked = 0;
    const port = await listening((_taken, answer) => {
      asked += 1;
      answer.end();
    });
    const stopping = new AbortController();
    const sent = postTo(port, stopping.signal);
    stopping.abort(new Error('It stops.'));
    await expect(sent).rejects.toThrow('It stops.');
    expect(asked).toBe(0);
  });
});

describe('the look-up of a name', () => {
  test('has its IPv4 and IPv6 addresses, each once, also those that are not public', async () => {
    names['both.example'] = ['192.0.2.2', '2001:db8::1', '10.0.0.1', '192.0.2.2'];
    const { addresses, ttlSeconds } = await careful.lookUp('account', 'both.example');
    expect([addresses.map(String), ttlSeconds]).toEqual([['10.0.0.1', '192.0.2.2', '2001:db8::1'], 60]);
  });

  test.each<[string, DnsAnswer, string]>([
    ['missing.example', 'NXDOMAIN', 'there is no such name, or it has no address.'],
    ['empty.example', [], 'there is no such name, or it has no address.'],
    ['broken.example', 'SERVFAIL', 'its DNS server failed (SERVFAIL).'],
    ['silent.example', null, 'no DNS server answered in time.'],
  ])('of %s fails', async (name, answer, reason) => {
    names[name] = answer;
    expect(await failureOf(careful.lookUp('account', name))).toBe(
      `OUTGOING_FAILED: ${name} cannot be looked up: ${reason}`,
    );
  });
});
