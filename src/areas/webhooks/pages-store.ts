// Reads the trail for all webhooks of an account together: most are at the same place of it, and want what others want, too.

import { LRUCache } from 'lru-cache';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import { type Cursor, chooseEvents, comesAfter, cursorOf, type EventHead } from '../../storage/trail/event-reads.ts';
import { type Message, messageOf } from './sending-store.ts';

/** Bytes of states that one page has. */
const pageBytesMax = 262_144;
/** Accounts whose last heads are kept, and bytes of the messages that are. */
const accountsMax = 100;
const keptBytesMax = 8_388_608;
/** Bytes of a message beside its state. */
const envelopeBytes = 1_024;

/** Messages that a webhook wants, and up to where its events were examined. */
export interface MessagePage {
  readonly messages: readonly Message[];
  readonly cursor: Cursor;
  readonly hasMore: boolean;
}

type Heads = Awaited<ReturnType<UpkeepScope['events']['heads']>>;

/** Creates the reads. */
export function createPages({ events }: UpkeepScope) {
  /** What was read last, by account: the events after a position. */
  const stretches = new LRUCache<string, { readonly start: Cursor; readonly reading: Promise<Heads>; isOld: boolean }>({
    max: accountsMax,
  });
  /** The messages about events, with those that were read together, by the event's id. */
  const kept = new LRUCache<string, { readonly bytes: number; readonly reading: Promise<Map<string, Message>> }>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ bytes }) => bytes + envelopeBytes,
  });
  const isSame = (one: Cursor, other: Cursor) => one.order === other.order && one.id === other.id;

  /** Returns the heads after a position: those that another webhook has read, as far as there are any. */
  const headsAfter = async (accountId: string, cursor: Cursor): Promise<Heads> => {
    for (let known = stretches.get(accountId); known !== undefined && !comesAfter(known.start, cursor); ) {
      const { isOld } = known;
      const { heads, hasMore } = await known.reading;
      const first = heads.findIndex((head) => comesAfter(cursorOf(head), cursor));
      if (first !== -1) return { heads: first === 0 ? heads : heads.slice(first), hasMore: hasMore || isOld };
      if (!isOld && isSame(known.start, cursor)) return { heads, hasMore };
      // Another webhook may have begun to read on meanwhile.
      const next = stretches.get(accountId);
      if (next === known) break;
      known = next;
    }
    const stretch = { start: cursor, reading: events.heads(accountId, cursor), isOld: false };
    stretches.set(accountId, stretch);
    const forget = () => {
      if (stretches.get(accountId) === stretch) stretches.delete(accountId);
    };
    return stretch.reading.then(
      (read) => {
        if (read.heads.length === 0) forget();
        return read;
      },
      (error: unknown) => {
        forget();
        throw error;
      },
    );
  };

  return {
    /** Notes that an account has more events than those that were read last. */
    changed(accountId: string): void {
      const stretch = stretches.get(accountId);
      if (stretch !== undefined) stretch.isOld = true;
    },
    /** Reads what a webhook wants after its position: a message whatever its size, and as many more as are read at once. */
    async after(
      accountId: string,
      start: Cursor,
      wants: (head: EventHead) => boolean,
      now: Date,
    ): Promise<MessagePage> {
      const { heads, hasMore } = await headsAfter(accountId, start);
      const { ids, cursor, isFull } = chooseEvents(heads, start, wants, pageBytesMax);
      const missing = new Set(ids.filter((id) => !kept.has(id)));
      const reading = events
        .byIds(accountId, [...missing])
        .then((found) => new Map(found.map((event) => [event.id, messageOf(event, now)])));
      // At once: what is kept now may be gone when the first has been read.
      const readings = new Set(ids.map((id) => kept.get(id)?.reading ?? reading));
      for (const { id, bytes } of heads) if (missing.has(id)) kept.set(id, { bytes, reading });
      reading.catch(() => {
        for (const id of missing) kept.delete(id);
      });
      const byId = new Map((await Promise.all(readings)).flatMap((found) => [...found]));
      const messages = ids.flatMap((id) => {
        const message = byId.get(id);
        return message === undefined ? [] : [{ ...message, since: now }];
      });
      return { messages, cursor, hasMore: hasMore || isFull };
    },
  };
}

export type Pages = ReturnType<typeof createPages>;
