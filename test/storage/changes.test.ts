// The one way of writing: the parts of a change are stored together, and consequences follow only after that.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createIpPolicyRule } from '../../src/areas/ip-policies/store.ts';
import { createIpRestriction, updateIpRestriction } from '../../src/areas/ip-restrictions/store.ts';
import { deleteTlsEdgeModule, replaceTlsEdgeBackend, replaceTlsEdgePolicy } from '../../src/areas/tls-edges/store.ts';
import { SallyportError } from '../../src/domain/errors.ts';
import { isDuplicate } from '../../src/storage/errors.ts';
import type { PrismaClient } from '../../src/storage/generated/client/client.ts';
import { type AccountScope, forced, perDatabase } from '../../src/storage/objects/account-scope.ts';
import { writerOf } from '../../src/storage/objects/changes.ts';
import { countedUp } from '../../src/storage/objects/collection.ts';
import { collectionOf } from '../../src/storage/objects/collections.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { byEngine } from '../support/database.ts';
import { plant } from '../support/planting.ts';
import { accountOf, ownService, startService, type TestService } from '../support/service.ts';
import { workOf } from '../support/statements.ts';

const httpsEdgeRoutes = collectionOf('HttpsEdgeRoute');
const httpsEdges = collectionOf('HttpsEdge');
const ipPolicies = collectionOf('IpPolicy');
const ipPolicyRules = collectionOf('IpPolicyRule');
const _ipRestrictions = collectionOf('IpRestriction');
const tlsEdges = collectionOf('TlsEdge');
const tunnelGroupBackends = collectionOf('TunnelGroupBackend');

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

/** Creates a new account and returns a scope that acts for it. */
const newScope = async () => service.storage.actingFor(await accountOf(await service.asNewAccount()), commandLine);

