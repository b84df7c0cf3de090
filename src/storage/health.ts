// What operators ask about the whole database, beside a server or in one: findings and counts, never contents.

import { setTimeout as pause } from 'node:timers/promises';
import { SallyportError } from '../domain/errors.ts';
import type { Check, Engine, OpenDatabase } from './engine.ts';
import { translated } from './errors.ts';
import { Prisma } from './generated/client/client.ts';
import { getDatamodel } from './generated/pothos.ts';
import { secretCheckFact } from './secret-key.ts';
import { statementOf } from './statement.ts';

/** Asks about an open database. */
export interface Health {
  /**
   * Reads something from the database, and looks for damage where that was not done a moment ago. Throws UNAVAILABLE without a
   * cause when the database is damaged or is not the one that was opened: the owner is told of that once.
   */
  probe(): Promise<void>;
  /** Counts the host certificates that end by each of some moments, in one statement. Gives their whole number last. */
  hostCertificatesEndingBy(moments: readonly Date[]): Promise<number[]>;
}

/** Longest time that a probe waits for an inspection, in milliseconds: the next probe hears what it found. */
const inspectionMsMax = 250;
const troubled = "The database is damaged or its files are missing; the server's log says what to do.";

/** Creates the questions about an open database. */
export function createHealth(database: OpenDatabase): Health {
  const { client } = database;
  const throwTrouble = () => {
    if (database.hasTrouble()) throw new SallyportError('UNAVAILABLE', troubled);
  };
  return {
    async probe() {
      throwTrouble();
      await translated(client.serverFact.findFirst({ select: { name: true } }));
      await Promise.race([translated(database.inspect()), pause(inspectionMsMax, undefined, { ref: false })]);
      throwTrouble();
    },

    async hostCertificatesEndingBy(moments) {
      const columns = moments.map(
        (moment, place) =>
          Prisma.sql`count(CASE WHEN "validUntil" <= ${moment} THEN 1 END) AS ${Prisma.raw(`n${place}`)}`,
      );
      const all = Prisma.sql`count(*) AS ${Prisma.raw(`n${moments.length}`)}`;
      const rows = await translated(
        client.$queryRaw<Record<string, bigint>[]>`SELECT ${Prisma.join([...columns, all])} FROM "SshHostCertificate"`,
      );
      return [...moments.keys(), moments.length].map((place) => Number(rows[0]?.[`n${place}`] ?? 0));
    },
  };
}

/** An SSH host certificate that ends soon. */
export interface EndingCertificate {
  readonly id: string;
  readonly accountId: string;
  readonly validUntil: Date;
}

/** A restriction that refers to a policy which has been deleted. */
export interface DanglingReference {
  readonly restrictionId: string;
  readonly accountId: string;
  readonly policyId: string;
}

/** What was found in a database. */
export interface Findings {
  readonly accounts: number;
  readonly apiKeys: number;
  /** Newest time of creation of anything; null when there is nothing. */
  readonly newestCreatedAt: Date | null;
  /** What the secret key is checked with. */
  readonly sealedCheck: Uint8Array | null;
  /** Certificates that have not expired and name no principal. */
  readonly withoutPrincipals: number;
  /** Certificates that have not expired and have a principal with a wildcard. */
  readonly withWildcards: number;
  /** Certificates that expire before the moment asked for, soonest first. */
  readonly ending: readonly EndingCertificate[];
  readonly dangling: readonly DanglingReference[];
}

/**
 * Looks over a database whose migrations are all applied, beside a server or without one. Changes nothing.
 *
 * @param soon certificates that expire before this moment are listed
 */
export function examine(engine: Pick<Engine, 'dialect' | 'reading'>, now: Date, soon: Date): Promise<Findings> {
  const { decode } = engine.dialect;
  return engine.reading(async (database) => {
    const rows = async (sql: Prisma.Sql) => (await database.queryRaw(statementOf(engine.dialect, sql))).rows;
    const first = async (sql: Prisma.Sql) => (await rows(sql))[0]?.[0] ?? null;
    const count = async (from: Prisma.Sql) => Number(await first(Prisma.sql`SELECT count(*) FROM ${from}`));
    const valid = Prisma.sql`"SshHostCertificate" WHERE "validUntil" > ${now}`;
    // In the text of a list, each of its texts stands as it is.
    const principals = Prisma.sql`CAST("principals" AS TEXT)`;

    let newestCreatedAt: Date | null = null;
    for (const [model, { fields }] of Object.entries(getDatamodel().datamodel.models)) {
      if (!fields.some(({ name }) => name === 'createdAt')) continue;
      const found = await first(Prisma.sql`SELECT max("createdAt") FROM ${Prisma.raw(engine.dialect.quote(model))}`);
      const time = found === null ? null : decode.DateTime(found);
      if (time !== null && (newestCreatedAt === null || time > newestCreatedAt)) newestCreatedAt = time;
    }
    const sealedCheck = await first(Prisma.sql`SELECT "value" FROM "ServerFact" WHERE "name" = ${secretCheckFact}`);
    const ending = await rows(
      Prisma.sql`SELECT "id", "accountId", "validUntil" FROM ${valid} AND "validUntil" <= ${soon}
        ORDER BY "validUntil", "id"`,
    );
    const dangling = await rows(
      Prisma.sql`SELECT "ipRestrictionId", "accountId", "ipPolicyId" FROM "IpRestrictionPolicy" r
        WHERE NOT EXISTS (SELECT 1 FROM "IpPolicy" p WHERE p."id" = r."ipPolicyId" AND p."accountId" = r."accountId")
        ORDER BY "ipRestrictionId", "position"`,
    );
    return {
      accounts: await count(Prisma.sql`"Account"`),
      apiKeys: await count(Prisma.sql`"ApiKey"`),
      newestCreatedAt,
      sealedCheck: sealedCheck === null ? null : decode.Bytes(sealedCheck),
      withoutPrincipals: await count(Prisma.sql`${valid} AND ${principals} = '[]'`),
      withWildcards: await count(Prisma.sql`${valid} AND (${principals} LIKE '%*%' OR ${principals} LIKE '%?%')`),
      ending: ending.map(([id, accountId, validUntil]) => ({
        id: String(id),
        accountId: String(accountId),
        validUntil: decode.DateTime(validUntil),
      })),
      dangling: dangling.map(([restrictionId, accountId, policyId]) => ({
        restrictionId: String(restrictionId),
        accountId: String(accountId),
        policyId: String(policyId),
      })),
    };
  });
}

/** Makes the result of a check: nothing to do. */
export function ok(name: string, message: string): Check {
  return { name, level: 'ok', message, remedy: null };
}

/** Makes the result of a check: the server runs, and an operator should see to it. */
export function warn(name: string, message: string, remedy: string): Check {
  return { name, level: 'warn', message, remedy };
}

/** Makes the result of a check: something does not work, or soon will not. */
export function fail(name: string, message: string, remedy: string): Check {
  return { name, level: 'fail', message, remedy };
}
