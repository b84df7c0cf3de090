// The feed below the surfaces: what it reads while other things happen to the database.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { auditUpkeep } from '../../src/areas/audit-events/upkeep.ts';
import { collectionOf } from '../../src/storage/objects/collections.ts';
import { createEventReads, type EventReads } from '../../src/storage/trail/event-reads.ts';
import { createFeed, type Feed } from '../../src/storage/trail/feed.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { openBeside } from '../support/database.ts';
import { type Client, ofOneServer, startService, startTime, type TestService } from '../support/service.ts';

const ipPolicies = collectionOf('IpPolicy');

const dayMs = 86_400_000;

let service: TestService;
let accountId: string;
let stored: EventReads;
let failures: unknown[];
beforeEach(async () => {
  const own = await startService();
  onTestFinished(() => own.close());
  service = ofOneServer(own);
  accountId = await accountOf(service);
  stored = createEventReads((await openBeside(service.database)).connection, service.database.engine.dialect);
  failures = [];
});

const accountOf = async ({ graphql }: Pick<Client, 'graphql'>): Promise<string> =>
  (await graphql('{ viewer { account { id } } }')).data.viewer.account.id;

/** Starts a feed over the stored events, with some of its reads replaced. */
function startFeed(between: Partial<EventReads> = {}): Feed {
  const feed = createFeed({ ...stored, ...between }, (error) => failures.push(error));
  onTestFinished(() => feed.close());
  return feed;
}

const begin = (feed: Feed, after: string | null, account = accountId) =>
  feed.follow(account, { after, wants: ({ kind }) => kind === 'IpPolicy' });
const change = async (description: string): Promise<string> =>
  (await service.rest('POST', '/ip_policies', { description })).body.id;

/** Waits until everything that was stored so far is settled. */
async function settle(account = accountId): Promise<string> {
  await expect.poll(async () => (await stored.end(account)).seen).toBe(null);
  return (await stored.end(account)).cursor.id;
}

test('events that are deleted while a client catches up end its stream: there is never a gap', async () => {
  const start = await settle();
  const id = await change('first');
  for (let version = 2; version <= 120; version += 1) {
    await service.rest('PATCH', `/ip_policies/${id}`, { description: `${version}` });
  }
  await settle();
  let pages = 0;
  const feed = startFeed({
    async after(...asked) {
      pages += 1;
      if (pages === 2) {
        const inTime = new Date(startTime.getTime() + 402 * dayMs);
        await auditUpkeep(400).hourly?.(service.storage.server, inTime, new AbortController().signal);
      }
      return stored.after(...asked);
    },
  });
  const following = await begin(feed, start);
  const versions: number[] = [];
  const readAll = async () => {
    for await (const { version } of following) {
      versions.push(version);
      if (version === 120) break;
    }
  };
  await expect(readAll()).rejects.toMatchObject({ code: 'EVENT_GONE' });
  expect(versions).toEqual(Array.from({ length: 64 }, (_, at) => at + 1));
});

test('an event that is stored while the first client joins comes at once, and not with the next look', async () => {
  const start = await settle();
  let looks = 0;
  let wasStored = false;
  let id = '';
  const feed = startFeed({
    async after(...asked) {
      const page = await stored.after(...asked);
      if (wasStored) return page;
      wasStored = true;
      id = await change('after the last page');
      await settle();
      return page;
    },
    async withMore() {
      looks += 1;
      return [];
    },
  });
  const following = await begin(feed, start);
  expect((await following.next()).value).toMatchObject({ objectId: id });
  expect(looks).toBe(0);
});

