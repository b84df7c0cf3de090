// What anybody with the id of an account or a certificate authority may read: revocation lists, and the public keys of authorities.

import { setTimeout as pause } from 'node:timers/promises';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { isIdOf, type Kind } from '../../domain/values/ids.ts';
import { groupBy } from '../../domain/values/maps.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import { type Sql, sql } from '../../storage/sql/statement.ts';
import type { Validity } from './certificates/host-certificate.ts';

/** The content of a revocation list. */
export interface Revocations {
  readonly authorities: readonly RevokedOfAuthority[];
  /** Counts the changes of the list. */
  readonly version: bigint;
  readonly changedAt: Date;
}

export interface RevokedOfAuthority {
  /** Its public key, as a line. */
  readonly publicKey: string;
  /** In ascending order, without duplicates. */
  readonly serials: BigUint64Array;
}

/** Reads revocation lists of one kind, by the id of their owner: an authority or an account. */
export interface RevocationsReader {
  /** Reads the version of a list, which is cheap; null if there is no such list. */
  version(id: string): Promise<bigint | null>;
  /**
   * Reads the content of a list; null if there is no such list. Because anybody may ask for the longest list, it reads in slices
   * with a pause after each, and only one list of an account at a time. The content includes at least every change that its version
   * counts. Throws UNAVAILABLE if too many lists of the account are waiting.
   */
  read(id: string): Promise<Revocations | null>;
}

interface RevocationPosition {
  readonly authority: string;
  readonly serial: bigint;
}

interface ListSource {
  readonly kind: Kind;
  /** Selects the version of a list in one row; no row if there is no such list. */
  readonly version: (id: string) => Sql;
  /**
   * Selects the authorities of a list: the account, the time since when the list exists, and the authority's id, public key and
   * version. A list without authorities gives one row without an authority; no row if there is no such list.
   */
  readonly authorities: (id: string) => Sql;
  /** The condition for the revocations of a list that follow a position, ordered by authority and serial. */
  readonly revocations: (id: string, after: RevocationPosition) => Sql;
}

/** Selects authorities including deleted ones, whose revoked certificates stay revoked. */
const selectAuthorities = (columns: Sql, condition: Sql) =>
  sql`SELECT ${columns} FROM "SshCertificateAuthority" WHERE ${condition}
    UNION ALL SELECT ${columns} FROM "SshDeletedAuthority" WHERE ${condition}`;

const ofAuthority: ListSource = {
  kind: 'SshCertificateAuthority',
  version: (id) => selectAuthorities(sql`"revocationCount"`, sql`"id" = ${id}`),
  authorities: (id) =>
    selectAuthorities(sql`"accountId", "createdAt", "id", "publicKey", "revocationCount"`, sql`"id" = ${id}`),
  revocations: (id, { serial }) => sql`"sshCertificateAuthorityId" = ${id} AND "serial" > ${serial}`,
};

/** The list of each account, with all authorities that it has or had. Its version is the sum of theirs, which never decreases. */
const ofAccount: ListSource = {
  kind: 'Account',
  version: (id) => {
    const counts = selectAuthorities(sql`"revocationCount"`, sql`"accountId" = ${id}`);
    return sql`SELECT (SELECT coalesce(sum("revocationCount"), 0) FROM (${counts}) a) FROM "Account" WHERE "id" = ${id}`;
  },
  authorities: (id) => {
    const all = selectAuthorities(sql`"accountId", "id", "publicKey", "revocationCount"`, sql`"accountId" = ${id}`);
    return sql`SELECT o."id", o."createdAt", a."id", a."publicKey", a."revocationCount"
      FROM "Account" o LEFT JOIN (${all}) a ON a."accountId" = o."id" WHERE o."id" = ${id} ORDER BY a."id"`;
  },
  revocations: (id, { authority, serial }) =>
    sql`"accountId" = ${id} AND ("sshCertificateAuthorityId", "serial") > (${authority}, ${serial})`,
};

/** Maximum number of waiting lists per account. Requests for the same list share one read (see `public.ts`), so they all differ. */
const waitingMax = 1_000;

const sources = { authority: ofAuthority, account: ofAccount };
/** What a revocation list belongs to. */
export type ListOwner = keyof typeof sources;

