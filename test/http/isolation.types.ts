// Checked by the compiler, never run: each line below that goes around the account of a scope must not compile.

import type { AccountScope } from '../../src/storage/account-scope.ts';
import { collection } from '../../src/storage/collection.ts';
import type { Storage } from '../../src/storage/storage.ts';

export async function unscoped({ db }: AccountScope, storage: Storage): Promise<void> {
  // What must compile, so that the errors below are those that are meant.
  await db.ipPolicy.findMany();
  await db.$transaction([db.ipPolicy.findMany()]);
  await collection('IpPolicy').get(storage.forAccount('acct_x'), 'ipp_x');

  // @ts-expect-error accounts are not data of an account
  await db.account.findMany();
  // @ts-expect-error raw SQL knows no account
  await db.$queryRaw`SELECT 1`;
  // @ts-expect-error raw SQL knows no account
  await db.$executeRawUnsafe('DELETE FROM IpPolicy');
  // @ts-expect-error a transaction that awaits other things would take in the writes of other requests
  await db.$transaction(async () => {});
  // @ts-expect-error another extension could take the condition away
  db.$extends({});
  // @ts-expect-error there are no data without an account
  await storage.ipPolicy.findMany();
  // @ts-expect-error the operations need a scope, not a database
  await collection('IpPolicy').get(db, 'ipp_x');
  // @ts-expect-error the operations need a scope
  await collection('IpPolicy').get('ipp_x');
  // @ts-expect-error accounts are no collection
  collection('Account');
}
