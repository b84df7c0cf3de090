// Decisions of the gate that are shipped: a sample of those that let pass, and all that refuse.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readProxies } from '../../src/domain/gate/proxies.ts';
import { createFileReceiver } from '../../src/outgoing/shipping/file.ts';
import { createGateSamples } from '../../src/telemetry/gate-samples.ts';
import { ofOneServer, startService, startTime } from '../support/service.ts';
import { ask, makeEdge, makeRoute } from './support.ts';

const directory = mkdtempSync(join(tmpdir(), 'samples-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('decisions are shipped with host, path, client and the share that they stand for, and none without a share', async () => {
  const path = join(directory, 'gate.jsonl');
  const receivers = [createFileReceiver({ path, bytesMax: 1_000_000, kept: 1 }, false)];
  let records = 0;
  const newRecordId = () => `op_${++records}`;
  const samples = createGateSamples({ receivers, share: 1, newRecordId, now: () => startTime });
  const off = createGateSamples({ receivers: [], share: 0, newRecordId, now: () => startTime });
  const gateProxies = readProxies(['127.0.0.1']);
  const service = ofOneServer(
    await startService({
      gateProxies,
      gateSampled: samples.isDrawn,
      gateDecided(summary) {
        samples.note(summary);
        off.note(summary);
      },
    }),
  );
  const edge = await makeEdge(service);
  const route = await makeRoute(service, edge, '/app');
  await ask(service.url, 'auth-request', edge, { url: 'https://app.example.com/app?secret=1' });
  await ask(service.url, 'auth-request', edge, { url: 'https://other.example.com/app' });
  await Promise.all([samples.end(), off.end()]);
  const [allowed, refused, ...others] = readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(allowed).toEqual({
    id: 'op_1',
    time: startTime.toISOString(),
    type: 'gate.allow',
    message: 'The gate let 203.0.113.7 pass to app.example.com/app',
    account_id: expect.stringMatching(/^acct_/),
    edge_id: edge,
    route_id: route,
    result: 'allow',
    reason: 'none',
    way: 'auth-request',
    host: 'app.example.com',
    path: '/app',
    user: null,
    client_address: '203.0.113.7',
    sample_share: 1,
    lost_before: 0,
  });
  expect(refused).toMatchObject({ type: 'gate.refuse', reason: 'host', host: 'other.example.com', sample_share: 1 });
  expect(refused.id).toMatch(/^op_/);
  expect([others, off.isDrawn()]).toEqual([[], false]);
  await service.close();
});
