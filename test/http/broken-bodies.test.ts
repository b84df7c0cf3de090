// Bodies that broke before anything read them.

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
