// A stream whose client does not read: it costs a bounded amount of memory, gives way to others, ends with a reason, and the client
// loses nothing.

import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createEventStreams } from '../../src/surfaces/kit/event-streams.ts';
import type { RequestSummary } from '../../src/wire/trace.ts';
import { openStream } from '../support/event-stream.ts';
import { ofOneServer, startService, type TestService } from '../support/service.ts';
import { startWholeServer } from '../support/whole-server.ts';

let service: TestService;
beforeAll(async () => {
  service = ofOneServer(await startService());
});

/** The text of a change, which each event contains many times: together, the events exceed the system's buffers. */
const metadata = 'x'.repeat(4_000);
const copies = 60;
const changes = 55;
const query = `subscription ($after: ID) {
  changes(after: $after) { id version ${Array.from({ length: copies }, (_, at) => `s${at}: state`).join(' ')} }
}`;

interface Answer {
  readonly data: { readonly changes: { readonly id: string; readonly version: number } };
}

const newestEvent = async (): Promise<string> =>
  (await service.rest('GET', '/audit_events?limit=1')).body.audit_events[0].id;
const subscribeTo = (url: string, after: string) =>
  openStream(`${url}/graphql`, service.token, { body: { query, variables: { after } } });
async function makeChanges(): Promise<void> {
  const { body: policy } = await service.rest('POST', '/ip_policies', { metadata });
  for (let version = 2; version <= changes; version++) {
    await service.rest('PATCH', `/ip_policies/${policy.id}`, { description: `${version}` });
  }
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
  const subscribe = (after: string, { url } = server) => subscribeTo(url, after);
  const before = await newestEvent();
  const stalled = await subscribe(before);
  stalled.pause();
  const pausing = await subscribe(before, patient);
  pausing.pause();
  onTestFinished(() => {
    stalled.cut();
    pausing.cut();
  });
  await makeChanges();
  pausing.resume();
  const seen = (await pausing.wait(changes)) as Answer[];
  expect(seen.map(({ data }) => data.changes.version)).toEqual(Array.from({ length: changes }, (_, at) => at + 1));
  await expect
    .poll(() => summaries, { timeout: 30_000 })
    .toMatchObject([{ route: 'changes', status: null, ended: 'the client reads nothing' }]);
  // What it has received by now.
  stalled.resume();
  expect(await stalled.ended).toBe('cut');
  const had = stalled.data() as Answer[];
  expect(had.length).toBeLessThan(changes);
  const again = await subscribe(had.at(-1)?.data.changes.id ?? before);
  onTestFinished(() => again.cut());
  const missed = (await again.wait(changes - had.length)) as Answer[];
  expect([...had, ...missed].map(({ data }) => data.changes.id)).toEqual(seen.map(({ data }) => data.changes.id));
});

test('streams whose clients read nothing give up their places for good, so that no more are open than may be', async () => {
  const summaries: RequestSummary[] = [];
  const streams = createEventStreams((_requestId, error) => expect.fail(String(error)), { ofAllMax: 4 });
  // No client is cut off for not reading.
  const bounds = { stalledSecondsMax: 3_600 };
  const server = await startWholeServer(service, (summary) => summaries.push(summary), bounds, { streams });
  onTestFinished(() => server.cut());
  const before = await newestEvent();
  const stalled = [];
  for (let count = 0; count < 3; count += 1) {
    const stream = await subscribeTo(server.url, before);
    stream.pause();
    stalled.push(stream);
  }
  await makeChanges();
  // A stream writes one event at a time: this many bytes wait only if all three are stuck.
  await expect.poll(() => server.waitingBytes(), { timeout: 60_000 }).toBeGreaterThan(3 * copies * metadata.length);
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    const stream = await openStream(`${server.url}/events`, (await service.asNewAccount()).token);
    onTestFinished(() => stream.cut());
    statuses.push(stream.status);
    expect(streams.count()).toBeLessThanOrEqual(4);
  }
  expect(statuses).toEqual([200, 200, 200, 503, 503, 503]);
  const evicted = { route: 'changes', status: null, ended: 'another account has fewer streams' };
  await expect.poll(() => summaries.filter(({ isStream }) => isStream)).toMatchObject([evicted, evicted]);
  for (const stream of stalled) stream.resume();
  expect([await stalled[0]?.ended, await stalled[1]?.ended]).toEqual(['cut', 'cut']);
  expect(await stalled[2]?.wait(changes)).toHaveLength(changes);
});