test('a client that comes while events are read for another one misses none of its own', async () => {
  const start = await settle();
  let isShared = false;
  let readAlone = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const feed = startFeed({
    async after(...asked) {
      if (!isShared) {
        readAlone += 1;
        return stored.after(...asked);
      }
      isShared = false;
      await held;
      return stored.after(...asked);
    },
    withMore: async () => [],
  });
  const other = await feed.follow(accountId, { after: start, wants: ({ kind }) => kind === 'TlsEdge' });
  void other.next();
  // Wait until it follows live.
  await expect.poll(() => other.position).not.toBe(null);
  isShared = true;
  feed.changed(accountId);
  await expect.poll(() => isShared).toBe(false);
  const following = await begin(feed, start);
  const next = following.next();
  const before = readAlone;
  await expect.poll(() => readAlone).toBeGreaterThan(before);
  await nextTurn();
  const id = await change('made while the page is read');
  await settle();
  release();
  feed.changed(accountId);
  expect((await next).value).toMatchObject({ objectId: id });
});

test('what cannot be read in one account is reported once, and holds up no other', async () => {
  const { rest, graphql } = await service.otherAccount('other');
  const other = await accountOf({ graphql });
  const broken = new Error('The events of this account cannot be read.');
  let isBroken = false;
  const feed = startFeed({
    async after(account, ...asked) {
      if (isBroken && account === accountId) throw broken;
      return stored.after(account, ...asked);
    },
    // The failing account comes first.
    withMore: async (places) => (await stored.withMore(places)).sort((id) => (id === accountId ? -1 : 1)),
  });
  const [failing, working] = [await begin(feed, null), await begin(feed, null, other)];
  const [late, soon] = [failing.next(), working.next()];
  // Wait until both have caught up.
  await expect.poll(() => [failing.position, working.position]).not.toContain(null);
  isBroken = true;
  const mine = await change('mine');
  const { body: theirs } = await rest('POST', '/ip_policies', {});
  expect((await soon).value).toMatchObject({ objectId: theirs.id });
  const again = working.next();
  const { body: more } = await rest('POST', '/ip_policies', {});
  expect((await again).value).toMatchObject({ objectId: more.id });
  expect(failures).toEqual([broken]);
  isBroken = false;
  expect((await late).value).toMatchObject({ objectId: mine });
});

test('a read that fails in the middle of a change of many objects is made up for, and needs no other change', async () => {
  for (let count = 0; count < 70; count += 1) await service.rest('POST', '/ip_policies', {});
  await settle();
  const broken = new Error('The second page cannot be read.');
  let isBetweenPages = false;
  const feed = startFeed({
    async after(...asked) {
      if (isBetweenPages) {
        isBetweenPages = false;
        throw broken;
      }
      const page = await stored.after(...asked);
      isBetweenPages = page.hasMore;
      return page;
    },
  });
  const following = await begin(feed, null);
  const first = following.next();
  // Wait until it has caught up.
  await expect.poll(() => following.position).not.toBe(null);
  // One transaction, with more events than a page holds.
  expect(await ipPolicies.removeAll(service.storage.actingFor(accountId, commandLine), {})).toBe(70);
  const removed = new Set([(await first).value?.objectId]);
  for await (const { objectId } of following) {
    if (removed.add(objectId).size === 70) break;
  }
  expect(removed.size).toBe(70);
  expect(failures).toEqual([broken]);
});

test('a page holds as many states as it may, and passes over those that nobody wants without reading them', async () => {
  await settle();
  const { cursor: start } = await stored.end(accountId);
  const large = 'x'.repeat(4_000);
  for (let count = 0; count < 12; count += 1) await service.rest('POST', '/ip_policies', { metadata: large });
  await settle();
  const read = (wants: (head: { kind: string }) => boolean, bytesMax: number) =>
    stored.after(accountId, start, wants, bytesMax);
  const all = await read(() => true, 1_000_000);
  expect([all.events.length, all.hasMore]).toEqual([12, false]);
  const some = await read(() => true, 3 * 4_300);
  expect([some.events.length, some.hasMore, some.cursor.id]).toEqual([3, true, some.events[2]?.id]);
  expect((await read(() => true, 0)).events.map(({ id }) => id)).toEqual([all.events[0]?.id]);
  const none = await read(() => false, 0);
  expect(none).toEqual({ events: [], hasMore: false, cursor: all.cursor });
});
