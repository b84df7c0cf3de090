// Requests that were refused, for the trail: by whom, what they asked for, and why. Written after the answer, and bounded: nobody can
// slow down refusals by them, nor fill the disk.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Refusal } from '../domain/refusal.ts';
import { createTokenBuckets } from '../domain/token-buckets.ts';
import type { Identity, RetiredKey } from './credentials.ts';
import { type ChangeSurface, serverItself } from './origin.ts';

/** A request that was refused. */
export interface RefusedRequest extends Pick<Refusal, 'code' | 'asked'> {
  readonly requestId: string;
  readonly surface: ChangeSurface;
  /** Null where it is not known. */
  readonly clientAddress: string | null;
}

/** Whose request it was. */
export type Refused = Pick<Identity, 'accountId' | 'actor' | 'hasKey' | 'actorDescription'>;

/** The login of a user. */
export interface RefusedLogin {
  readonly accountId: string;
  readonly routeId: string;
  readonly reason: string;
}

/** An event to be written. */
export interface NewRefusal extends RefusedRequest {
  readonly accountId: string;
  readonly actor: string;
  /** The description of a key that is gone. */
  readonly description: string;
  readonly state: Refusal;
}

/** Notes refusals. */
export interface Refusals {
  /** Notes that somebody was refused something. Returns at once. */
  note(request: RefusedRequest, refused: Refused): void;
  /** Notes that a token was refused: there is an event if it was that of a key once. Returns at once. */
  noteToken(request: RefusedRequest, tokenHash: string): void;
  /** Notes that the login of a user was refused. Returns at once. */
  noteLogin(request: RefusedRequest, login: RefusedLogin): void;
  /** Resolves when what was noted is written. */
  settled(): Promise<void>;
}

/** What refusals are written with. */
interface RefusalOptions {
  readonly write: (refusal: NewRefusal) => Promise<unknown>;
  /** Finds the key that a token was of. */
  readonly recognize: (tokenHash: string) => Promise<RetiredKey | null>;
  /** A clock that nobody sets. */
  readonly monotonicMs: () => number;
  /** Told why something could not be written. It is not tried again. */
  readonly onFailure: (error: unknown) => void;
}

const minuteMs = 60_000;
/** Events of one actor, or of the logins at one route: ten at once, then one in five minutes. */
const ofOne = { size: 10, everyMs: 5 * minuteMs, bucketsMax: 20_000, beyondMax: 'nothing' } as const;
/**
 * Events of all keys of an account, and as many each of its logins and of requests without a key, which anybody can have refused: thirty
 * at once, then one a minute, which is 1,470 in a day, or 1.5 MB (measured on SQLite).
 */
const ofAccount = { size: 30, everyMs: minuteMs, bucketsMax: 10_000, beyondMax: 'nothing' } as const;
/** Unknown tokens that are looked up, of all that anybody sends: a hundred at once, then ten a second. */
const lookups = { size: 100, everyMs: 100, bucketsMax: 1, beyondMax: 'nothing' } as const;
/** Most refusals that wait to be written. */
const waitingMax = 1_000;

/** Whose refusals are counted together. */
interface RefusedBy extends Pick<NewRefusal, 'accountId' | 'actor' | 'description'>, Pick<Refusal, 'reason'> {
  readonly one: string;
  readonly all: string;
}

/** Creates the notes of a process. */
export function createRefusals({ write, recognize, monotonicMs, onFailure }: RefusalOptions): Refusals {
  const ones = createTokenBuckets(ofOne);
  const groups = createTokenBuckets(ofAccount);
  const tokens = createTokenBuckets(lookups);
  // With `max`, it would take room for all of them at once.
  const leftOutOf = new LRUCache<string, number>({ maxSize: ofOne.bucketsMax, sizeCalculation: () => 1 });
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  /** Queues work behind everything that was noted before: one piece at a time, and never in the event-loop turn of the refusal. */
  const later = (work: () => Promise<unknown>) => {
    waiting += 1;
    last = last
      .then(() => nextTurn())
      .then(work)
      .catch(onFailure)
      .then(() => {
        waiting -= 1;
      });
  };

  const note = (request: RefusedRequest, by: RefusedBy) => {
    const now = monotonicMs();
    const { one, all, reason, ...written } = by;
    const leftOut = leftOutOf.get(one) ?? 0;
    if (waiting >= waitingMax || !groups.has(all, now) || !ones.has(one, now)) {
      leftOutOf.set(one, leftOut + 1);
      return;
    }
    groups.take(all, now);
    ones.take(one, now);
    leftOutOf.delete(one);
    const { code, asked } = request;
    later(async () => {
      try {
        await write({ ...request, ...written, state: { code, asked, reason, leftOut } });
      } catch (error) {
        // This one has no event, either. More may have been left out meanwhile.
        leftOutOf.set(one, (leftOutOf.get(one) ?? 0) + leftOut + 1);
        throw error;
      }
    });
  };

  return {
    note(request, { accountId, actor, hasKey, actorDescription: description = '' }) {
      const all = `${hasKey ? 'keys' : 'proofs'} of ${accountId}`;
      note(request, { accountId, actor, one: actor, all, reason: null, description });
    },
    noteLogin(request, { accountId, routeId, reason }) {
      const { actor } = serverItself;
      note(request, { accountId, actor, one: routeId, all: `logins of ${accountId}`, reason, description: '' });
    },
    noteToken(request, tokenHash) {
      const now = monotonicMs();
      if (waiting >= waitingMax || !tokens.has('', now)) return;
      tokens.take('', now);
      later(async () => {
        const retired = await recognize(tokenHash);
        if (retired === null) return;
        const { accountId, apiKeyId: actor, reason, description } = retired;
        note(request, { accountId, actor, one: actor, all: `keys of ${accountId}`, reason, description });
      });
    },
    async settled() {
      // That may have noted more.
      while (waiting > 0) await last;
    },
  };
}
