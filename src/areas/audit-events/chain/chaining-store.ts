// Computes the hash chains beside the write path: chains settled events of all accounts, and signs checkpoints.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { floorToSecond } from '../../../domain/values/time.ts';
import { isDuplicate } from '../../../storage/errors.ts';
import { ownerOf } from '../../../storage/keys/secrets.ts';
import type { UpkeepScope } from '../../../storage/lifecycle/upkeep.ts';
import { records, storeRecords } from '../../../storage/objects/records.ts';
import { lookThrough, type ServerReads } from '../../../storage/objects/server-scope.ts';
import { sql } from '../../../storage/sql/statement.ts';
import { beginning, type Cursor } from '../../../storage/trail/event-reads.ts';
import { readFact } from '../../../storage/trail/facts.ts';
import {
  type ChainSigner,
  checkpointMs,
  createSigner,
  digestOf,
  headOf,
  leafOf,
  leavesIn,
  leavesText,
  recordOf,
  segmentEventsMax,
} from './rules.ts';

/** The chain of an account, as it is stored. */
export interface StoredChain {
  readonly accountId: string;
  readonly sealedKey: Uint8Array;
  readonly publicKey: string;
  readonly cursor: Cursor;
  readonly size: number;
  readonly checkpoints: number;
  readonly head: string;
  readonly openedAt: Date | null;
  readonly prunedBefore: string;
  readonly prunedSignature: string;
  readonly token: string;
}

const chains = records('AuditChain', 'accountId');

/** Most events of one step, and most bytes of their states: some milliseconds of the event loop. */
const stepEventsMax = 256;
const stepBytesMax = 262_144;
/** Most events that a round chains: a database from before there were chains catches up within some rounds, and holds nobody up. */
const roundEventsMax = 131_072;

/** Reads the chain of an account; null if it has none yet. */
export async function readChain({ rows, decode }: ServerReads, accountId: string): Promise<StoredChain | null> {
  const [row] =
    await rows(sql`SELECT "sealedKey", "publicKey", "commitOrder", "eventId", "size", "checkpoints", "head", "openedAt",
      "prunedBefore", "prunedSignature", "token" FROM "AuditChain" WHERE "accountId" = ${accountId}`);
  if (row === undefined) return null;
  return {
    accountId,
    sealedKey: decode.Bytes(row[0]),
    publicKey: String(row[1]),
    cursor: { order: BigInt(String(row[2])), id: String(row[3]) },
    size: Number(row[4]),
    checkpoints: Number(row[5]),
    head: String(row[6]),
    openedAt: row[7] === null ? null : decode.DateTime(row[7]),
    prunedBefore: String(row[8]),
    prunedSignature: String(row[9]),
    token: String(row[10]),
  };
}

/** Name of the fact that keeps when a round of chaining began. */
const roundFact = 'auditChainRound';
/** Milliseconds for which other servers leave the chains to the one that began a round: less than between two of its own. */
const roundMs = 50_000;

/**
 * Returns whether this server may go on with the chains now. Several that do so at once are no danger (see `step`), but it would be
 * work for nothing.
 */
async function claimRound(server: UpkeepScope, now: Date): Promise<boolean> {
  const stored = await readFact(server, roundFact);
  // By the time of the server that began it, whose clock may differ.
  if (stored !== null && Math.abs(now.getTime() - Date.parse(stored)) < roundMs) return false;
  return server.facts.replace(roundFact, stored, now.toISOString());
}

/** Finds the accounts whose chains lack events, or a checkpoint that is due. */
async function* accountsToChain(server: UpkeepScope, now: Date): AsyncGenerator<string> {
  const due = new Date(now.getTime() - checkpointMs);
  const after = sql`(coalesce(c."commitOrder", ${beginning.order}), coalesce(c."eventId", ''))`;
  const slices = lookThrough(
    server,
    'Account',
    // Compared with the last event, which an index finds; whether it is settled shows when it is read.
    (within) => sql`SELECT a."id" FROM "Account" a LEFT JOIN "AuditChain" c ON c."accountId" = a."id"
      WHERE ${within('a."id"')} AND (c."openedAt" <= ${due} OR EXISTS (
        SELECT 1 FROM "AuditEvent" e WHERE e."accountId" = a."id" AND (e."commitOrder", e."id") > ${after}))`,
  );
  for await (const rows of slices) for (const [id] of rows) yield String(id);
}

/** Chains what is settled of the trails of all accounts, and signs the checkpoints that are due. */
export async function chainEvents(server: UpkeepScope, now: Date, signal: AbortSignal): Promise<void> {
  let left = roundEventsMax;
  let isClaimed = false;
  for await (const accountId of accountsToChain(server, now)) {
    isClaimed ||= await claimRound(server, now);
    if (!isClaimed) return;
    for (let isBehind = true; isBehind; ) {
      if (signal.aborted || left <= 0) return;
      const { chained, isLast } = await step(server, accountId, now);
      left -= chained;
      isBehind = !isLast;
      await nextTurn();
    }
  }
}

