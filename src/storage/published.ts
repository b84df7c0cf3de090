// What anybody may read who has its address: look-ups that are not bound to an account, each of them narrow.

import { setTimeout as pause } from 'node:timers/promises';
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { isIdOf } from '../domain/ids.ts';
import type { ServiceProvider } from '../domain/saml/service-provider.ts';
import { createWorkQueue } from '../domain/work-queue.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import { Prisma, type PrismaClient } from './generated/client/client.ts';
import { statementOf } from './statement.ts';

/** What the revocation list of an SSH certificate authority says. */
export interface SshRevocations {
  /** Public key of the authority, as a line. */
  readonly publicKey: string;
  /** In ascending order, each once. */
  readonly serials: BigUint64Array;
  /** Counts the changes of the list. */
  readonly version: bigint;
  readonly changedAt: Date;
}

/** Reads what is published. Nothing here tells whose an object is, or anything that its owner has not published. */
export interface Published {
  /** Reads the version of the revocations of an authority, which costs little; null when there is no such authority. */
  sshRevocationsVersion(authorityId: string): Promise<bigint | null>;
  /**
   * Reads the revocations of an authority, in slices with a pause after each and one list at a time, because anybody may ask
   * for the longest; null when there is no such authority. The list has at least what its version counts.
   *
   * @throws UNAVAILABLE when too many lists of the account are waiting
   */
  sshRevocations(authorityId: string): Promise<SshRevocations | null>;
  /** Reads the service provider of a route; null when there is no such route, or none on it. */
  serviceProvider(routeId: string): Promise<ServiceProvider | null>;
}

/** Lists of one account that may wait. Who asks for them shares them (see `src/areas/ssh/public.ts`), so that each is of one authority. */
const waitingMax = 1_000;

/** Creates the look-ups over a client and its connection, in the dialect of their engine. */
export function createPublished(client: PrismaClient, connection: SqlQueryable, dialect: Dialect): Published {
  const queue = createWorkQueue({ atOnce: 1, waitingMax });
  return {
    async sshRevocationsVersion(authorityId) {
      if (!isIdOf('SshCertificateAuthority', authorityId)) return null;
      const authority = await translated(
        client.sshCertificateAuthority.findUnique({ where: { id: authorityId }, select: { revocationCount: true } }),
      );
      return authority === null ? null : BigInt(authority.revocationCount);
    },

    async sshRevocations(authorityId) {
      if (!isIdOf('SshCertificateAuthority', authorityId)) return null;
      const authority = await translated(
        client.sshCertificateAuthority.findUnique({
          where: { id: authorityId },
          select: { accountId: true, publicKey: true, createdAt: true, revocationCount: true },
        }),
      );
      if (authority === null) return null;
      const { accountId, publicKey, createdAt, revocationCount } = authority;
      const { serials, latest } = await queue.run(accountId, () => readRevocations(connection, dialect, authorityId));
      return {
        publicKey,
        serials,
        version: BigInt(revocationCount),
        changedAt: latest ?? createdAt,
      };
    },

    async serviceProvider(routeId) {
      if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
      return translated(
        client.samlModule.findUnique({ where: { routeId }, select: { certificatePem: true, nameidFormat: true } }),
      );
    },
  };
}

/** Revocations that are read in one turn of the event loop: some 5 ms. */
const revocationsAtOnce = 2_500;

/** Reads the serials of the revocations of an authority, in their order, and the time of the latest. */
async function readRevocations(connection: SqlQueryable, dialect: Dialect, authorityId: string) {
  const slices: BigUint64Array[] = [];
  let latest: Date | null = null;
  for (;;) {
    const begunMs = performance.now();
    const after = slices.at(-1)?.at(-1) ?? 0n;
    const following = Prisma.sql`"sshCertificateAuthorityId" = ${authorityId} AND "serial" > ${after}`;
    const slice = Prisma.sql`${following} ORDER BY "serial" LIMIT ${revocationsAtOnce}`;
    const next = Prisma.sql`SELECT "serial", "revokedAt" FROM "SshRevocation" WHERE ${slice}`;
    const { rows } = await translated(connection.queryRaw(statementOf(dialect, next)));
    slices.push(BigUint64Array.from(rows, ([serial]) => BigInt(String(serial))));
    for (const [, revokedAt] of rows) {
      const time = dialect.decode.DateTime(revokedAt);
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