describe('a change', () => {
  test('stores what stands alongside, or nothing, and tells of it only when it is stored', async () => {
    const scope = await newScope();
    const { id } = await httpsEdges.create(scope, { hostports: [] });
    const policy = await ipPolicies.create(scope, {});
    const told: string[] = [];
    const countAlongside = (ruleCount: number) => ({
      alongside: [ipPolicies.prepareUpdate(scope, { id: policy.id, ruleCount }, { ruleCount: { increment: 1 } })],
      acknowledged: () => told.push(`${ruleCount}`),
    });
    await httpsEdges.update(scope, id, { description: 'first' }, 1, countAlongside(0));
    await expect(httpsEdges.update(scope, id, { description: 'no' }, 2, countAlongside(7))).rejects.toThrow();
    await expect(httpsEdges.update(scope, id, { description: 'no' }, 9, countAlongside(1))).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
    });
    await expect(httpsEdges.create(scope, { hostports: [] }, countAlongside(7))).rejects.toThrow();
    await expect(httpsEdges.remove(scope, id, 2, countAlongside(7))).rejects.toThrow();
    expect(told).toEqual(['0']);
    expect(await httpsEdges.count(scope, {})).toBe(1);
    expect(await httpsEdges.get(scope, id)).toMatchObject({ description: 'first', version: 2 });
    expect(await ipPolicies.get(scope, policy.id)).toMatchObject({ ruleCount: 1, version: 1 });
    await httpsEdges.remove(scope, id, 2, countAlongside(1));
    expect(told).toEqual(['0', '1']);
  });

  test('is counted for its account by the time anybody hears of it, also one that failed: it may have been stored', async () => {
    const [scope, other] = [await newScope(), await newScope()];
    const counts = [scope.changeCount()];
    const counted = () => {
      counts.push(scope.changeCount());
    };
    const othersCount = other.changeCount();
    const { id } = await ipPolicies.create(scope, {}).finally(counted);
    await ipPolicies.update(scope, id, { description: 'x' }, 1).finally(counted);
    await ipPolicies.update(scope, id, { description: 'y' }, 7).catch(counted);
    await ipPolicies.remove(scope, id, null).finally(counted);
    expect(new Set(counts).size).toBe(5);
    const last = scope.changeCount();
    await ipPolicies.count(scope, {});
    expect([scope.changeCount(), other.changeCount()]).toEqual([last, othersCount]);
  });

  test('of other kinds alone is not counted for some, and one that may have changed more is', async () => {
    const scope = await newScope();
    const ofRules = () => scope.changeCount(['IpRestriction', 'IpPolicyRule']);
    const [rules, policies] = [ofRules(), scope.changeCount(['IpPolicy'])];
    const { id } = await ipPolicies.create(scope, {});
    await ipPolicies.update(scope, id, { description: 'x' }, 1);
    await expect(ipPolicies.update(scope, id, { description: 'y' }, 1)).rejects.toThrow();
    expect(ofRules()).toBe(rules);
    expect(scope.changeCount(['IpRestriction', 'IpPolicy'])).toBeGreaterThan(policies);
    const counts = [rules];
    const counted = () => {
      counts.push(ofRules());
    };
    const rule = await createIpPolicyRule(scope, { ipPolicyId: id, cidr: '10.0.0.0/8', action: 'allow' });
    counted();
    await ipPolicyRules.update(scope, rule.id, { description: 'x' }, 1).finally(counted);
    await ipPolicyRules.update(scope, rule.id, { description: 'y' }, 1).catch(counted);
    // The policy's rule is deleted with it.
    await ipPolicies.remove(scope, id, null).finally(counted);
    // This increments a column that no answer shows.
    const edge = await httpsEdges.create(scope, { hostports: [] });
    const count = httpsEdges.prepareUpdate(scope, { id: edge.id }, { routeCount: { increment: 1 } });
    await tlsEdges.create(scope, { hostports: [] }, { alongside: [count] }).finally(counted);
    expect(new Set(counts).size).toBe(6);
  });

  test('of one object is one statement and that of its event; a deletion locks first what the event records', async () => {
    // Nothing is asked before what is forced.
    const scope = forced(await newScope());
    const { length } = service.statements;
    const { id } = await ipPolicies.create(scope, { description: 'x' });
    await ipPolicies.update(scope, id, { description: 'y' }, 1);
    await ipPolicies.remove(scope, id, 2);
    const kinds = service.statements.slice(length).map((sql) => sql.split(' ')[0]);
    // On PostgreSQL, the message is the transaction. There, a change of an object that others know first waits for its turn.
    const together = (...statements: string[]) =>
      byEngine({
        sqlite: ['BEGIN', 'SAVEPOINT', ...statements, 'RELEASE', 'COMMIT'],
        postgresql: statements[0] === 'UPDATE' ? ['SELECT', ...statements] : statements,
      });
    expect(kinds.filter((kind) => kind !== 'PRAGMA')).toEqual([
      ...together('INSERT', 'INSERT'),
      ...together('UPDATE', 'INSERT'),
      ...together('UPDATE', 'INSERT', 'DELETE'),
    ]);
  });
});

test('of secrets that wait for the one before, those are not stored for which nobody waits any more', async () => {
  const accountId = await accountOf(service);
  const client = new AbortController();
  const scope = service.storage.actingFor(accountId, commandLine, null, () => client.signal);
  const store = () => {
    const write = ipPolicies.prepareCreate(scope, ipPolicies.newObject(scope), {});
    return writerOf(scope).apply({ write: { ...write, seals: true } });
  };
  const stored = Promise.allSettled([store(), store(), store()]);
  client.abort(new Error('gone'));
  expect((await stored).map((one) => (one.status === 'rejected' ? one.reason.message : 'stored'))).toEqual([
    'stored',
    'gone',
    'gone',
  ]);
  expect(await ipPolicies.count(scope, {})).toBe(1);
});

