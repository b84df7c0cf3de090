// Checked by the compiler, never run: each line below that bypasses the account of a scope, or the only way of writing, must not
// compile. Nor must a name that a model does not have.

import { modules } from '../../src/areas/tls-edges/store.ts';
import type { AccountScope } from '../../src/storage/objects/account-scope.ts';
import { collection } from '../../src/storage/objects/collection.ts';
import { collectionOf } from '../../src/storage/objects/collections.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';

const httpsEdgeRoutes = collectionOf('HttpsEdgeRoute');
const httpsEdges = collectionOf('HttpsEdge');
const ipPolicies = collectionOf('IpPolicy');
const ipRestrictions = collectionOf('IpRestriction');
const _tlsEdges = collectionOf('TlsEdge');

export async function unscoped({ db }: AccountScope, storage: Storage): Promise<void> {
  // These must compile, so that the errors below are the intended ones.
  await db.ipPolicy.findMany();
  await ipPolicies.get(storage.actingFor('acct_x', commandLine), 'ipp_x');

  // @ts-expect-error accounts are not data of an account
  await db.account.findMany();
  // @ts-expect-error raw SQL knows no account
  await db.$queryRaw`SELECT 1`;
  // @ts-expect-error raw SQL knows no account
  await db.$executeRawUnsafe('DELETE FROM IpPolicy');
  // @ts-expect-error a transaction that awaits other things would include the writes of other requests
  await db.$transaction(async () => {});
  // @ts-expect-error another extension could remove the condition
  db.$extends({});
  // @ts-expect-error there is no data without an account
  await storage.ipPolicy.findMany();
  // @ts-expect-error the operations need a scope, not a database
  await ipPolicies.get(db, 'ipp_x');
  // @ts-expect-error the operations need a scope
  await ipPolicies.get('ipp_x');
  // @ts-expect-error accounts are not a collection
  collection('Account');
}

export async function pastTheCollections({ db }: AccountScope): Promise<void> {
  // @ts-expect-error areas can only read
  await db.ipPolicy.create({ data: { id: 'ipp_x', accountId: 'acct_x', createdAt: new Date() } });
  // @ts-expect-error areas can only read
  await db.ipPolicy.createMany({ data: [] });
  // @ts-expect-error areas can only read
  await db.ipPolicy.update({ where: { id: 'ipp_x' }, data: {} });
  // @ts-expect-error areas can only read
  await db.ipPolicy.updateManyAndReturn({ data: {} });
  // @ts-expect-error areas can only read
  await db.ipPolicy.upsert({ where: { id: 'ipp_x' }, create: {}, update: {} });
  // @ts-expect-error areas can only read
  await db.ipPolicy.deleteMany();
}

export async function misspelt(scope: AccountScope, unsure: boolean): Promise<void> {
  // These must compile, so that the errors below are the intended ones.
  await httpsEdges.create(scope, { hostports: [], description: '' });
  await ipPolicies.update(scope, 'ipp_x', { description: '', ...(unsure ? {} : { metadata: '' }) }, null);
  await ipRestrictions.count(scope, { type: 'api' });
  ipPolicies.prepareUpdate(scope, { id: 'ipp_x', ruleCount: { lt: 1 } }, { ruleCount: { increment: 1 } });

  // @ts-expect-error a column that the model does not have
  await httpsEdges.create(scope, { hostports: [], descriptoin: '' });
  // @ts-expect-error a column that the model does not have, where it may be left out
  await httpsEdges.create(scope, { hostports: [], ...(unsure ? {} : { descriptoin: '' }) });
  // @ts-expect-error a column that is missing
  await httpsEdges.create(scope, { description: '' });
  // @ts-expect-error the storage supplies the account
  await httpsEdges.create(scope, { hostports: [], accountId: 'acct_x' });
  // @ts-expect-error the storage supplies the id
  await httpsEdges.create(scope, { hostports: [], id: 'edghts_x' });
  // @ts-expect-error rows of other models are written by themselves
  await ipRestrictions.create(scope, { type: 'api', policyRefs: { create: [] } });
  // @ts-expect-error rows of other models are written by themselves
  await httpsEdgeRoutes.update(scope, 'edghtsrt_x', { edge: { update: {} } }, null);
  // @ts-expect-error the storage supplies the account to the parts, too
  modules.policy.prepareSet(scope, { edgeId: 'edgtls_x', enabled: true, accountId: 'acct_x' });
  // @ts-expect-error a column that the module does not have
  modules.policy.prepareUpdate(scope, { edgeId: 'edgtls_x' }, { inbuond: null });
  // @ts-expect-error a column that the model does not have
  await ipPolicies.update(scope, 'ipp_x', { descriptoin: '' }, null);
  // @ts-expect-error a column that the model does not have, where it may be left out
  await ipPolicies.update(scope, 'ipp_x', { description: '', ...(unsure ? {} : { metdata: '' }) }, null);
  // @ts-expect-error a value of another type
  await ipPolicies.update(scope, 'ipp_x', { description: 7 }, null);
  // @ts-expect-error a condition on a column that the model does not have
  await ipRestrictions.count(scope, { typ: 'api' });
  const newest = { take: 1, olderThan: undefined, newerThan: undefined, backward: false };
  // @ts-expect-error a condition on a column that the model does not have
  await ipRestrictions.page(scope, newest, { typ: 'api' });
  // @ts-expect-error a condition on a column that the model does not have
  ipPolicies.prepareUpdate(scope, { id: 'ipp_x', rulCount: { lt: 1 } }, { ruleCount: { increment: 1 } });
  // @ts-expect-error a change of a column that the model does not have
  ipPolicies.prepareUpdate(scope, { id: 'ipp_x' }, { rulCount: { increment: 1 } });
  // @ts-expect-error only Pothos may select: the type of the result would not match the selection
  await ipPolicies.get(scope, 'ipp_x', { select: { id: true } });
}
