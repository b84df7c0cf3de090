// Refused requests, for the trail: who made them, what they asked for, and why they were refused. Written after the answer and rate
// limited, so that nobody can use them to slow down refusals or fill the disk.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Refusal } from '../../domain/access/refusal.ts';
import { createTokenBuckets } from '../../domain/concurrency/token-buckets.ts';
import type { Identity, RetiredKey } from '../keys/credentials.ts';
import { type ChangeSurface, serverItself } from './origin.ts';

export interface RefusedRequest extends Pick<Refusal, 'code' | 'asked'> {
  readonly requestId: string;
  readonly surface: ChangeSurface;
  /** Null if unknown. */
  readonly clientAddress: string | null;
}

/** Who made the request. */
export type Refused = Pick<Identity, 'accountId' | 'actor' | 'isMember' | 'actorDescription'>;

/** A refused login of a user, or a refused sign-in of a person. */
export interface RefusedLogin {
  readonly accountId: string;
  /** The route, or the sign-in provider, at which it was. */
  readonly at: string;
  readonly reason: string;
  /** Who it was, as the trail names actors, and what they are called; absent while nobody has vouched for anybody. */
  readonly who?: { readonly actor: string; readonly description: string } | undefined;
}

/** An event to be written. */
export interface NewRefusal extends RefusedRequest {
  readonly accountId: string;
  readonly actor: string;
  /** The description of the key, if it no longer exists. */
  readonly description: string;
  readonly state: Refusal;
}

export interface Refusals {
  /** Notes that a request was refused. Returns at once. */
  note(request: RefusedRequest, refused: Refused): void;
  /** Notes that a token was refused. An event is written only if the token once belonged to a key. Returns at once. */
  noteToken(request: RefusedRequest, tokenHash: string): void;
  /** Notes that a user's login was refused. Returns at once. */
  noteLogin(request: RefusedRequest, login: RefusedLogin): void;
  /** Resolves when everything noted has been written. */
  settled(): Promise<void>;
}

interface RefusalOptions {
  readonly write: (refusal: NewRefusal) => Promise<unknown>;
  /** Finds the retired key that a token belonged to. */
  readonly recognize: (tokenHash: string) => Promise<RetiredKey | null>;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Called with the error when an event could not be written. There is no retry. */
  readonly onFailure: (error: unknown) => void;
}

const minuteMs = 60_000;
/** Limit for one actor, or for the logins at one route or provider: a burst of ten events, then one every five minutes. */
const ofOne = { size: 10, everyMs: 5 * minuteMs, bucketsMax: 20_000, beyondMax: 'nothing' } as const;
/**
 * Limit for all keys of an account. The same limit applies separately to its logins and to requests without a key, which anybody
 * can have refused. A burst of thirty events, then one a minute: 1,470 in a day, or 1.5 MB (measured on SQLite).
 */
const ofAccount = { size: 30, everyMs: minuteMs, bucketsMax: 10_000, beyondMax: 'nothing' } as const;
/** Limit for looking up unknown tokens, over all senders: a burst of a hundred, then ten a second. */
const lookups = { size: 100, everyMs: 100, bucketsMax: 1, beyondMax: 'nothing' } as const;
/** Most refusals that may be queued for writing. */
const waitingMax = 1_000;

/** Who was refused, and the buckets that the refusal counts against: `one` and `all`. */
interface RefusedBy extends Pick<NewRefusal, 'accountId' | 'actor' | 'description'>, Pick<Refusal, 'reason'> {
  readonly one: string;
  readonly all: string;
}

/** Creates the recorder of a process. */
export function createRefusals({ write, recognize, monotonicMs, onFailure }: RefusalOptions): Refusals {
  const ones = createTokenBuckets(ofOne);
  const groups = createTokenBuckets(ofAccount);
  const tokens = createTokenBuckets(lookups);
  // `max` would allocate room for all entries up front.
  const leftOutOf = new LRUCache<string, number>({ maxSize: ofOne.bucketsMax, sizeCalculation: () => 1 });
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  /** Queues work behind everything noted before. Tasks run one at a time, and never in the event loop turn of the refusal. */
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
        // This refusal has no event either. More may have been left out in the meantime.
        leftOutOf.set(one, (leftOutOf.get(one) ?? 0) + leftOut + 1);
        throw error;
      }
    });
  };

  return {
    note(request, { accountId, actor, isMember, actorDescription: description = '' }) {
      const all = `${isMember ? 'keys' : 'proofs'} of ${accountId}`;
      note(request, { accountId, actor, one: actor, all, reason: null, description });
    },
    noteLogin(request, { accountId, at, reason, who = { actor: serverItself.actor, description: '' } }) {
      note(request, { accountId, ...who, one: at, all: `logins of ${accountId}`, reason });
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
      // The work awaited may have noted more.
      while (waiting > 0) await last;
    },
  };
}
