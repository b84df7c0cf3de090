// Requests with invalid framing. A refused request must not have done anything.

import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { exchange, statusesIn } from '../support/raw-socket.ts';
import { apiKey, readyServer, rest } from './support.ts';

/** Formats a request. The other header lines are those of an honest client. */
function write(method: string, path: string, framing: readonly string[], body: string, version = '1.1'): string {
  const head = ['Host: a', `Authorization: Bearer ${apiKey}`, 'Service-Version: 2', 'Content-Type: application/json'];
  return `${method} ${path} HTTP/${version}\r\n${[...head, ...framing].join('\r\n')}\r\n\r\n${body}`;
}

const chunks = '2\r\n{}\r\n0\r\n\r\n';
/** Body framings that are refused: header lines, the body, and whether the client then closes its side. */
const refused: Record<string, [framing: string[], body: string, end?: true]> = {
  'an unknown encoding': [['Transfer-Encoding: xchunked'], chunks],
  'an encoding that is not chunked': [['Transfer-Encoding: gzip'], chunks],
  'the identity encoding': [['Transfer-Encoding: identity'], '{}'],
  'chunked, then identity': [['Transfer-Encoding: chunked, identity'], chunks],
  'identity, then chunked': [['Transfer-Encoding: identity, chunked'], chunks],
  'an encoding that is not undone': [['Transfer-Encoding: gzip, chunked'], chunks],
  'chunked twice': [['Transfer-Encoding: chunked, chunked'], chunks],
  'chunked in two lines': [['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunks],
  'chunked with a parameter': [['Transfer-Encoding: chunked;a=b'], chunks],
  'an empty encoding': [['Transfer-Encoding: ', 'Content-Length: 2'], '{}'],
  'a length and an encoding': [['Content-Length: 2', 'Transfer-Encoding: chunked'], chunks],
  'an encoding and a length': [['Transfer-Encoding: chunked', 'Content-Length: 2'], chunks],
  'two lengths': [['Content-Length: 2', 'Content-Length: 3'], '{} '],
  'a length with a sign': [['Content-Length: +2'], '{}'],
  'a negative length': [['Content-Length: -2'], '{}'],
  'a length beyond all numbers': [['Content-Length: 99999999999999999999'], '{}'],
  'a size of a chunk that is not a number': [['Transfer-Encoding: chunked'], `zz\r\n${chunks}`],
  'a negative size of a chunk': [['Transfer-Encoding: chunked'], '2\r\n{}\r\n-1\r\n\r\n'],
  'a chunk that is longer than its size': [['Transfer-Encoding: chunked'], '2\r\n{}XX0\r\n\r\n'],
  'a trailer that is not one': [['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\nbad trailer\r\n\r\n'],
  'chunks without an end': [['Transfer-Encoding: chunked'], '2\r\n{}\r\n', true],
  'a chunk that is cut off': [['Transfer-Encoding: chunked'], '9\r\n{}', true],
  'a body that is shorter than its length': [['Content-Length: 5'], '{}', true],
  'a body that does not come': [['Content-Length: 2'], '', true],
};

/** Replaces the empty object in a body by a mutation. */
function asMutation({ framing, body }: { framing: string[]; body: string }) {
  const mutation = '{"query":"mutation { createIpPolicy(input: {}) { ipPolicy { id } } }"}';
  const more = mutation.length - 2;
  return {
    framing: framing.map((line) => line.replace(/^(Content-Length: )(\d+)$/, (_, name, n) => `${name}${+n + more}`)),
    body: body.replace('2\r\n{}', `${mutation.length.toString(16)}\r\n{}`).replace('{}', mutation),
  };
}

test('a request that is refused for its framing has executed nothing, whatever its method', async () => {
  const server = await readyServer(await testDatabase(), { LOG_LEVEL: 'silent' });
  const total = async () => {
    const answer = await rest(server.url, 'GET', '/ip_policies');
    return JSON.parse(await answer.text()).ip_policies.length;
  };
  const { id } = JSON.parse(await (await rest(server.url, 'POST', '/ip_policies', {})).text());
  for (const [name, [framing, body, end = false]] of Object.entries(refused)) {
    for (const [method, path] of [
      ['POST', '/ip_policies'],
      ['POST', '/graphql'],
      ['PATCH', `/ip_policies/${id}`],
      ['DELETE', `/ip_policies/${id}`],
      ['GET', '/ip_policies'],
    ] as const) {
      const sent = path === '/graphql' ? asMutation({ framing, body }) : { framing, body };
      const answer = await exchange(server.url, write(method, path, sent.framing, sent.body), { end });
      expect([name, method, path, statusesIn(answer)]).toEqual([name, method, path, [400]]);
    }
    expect([name, await total()]).toEqual([name, 1]);
  }
  const old = await exchange(server.url, write('POST', '/ip_policies', ['Transfer-Encoding: chunked'], chunks, '1.0'));
  expect(statusesIn(old)).toEqual([400]);
  expect(await total()).toBe(1);
  const [head = '', json = ''] = (
    await exchange(server.url, write('POST', '/ip_policies', ['Transfer-Encoding: xchunked'], chunks))
  ).split('\r\n\r\n');
  expect(head).toContain('Connection: close');
  expect(JSON.parse(json)).toEqual({
    error_code: 'BAD_REQUEST',
    status_code: 400,
    msg: 'Send the body with "Content-Length", or with "Transfer-Encoding: chunked" over HTTP/1.1.',
    details: { operation_id: /^X-Request-Id: (\S+)/m.exec(head)?.[1] },
  });
});

test('whole requests are answered, and then what follows them is refused', async () => {
  const server = await readyServer(await testDatabase());
  const { id } = JSON.parse(await (await rest(server.url, 'POST', '/ip_policies', {})).text());
  const post = write('POST', '/ip_policies', ['Content-Length: 2'], '{}');
  const remove = write('DELETE', `/ip_policies/${id}`, [], '');
  // The declared length of the last one is too small, so that the rest of its body reads as another request.
  expect(statusesIn(await exchange(server.url, `${post}${remove}${post}GARBAGE\r\n\r\n`))).toEqual([
    201, 204, 201, 400,
  ]);
  const broken = write('POST', '/ip_policies', ['Transfer-Encoding: xchunked'], chunks);
  expect(statusesIn(await exchange(server.url, `${post}${broken}${post}`))).toEqual([201, 400]);
  const list = await rest(server.url, 'GET', '/ip_policies');
  expect(JSON.parse(await list.text()).ip_policies).toHaveLength(3);
});

test('a body is thrown away where nobody reads it, up to the size that any may have', async () => {
  const server = await readyServer(await testDatabase());
  const close = 'Connection: close';
  for (const [framing, body] of [
    ['Content-Length: 2', '{}'],
    ['Content-Length: 0', ''],
    ['Transfer-Encoding: chunked', chunks],
    ['Transfer-Encoding: Chunked', '1;a=b\r\n{\r\n0\r\nTrailer: 1\r\n\r\n'],
  ] as const) {
    const { id } = JSON.parse(await (await rest(server.url, 'POST', '/ip_policies', {})).text());
    const list = await exchange(server.url, write('GET', '/ip_policies', [framing, close], body));
    const removed = await exchange(server.url, write('DELETE', `/ip_policies/${id}`, [framing, close], body));
    expect([framing, statusesIn(list), statusesIn(removed)]).toEqual([framing, [200], [204]]);
  }
  const large = await exchange(
    server.url,
    write('DELETE', '/ip_policies/x', ['Content-Length: 1048577'], 'x'.repeat(1_048_577)),
  );
  expect(statusesIn(large)).toEqual([413]);
});

test('a target may be a whole URL, whose host counts', async () => {
  const server = await readyServer(await testDatabase());
  const ask = async (target: string, host = 'other.example') => {
    const answer = await exchange(
      server.url,
      write('GET', target, ['Connection: close'], '').replace('Host: a', `Host: ${host}`),
    );
    return [statusesIn(answer)[0], /"uri":"([^"]*)"/.exec(answer)?.[1]];
  };
  expect(await ask('http://x/healthz')).toEqual([200, undefined]);
  expect(await ask('HTTPS://x:8443/readyz?a=b')).toEqual([200, undefined]);
  expect(await ask('http://a.example/ip_policies?limit=1')).toEqual([200, 'http://a.example/ip_policies']);
  expect(await ask('http://a.example/graphql?query=%7B__typename%7D')).toEqual([200, undefined]);
  expect(await ask('http://a.example')).toEqual(await ask('/'));
  expect(await ask('http://a.example?a=b')).toEqual(await ask('/?a=b'));
  for (const target of ['http://user@x/healthz', 'http:///healthz', 'ftp://x/healthz', 'http://x\\/healthz', '*']) {
    expect([target, (await ask(target))[0]]).toEqual([target, target === 'http://x\\/healthz' ? 400 : 404]);
  }
});
