// What operators ask about the whole database while a server runs: counts, never contents.

import { statSync } from 'node:fs';
import { Prisma, type PrismaClient } from './generated/client/client.ts';

/** Asks about the whole database. */
export interface Survey {
  /** Reads something from the file. Throws when that fails, or when another file has taken its place. */
  probe(): Promise<void>;
  /** Counts the host certificates that end by each of some moments, in one statement. Gives their whole number last. */
  hostCertificatesEndingBy(moments: readonly Date[]): Promise<number[]>;
}

/** Creates the survey of a database. */
export function createSurvey(client: PrismaClient, path: string): Survey {
  const identity = identityOf(path);
  return {
    async probe() {
      // A server goes on writing into a file that somebody has moved away, and all of it would be lost.
      if (identityOf(path) !== identity) throw new Error(`${path} is not the file any more that was opened.`);
      await client.serverFact.findFirst({ select: { name: true } });
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

/** Tells files apart, whatever their names. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev} ${ino}`;
}
