// Lists inside objects are read along an index for each object, even before PostgreSQL has statistics of the tables.

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodesOf } from '../support/query-plan.ts';
import { startService, type TestService } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';

/** Number of objects of one page, and of rows in the list of each. */
const count = 100;

let service: TestService;
let database: pg.Client;
beforeAll(async () => {
  service = await startService();
  database = new pg.Client({ connectionString: service.database.url });
  await database.connect();
  const { rows } = await database.query<{ id: string }>('SELECT "id" FROM "Account"');
  const account = `'${rows[0]?.id}'`;
  const idInSql = (prefix: string, number: string) => `'${prefix}_' || lpad((${number})::text, 26, '0')`;
  const policy = idInSql('ipp', `n % ${count}`);
  await database.query(
    `INSERT INTO "IpPolicy" ("id", "accountId", "createdAt", "updatedAt")
     SELECT ${idInSql('ipp', 'n')}, ${account}, now(), now() FROM generate_series(0, ${count - 1}) n`,
  );
  await database.query(
    `INSERT INTO "IpPolicyRule" ("id", "accountId", "ipPolicyId", "cidr", "range", "action", "createdAt", "updatedAt")
     SELECT ${idInSql('ipr', 'n')}, ${account}, ${policy}, n::text, n::text, 'allow', now(), now()
     FROM generate_series(0, ${count * count - 1}) n`,
  );
  await database.query(
    `INSERT INTO "AuditEvent" ("id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor",
       "actorDescription", "surface", "state", "commitOrder")
     SELECT ${idInSql('evt', 'n')}, ${account}, now(), 'update', 'IpPolicy', ${policy}, n / ${count} + 1, 'cli', '', 'cli', '{}',
       n - ${count * count} FROM generate_series(0, ${count * count - 1}) n`,
  );
});
afterAll(async () => {
  await database.end();
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Most blocks of 8 KiB for the list of an object: the way down an index, and a block for each row and one more. */
const blocksMax = 12;

test.each([
  ['rules(first: 5)', 'IpPolicyRule', 'id', [9999, 9899, 9799, 9699, 9599].map(ruleId)],
  ['rules(last: 5)', 'IpPolicyRule', 'id', [499, 399, 299, 199, 99].map(ruleId)],
  ['history(first: 5)', 'AuditEvent', 'version', [100, 99, 98, 97, 96]],
])('%s of a page of objects', async (field, model, name, ofNewest) => {
  const statements = await statementsOf(service, async () => {
    const query = `{ ipPolicies(first: ${count}) { nodes { list: ${field} { nodes { value: ${name} } } } } }`;
    const { data, errors } = await service.graphql(query);
    expect(errors).toBeUndefined();
    expect(data.ipPolicies.nodes).toHaveLength(count);
    expect(data.ipPolicies.nodes[0].list.nodes.map(({ value }: { value: unknown }) => value)).toEqual(ofNewest);
  });
  const sql = statements.find((statement) => statement.includes('VALUES') && statement.includes(`"${model}"`)) ?? '';
  const { rows } = await database.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`);
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
  const expected = ['Sort', 'Nested Loop', 'Values Scan', 'Subquery Scan', 'Limit', 'Index Scan'];
  expect(nodes.map((node) => node['Node Type'])).toEqual(expected);
  const [whole] = nodes;
  expect((whole?.['Shared Hit Blocks'] ?? 0) + (whole?.['Shared Read Blocks'] ?? 0)).toBeLessThan(count * blocksMax);
});

/** Returns the id of a rule by its number: the numbers of a policy's rules are `count` apart. */
function ruleId(number: number): string {
  return `ipr_${String(number).padStart(26, '0')}`;
}
