// Runs the calls of docs/idempotency.md, which must do what the page says.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { read } from '../support/source-files.ts';

test('the calls are carried out once, and answered twice', async () => {
  const service = await startService();
  const calls = [...read('docs/idempotency.md').matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);
  expect(calls).toHaveLength(2);
  const env = { ...process.env, URL: service.url, API_KEY: service.token };
  for (const call of calls) {
    // Not every machine has `uuidgen`.
    const script = `uuidgen() { echo 5c2d9c3e-4f59-4c0f-a3a5-0f3f3d7f8b11; }\n${call}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    const answers = stdout.split(/(?=HTTP\/1\.1 )/);
    expect(answers.map((answer) => /^idempotency-replayed: (.*)\r$/im.exec(answer)?.[1])).toEqual([undefined, 'true']);
    const [first, second] = answers.map((answer) => answer.split('\r\n\r\n')[1]);
    expect(second).toBe(first);
  }
  expect((await service.rest('GET', '/ip_policies')).body.ip_policies).toHaveLength(1);
  expect((await service.rest('GET', '/api_keys')).body.keys).toHaveLength(2);
  expect(service.failures).toEqual([]);
  await service.close();
});
