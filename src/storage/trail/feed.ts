// Follows the trail: delivers the events of accounts to their followers in commit order, each once. New events of an account are
// read once for all of its followers, and only while it has any.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { invalid } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { reportingFirst } from '../lifecycle/first-failure.ts';
import { type Cursor, comesAfter, type EventHead, type EventReads } from './event-reads.ts';
import { type Audience, eventGone, Follower, type Following, type FollowingStart } from './follower.ts';
import { wasSeen } from './seen.ts';

export interface FollowRequest {
  /** Id of the event to begin after; null to begin with what is stored from now on. */
  readonly after: string | null;
  /** Returns whether an event is wanted. */
  readonly wants: (event: EventHead) => boolean;
}

export interface Feed {
  /**
   * Follows an account.
   *
   * @throws INVALID_INPUT if `after` is not the id of an event, EVENT_GONE if there is no such event or events after it may have
   *   been deleted
   */
  follow(accountId: string, request: FollowRequest): Promise<Following>;
  /** Notes that this process has changed something in an account. */
  changed(accountId: string): void;
  /** Ends all followers. */
  close(): void;
}

/** Milliseconds between checks for events that other processes have stored. */
const lookMs = 250;
/** Milliseconds from a change by this process to reading its events, so that many are read together. */
const gatherMs = 10;
/** Bytes of states that are read at once for all followers of an account; the first event is read whatever its size. */
const sharedBytesMax = 262_144;
/** Accounts that one statement asks for. */
const accountsAtOnce = 100;

/** Maximum number of followers of one account that wait to read by themselves. An account has fewer streams. */
const catchingUpMax = 5_000;

/** What the followers of an account share: the position up to which events have been read for all of them. */
interface Channel {
  readonly accountId: string;
  /** Attempts to read the events of the account. Reports the first failure of an outage. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<void>;
  readonly followers: Set<Follower>;
  cursor: Cursor;
  isReading: boolean;
  /** Whether something has changed since the last read began. */
  isStale: boolean;
  gathering: NodeJS.Timeout | undefined;
}

/**
 * Creates the feed.
 *
 * @param reportFailure called once per outage with the reason why new events of an account could not be read; they are read later
 */
export function createFeed(reads: EventReads, reportFailure: (error: unknown) => void): Feed {
  const channels = new Map<string, Channel>();
  const following = new Set<Follower>();
  let looking: NodeJS.Timeout | undefined;
  let isLooking = false;
  const attemptToLook = reportingFirst(reportFailure);
  const catchingUp = createWorkQueue({ atOnce: 1, rests: true, waitingMax: catchingUpMax });

  /** Delivers the new events of an account to its followers. */
  const readOn = async (channel: Channel): Promise<void> => {
    channel.isStale = true;
    if (channel.isReading) return;
    channel.isReading = true;
    try {
      while (channel.isStale && channel.followers.size > 0) {
        channel.isStale = false;
        const followers = [...channel.followers];
        const isWanted = (head: EventHead) => followers.some((follower) => follower.wants(head));
        const page = await reads.after(channel.accountId, channel.cursor, isWanted, sharedBytesMax);
        if (!comesAfter(page.cursor, channel.cursor)) continue;
        channel.cursor = page.cursor;
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
    const cursors = [...channels.values()].map(({ accountId, cursor }) => ({ accountId, ...cursor }));
    for (let start = 0; start < cursors.length; start += accountsAtOnce) {
      for (const accountId of await reads.withMore(cursors.slice(start, start + accountsAtOnce))) {
        const channel = channels.get(accountId);
        // A failure in one account does not hold up the others.
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

  const channelFor = (accountId: string, cursor: Cursor): Channel => {
    const known = channels.get(accountId);
    if (known !== undefined) return known;
    const followers = new Set<Follower>();
    const attempt = reportingFirst(reportFailure);
    const state = { isReading: false, isStale: false, gathering: undefined };
    const channel = { accountId, attempt, followers, cursor, ...state };
    channels.set(accountId, channel);
    looking ??= setInterval(lookUnlessLooking, lookMs).unref();
    return channel;
  };
  const audience: Audience = {
    reads,
    inTurn: (accountId, read) => catchingUp.run(accountId, read),
    join(follower, accountId, cursor) {
      const channel = channelFor(accountId, cursor);
      // A page that is being read leaves out what only this follower wants.
      if (channel.isReading || comesAfter(channel.cursor, cursor)) return false;
      channel.followers.add(follower);
      // The first follower still misses events that were stored after the read that led to its position.
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
    cursorIn: (accountId) => channels.get(accountId)?.cursor,
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

/** Finds the position to begin at, and the events after it that were there before. */
async function findStart(reads: EventReads, accountId: string, after: string | null): Promise<FollowingStart> {
  if (after !== null && !isIdOf('AuditEvent', after)) {
    throw invalid('after', 'must be the identifier of an audit event (evt_...).');
  }
  // Before everything else that is read, because deletions in the meantime move the bound.
  const forgotten = await reads.forgotten();
  if (after === null) {
    const { cursor, seen } = await reads.end(accountId);
    return { cursor, forgotten, isPassed: (event) => seen !== null && wasSeen(seen, event) };
  }
  const found = await reads.cursorOfId(accountId, after);
  if (found === null || (forgotten !== null && after < forgotten && !(await isLast(reads, accountId, after)))) {
    throw eventGone();
  }
  if (found.isSettled) return { cursor: found.cursor, forgotten, isPassed: () => false };
  // Events that are committed later may come before this one, and a client that knows it from a list has not seen those. So
  // `position` is before the event at first, and a client that is cut off then gets the event once more. If the event were the
  // position, the client would miss the others.
  return { cursor: (await reads.end(accountId)).cursor, forgotten, isPassed: ({ id }) => id === after };
}

/** Returns whether an event is the newest of its account. That one is never deleted, so nothing is missing after it. */
async function isLast(reads: EventReads, accountId: string, id: string): Promise<boolean> {
  const { cursor, seen } = await reads.end(accountId);
  return cursor.id === id && seen === null;
}