/** Creates a reader for the revocation lists of one kind. */
export function createRevocationsReader(database: ServerReads, owner: ListOwner): RevocationsReader {
  const queue = createWorkQueue({ atOnce: 1, waitingMax });
  const source = sources[owner];
  return {
    async version(id) {
      if (!isIdOf(source.kind, id)) return null;
      const [found] = await database.rows(source.version(id));
      return found === undefined ? null : BigInt(String(found[0]));
    },

    async read(id) {
      if (!isIdOf(source.kind, id)) return null;
      const found = await database.rows(source.authorities(id));
      const [first] = found;
      if (first === undefined) return null;
      const [accountId, createdAt] = first;
      const { serialsOf, latest } = await queue.run(String(accountId), () =>
        readRevocations(database, (after) => source.revocations(id, after)),
      );
      const authorities = found.flatMap(([, , authorityId, publicKey]) => {
        const serials = serialsOf.get(String(authorityId));
        return serials === undefined ? [] : [{ publicKey: String(publicKey), serials }];
      });
      return {
        authorities,
        version: found.reduce((sum, [, , , , count]) => sum + BigInt(String(count ?? 0)), 0n),
        changedAt: latest ?? database.decode.DateTime(createdAt),
      };
    },
  };
}

/** Revocations read per turn of the event loop: about 5 ms. */
const revocationsAtOnce = 2_500;

/** Reads the serials of revocations by authority, in ascending order, and the time of the latest revocation. */
async function readRevocations({ rows: read, decode }: ServerReads, following: (after: RevocationPosition) => Sql) {
  const slicesOf = new Map<string, BigUint64Array[]>();
  let latest: Date | null = null;
  for (let after: RevocationPosition = { authority: '', serial: 0n }; ; ) {
    const begunMs = performance.now();
    const rows = await read(
      sql`SELECT "sshCertificateAuthorityId", "serial", "revokedAt" FROM "SshRevocation"
        WHERE ${following(after)}
        ORDER BY "sshCertificateAuthorityId", "serial" LIMIT ${revocationsAtOnce}`,
    );
    for (const [authority, some] of groupBy(rows, ([authority]) => String(authority))) {
      const slice = BigUint64Array.from(some, ([, serial]) => BigInt(String(serial)));
      slicesOf.set(authority, [...(slicesOf.get(authority) ?? []), slice]);
      after = { authority, serial: slice.at(-1) ?? 0n };
    }
    for (const [, , revokedAt] of rows) {
      const time = decode.DateTime(revokedAt);
      if (latest === null || time > latest) latest = time;
    }
    if (rows.length < revocationsAtOnce) break;
    // Pause for as long as the slice took, so that reading constantly changing lists leaves half of the CPU to other work.
    await pause(performance.now() - begunMs);
  }
  return { serialsOf: new Map([...slicesOf].map(([authority, slices]) => [authority, together(slices)])), latest };
}

function together(slices: readonly BigUint64Array[]): BigUint64Array {
  const all = new BigUint64Array(slices.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const slice of slices) {
    all.set(slice, offset);
    offset += slice.length;
  }
  return all;
}

/** What a client needs to trust an authority. */
export interface TrustedAuthority {
  readonly id: string;
  /** As a line. */
  readonly publicKey: string;
}

/** Reads the authorities of an account that have not retired, oldest first; null if there is no such account. */
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

/** What determines when a host renews a certificate. */
export interface RenewalState extends Validity {
  readonly accountId: string;
  /** When the authority of the certificate handed over; null if it still signs. */
  readonly handedOverAt: Date | null;
}

/** Reads what determines when a certificate is renewed; null if there is no such certificate, or no more since it was deleted. */
export async function readRenewalState({ rows, decode }: ServerReads, id: string): Promise<RenewalState | null> {
  if (!isIdOf('SshHostCertificate', id)) return null;
  const [found] = await rows(
    sql`SELECT c."accountId", c."validAfter", c."validUntil", a."handedOverAt" FROM "SshHostCertificate" c
      JOIN "SshCertificateAuthority" a ON a."id" = c."sshCertificateAuthorityId" WHERE c."id" = ${id}`,
  );
  if (found === undefined) return null;
  const [accountId, validAfter, validUntil, handedOverAt] = found;
  return {
    accountId: String(accountId),
    validAfter: decode.DateTime(validAfter),
    validUntil: decode.DateTime(validUntil),
    handedOverAt: handedOverAt === null ? null : decode.DateTime(handedOverAt),
  };
}
