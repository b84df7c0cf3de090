// Reads the metadata of an identity provider at once when a signature is wrong: it may sign with a new key, and nobody should have to
// wait for the next reading. Anybody can send what has a wrong signature, so it is read seldom.

import { SallyportError } from '../../domain/errors.ts';
import type { LoginModule } from '../../domain/gate/login.ts';
import { readingSeconds } from '../../domain/saml/identity-provider.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { claimSeconds } from '../../storage/lifecycle/due-rows.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import { sql } from '../../storage/sql/statement.ts';
import { refreshMetadata } from './metadata-reading-store.ts';

/** A module that a message was checked by. */
type Checked = Pick<LoginModule, 'accountId' | 'registrationId' | 'metadataReadAt'>;

/** Most messages that wait for one reading: each holds its form meanwhile. */
const waitingMax = 50;
/** Milliseconds after which a reading is given up: more than its request may take. */
const readingMsMax = 60_000;

/**
 * Creates the reading. What it returns reads the metadata of the registration of a module, if it is read at an address, and was not
 * within the last five minutes by any server. Those who wait for the same registration do so together. That it cannot be read is
 * noted for the administrator, as ever, and no failure. It tells whether it was read since the module was, by whichever server.
 */
export function createEarlyReading(server: UpkeepScope, outgoing: Outgoing, now: () => Date) {
  const underway = new Map<string, { readonly reading: Promise<void>; waiting: number }>();
  const readIfDue = async (accountId: string, routeId: string): Promise<void> => {
    const inSeconds = (seconds: number) => new Date(now().getTime() + seconds * 1000);
    // What cannot be read is tried again every five minutes anyway, and what is due soon may be under way. What was read later than
    // now was read by a clock that was ahead.
    const due = sql`"routeId" = ${routeId} AND "idpMetadataUrl" <> '' AND "metadataFailedAt" IS NULL
      AND "metadataNextAt" > ${inSeconds(claimSeconds)}
      AND ("metadataReadAt" IS NULL OR "metadataReadAt" <= ${inSeconds(-readingSeconds.min)} OR "metadataReadAt" > ${now()})`;
    const claim = sql`UPDATE "SamlModule" SET "metadataNextAt" = ${inSeconds(claimSeconds)} WHERE ${due}`;
    if ((await server.change(claim)) !== 1) return;
    try {
      const scope = server.actingFor(accountId);
      await refreshMetadata(scope, outgoing.fetchForPerson, routeId, AbortSignal.timeout(readingMsMax));
    } catch (error) {
      // Changed or deleted meanwhile, or too much is asked of others just now: upkeep reads it once the claim has ended.
      if (!(error instanceof SallyportError)) throw error;
    }
  };
  const wasReadSince = async ({ registrationId, metadataReadAt }: Checked): Promise<boolean | null> => {
    const [row] = await server.rows(sql`
      SELECT "metadataReadAt" FROM "SamlModule" WHERE "routeId" = ${registrationId} AND "idpMetadataUrl" <> ''`);
    if (row === undefined) return null;
    const [readAt] = row;
    return readAt !== null && server.decode.DateTime(readAt).getTime() !== metadataReadAt?.getTime();
  };
  return async (module: Checked): Promise<boolean> => {
    const wasRead = await wasReadSince(module);
    if (wasRead !== false) return wasRead ?? false;
    const { accountId, registrationId } = module;
    const known = underway.get(registrationId);
    if (known !== undefined && known.waiting >= waitingMax) return false;
    const one = known ?? {
      reading: readIfDue(accountId, registrationId).finally(() => underway.delete(registrationId)),
      waiting: 0,
    };
    one.waiting += 1;
    underway.set(registrationId, one);
    await one.reading;
    return (await wasReadSince(module)) ?? false;
  };
}
