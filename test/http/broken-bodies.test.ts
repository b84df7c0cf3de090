// Bodies that broke before anything read them, or that arrive in too many pieces.

import { expect, test } from 'vitest';
import { exchange, statusesIn } from '../support/raw-socket.ts';
import { startService } from '../support/service.ts';

test('a body that broke before it was looked at is not taken for one that was not sent', async () => {
  const service = await startService();
  for (let count = 0; count < 10; count++) {
    // The server has to ask the database about a new key, and by then the connection is gone.
    const { body: key } = await service.rest('POST', '/api_keys', {});
    const cutOff = count % 2 === 0;
    const [framing, body] = cutOff ? ['Content-Length: 2', ''] : ['Transfer-Encoding: chunked', 'zz\r\n'];
    const head = ['Host: a', `Authorization: Bearer ${key.token}`, 'Service-Version: 2', framing].join('\r\n');
    const sent = `POST /ip_policies HTTP/1.1\r\n${head}\r\n\r\n${body}`;
    expect(statusesIn(await exchange(service.url, sent, { end: cutOff }))).toEqual([400]);
  }
  expect((await service.rest('GET', '/ip_policies')).body.ip_policies).toEqual([]);
  await service.close();
});

test('a body in thousands of chunks is refused with what to do, and one in fewer is taken', async () => {
  const service = await startService();
  const head = [
    'Host: a',
    `Authorization: Bearer ${service.token}`,
    'Service-Version: 2',
    'Transfer-Encoding: chunked',
  ];
  const send = async (path: string, type: string, chunks: number, end: string) => {
    const lines = [...head, `Content-Type: ${type}`, 'Connection: close'].join('\r\n');
    const body = `${'1\r\n \r\n'.repeat(chunks)}${end.length.toString(16)}\r\n${end}\r\n0\r\n\r\n`;
    return exchange(service.url, `POST ${path} HTTP/1.1\r\n${lines}\r\n\r\n${body}`);
  };
  const tooMany = await send('/ip_policies', 'application/json', 100_000, '{}');
  expect(statusesIn(tooMany)).toEqual([413]);
  expect(tooMany).toContain(
    'The body must arrive in at most 4096 pieces. Send it with Content-Length, or in larger chunks.',
  );
  expect(statusesIn(await send('/graphql', 'application/json', 100_000, '{"query":"{__typename}"}'))).toEqual([413]);
  // Its connection is closed, also while the body goes on.
  const endless = [
    'POST /ip_policies HTTP/1.1',
    ...head,
    'Content-Type: application/json',
    '',
    '1\r\n \r\n'.repeat(5_000),
  ];
  expect(statusesIn(await exchange(service.url, endless.join('\r\n')))).toEqual([413]);
  expect(statusesIn(await send('/ip_policies', 'application/json', 3_000, '{}'))).toEqual([201]);
  expect((await service.rest('GET', '/ip_policies')).body.ip_policies).toHaveLength(1);
  expect(service.failures).toEqual([]);
  await service.close();
});
