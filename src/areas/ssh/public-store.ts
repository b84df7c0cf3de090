// What anybody may read of certificate authorities: the revocation list of one whose id he has, and the public keys of an account
// whose id he has.

import { setTimeout as pause } from 'node:timers/promises';
import { isIdOf } from '../../domain/ids.ts';
import { createWorkQueue } from '../../domain/work-queue.ts';
import type { ServerReads } from '../../storage/server-scope.ts';
import { sql } from '../../storage/statement.ts';

/** What the revocation list of an authority says. */
export interface Revocations {
  /** Public key of the authority, as a line. */
  readonly publicKey: string;
  /** In ascending order, each once. */
  readonly serials: BigUint64Array;
  /** Counts the changes of the list. */
  readonly version: bigint;
  readonly changedAt: Date;
}

/** Reads the version of the revocations of an authority, which costs little; null when there is no such authority. */
export async function readRevocationsVersion(database: ServerReads, authorityId: string): Promise<bigint | null> {
  if (!isIdOf('SshCertificateAuthority', authorityId)) return null;
  const [found] = await database.rows(
    sql`SELECT "revocationCount" FROM "SshCertificateAuthority" WHERE "id" = ${authorityId}`,
  );
  return found === undefined ? null : BigInt(String(found[0]));
}

/** Lists of one account that may wait. Who asks for them shares them (see `public.ts`), so that each is of one authority. */
const waitingMax = 1_000;

/**
 * Creates what reads the revocations of an authority, in slices with a pause after each and one list at a time, because
 * anybody may ask for the longest; it gives null when there is no such authority. The list has at least what its version
 * counts. It throws UNAVAILABLE when too many lists of the account are waiting.
 */
export function createRevocationsReader(database: ServerReads): (authorityId: string) => Promise<Revocations | null> {
  const queue = createWorkQueue({ atOnce: 1, waitingMax });
  return async (authorityId) => {
    if (!isIdOf('SshCertificateAuthority', authorityId)) return null;
    const [found] = await database.rows(
      sql`SELECT "accountId", "publicKey", "createdAt", "revocationCount"
        FROM "SshCertificateAuthority" WHERE "id" = ${authorityId}`,
    );
    if (found === undefined) return null;
    const [accountId, publicKey, createdAt, revocationCount] = found;
    const { serials, latest } = await queue.run(String(accountId), () => readRevocations(database, authorityId));
    return {
      publicKey: String(publicKey),
      serials,
      version: BigInt(String(revocationCount)),
      changedAt: latest ?? database.decode.DateTime(createdAt),
    };
  };
}

/** Revocations that are read in one turn of the event loop: some 5 ms. */
const revocationsAtOnce = 2_500;

/** Reads the serials of the revocations of an authority, in their order, and the time of the latest. */
async function readRevocations({ rows: read, decode }: ServerReads, authorityId: string) {
  const slices: BigUint64Array[] = [];
  let latest: Date | null = null;
  for (;;) {
    const begunMs = performance.now();
    const after = slices.at(-1)?.at(-1) ?? 0n;
    const following = sql`"sshCertificateAuthorityId" = ${authorityId} AND "serial" > ${after}`;
    const slice = sql`${following} ORDER BY "serial" LIMIT ${revocationsAtOnce}`;
    const rows = await read(sql`SELECT "serial", "revokedAt" FROM "SshRevocation" WHERE ${slice}`);
    slices.push(BigUint64Array.from(rows, ([serial]) => BigInt(String(serial))));
    for (const [, revokedAt] of rows) {
      const time = decode.DateTime(revokedAt);
      if (latest === null || time > latest) latest = time;
    }
    if (rows.length < revocationsAtOnce) break;
    // As long as the slice took: reading lists that change all the time leaves half of the processor to everybody else.
    await pause(performance.now() - begunMs);
  }
  const serials = new BigUint64Array(slices.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const slice of slices) {
    serials.set(slice, place);
    place += slice.length;
  }
  return { serials, latest };
}

/** What a client needs of an authority to trust it. */
export interface TrustedAuthority {
  readonly id: string;
  /** As a line. */
  readonly publicKey: string;
}

/** Reads the authorities of an account that have not retired, the oldest first; null when there is no such account. */
export async function readTrustedAuthorities(
  { rows }: ServerReads,
  accountId: string,
): Promise<TrustedAuthority[] | null> {
  if (!isIdOf('Account', accountId)) return null;
  const found = await rows(
    sql`SELECT "id", "publicKey" FROM "SshCertificateAuthority"
      WHERE "accountId" = ${accountId} AND "retiredAt" IS NULL ORDER BY "id"`,
  );
  if (found.length === 0) {
    const [account] = await rows(sql`SELECT "id" FROM "Account" WHERE "id" = ${accountId}`);
    if (account === undefined) return null;
  }
  return found.map(([id, publicKey]) => ({ id: String(id), publicKey: String(publicKey) }));
}
