// Reads a trail with its chain, in the order in which it is verified and exported: from one moment of a database.

import type { ServerReads } from '../../../storage/objects/server-scope.ts';
import { sql } from '../../../storage/sql/statement.ts';
import { beginning, type Cursor, type EventReads } from '../../../storage/trail/event-reads.ts';
import { readChain, readSegment, type StoredChain } from './chaining-store.ts';
import { type EventRecord, recordOf, type SignedCheckpoint } from './rules.ts';
import type { TrailSegment, VerifiedTrail, Verifier } from './verifying.ts';

/** A database at one moment. */
export interface MomentReads extends ServerReads {
  readonly events: EventReads;
}

/** Some of the trail: a segment begins, or some of its events follow. */
export type TrailPart = { readonly segment: TrailSegment } | { readonly records: readonly EventRecord[] };

/** Segments that are read at once, with some 100 KB of hashes each. */
const segmentsAtOnce = 8;
/** Events that are read at once, and the bytes of their states. */
const eventsAtOnce = 1_024;
const bytesAtOnce = 2_097_152;

/** Reads the trail of an account up to where its chain goes. */
export async function* readTrailInOrder(moment: MomentReads, chain: StoredChain): AsyncGenerator<TrailPart> {
  const { accountId } = chain;
  let at: Cursor = beginning;
  const eventsUntil = async function* (until: Cursor): AsyncGenerator<TrailPart> {
    for (let hasMore = true; hasMore; ) {
      const page = await moment.events.between(accountId, at, until, eventsAtOnce, bytesAtOnce);
      at = page.cursor;
      ({ hasMore } = page);
      if (page.events.length > 0) yield { records: page.events.map((event) => recordOf(accountId, event)) };
    }
    at = until;
  };
  for (let after = 0; ; ) {
    const signed = await readSigned(moment, accountId, after);
    for (const { checkpoint, leaves, until } of signed) {
      after = checkpoint.number;
      yield { segment: { number: after, leaves, checkpoint } };
      // Without its end, what is put in there shows with the next segment.
      if (until !== null) yield* eventsUntil(until);
    }
    if (signed.length < segmentsAtOnce) break;
  }
  const last = await readSegment(moment, accountId, chain.checkpoints + 1);
  yield { segment: { number: chain.checkpoints + 1, leaves: last?.leaves ?? '', checkpoint: null } };
  yield* eventsUntil(chain.cursor);
}

/**
 * Verifies the trail of an account.
 *
 * @param verified called with the number of events after some
 * @throws TrailFault
 */
export async function verifyTrail(
  moment: MomentReads,
  chain: StoredChain,
  verifier: Verifier,
  verified: (events: number) => void = () => {},
): Promise<VerifiedTrail> {
  for await (const part of readTrailInOrder(moment, chain)) {
    if ('segment' in part) verifier.segment(part.segment);
    else {
      for (const record of part.records) verifier.event(record);
      verified(part.records.length);
    }
  }
  return verifier.end(chain);
}

/** Reads checkpoints with what they are about. */
async function readSigned({ rows, decode }: ServerReads, accountId: string, after: number) {
  const found =
    await rows(sql`SELECT c."number", c."size", c."digest", c."head", c."signature", c."createdAt", s."leaves",
      s."untilOrder", s."untilId"
    FROM "AuditCheckpoint" c LEFT JOIN "AuditSegment" s ON s."accountId" = c."accountId" AND s."number" = c."number"
    WHERE c."accountId" = ${accountId} AND c."number" > ${after} ORDER BY c."number" LIMIT ${segmentsAtOnce}`);
  return found.map(([number, size, digest, head, signature, createdAt, leaves, order, id]) => {
    const checkpoint: SignedCheckpoint = {
      accountId,
      number: Number(number),
      size: Number(size),
      digest: String(digest),
      head: String(head),
      signature: String(signature),
      createdAt: decode.DateTime(createdAt),
    };
    const until: Cursor | null = leaves === null ? null : { order: BigInt(String(order)), id: String(id) };
    return { checkpoint, leaves: leaves === null ? null : String(leaves), until };
  });
}

/** Counts the events of an account that are not in its chain yet. */
export async function countUnchained({ rows }: ServerReads, { accountId, cursor }: StoredChain): Promise<number> {
  const [row] = await rows(sql`SELECT count(*) FROM "AuditEvent"
    WHERE "accountId" = ${accountId} AND ("commitOrder", "id") > (${cursor.order}, ${cursor.id})`);
  return Number(row?.[0]);
}

/** Reads the chain of an account. Throws Error if it has none yet. */
export async function chainOf(moment: ServerReads, accountId: string): Promise<StoredChain> {
  const chain = await readChain(moment, accountId);
  if (chain === null) throw new Error('No server has begun the chain of this account yet: that takes a minute.');
  return chain;
}