describe('changes that come together', () => {
  /** Returns the trail of objects, such as `update 2`, in the order in which a stream of changes sends it. */
  const eventsOf = async (scope: AccountScope, ...ids: string[]) => {
    const orderBy = [{ commitOrder: 'asc' }, { id: 'asc' }] as const;
    const events = await scope.db.auditEvent.findMany({ where: { objectId: { in: ids } }, orderBy: [...orderBy] });
    return events.map(({ action, version }) => `${action} ${version}`);
  };

  test('fail alone: of another version, of nothing, and where the event cannot be written', async () => {
    const scope = await newScope();
    const [first, second, third] = [
      await ipPolicies.create(scope, {}),
      await ipPolicies.create(scope, {}),
      await ipPolicies.create(scope, {}),
    ];
    const { id: _, ...event } = await scope.db.auditEvent.findFirstOrThrow({ where: { objectId: third.id } });
    const taken = { ...event, id: 'evt_taken', version: 2 };
    await plant(scope, 'AuditEvent', [taken]);
    const [unknown, made] = [scope.newId('IpPolicy'), scope.newId('IpPolicy')];
    const set = (id: string, version: number | null) => ipPolicies.update(scope, id, { description: 'x' }, version);
    const make = (id: string) => ipPolicies.create(scope, {}, { object: { id, createdAt: new Date(0) } });
    const settled = await Promise.allSettled([
      set(first.id, 1),
      set(second.id, 7),
      set(unknown, null),
      set(third.id, null),
      make(made),
      make(first.id),
      ipPolicies.remove(scope, second.id, 7),
    ]);
    const outcomeOf = (error: unknown) => (error instanceof SallyportError ? error.code : isDuplicate(error));
    expect(settled.map((one) => (one.status === 'rejected' ? outcomeOf(one.reason) : one.value?.version))).toEqual([
      ...[2, 'VERSION_CONFLICT', 'NOT_FOUND', true],
      ...[1, true, 'VERSION_CONFLICT'],
    ]);
    expect(await Promise.all([second, third].map(({ id }) => ipPolicies.get(scope, id)))).toEqual([second, third]);
    expect(await eventsOf(scope, first.id)).toEqual(['create 1', 'update 2']);
    expect(await eventsOf(scope, second.id, unknown, made)).toEqual(['create 1', 'create 1']);
    expect(await eventsOf(scope, third.id)).toEqual(['create 1', 'create 2']);
  });

  test('to one object have a version each, and of those who expect one version one gets it', async () => {
    const scope = await newScope();
    const { id } = await ipPolicies.create(scope, {});
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => ipPolicies.update(scope, id, { description: `${n}` }, null)),
    );
    const racing = Array.from({ length: 20 }, (_, n) => ipPolicies.update(scope, id, { description: `x${n}` }, 41));
    const settled = await Promise.allSettled(racing);
    expect(settled.flatMap((one) => (one.status === 'rejected' ? one.reason.code : []))).toEqual(
      Array(19).fill('VERSION_CONFLICT'),
    );
    const updates = Array.from({ length: 41 }, (_, n) => `update ${n + 2}`);
    expect(await eventsOf(scope, id)).toEqual(['create 1', ...updates]);
  });
});

describe('a change of several objects', () => {
  const kindsSince = (length: number) => service.statements.slice(length).map((sql) => sql.split(' ')[0]);

  test('is one batch of our own statements, and shares a commit on SQLite', async () => {
    const scope = await newScope();
    const edge = await httpsEdges.create(scope, { hostports: [] });
    const { length } = service.statements;
    const count = httpsEdges.prepareUpdate(scope, { id: edge.id, routeCount: { lt: 1 } }, countedUp);
    await httpsEdgeRoutes.create(
      scope,
      { edgeId: edge.id, matchType: 'exact_path', match: '/' },
      { alongside: [count] },
    );
    expect(kindsSince(length).filter((kind) => kind !== 'PRAGMA')).toEqual(
      byEngine({
        sqlite: ['BEGIN', 'SAVEPOINT', 'UPDATE', 'INSERT', 'INSERT', 'INSERT', 'RELEASE', 'COMMIT'],
        postgresql: ['SELECT', 'UPDATE', 'INSERT', 'INSERT', 'INSERT'],
      }),
    );
  });
});

describe('the account', () => {
  test('is given to the rows that are made with an object and with its parts', async () => {
    const scope = await newScope();
    const policy = await ipPolicies.create(scope, {});
    const ipPolicyIds = [policy.id];
    const { id } = await createIpRestriction(scope, { type: 'api', ipPolicyIds });
    await updateIpRestriction(scope, { id, ipPolicyIds });
    const edge = await tlsEdges.create(scope, { hostports: [] });
    const backend = await tunnelGroupBackends.create(scope, { labels: '{}' });
    await replaceTlsEdgeBackend(scope, { edgeId: edge.id, backendId: backend.id });
    await replaceTlsEdgePolicy(scope, { edgeId: edge.id });
    const accounts = await Promise.all([
      scope.db.ipRestrictionPolicy.findMany({ select: { accountId: true } }),
      scope.db.tlsBackendModule.findMany({ select: { accountId: true } }),
      scope.db.tlsPolicyModule.findMany({ select: { accountId: true } }),
    ]);
    expect(accounts.flat()).toEqual(Array(3).fill({ accountId: scope.accountId }));
  });

  test('is only read by what areas are given', async () => {
    const scope = await newScope();
    // As plain JavaScript or a careless assertion would allow: the type has no such method.
    const db = scope.db as unknown as Pick<PrismaClient, 'ipPolicy'>;
    await expect(db.ipPolicy.create({ data: { id: 'ipp_x', accountId: '', createdAt: new Date(0) } })).rejects.toThrow(
      'create: areas write through collections.',
    );
    await expect(db.ipPolicy.deleteMany()).rejects.toThrow('deleteMany: areas write through collections.');
    expect(await db.ipPolicy.count()).toBe(0);
  });
});

