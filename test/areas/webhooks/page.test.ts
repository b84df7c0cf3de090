// The receiver on the page about webhooks takes what the server sends, and nothing else.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { parseRange } from '../../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../../src/outgoing/outgoing.ts';
import { ownService } from '../../support/service.ts';
import { read } from '../../support/source-files.ts';

test('the receiver of the page verifies messages', async () => {
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(read('docs/webhooks.md')) ?? [];
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-receiver-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'receiver.mjs'), program);
  const outgoing = createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] });
  const service = await ownService({ outgoing });
  // The receiver refuses old messages, and its clock is the real one.
  service.setTime(new Date());
  await service.storage.upkeep();
  // The port is known only once the receiver runs, and the secret only once the webhook exists.
  const { body: hook } = await service.rest('POST', '/webhooks', { url: 'http://127.0.0.1:9/', enabled: false });
  const child = spawn(process.execPath, [join(directory, 'receiver.mjs')], {
    env: { ...process.env, WEBHOOK_SECRET: hook.secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  const port = /^listening on (\d+)$/.exec(await next())?.[1];
  const url = `http://127.0.0.1:${port}/`;
  const forged = await fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-signature': 'v1,AAAA' } });
  expect([forged.status, await forged.text()]).toEqual([401, 'This signature is not ours.']);
  await service.rest('PATCH', `/webhooks/${hook.id}`, { url, enabled: true, events: ['ip_policy.*'] });
  const { body: policy } = await service.rest('POST', '/ip_policies', {});
  expect(await next()).toBe(`ip_policy.create ${policy.id}`);
  child.kill();
  await once(child, 'exit');
});
