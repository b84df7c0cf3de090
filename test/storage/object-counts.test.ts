// The counts of objects that the database keeps are those of its rows, whatever writes them.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditUpkeep } from '../../src/areas/audit-events/upkeep.ts';
import { checkCounts } from '../../src/storage/lifecycle/count-check.ts';
import { examine } from '../../src/storage/lifecycle/health.ts';
import { checkPairs } from '../../src/storage/lifecycle/pairs-check.ts';
import { createServerReads } from '../../src/storage/objects/server-scope.ts';
import { countedTables } from '../../src/storage/sql/object-counts.ts';
import { execute, openWithoutReferences, testDatabase } from '../support/database.ts';
import { delegateOf } from '../support/delegates.ts';
import { accounts, models, rowsOfModel } from '../support/model-rows.ts';
import { countsIn } from '../support/object-counts.ts';
import { runs } from '../support/runs.ts';
import { ownService, startTime, type TestService } from '../support/service.ts';

let opened: Awaited<ReturnType<typeof openWithoutReferences>>;
beforeAll(async () => {
  opened = await openWithoutReferences();
});
afterAll(() => opened.close());

/** Returns lines of what a statement finds in the open database. */
async function linesOf(sql: string): Promise<string[]> {
  const { rows } = await opened.connection.queryRaw({ sql, args: [], argTypes: [] });
  return rows.map((row) => JSON.stringify(row.map(String)));
}

const counted = models.filter(({ name }) => countedTables.includes(name));

test.each(counted.map((model) => [model.name, model] as const))('rows of %s are counted', async (name, model) => {
  const table = delegateOf(opened.client, name);
  await fc.assert(
    fc.asyncProperty(rowsOfModel(model), fc.subarray(accounts), async (rows, gone) => {
      await table.deleteMany();
      await table.createMany({ data: rows });
      await table.deleteMany({ where: { accountId: { in: gone } } });
      const kept = await linesOf(`SELECT "accountId", sum("count") FROM "ObjectCount" WHERE "kind" = '${name}'
        GROUP BY "accountId" HAVING sum("count") <> 0 ORDER BY "accountId"`);
      const there = `SELECT "accountId", count(*) FROM "${name}" GROUP BY "accountId" ORDER BY "accountId"`;
      expect(kept).toEqual(await linesOf(there));
    }),
    { numRuns: runs(5) },
  );
});

/** Changes of an account, each of which needs nothing that another one leaves. */
const changes = {
  /** Creates, changes and deletes several policies and rules at once. */
  async document({ graphql }: TestService, n: number) {
    const policy = (index: number) => ({ rules: [{ cidr: `10.${n % 3}.${index}.0/24`, action: 'allow' }] });
    const document = { ipPolicies: Object.fromEntries(Array.from({ length: n }, (_, i) => [`p${i}`, policy(i)])) };
    const mutation = `mutation ($document: JSON!) {
      applyConfiguration(input: { document: $document, prune: true }) { applied { requestId } } }`;
    expect((await graphql(mutation, { document })).errors).toBeUndefined();
  },
  /** Creates a policy with rules, and one that is refused. */
  async policy({ rest }: TestService, n: number) {
    const { body } = await rest('POST', '/ip_policies', {});
    for (const octet of [...Array(n).keys(), 0]) {
      await rest('POST', '/ip_policy_rules', { ip_policy_id: body.id, cidr: `10.0.0.${octet}`, action: 'deny' });
    }
  },
  /** Deletes a policy, with its rules. */
  async deletion({ rest }: TestService, n: number) {
    const [{ id } = { id: '' }] = (await rest('GET', `/ip_policies?limit=${n + 1}`)).body.ip_policies.slice(-1);
    if (id !== '') await rest('DELETE', `/ip_policies/${id}`);
  },
  /** Brings what was deleted last back, with its parts. */
  async restoration({ graphql }: TestService) {
    const query = '{ auditEvents(kind: "IpPolicy", action: delete, first: 1) { nodes { id } } }';
    for (const { id } of (await graphql(query)).data.auditEvents.nodes) {
      await graphql('mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { event { id } } }', { id });
    }
  },
  /** Deletes old events. */
  async forgetting({ storage }: TestService) {
    await auditUpkeep(0).hourly?.(storage.server, new Date(startTime.getTime() + 1_000), new AbortController().signal);
  },
};

