// What the first opening of a database stores: the sealed text that its secret key is checked with from then on.

import { isDuplicate } from '../errors.ts';
import { readSealedCheck, sealCheck, secretCheckFact } from '../keys/secret-key.ts';
import type { Changes, RowWriter } from '../objects/changes.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { joined, sql } from '../sql/statement.ts';

/**
 * Finds the secret key and checks it; on first use, stores what later openings check it with.
 *
 * @param secretKey finds the key, as `StorageOptions` says
 * @throws the errors of `secretKey` and of the database
 */
export async function agreeOnKey(
  database: { readonly reads: ServerReads; readonly rowWriter: RowWriter; readonly changes: Changes },
  secretKey: (sealedCheck: Uint8Array | null) => Uint8Array,
  randomBytes: (size: number) => Uint8Array,
): Promise<{ key: Uint8Array; sealedCheck: Uint8Array<ArrayBuffer> }> {
  const { reads, rowWriter, changes } = database;
  const found = await readSealedCheck(reads);
  const key = secretKey(found);
  if (found !== null) return { key, sealedCheck: found };
  const sealedCheck = sealCheck(key, randomBytes);
  try {
    const values = joined([secretCheckFact, sealedCheck]);
    await changes.apply({
      write: rowWriter(sql`INSERT INTO "ServerFact" ("name", "value") VALUES (${values}) RETURNING "name"`),
    });
    return { key, sealedCheck };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Another process opened the new database at the same moment and was first: its key is the right one.
    return agreeOnKey(database, secretKey, randomBytes);
  }
}
