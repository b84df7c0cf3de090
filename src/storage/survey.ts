// What operators ask about the whole database while a server runs: counts, never contents.

import { setTimeout as pause } from 'node:timers/promises';
import { SallyportError } from '../domain/errors.ts';
import { translated } from './errors.ts';
import { Prisma, type PrismaClient } from './generated/client/client.ts';
import type { Health } from './sqlite/health.ts';
import type { Inspection } from './sqlite/inspection.ts';

/** Asks about the whole database. */
export interface Survey {
  /**
   * Reads something from the file, and looks for damage where that was not done a moment ago. Throws UNAVAILABLE without a
   * cause when the database is damaged or its files are not those that were opened: the owner is told of that once.
   */
  probe(): Promise<void>;
  /** Counts the host certificates that end by each of some moments, in one statement. Gives their whole number last. */
  hostCertificatesEndingBy(moments: readonly Date[]): Promise<number[]>;
}

/** Longest time that a probe waits for an inspection, in milliseconds: the next probe hears what it found. */
const inspectionMsMax = 250;
const troubled = 'The database is damaged, or its files are gone; the log of the server says what to do.';

/** Creates the survey of a database. */
export function createSurvey(client: PrismaClient, health: Health, inspection: Inspection): Survey {
  const throwTrouble = () => {
    if (health.trouble !== null) throw new SallyportError('UNAVAILABLE', troubled);
  };
  return {
    async probe() {
      health.look();
      throwTrouble();
      await translated(client.serverFact.findFirst({ select: { name: true } }));
      await Promise.race([inspection.run(), pause(inspectionMsMax, undefined, { ref: false })]);
      throwTrouble();
    },

    async hostCertificatesEndingBy(moments) {
      const columns = moments.map(
        (moment, place) =>
          Prisma.sql`count(CASE WHEN "validUntil" <= ${moment} THEN 1 END) AS ${Prisma.raw(`n${place}`)}`,
      );
      const all = Prisma.sql`count(*) AS ${Prisma.raw(`n${moments.length}`)}`;
      const rows = await client.$queryRaw<
        Record<string, bigint>[]
      >`SELECT ${Prisma.join([...columns, all])} FROM "SshHostCertificate"`;
      return [...moments.keys(), moments.length].map((place) => Number(rows[0]?.[`n${place}`] ?? 0));
    },
  };
}
