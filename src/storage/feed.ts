// Follows the trail: gives the events of accounts to whoever listens, in the order of their commits, each once. What is new in an
// account is read once for all who follow it, and only while somebody does.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalid } from '../domain/errors.ts';
import { isIdOf } from '../domain/ids.ts';
import { createWorkQueue } from '../domain/work-queue.ts';
import { type Cursor, type EventHead, type EventReads, isBehind } from './event-reads.ts';
import { reportingFirst } from './first-failure.ts';
import { type Audience, eventGone, Follower, type Following, type FollowingStart } from './follower.ts';

/** What is followed. */
export interface FollowRequest {
  /** Id of the event to begin after; null to begin with what is stored from now on. */
  readonly after: string | null;
  /** Tells which events are wanted. */
  readonly wants: (event: EventHead) => boolean;
}

/** The feed of a database. */
export interface Feed {
  /**
   * Follows an account.
   *
   * @throws INVALID_INPUT for what is no id of an event, EVENT_GONE where events behind the one to begin after may have been deleted
   */
  follow(accountId: string, request: FollowRequest): Promise<Following>;
  /** Hears that this process has changed something in an account. */
  changed(accountId: string): void;
  /** Ends all that follow. */
  close(): void;
}

/** Milliseconds between looks for what other processes have stored. */
const lookMs = 250;
/** Milliseconds from a change of this process to the reading of it, so that many are read together. */
const gatherMs = 10;
/** Bytes of states that are read at once for all who follow an account, beyond the first event. */
const sharedBytesMax = 262_144;
/** Accounts that are asked for in one statement. */
const accountsAtOnce = 100;

/** Followers of one account that wait to read by themselves. It has fewer streams. */
const catchingUpMax = 5_000;

/** What the followers of an account share: the place up to which it has been read for all of them. */
interface Channel {
  readonly accountId: string;
  /** Attempts to read it. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<void>;
  readonly followers: Set<Follower>;
  place: Cursor;
  isReading: boolean;
  /** Whether something has changed since the reading began. */
  isStale: boolean;
  gathering: NodeJS.Timeout | undefined;
}

/**
 * Creates the feed.
 *
 * @param reportFailure told why new events of an account could not be read, once per outage; they are read later
 */
export function createFeed(reads: EventReads, reportFailure: (error: unknown) => void): Feed {
  const channels = new Map<string, Channel>();
  const following = new Set<Follower>();
  let looking: NodeJS.Timeout | undefined;
  let isLooking = false;
  const attemptToLook = reportingFirst(reportFailure);
  const catchingUp = createWorkQueue({ atOnce: 1, rests: true, waitingMax: catchingUpMax });

  /** Gives those who follow an account what is new in it. */
  const readOn = async (channel: Channel): Promise<void> => {
    channel.isStale = true;
    if (channel.isReading) return;
    channel.isReading = true;
    try {
      while (channel.isStale && channel.followers.size > 0) {
        channel.isStale = false;
        const followers = [...channel.followers];
        const isWanted = (head: EventHead) => followers.some((follower) => follower.wants(head));
        const page = await reads.after(channel.accountId, channel.place, isWanted, sharedBytesMax);
        if (!isBehind(page.place, channel.place)) continue;
        channel.place = page.place;
        for (const follower of channel.followers) follower.take(page);
        if (!page.hasMore) continue;
        channel.isStale = true;
        await nextTurn();
      }
    } finally {
      channel.isReading = false;
    }
  };
  const attemptToRead = (channel: Channel) => channel.attempt(() => readOn(channel));
  const look = async () => {
    const places = [...channels.values()].map(({ accountId, place }) => ({ accountId, ...place }));
    for (let start = 0; start < places.length; start += accountsAtOnce) {
      for (const accountId of await reads.withMore(places.slice(start, start + accountsAtOnce))) {
        const channel = channels.get(accountId);
        // What cannot be read in one account holds up no other.
        if (channel !== undefined) await attemptToRead(channel);
      }
    }
  };
  const lookUnlessLooking = () => {
    if (isLooking) return;
    isLooking = true;
    void attemptToLook(look).finally(() => {
      isLooking = false;
    });
  };

  const channelFor = (accountId: string, place: Cursor): Channel => {
    const known = channels.get(accountId);
    if (known !== undefined) return known;
    const followers = new Set<Follower>();
    const attempt = reportingFirst(reportFailure);
    const state = { isReading: false, isStale: false, gathering: undefined };
    const channel = { accountId, attempt, followers, place, ...state };
    channels.set(accountId, channel);
    looking ??= setInterval(lookUnlessLooking, lookMs).unref();
    return channel;
  };
  const audience: Audience = {
    reads,
    inTurn: (accountId, read) => catchingUp.run(accountId, read),
    join(follower, accountId, place) {
      const channel = channelFor(accountId, place);
      if (isBehind(channel.place, place)) return false;
      channel.followers.add(follower);
      // The first follower still misses what was stored since the reading that led to its place.
      if (channel.followers.size === 1) void attemptToRead(channel);
      return true;
    },
    leave(follower, accountId) {
      const channel = channels.get(accountId);
      if (channel?.followers.delete(follower) !== true || channel.followers.size > 0) return;
      clearTimeout(channel.gathering);
      channels.delete(accountId);
      if (channels.size > 0) return;
      clearInterval(looking);
      looking = undefined;
    },
    placeIn: (accountId) => channels.get(accountId)?.place,
    ended: (follower) => void following.delete(follower),
  };

  return {
    async follow(accountId, { after, wants }) {
      const follower = new Follower(audience, accountId, await findStart(reads, accountId, after), wants);
      following.add(follower);
      return follower;
    },
    changed(accountId) {
      const channel = channels.get(accountId);
      if (channel === undefined) return;
      channel.gathering ??= setTimeout(() => {
        channel.gathering = undefined;
        void attemptToRead(channel);
      }, gatherMs).unref();
    },
    close() {
      for (const follower of following) void follower.return();
    },
  };
}

/** Finds the place to begin at, and the events behind it that have been there before. */
async function findStart(reads: EventReads, accountId: string, after: string | null): Promise<FollowingStart> {
  if (after !== null && !isIdOf('AuditEvent', after)) {
    throw invalid('after', 'must be the identifier of an audit event (evt_...).');
  }
  // Before everything else that is read: what is deleted meanwhile moves it.
  const forgotten = await reads.forgotten();
  if (after === null) {
    const { place, unsettled } = await reads.end(accountId);
    return { place, forgotten, passed: unsettled };
  }
  const found = await reads.placeOf(accountId, after);
  if (found === null || (forgotten !== null && after < forgotten && !(await isLast(reads, accountId, after)))) {
    throw eventGone();
  }
  if (found.isSettled) return { place: found.place, forgotten, passed: new Set() };
  // What is committed later may come before it: whoever knows it from a list has not seen that. So `position` is behind it at first,
  // and a client that is cut off then gets the event itself once more. With the event as its place, it would miss those.
  return { place: (await reads.end(accountId)).place, forgotten, passed: new Set([after]) };
}

/** Tells whether an event is the newest of its account, which is never deleted: nothing is missing after it. */
async function isLast(reads: EventReads, accountId: string, id: string): Promise<boolean> {
  const { place, unsettled } = await reads.end(accountId);
  return place.id === id && unsettled.size === 0;
}
