// Forgets revocations that are no longer needed, and deleted authorities that have none left.

import type { ServerScope } from '../../../storage/objects/server-scope.ts';
import { deletedSlices, type SliceSizes } from '../../../storage/sql/read-slices.ts';
import { joined, type Sql, sql } from '../../../storage/sql/statement.ts';

/**
 * Takes expired certificates off the revocation lists; nothing else does. A removed serial is trusted again by every client whose
 * own clock is behind, and cannot be put back, so `now` must come from a trustworthy clock. The versions of the affected lists are
 * incremented, so that the lists are written anew. Other work gets a turn after each slice, so a list may be written in between.
 */
export async function forgetExpiredRevocations(scope: ServerScope, now: Date, signal: AbortSignal): Promise<void> {
  let after = sql`("sshCertificateAuthorityId", "serial") > ('', 0)`;
  const look = async (most: number) => {
    const last = await lastOfSlice(scope, after, most);
    const slice =
      last === null
        ? after
        : sql`${after} AND ("sshCertificateAuthorityId", "serial") <= (${last.authority}, ${last.serial})`;
    await forget(scope, sql`${slice} AND "validUntil" <= ${now}`);
    if (last !== null) after = sql`("sshCertificateAuthorityId", "serial") > (${last.authority}, ${last.serial})`;
    return { value: undefined, entries: most, isLast: last === null || signal.aborted };
  };
  for await (const _ of scope.slices(deletedSlices, look));
}

/** Finds the last revocation of the next full slice; null if fewer revocations are left. */
async function lastOfSlice(scope: ServerScope, after: Sql, most: number) {
  const [last] = await scope.rows(
    sql`SELECT "sshCertificateAuthorityId", "serial" FROM "SshRevocation" WHERE ${after}
      ORDER BY "sshCertificateAuthorityId", "serial" LIMIT 1 OFFSET ${most - 1}`,
  );
  return last === undefined ? null : { authority: String(last[0]), serial: BigInt(String(last[1])) };
}

async function forget(scope: ServerScope, expired: Sql): Promise<void> {
  const authorities = await scope.rows(
    sql`SELECT DISTINCT "sshCertificateAuthorityId" FROM "SshRevocation" WHERE ${expired}`,
  );
  if (authorities.length === 0) return;
  const ids = joined(authorities.map(([id]) => String(id)));
  const countUp = sql`SET "revocationCount" = "revocationCount" + 1 WHERE "id" IN (${ids})`;
  // Authorities before their revocations: the order in which every change locks them.
  await scope.change(
    sql`UPDATE "SshCertificateAuthority" ${countUp}`,
    sql`UPDATE "SshDeletedAuthority" ${countUp}`,
    sql`DELETE FROM "SshRevocation" WHERE ${expired}`,
  );
}

/**
 * Forgets deleted authorities that have no revocations left. The newest of an account stays and takes over the counts of the
 * others, because their sum, the version of the account's list, must never decrease.
 */
export async function forgetDeletedAuthorities(scope: ServerScope, signal: AbortSignal): Promise<void> {
  let after = '';
  const look = async (most: number) => {
    const found = await scope.rows(
      sql`SELECT d."id",
          (SELECT max(n."id") FROM "SshDeletedAuthority" n WHERE n."accountId" = d."accountId"),
          (SELECT min(r."serial") FROM "SshRevocation" r WHERE r."sshCertificateAuthorityId" = d."id")
        FROM "SshDeletedAuthority" d WHERE d."id" > ${after} ORDER BY d."id" LIMIT ${most}`,
    );
    for (const [gone, newest, revoked] of found) {
      if (gone === newest || revoked !== null) continue;
      await scope.change(
        sql`UPDATE "SshDeletedAuthority" SET "revocationCount" = "revocationCount" +
          (SELECT g."revocationCount" FROM "SshDeletedAuthority" g WHERE g."id" = ${gone}) WHERE "id" = ${newest}
          AND EXISTS (SELECT 1 FROM "SshDeletedAuthority" g WHERE g."id" = ${gone})`,
        // Another server may have forgotten the newest one in the meantime, because there is an even newer one.
        sql`DELETE FROM "SshDeletedAuthority" WHERE "id" = ${gone}
          AND EXISTS (SELECT 1 FROM "SshDeletedAuthority" n WHERE n."id" = ${newest})`,
      );
    }
    after = String(found.at(-1)?.[0]);
    return { value: undefined, entries: found.length, isLast: found.length < most || signal.aborted };
  };
  for await (const _ of scope.slices(authoritySlices, look));
}

/** Deleted authorities that are looked at, and mostly forgotten one by one. */
const authoritySlices: SliceSizes = { first: 50, most: 500, waits: true };
