// A stream whose client does not read: it costs a bounded amount of memory, ends with a reason, and nothing is lost to the client.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { RequestSummary } from '../../src/http/trace.ts';
import { openStream } from '../support/event-stream.ts';
import { ofOneServer, startService, type TestService } from '../support/service.ts';
import { startWholeServer } from '../support/whole-server.ts';

let service: TestService;
beforeAll(async () => {
  service = ofOneServer(await startService());
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Text of a change, which comes many times over in each event: more than the buffers of the system take of all events. */
const metadata = 'x'.repeat(4_000);
const copies = 60;
const changes = 80;
const query = `subscription ($after: ID) {
  changes(after: $after) { id version ${Array.from({ length: copies }, (_, at) => `s${at}: state`).join(' ')} }
}`;

interface Answer {
  readonly data: { readonly changes: { readonly id: string; readonly version: number } };
}

test('a client that reads nothing is cut off, and one that reads again gets all that it has missed', async () => {
  const summaries: RequestSummary[] = [];
  const server = await startWholeServer(service, (summary) => summaries.push(summary), { stalledSecondsMax: 2 });
  // The changes may take longer than two seconds.
  const patient = await startWholeServer(service, () => {});
  onTestFinished(() => {
    server.cut();
    patient.cut();
  });
  const subscribe = (after: string, { url } = server) =>
    openStream(`${url}/graphql`, service.token, { body: { query, variables: { after } } });
  const { audit_events: before } = (await service.rest('GET', '/audit_events?limit=1')).body;
  const stalled = await subscribe(before[0].id);
  stalled.pause();
  const pausing = await subscribe(before[0].id, patient);
  pausing.pause();
  onTestFinished(() => {
    stalled.cut();
    pausing.cut();
  });
  const { body: policy } = await service.rest('POST', '/ip_policies', { metadata });
  for (let version = 2; version <= changes; version++) {
    await service.rest('PATCH', `/ip_policies/${policy.id}`, { description: `${version}` });
  }
  pausing.resume();
  const seen = (await pausing.wait(changes)) as Answer[];
  expect(seen.map(({ data }) => data.changes.version)).toEqual(Array.from({ length: changes }, (_, at) => at + 1));
  await expect
    .poll(() => summaries, { timeout: 30_000 })
    .toMatchObject([{ route: 'changes', status: null, ended: 'the client reads nothing' }]);
  // What it has read by then.
  stalled.resume();
  expect(await stalled.ended).toBe('cut');
  const had = stalled.data() as Answer[];
  expect(had.length).toBeLessThan(changes);
  const again = await subscribe(had.at(-1)?.data.changes.id ?? before[0].id);
  onTestFinished(() => again.cut());
  const missed = (await again.wait(changes - had.length)) as Answer[];
  expect([...had, ...missed].map(({ data }) => data.changes.id)).toEqual(seen.map(({ data }) => data.changes.id));
});
