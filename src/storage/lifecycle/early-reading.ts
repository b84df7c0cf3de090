// Reads the metadata of an identity provider at once when a signature is wrong: it may sign with a new key, and nobody should have to
// wait for the next reading. Anybody can send what has a wrong signature, so it is read seldom.

import { SallyportError } from '../../domain/errors.ts';
import { readingSeconds } from '../../domain/saml/identity-provider.ts';
import type { AccountScope } from '../objects/account-scope.ts';
import { sql, verbatim } from '../sql/statement.ts';
import { claimSeconds } from './due-rows.ts';
import type { UpkeepScope } from './upkeep.ts';

/** What a message was checked by: the row with the metadata, and when that had been read. */
interface Checked {
  readonly id: string;
  readonly accountId: string;
  readonly metadataReadAt: Date | null;
}

/** The rows that have metadata, and how that of one is read. */
interface Rows {
  readonly table: string;
  /** The column of its primary key. */
  readonly key: string;
  readonly read: (scope: AccountScope, id: string, signal: AbortSignal) => Promise<void>;
}

/** Most messages that wait for one reading: each holds its form meanwhile. */
const waitingMax = 50;
/** Milliseconds after which a reading is given up, its turn among other requests included. */
const readingMsMax = 60_000;

/**
 * Creates the reading. What it returns reads the metadata of a row, if it is read at an address, and was not
 * within the last five minutes by any server. Those who wait for the same row do so together. That it cannot be read is
 * noted for the administrator, as ever, and no failure. It tells whether it was read since the row was, by whichever server.
 */
export function createEarlyReading(server: UpkeepScope, { table, key, read }: Rows, now: () => Date) {
  const [rows, keyColumn] = [verbatim(`"${table}"`), verbatim(`"${key}"`)];
  const underway = new Map<string, { readonly reading: Promise<void>; waiting: number }>();
  const readIfDue = async (accountId: string, id: string): Promise<void> => {
    const inSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1000);
    // What cannot be read is tried again every five minutes anyway, and what is due soon may be under way. What was read later than
    // now was read by a clock that was ahead.
    const due = sql`${keyColumn} = ${id} AND "idpMetadataUrl" <> '' AND "metadataFailedAt" IS NULL
      AND "metadataNextAt" > ${inSeconds(claimSeconds)}
      AND ("metadataReadAt" IS NULL OR "metadataReadAt" <= ${inSeconds(-readingSeconds.min)} OR "metadataReadAt" > ${now()})`;
    const claim = sql`UPDATE ${rows} SET "metadataNextAt" = ${inSeconds(claimSeconds)} WHERE ${due}`;
    if ((await server.change(claim)) !== 1) return;
    const late = AbortSignal.timeout(readingMsMax);
    try {
      await read(server.actingFor(accountId), id, late);
    } catch (error) {
      // Changed or deleted meanwhile, or too much is asked of others just now: upkeep reads it once the claim has ended.
      if (!(error instanceof SallyportError || late.aborted)) throw error;
    }
  };
  const wasReadSince = async ({ id, metadataReadAt }: Checked): Promise<boolean | null> => {
    const [row] = await server.rows(sql`
      SELECT "metadataReadAt" FROM ${rows} WHERE ${keyColumn} = ${id} AND "idpMetadataUrl" <> ''`);
    if (row === undefined) return null;
    const [readAt] = row;
    return readAt !== null && server.decode.DateTime(readAt).getTime() !== metadataReadAt?.getTime();
  };
  return async (checked: Checked): Promise<boolean> => {
    const wasRead = await wasReadSince(checked);
    if (wasRead !== false) return wasRead ?? false;
    const { accountId, id } = checked;
    const known = underway.get(id);
    if (known !== undefined && known.waiting >= waitingMax) return false;
    const one = known ?? {
      reading: readIfDue(accountId, id).finally(() => underway.delete(id)),
      waiting: 0,
    };
    one.waiting += 1;
    underway.set(id, one);
    await one.reading;
    return (await wasReadSince(checked)) ?? false;
  };
}
