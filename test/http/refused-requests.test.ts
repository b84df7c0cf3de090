// Requests that Node cannot parse, or would answer by itself: they get the standard error body, are counted, and are logged.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { RequestSummary } from '../../src/wire/trace.ts';
import { exchange, openSocket } from '../support/raw-socket.ts';
import { startService, type TestService } from '../support/service.ts';
import { startWholeServer, type WholeServer } from '../support/whole-server.ts';
import { expectKnownError } from './wire.ts';

let service: TestService;
let server: WholeServer;
let url: string;
const summaries: RequestSummary[] = [];

beforeAll(async () => {
  service = await startService();
  server = await startWholeServer(service, (summary) => void summaries.push(summary), {
    headersTimeout: 300,
    requestTimeout: 600,
    connectionsCheckingInterval: 50,
  });
  url = server.url;
});
afterAll(async () => {
  server.cut();
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Sends bytes, and returns the parts of the only answer, once the request has been logged. */
async function refusalOf(bytes: string) {
  summaries.length = 0;
  const [head = '', json = ''] = (await exchange(url, bytes)).split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  await expect.poll(() => summaries.length).toBeGreaterThan(0);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    body: JSON.parse(json),
    requestId: header('X-Request-Id'),
    connection: header('Connection'),
    type: header('Content-Type'),
  };
}

const host = 'Host: a\r\n';
const key = () => `Authorization: Bearer ${service.token}\r\nService-Version: 2\r\n`;

test.each<[what: string, bytes: () => string, status: number, code: string, message: string]>([
  ['no HTTP at all', () => 'hello\r\n\r\n', 400, 'BAD_REQUEST', 'The request is not valid HTTP.'],
  ['a TLS handshake', () => '\x16\x03\x01\x02\x00\x01', 400, 'BAD_REQUEST', 'The request is not valid HTTP.'],
  [
    'a header name with a space',
    () => `GET / HTTP/1.1\r\n${host}a b: c\r\n\r\n`,
    400,
    'BAD_REQUEST',
    'The request is not valid HTTP.',
  ],
  [
    'the preface of HTTP/2',
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    400,
    'BAD_REQUEST',
    'The request is not valid HTTP.',
  ],
  ['HTTP/2.0', () => `GET / HTTP/2.0\r\n${host}\r\n`, 400, 'BAD_REQUEST', 'Send the request as HTTP/1.1.'],
  ['no Host header', () => 'GET / HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST', 'Send a Host header.'],
  [
    'two Host headers',
    () => `GET / HTTP/1.1\r\n${host}host: b\r\n\r\n`,
    400,
    'BAD_REQUEST',
    'Send the Host header only once.',
  ],
  [
    'the same Host header twice',
    () => `GET /ip_policies HTTP/1.1\r\n${host}${host}${key()}\r\n`,
    400,
    'BAD_REQUEST',
    'Send the Host header only once.',
  ],
  [
    'CONNECT',
    () => `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`,
    400,
    'BAD_REQUEST',
    'This server is not a proxy and does not support CONNECT.',
  ],
  [
    'headers of more than 16 KiB',
    () => `GET / HTTP/1.1\r\n${host}x: ${'y'.repeat(17_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
    'The headers must be at most 16 KiB in total.',
  ],
  [
    'more than 100 header fields',
    () => `GET / HTTP/1.1\r\n${host}${'x:y\r\n'.repeat(100)}\r\n`,
    431,
    'HEADERS_TOO_LARGE',
    'Send at most 100 header fields.',
  ],
  [
    'another expectation than 100-continue',
    () => `POST /ip_policies HTTP/1.1\r\n${host}${key()}Expect: a miracle\r\nContent-Length: 2\r\n\r\n{}`,
    417,
    'EXPECT_UNSUPPORTED',
    'The only supported expectation is "100-continue".',
  ],
  [
    'a head that does not come to its end',
    () => `GET / HTTP/1.1\r\n${host}`,
    408,
    'REQUEST_TIMEOUT',
    'The request did not arrive in time. Send it again.',
  ],
  [
    'a body that nobody reads and that does not come to its end',
    () => `GET /ip_policies HTTP/1.1\r\n${host}${key()}Content-Length: 9\r\n\r\n{"a"`,
    408,
    'REQUEST_TIMEOUT',
    'The request did not arrive in time. Send it again.',
  ],
  [
    'a body that does not come to its end',
    () =>
      `POST /ip_policies HTTP/1.1\r\n${host}${key()}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"`,
    408,
    'REQUEST_TIMEOUT',
    'The request did not arrive in time. Send it again.',
  ],
])('%s is refused with the body of every error', async (_what, bytes, status, code, message) => {
  const answer = await refusalOf(bytes());
  expect(answer).toEqual({
    status,
    body: { error_code: code, status_code: status, msg: message, details: { operation_id: answer.requestId } },
    requestId: expect.stringMatching(/^op_/),
    connection: 'close',
    type: 'application/json; charset=utf-8',
  });
  expectKnownError(answer.body, status);
  expect(summaries.map(({ requestId, status: logged, errorCode }) => ({ requestId, logged, errorCode }))).toEqual([
    { requestId: answer.requestId, logged: status, errorCode: code },
  ]);
});

test('a connection over which nothing came is closed without a word, and nothing is logged', async () => {
  summaries.length = 0;
  expect(await exchange(url, '')).toBe('');
  expect(summaries).toEqual([]);
});

test('100-continue is met, and an expectation over HTTP/1.0 is ignored', async () => {
  const head = `${host}${key()}Content-Type: application/json\r\nConnection: close\r\n`;
  const answer = await exchange(
    url,
    `POST /ip_policies HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  );
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 201']);
  const old = await exchange(url, `GET /ip_policies HTTP/1.0\r\n${host}${key()}Expect: a miracle\r\n\r\n`);
  expect(old.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});

test('a hundred header fields are read', async () => {
  const fields = `${host}${key()}Connection: close\r\n${'x:y\r\n'.repeat(96)}`;
  expect(await exchange(url, `GET /ip_policies HTTP/1.1\r\n${fields}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ['in the same piece', false],
  ['later', true],
])(
  'a request that is refused by its head gets no second answer when its body turns out broken %s',
  async (_, later) => {
    const summaryOf = async (head: string) => {
      const socket = await openSocket(url);
      onTestFinished(() => void socket.destroy());
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const [beginning, rest] = [`${head}Transfer-Encoding: chunked\r\n\r\n`, 'broken\r\n\r\n'];
      socket.write(later ? beginning : beginning + rest);
      if (later) {
        await expect.poll(() => answer).not.toBe('');
        socket.write(rest);
      }
      await closed;
      return answer.match(/HTTP\/1\.1 \d+/g);
    };
    expect(await summaryOf(`POST /nowhere HTTP/1.1\r\n${host}`)).toEqual(['HTTP/1.1 404']);
    expect(await summaryOf(`POST /ip_policies HTTP/1.1\r\n${host}Service-Version: 2\r\n`)).toEqual(['HTTP/1.1 401']);
  },
);

test('what follows on a refused connection is not looked at', async () => {
  summaries.length = 0;
  const socket = await openSocket(url);
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write('GARBAGE\r\n\r\nGARBAGE\r\n\r\n');
  socket.write(`GET /ip_policies HTTP/1.1\r\n${host}${key()}\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  expect(summaries).toHaveLength(1);
});

test.each([
  ['that names two hosts', `GET /ip_policies HTTP/1.1\r\n${host}${host}`],
  ['that expects what nobody meets', `GET /ip_policies HTTP/1.1\r\n${host}Expect: a miracle\r\n`],
])('a whole request behind one %s is not executed, because it gets no answer', async (_, refused) => {
  const made = `made behind ${_}`;
  const json = JSON.stringify({ description: made });
  const post = `POST /ip_policies HTTP/1.1\r\n${host}${key()}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
  const answer = await exchange(url, `${refused}${key()}\r\n${post}`);
  expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toHaveLength(1);
  const { body } = await service.rest('GET', '/ip_policies');
  expect(body.ip_policies.filter(({ description }: { description: string }) => description === made)).toEqual([]);
});
