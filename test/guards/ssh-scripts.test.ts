// The scripts for SSH hosts and clients: what the documentation says about them, and the code they share.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { standingOf } from '../../src/areas/ssh/rules.ts';
import { startService, type TestService } from '../support/service.ts';
import { read } from '../support/source-files.ts';

const scripts = ['host', 'client'] as const;
const textOf = (name: (typeof scripts)[number]) => read(`deploy/ssh/sallyport-ssh-${name}`);

test('every SHA-256 on the page is that of its script', () => {
  const sums = Object.fromEntries(
    scripts.map((name) => [createHash('sha256').update(textOf(name)).digest('hex'), `sallyport-ssh-${name}`]),
  );
  const lines = read('docs/two-thousand-hosts.md').split('\n');
  const found = lines.flatMap((line, index) => {
    const sum = /[0-9a-f]{64}/.exec(line)?.[0];
    // Ansible names the file in the lines before.
    const named = /sallyport-ssh-\w+/.exec(
      lines
        .slice(Math.max(0, index - 2), index + 1)
        .reverse()
        .join(' '),
    )?.[0];
    return sum === undefined ? [] : [[sums[sum] ?? sum, named]];
  });
  const [host, client] = ['sallyport-ssh-host', 'sallyport-ssh-client'];
  expect(found).toEqual([host, host, host, client].map((name) => [name, name]));
});

test('the page calls a certificate of 90 days late on the same day as "doctor"', () => {
  const days = Number(/LATE_DAYS:-(\d+)/.exec(read('docs/two-thousand-hosts.md'))?.[1]);
  const dayMs = 86_400_000;
  const certificate = { validAfter: new Date(0), validUntil: new Date(90 * dayMs) };
  const lateAt = (daysLeft: number) => standingOf(certificate, new Date((90 - daysLeft) * dayMs)) === 'late';
  expect([lateAt(days + 0.01), lateAt(days - 0.01)]).toEqual([false, true]);
});

test('both scripts share a part, word for word', () => {
  const parts = scripts.map((name) => textOf(name).split(/^# -{20,}$/m));
  const [host, client] = parts;
  expect([host?.length, client?.length]).toEqual([3, 3]);
  expect(host?.[1]).toBe(client?.[1]);
});

describe('GET', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test.each(scripts)('/ssh/%s.sh gives the script to whoever asks', async (name) => {
    const answer = await fetch(`${service.url}/ssh/${name}.sh`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toBe(textOf(name));
    const other = await fetch(`${service.url}/ssh/${name}.sh`, { method: 'POST' });
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'HEAD, GET, OPTIONS']);
    expect(service.failures).toEqual([]);
  });
});