describe('a module that is not set', () => {
  test('is unset without a change, for the version that the object has', async () => {
    const scope = await newScope();
    const { id } = await tlsEdges.create(scope, { hostports: [] });
    const unset = (edgeId: string, expectedVersion: number | null) =>
      deleteTlsEdgeModule(scope, 'policy', { edgeId, expectedVersion });
    expect(await unset(id, 1)).toMatchObject({ id, version: 1 });
    await expect(unset(id, 2)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    await replaceTlsEdgePolicy(scope, { edgeId: id });
    expect(await unset(id, 2)).toMatchObject({ version: 3 });
    await expect(unset((await other()).id, null)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  const other = async () => tlsEdges.create(await newScope(), { hostports: [] });
});

describe('a POST that shows relations', () => {
  const statementsOfPost = (path: string, body: object) => workOf(service, () => service.rest('POST', path, body));

  test('reads nothing where nothing can refer to the new object', async () => {
    const { id } = (await service.rest('POST', '/edges/https', {})).body;
    const ofEdge = await statementsOfPost('/edges/https', {});
    expect(ofEdge.filter((work) => work !== 'SELECT Expectation')).toEqual(['INSERT HttpsEdge', 'INSERT AuditEvent']);
    const ofTlsEdge = await statementsOfPost('/edges/tls', {});
    expect(ofTlsEdge.filter((work) => work !== 'SELECT Expectation')).toEqual(['INSERT TlsEdge', 'INSERT AuditEvent']);
    const route = { match_type: 'exact_path', match: '/' };
    const ofRoute = await statementsOfPost(`/edges/https/${id}/routes`, route);
    expect(ofRoute.filter((work) => work !== 'SELECT Expectation')).toEqual([
      'UPDATE HttpsEdge',
      'INSERT HttpsEdgeRoute',
      'INSERT AuditEvent',
      'INSERT AuditEvent',
    ]);
    const { id: ip_policy_id } = (await service.rest('POST', '/ip_policies', {})).body;
    const rule = { ip_policy_id, cidr: '10.0.0.0/8', action: 'allow' };
    // What is expected is read at most once a second.
    const ofRule = await statementsOfPost('/ip_policy_rules', rule);
    expect(ofRule.filter((work) => work !== 'SELECT Expectation')).toEqual([
      'UPDATE IpPolicy',
      'INSERT IpPolicyRule',
      'INSERT AuditEvent',
    ]);
  });
});

test('secrets that were opened are forgotten when the secret key changes and when the database closes', async () => {
  const opened = perDatabase(
    () => new Map<string, string>(),
    (keys) => keys.clear(),
  );
  const [own, other] = [await ownService(), await startService()];
  const [scope, elsewhere] = await Promise.all(
    [own, other].map(async (one) => one.storage.actingFor(await accountOf(one), commandLine)),
  );
  if (scope === undefined || elsewhere === undefined) throw new Error('There are two scopes.');
  opened(scope).set('key', 'secret');
  opened(elsewhere).set('key', 'another secret');
  await own.storage.changeSecretKey(new Uint8Array(32));
  expect([opened(scope).size, opened(elsewhere).size]).toEqual([0, 1]);
  await other.close();
  expect(opened(elsewhere).size).toBe(0);
});

test('a change that is under way when the database closes is stored', async () => {
  const service = await startService();
  const scope = service.storage.actingFor(await accountOf(service), commandLine);
  const edge = await tlsEdges.create(scope, { hostports: [] });
  const set = tlsEdges.update(scope, edge.id, countedUp, 1);
  await service.storage.close();
  expect(await set).toMatchObject({ version: 2 });
  await service.close();
});
