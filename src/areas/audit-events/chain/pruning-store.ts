// What the deletion of old events leaves in the chain: a signed statement that it may have deleted them, and fewer hashes.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UpkeepScope } from '../../../storage/lifecycle/upkeep.ts';
import { deletedSlices } from '../../../storage/sql/read-slices.ts';
import { sql } from '../../../storage/sql/statement.ts';
import { openSigner } from './chaining-store.ts';

/** Chains that are signed for at once: an ed25519 signature takes 60 us (measured). */
const chainsAtOnce = 50;

/** Signs in each chain that events from before an id may be deleted; stops early when the signal fires. */
export async function announcePruning(server: UpkeepScope, before: string, signal: AbortSignal): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const found = await server.rows(sql`SELECT "accountId", "sealedKey" FROM "AuditChain"
      WHERE "accountId" > ${after} AND "prunedBefore" < ${before} ORDER BY "accountId" LIMIT ${chainsAtOnce}`);
    if (found.length === 0) return;
    const signed = found.map(([id, sealedKey]) => {
      const accountId = String(id);
      const signer = openSigner(server, { accountId, sealedKey: server.decode.Bytes(sealedKey) });
      return [accountId, signer.pruning(accountId, before)];
    });
    after = signed.at(-1)?.[0] ?? after;
    const list = sql`${server.json.entries(JSON.stringify(signed))} AS e`;
    await server.change(sql`UPDATE "AuditChain" SET "prunedBefore" = ${before}, "prunedSignature" = (
        SELECT e.value ->> 1 FROM ${list} WHERE e.value ->> 0 = "AuditChain"."accountId")
      WHERE "accountId" IN (SELECT e.value ->> 0 FROM ${list}) AND "prunedBefore" < ${before}`);
    await nextTurn();
  }
}

/**
 * Deletes the hashes of segments from before a moment of which no event exists any more. Their checkpoints stay, and hold the chain
 * together.
 */
export async function forgetSegments(server: UpkeepScope, moment: Date, signal: AbortSignal): Promise<void> {
  let after: readonly [accountId: string, number: number] = ['', 0];
  const forget = async (most: number) => {
    const begin = sql`(s."accountId", s."number") > (${after[0]}, ${after[1]})`;
    const rows = await server.rows(sql`SELECT s."accountId", s."number" FROM "AuditSegment" s
      WHERE ${begin} ORDER BY s."accountId", s."number" LIMIT ${most}`);
    const last = rows.at(-1);
    if (last === undefined) return { value: undefined, entries: 0, isLast: true };
    const next = [String(last[0]), Number(last[1])] as const;
    await server.change(sql`DELETE FROM "AuditSegment" AS s
      WHERE ${begin} AND (s."accountId", s."number") <= (${next[0]}, ${next[1]})
        AND EXISTS (SELECT 1 FROM "AuditCheckpoint" c
          WHERE c."accountId" = s."accountId" AND c."number" = s."number" AND c."createdAt" < ${moment})
        AND NOT EXISTS (SELECT 1 FROM "AuditEvent" e
          WHERE e."accountId" = s."accountId" AND (e."commitOrder", e."id") > (s."afterOrder", s."afterId")
            AND (e."commitOrder", e."id") <= (s."untilOrder", s."untilId"))`);
    after = next;
    return { value: undefined, entries: rows.length, isLast: rows.length < most || signal.aborted };
  };
  for await (const _ of server.slices(deletedSlices, forget));
}