test('what an account changes is counted, in every order', async () => {
  const service = await ownService();
  const names = Object.keys(changes) as (keyof typeof changes)[]; // exactly these are its keys
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 4 })), { maxLength: 8 }),
      async (some) => {
        for (const [name, n] of some) await changes[name](service, n);
        const { kept, rows } = await countsIn(service.database);
        expect(kept).toEqual(rows);
      },
    ),
    { numRuns: runs(30) },
  );
});

test('doctor finds a wrong count among those that it reads, and says which accounts it did not look at', async () => {
  const database = await testDatabase();
  const edges = ['a', 'b', 'c'].map((account, n) => `('${n}', '${account}', '2026-01-01T00:00:00Z', '[]')`);
  await execute(
    database,
    `INSERT INTO "TlsEdge" ("id", "accountId", "createdAt", "hostports") VALUES ${edges.join(', ')}`,
  );
  const check = (most: number) =>
    database.engine.reading((connection) => checkCounts(createServerReads(connection, database.engine.dialect), most));
  const right = { level: 'ok', message: 'The counts of objects are right.' };
  const first = { level: 'ok', message: expect.stringContaining('of the first accounts') };
  const wrong = { level: 'warn', message: expect.stringContaining('other numbers of TlsEdge than') };
  expect(await check(9)).toMatchObject(right);
  expect(await check(2)).toMatchObject(first);
  const miscount = (account: string, by: number) =>
    execute(database, `UPDATE "ObjectCount" SET "count" = "count" + ${by} WHERE "accountId" = '${account}'`);
  await miscount('c', 1);
  expect([await check(9), await check(2)]).toMatchObject([wrong, first]);
  // The sum is right again, but not each.
  await miscount('b', -1);
  expect([await check(9), await check(2)]).toMatchObject([wrong, wrong]);
});

test('doctor says of counts that cannot be read what to do, and nothing else fails by that', async () => {
  const database = await testDatabase();
  await execute(database, 'ALTER TABLE "ObjectCount" RENAME TO "Elsewhere"');
  const findings = await examine(database.engine, new Date(0), async (reads) => [await checkCounts(reads)]);
  expect(findings.areaChecks).toMatchObject([
    { level: 'warn', message: expect.stringContaining('The objects could not be counted: ') },
  ]);
});

test('doctor finds events of kinds and actions that filtered lists do not look for', async () => {
  const database = await testDatabase();
  const check = () =>
    database.engine.reading((connection) => checkPairs(createServerReads(connection, database.engine.dialect)));
  const pairs = ['IpPolicy create', 'Request refuse', 'Request create', 'Nothing delete', 'Nothing delete'];
  const events = pairs.map((pair, n) => {
    const [kind, action] = pair.split(' ');
    return `('${n}', 'a', '2026-01-01T00:00:00Z', '${action}', '${kind}', '${n}', 1, 'b', '', 'rest', '{}', 0)`;
  });
  const columns =
    '"id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor", "actorDescription", "surface", "state", "commitOrder"';
  const store = (some: string[]) =>
    execute(database, `INSERT INTO "AuditEvent" (${columns}) VALUES ${some.join(', ')}`);
  await store(events.slice(0, 2));
  expect(await check()).toMatchObject({ level: 'ok' });
  await store(events.slice(2));
  const message = expect.stringContaining('do not show: Request create, Nothing delete.');
  expect(await check()).toMatchObject({ level: 'warn', message });
});