/** Chains some events of an account. Of several servers that do so at once, one succeeds. */
async function step(server: UpkeepScope, accountId: string, now: Date): Promise<{ chained: number; isLast: boolean }> {
  const chain = (await readChain(server, accountId)) ?? (await beginChain(server, accountId));
  if (chain === null) return { chained: 0, isLast: true };
  const number = chain.checkpoints + 1;
  const segment = await readSegment(server, accountId, number);
  const leaves = leavesIn(segment?.leaves ?? '');
  const most = Math.min(stepEventsMax, segmentEventsMax - leaves.length);
  const page = await server.events.between(accountId, chain.cursor, null, most, stepBytesMax);
  for (const event of page.events) leaves.push(leafOf(event.id, JSON.stringify(recordOf(event))));
  const openedAt = chain.openedAt ?? (leaves.length > 0 ? now : null);
  // A clock that was set back does not put the checkpoint off.
  const isDue = openedAt !== null && Math.abs(now.getTime() - openedAt.getTime()) >= checkpointMs;
  const closes = leaves.length === segmentEventsMax || (isDue && !page.hasMore);
  const isLast = !page.hasMore;
  if (page.events.length === 0 && !closes) return { chained: 0, isLast };
  const text = leavesText(leaves);
  const size = chain.size + page.events.length;
  const token = randomBytes(16).toString('hex');
  const isOurs = sql`EXISTS (SELECT 1 FROM "AuditChain" c WHERE c."accountId" = ${accountId} AND c."token" = ${token})`;
  const { order: afterOrder, id: afterId } = segment?.after ?? chain.cursor;
  const { order, id } = page.cursor;
  const keep = sql`INSERT INTO "AuditSegment" ("accountId", "number", "leaves", "afterOrder", "afterId", "untilOrder", "untilId")
    SELECT ${accountId}, ${number}, ${text}, ${afterOrder}, ${afterId}, ${order}, ${id} WHERE ${isOurs}
    ON CONFLICT ("accountId", "number") DO UPDATE SET "leaves" = excluded."leaves", "untilOrder" = excluded."untilOrder",
      "untilId" = excluded."untilId"`;
  const moveOn = (checkpoints: number, head: string, opened: Date | null) => sql`UPDATE "AuditChain" SET
      "commitOrder" = ${order}, "eventId" = ${id}, "size" = ${size}, "checkpoints" = ${checkpoints}, "head" = ${head},
      "openedAt" = ${opened}, "token" = ${token}
    WHERE "accountId" = ${accountId} AND "token" = ${chain.token}`;
  if (!closes) {
    await server.change(moveOn(chain.checkpoints, chain.head, openedAt), keep);
    return { chained: page.events.length, isLast };
  }
  const scope = server.actingFor(accountId);
  const claim = { accountId, number, size, digest: digestOf(text) };
  const head = headOf(claim, chain.head);
  const createdAt = floorToSecond(now);
  const signature = openSigner(server, chain).checkpoint({ ...claim, head, createdAt });
  await server.change(
    moveOn(number, head, null),
    keep,
    sql`INSERT INTO "AuditCheckpoint" ("id", "accountId", "number", "size", "digest", "head", "signature", "publicKey", "createdAt")
      SELECT ${scope.newId('AuditCheckpoint')}, ${accountId}, ${number}, ${size}, ${claim.digest}, ${head}, ${signature},
        ${chain.publicKey}, ${createdAt} WHERE ${isOurs}`,
  );
  return { chained: page.events.length, isLast };
}

/** Opens the key of a chain. */
export function openSigner(
  server: UpkeepScope,
  { accountId, sealedKey }: Pick<StoredChain, 'accountId' | 'sealedKey'>,
): ChainSigner {
  const { secrets } = server.actingFor(accountId);
  return createSigner(secrets.open(sealedKey, ownerOf('AuditChain', accountId)));
}

/** Begins the chain of an account before its first event; null if it has no settled events. */
async function beginChain(server: UpkeepScope, accountId: string): Promise<StoredChain | null> {
  const scope = server.actingFor(accountId);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
  const row = {
    sealedKey: scope.secrets.seal(plain, ownerOf('AuditChain', accountId)),
    publicKey: String(publicKey.export({ format: 'pem', type: 'spki' })),
    commitOrder: beginning.order,
    eventId: beginning.id,
    token: randomBytes(16).toString('hex'),
  };
  await storeRecords(scope, chains.prepareCreate(scope, row)).catch((error: unknown) => {
    // Another server was faster.
    if (!isDuplicate(error)) throw error;
  });
  return readChain(server, accountId);
}

/** A segment as it is stored. */
export interface StoredSegment {
  readonly leaves: string;
  readonly after: Cursor;
  readonly until: Cursor;
}

/** Reads a segment; null if there is none. */
export async function readSegment(
  { rows }: ServerReads,
  accountId: string,
  number: number,
): Promise<StoredSegment | null> {
  const [row] = await rows(sql`SELECT "leaves", "afterOrder", "afterId", "untilOrder", "untilId" FROM "AuditSegment"
    WHERE "accountId" = ${accountId} AND "number" = ${number}`);
  if (row === undefined) return null;
  return {
    leaves: String(row[0]),
    after: { order: BigInt(String(row[1])), id: String(row[2]) },
    until: { order: BigInt(String(row[3])), id: String(row[4]) },
  };
}
