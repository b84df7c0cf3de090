// Reads a trail with its chain, in the order in which it is verified and exported: from one moment of a database.

import type { ServerReads } from '../../../storage/objects/server-scope.ts';
import { sql, verbatim } from '../../../storage/sql/statement.ts';
import { beginning, type Cursor, type EventReads } from '../../../storage/trail/event-reads.ts';
import { readChain, readSegment, type StoredChain } from './chaining-store.ts';
import { type EventRecord, recordColumns, recordOf, type SignedCheckpoint, segmentEventsMax } from './rules.ts';
import { eventFault, TrailFault, type TrailSegment, type VerifiedTrail, type Verifier } from './verifying.ts';

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

/** A segment, and between which positions its events are. */
interface PlacedSegment {
  readonly segment: TrailSegment;
  readonly after: Cursor;
  /** Null if all of its events were deleted: what is put in there shows with the next segment. */
  readonly until: Cursor | null;
}

/** Reads the segments of an account up to where its chain goes. */
async function* readSegments(moment: MomentReads, chain: StoredChain): AsyncGenerator<PlacedSegment> {
  const { accountId, checkpoints, cursor } = chain;
  let after: Cursor = beginning;
  for (let number = 0; ; ) {
    const signed = await readSigned(moment, accountId, number);
    for (const { checkpoint, leaves, until } of signed) {
      ({ number } = checkpoint);
      yield { segment: { number, leaves, checkpoint }, after, until };
      after = until ?? after;
    }
    if (signed.length < segmentsAtOnce) break;
  }
  const last = await readSegment(moment, accountId, checkpoints + 1);
  yield { segment: { number: checkpoints + 1, leaves: last?.leaves ?? '', checkpoint: null }, after, until: cursor };
}

/** Reads the trail of an account up to where its chain goes. */
export async function* readTrailInOrder(moment: MomentReads, chain: StoredChain): AsyncGenerator<TrailPart> {
  for await (const { segment, after, until } of readSegments(moment, chain)) {
    yield { segment };
    let at = after;
    for (let hasMore = until !== null; hasMore; ) {
      const page = await moment.events.between(chain.accountId, at, until, eventsAtOnce, bytesAtOnce);
      at = page.cursor;
      ({ hasMore } = page);
      if (page.events.length > 0) yield { records: page.events.map(recordOf) };
    }
  }
}

/**
 * Reads the leaves of a segment's events, hashed by the database, so that states need not leave it; and one more if there are more
 * events than a segment has.
 */
async function readLeaves({ rows, json }: ServerReads, accountId: string, after: Cursor, until: Cursor) {
  const values = recordColumns.map((name) => (name === 'createdAt' ? json.milliseconds(`"${name}"`) : `"${name}"`));
  const found = await rows(sql`SELECT "id" || ' ' || ${verbatim(json.hash(values))} FROM "AuditEvent"
    WHERE "accountId" = ${accountId} AND ("commitOrder", "id") > (${after.order}, ${after.id})
      AND ("commitOrder", "id") <= (${until.order}, ${until.id})
    ORDER BY "accountId", "commitOrder", "id" LIMIT ${segmentEventsMax + 1}`);
  return found.map(([leaf]) => String(leaf));
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
  const { accountId } = chain;
  const find = async ({ eventId }: TrailFault) => (await moment.events.byIds(accountId, [eventId ?? '']))[0];
  const verifyLeaf = async (leaf: string) => {
    try {
      verifier.leaf(leaf);
    } catch (error) {
      const found = error instanceof TrailFault && error.kind === 'changed' ? await find(error) : undefined;
      if (found === undefined) throw error;
      verifier.event(recordOf(found));
    }
  };
  try {
    for await (const { segment, after, until } of readSegments(moment, chain)) {
      verifier.segment(segment);
      const leaves = until === null ? [] : await readLeaves(moment, accountId, after, until);
      for (const leaf of leaves) await verifyLeaf(leaf);
      verified(leaves.length);
    }
    return verifier.end(chain);
  } catch (error) {
    const found = error instanceof TrailFault && error.kind === 'removed' ? await find(error) : undefined;
    throw found === undefined ? error : eventFault('changed', found.id, 'moved');
  }
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
