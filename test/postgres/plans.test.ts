// Every list is read along an index, however long it is: from either end, from any cursor, and with every filter.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, type GraphQLArgument, type GraphQLField, getNamedType } from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOf } from '../../src/domain/hash.ts';
import { type Kind, kinds } from '../../src/domain/ids.ts';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { nodesOf, type PlanNode } from '../support/query-plan.ts';
import { startService, type TestService } from '../support/service.ts';
import { root } from '../support/source-files.ts';
import { statementsOf } from '../support/statements.ts';

/** Rows of each table: enough that no plan reads all of them if there is a better one. */
const rowCount = 20_000;
/** The older half belongs to the account that asks, so that all objects of another account come before its newest one. */
const ownCount = rowCount / 2;
/** Most blocks of 8 KiB for a page of five objects: the way down an index, and a block for each object. */
const blocksMax = 20;
/** Number of rows of another table that are referred to, each by many rows. */
const wholes = 100;

const { models } = getDatamodel().datamodel;

/** Ids of rows by number: a higher number is newer. */
const prefixOf = (model: string) => `${model in kinds ? kinds[model as Kind].prefix : 'none'}_`;
const idOf = (model: string, number: number) => `${prefixOf(model)}${String(number).padStart(26, '0')}`;
const idInSql = (model: string, number: string) => `'${prefixOf(model)}' || lpad((${number})::text, 26, '0')`;

/** Values by the type of their column; numbers and texts are unique to a row. */
const sampleOf: Readonly<Record<string, string>> = {
  String: 'n::text',
  Int: 'n',
  BigInt: 'n',
  Boolean: 'true',
  Json: `'[]'`,
  DateTime: `timestamp '2026-11-20' + n * interval '1 minute'`,
  Bytes: `'\\x00'`,
};
/** Returns SQL for one of three values, which many successive rows share. */
const oneOf = (...values: readonly string[]) => `(ARRAY['${values.join("', '")}'])[1 + n * 6 / ${rowCount} % 3]`;

/** A user as an identity provider names them. */
const named = { nameId: '1', nameidFormat: '', nameQualifier: null, spNameQualifier: null, sessionIndex: null };

/** Columns with few different values, which filters ask for. Restrictions of type `api` would guard the test itself. */
const fewValues: Readonly<Record<string, string>> = {
  'SshHostCertificate.fingerprint': oneOf(...['a', 'b', 'c'].map((letter) => `SHA256:${letter.repeat(43)}`)),
  'SshHostCertificate.replacedById': 'CASE WHEN n % 2 = 0 THEN n::text END',
  // Many certificates share one name.
  'SshHostCertificateName.name': `CASE WHEN n % 3 = 0 THEN 'a.example.com' ELSE n::text END`,
  'SshHostCertificateName.sshHostCertificateId': idInSql('SshHostCertificate', 'n'),
  'SshRevocation.sshCertificateAuthorityId': oneOf(
    ...[1, 2, 3].map((number) => idOf('SshCertificateAuthority', wholes + number)),
  ),
  'SamlSession.userHash': `'${hashOf('amy')}'`,
  'SamlSession.person': `'${JSON.stringify({ user: '1', groups: [], issuer: '', named })}'`,
  'AuditEvent.objectId': oneOf('ipp_a', 'ipp_b', 'ipp_c'),
  'AuditEvent.kind': oneOf('ApiKey', 'IpPolicy', 'TlsEdge'),
  'AuditEvent.actor': oneOf('ak_a', 'cli', 'system'),
  'IpPolicyRule.action': oneOf('allow', 'deny', 'allow'),
  // One rule in each of many policies.
  'IpPolicyRule.range': `CASE WHEN n % 101 = 0 THEN '10.0.0.0/8' ELSE n::text END`,
  // Numbers of transactions that have ended.
  'AuditEvent.commitOrder': `n - ${rowCount}`,
  'AuditEvent.action': oneOf('create', 'update', 'delete'),
  'IpRestriction.type': oneOf('dashboard', 'agent', 'endpoints'),
};

/** Returns the model that a column refers to. */
function parentOf(model: string, column: string): string | undefined {
  return models[model]?.fields.find(({ relationFromFields: from }) => from?.[0] === column)?.type;
}

/** Returns the model whose ids are the keys of a model: a module has the key of the object that it is part of. */
function keyOwnerOf(model: string): string {
  const key = models[model]?.fields.find(({ isId }) => isId)?.name;
  const whole = key === undefined ? undefined : parentOf(model, key);
  return whole === undefined ? model : keyOwnerOf(whole);
}

/** Returns the statement that fills the table of a model; the tables of its parents must be filled before. */
function fillingOf(model: string, accounts: readonly string[]): string {
  const { fields = [] } = models[model] ?? {};
  const columns = fields.filter(({ kind }) => kind === 'scalar');
  const values = columns.map(({ name, type, isId }) => {
    const parent = fewValues[`${model}.${name}`] === undefined ? parentOf(model, name) : undefined;
    // Each module belongs to its own object; of other parts, each object has many.
    if (parent !== undefined)
      return idInSql(keyOwnerOf(parent), isId ? 'n' : `n / ${ownCount + 1} * ${ownCount} + ${wholes} + n % ${wholes}`);
    if (name === 'id') return idInSql(model, 'n');
    if (name === 'accountId') return `(ARRAY['${accounts.join("', '")}'])[1 + n / ${ownCount + 1}]`;
    return fewValues[`${model}.${name}`] ?? sampleOf[type];
  });
  const names = columns.map(({ name }) => `"${name}"`);
  return `INSERT INTO "${model}" (${names.join(', ')}) SELECT ${values.join(', ')} FROM generate_series(1, ${rowCount}) n`;
}

/** Returns the models that belong to accounts, each after the models that it is a part of. */
function inOrder(): string[] {
  const ordered: string[] = [];
  const add = (model: string) => {
    if (ordered.includes(model)) return;
    const { fields = [] } = models[model] ?? {};
    for (const { type, relationFromFields } of fields) if (relationFromFields?.length) add(type);
    if (fields.some(({ name }) => name === 'accountId')) ordered.push(model);
  };
  for (const model of Object.keys(models)) add(model);
  return ordered;
}

let service: TestService;
let database: pg.Client;
beforeAll(async () => {
  service = await startService();
  await service.otherAccount('another');
  database = new pg.Client({ connectionString: service.database.url });
  await database.connect();
  const { rows } = await database.query<{ id: string }>('SELECT "id" FROM "Account" ORDER BY "name" DESC');
  const accounts = rows.map(({ id }) => id);
  for (const model of inOrder()) await database.query(fillingOf(model, accounts));
  await database.query('VACUUM (ANALYZE)');
});
afterAll(async () => {
  await database.end();
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Values of the filters by name, with the kind in front if a kind uses the name for another filter. */
const filters: Readonly<Record<string, string>> = {
  ipPolicyId: `"${idOf('IpPolicy', wholes + 2)}"`,
  sshCertificateAuthorityId: `"${idOf('SshCertificateAuthority', wholes + 2)}"`,
  edgeId: `"${idOf('HttpsEdge', wholes + 2)}"`,
  routeId: `"${idOf('HttpsEdgeRoute', wholes + 2)}"`,
  user: '"amy"',
  objectId: '"ipp_b"',
  kind: '"IpPolicy"',
  actor: '"cli"',
  action: 'update',
  'IpPolicyRule.action': 'deny',
  // The ids of the rows have times from 1970.
  from: '"1970-01-01T00:00:00Z"',
  to: '"2026-11-24T00:00:00Z"',
  type: 'agent',
  // The value of row 5,760.
  expiresBefore: '"2026-11-24T00:00:00Z"',
  validUntilBefore: '"2026-11-24T00:00:00Z"',
  validUntilAfter: '"2026-11-22T00:00:00Z"',
  principal: '"a.example.com"',
  fingerprint: `"SHA256:${'b'.repeat(43)}"`,
  replaced: 'false',
  enforced: 'true',
  contains: '"10.0.0.1"',
  search: '"1"',
  orderBy: 'updated_at_desc',
  'SshHostCertificate.orderBy': 'valid_until',
  'SamlSession.orderBy': 'last_used_at_desc',
  'DashboardSession.orderBy': 'last_used_at_desc',
  'AuditEvent.orderBy': 'created_at_asc',
  'SshRevocation.orderBy': 'valid_until_asc',
  'SshRevocation.search': `"${idOf('SshCertificateAuthority', wholes + 2)}"`,
  apiKeyId: `"${idOf('ApiKey', wholes + 2)}"`,
};
/** Returns the value for a filter of a list. */
const valueFor = (kind: string, name: string) => filters[`${kind}.${name}`] ?? filters[name];
/** Combinations of filters, by the names of the lists. */
const togetherOf: Readonly<Record<string, readonly (readonly string[])[]>> = {
  // The hosts that have not renewed in time, and the certificates of one authority ordered by their end.
  sshHostCertificates: [
    ['replaced', 'validUntilBefore', 'orderBy'],
    ['sshCertificateAuthorityId', 'orderBy'],
  ],
  auditEvents: [
    ['objectId', 'orderBy'],
    ['objectId', 'from', 'to'],
    ['objectId', 'kind', 'actor', 'action'],
  ],
  ipPolicyRules: [
    ['ipPolicyId', 'orderBy'],
    ['ipPolicyId', 'action'],
    ['ipPolicyId', 'search', 'orderBy'],
  ],
};
/**
 * A search in the order of creation looks through objects until it has found enough, and is charged for that (`filterCost`). Open
 * sessions of the dashboard are stored among those that have ended in the last hour, until upkeep deletes them.
 */
const searching = [
  'dashboardSessions',
  'expiresBefore',
  'validUntilBefore',
  'validUntilAfter',
  'replaced',
  'principal',
  'enforced',
  'contains',
  'action by ipPolicyId',
];
const isSearching = (list: string) =>
  list.includes('search') || (searching.some((filter) => list.includes(filter)) && !list.includes('orderBy'));
const paging = ['first', 'last', 'after', 'before'];

interface List {
  readonly name: string;
  readonly kind: string;
  /** The filters of one request. */
  readonly filters: readonly GraphQLArgument[];
}

/** Every list of the schema, alone, with each of its filters, and with the combinations above. */
const lists: readonly List[] = Object.values(
  buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'))
    .getQueryType()
    ?.getFields() ?? {},
).flatMap((field) => listsOf(field));

function listsOf({ name, type, args }: GraphQLField<unknown, unknown>): List[] {
  const kind = /^(\w+)Connection$/.exec(getNamedType(type).toString())?.[1];
  if (kind === undefined) return [];
  const own = args.filter((arg) => !paging.includes(arg.name));
  const required = own.filter((arg) => arg.type.toString().endsWith('!'));
  const optional = own.filter((arg) => !required.includes(arg));
  const together = (togetherOf[name] ?? []).map((names) => own.filter((arg) => names.includes(arg.name)));
  return [required, ...optional.map((filter) => [...required, filter]), ...together].map((some) => ({
    name: [name, ...some.map((filter) => filter.name)].join(' by '),
    kind,
    filters: some,
  }));
}

/** Returns the cursor of a row of a list. */
function cursorOf({ kind, filters: given }: List, number: number): string {
  const ms = Date.UTC(2026, 10, 20) + number * 60_000;
  const order = given.some(({ name }) => name === 'orderBy') ? valueFor(kind, 'orderBy') : undefined;
  const mark = order === undefined || order === 'valid_until' ? [] : [order];
  // One of the versions of that object, which has a third of the rows: there are enough on either side.
  if (given.some(({ name }) => name === 'objectId')) return [idOf(kind, number), ownCount / 2, ...mark].join('.');
  if (kind === 'SshRevocation') return [ms, idOf('SshCertificateAuthority', wholes + 2), number, ...mark].join('.');
  return [idOf(kind, number), ...(order === undefined || order.startsWith('created') ? [] : [ms]), ...mark].join('.');
}

/** Returns the plans of the statement that reads a page of a list. */
async function plansOf(list: List, page: string): Promise<PlanNode[][]> {
  const args = [...list.filters.map(({ name }) => `${name}: ${valueFor(list.kind, name)}`), page].join(', ');
  const [field = ''] = list.name.split(' ');
  const statements = await statementsOf(service, async () => {
    const { data, errors } = await service.graphql(`{ ${field}(${args}) { nodes { __typename } } }`);
    expect(errors).toBeUndefined();
    expect(data[field].nodes).toHaveLength(5);
  });
  const [sql = '', ...others] = statements.filter(
    // Names and ranges are looked up beforehand, along their own index, and so are the ends of slices.
    (statement) =>
      statement.includes('ORDER BY') &&
      !/"SshHostCertificateName" AS "t0"|ORDER BY "t0"."range"| OFFSET /.test(statement),
  );
  // Each slice is read by one statement.
  if (!isSearching(list.name)) expect(others).toEqual([]);
  return [await explain(sql, 'custom'), await explain(sql, 'generic')];
}

/** Returns the nodes of a plan: the plan for the given values, or the plan that a prepared statement may use for all values. */
async function explain(sql: string, mode: 'custom' | 'generic'): Promise<PlanNode[]> {
  const values: string[] = [];
  // The statement as it was sent: with a placeholder for each value.
  const prepared = sql.replace(/'(?:[^']|'')*'|(?<=(?:LIMIT|OFFSET) )\d+/g, (value) => {
    if (!values.includes(value)) values.push(value);
    return `$${values.indexOf(value) + 1}`;
  });
  await database.query(`SET plan_cache_mode = force_${mode}_plan`);
  await database.query(`PREPARE listing AS ${prepared}`);
  const { rows } = await database.query(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE listing(${values.join(', ')})`,
  );
  await database.query('DEALLOCATE listing');
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}

test('there is a value for every filter, so that a new one is looked at', () => {
  const named = lists.flatMap((list) => list.filters.map(({ name }) => name));
  expect(new Set(named)).toEqual(new Set(Object.keys(filters).map((name) => name.replace(/^.*\./, ''))));
});

test.each(lists.map((list) => [list.name, list] as const))('%s', async (name, list) => {
  const [older, newer] = [ownCount / 2, ownCount / 4].map((number) => `"${cursorOf(list, number)}"`);
  for (const page of ['first: 5', `first: 5, after: ${older}`, 'last: 5', `last: 5, before: ${newer}`]) {
    for (const plan of await plansOf(list, page)) {
      const nodes = plan.map((node) => node['Node Type']);
      // The names of a certificate are in a separate table.
      if (name.includes('principal')) expect(nodes.filter((node) => ['Seq Scan', 'Sort'].includes(node))).toEqual([]);
      // The few rules that contain an address are read by their ids, and sorted.
      else if (name.includes('contains')) expect(nodes).not.toContain('Seq Scan');
      // A slice costs only its own rows; the rules of one policy form a single slice.
      else if (name.includes('search')) {
        expect(nodes).not.toContain('Seq Scan');
        continue;
      } else if (['auditEvents by actor', 'auditEvents by kind'].includes(name)) {
        // Merged from the events of each action, row by row.
        expect(new Set(nodes)).toEqual(new Set(['Subquery Scan', 'Limit', 'Merge Append', 'Index Scan']));
      } else expect(nodes).toEqual(['Limit', 'Index Scan']);
      if (isSearching(name)) continue;
      const [whole] = plan;
      expect((whole?.['Shared Hit Blocks'] ?? 0) + (whole?.['Shared Read Blocks'] ?? 0)).toBeLessThan(blocksMax);
    }
  }
});

test('what follows an event is read along an index, and so is whether there is any', async () => {
  const accountId = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
  const statements = await statementsOf(service, async () => {
    const request = { after: idOf('AuditEvent', ownCount / 2), wants: () => true };
    const following = await service.storage.forAccount(accountId).follow(request);
    expect((await following.next()).value?.id).toBe(idOf('AuditEvent', ownCount / 2 + 1));
    await following.return();
    const atEnd = await service.storage.forAccount(accountId).follow({ after: null, wants: () => true });
    const next = atEnd.next();
    // Waits until it has checked whether there is more.
    await expect.poll(() => service.statements.at(-1)).toMatch(/SELECT DISTINCT/);
    await atEnd.return();
    expect((await next).done).toBe(true);
  });
  const reads = ['SELECT "id", "commitOrder", "kind"', '"commitOrder" DESC', 'SELECT DISTINCT'];
  for (const part of reads) {
    const sql = statements.find((statement) => statement.includes(part)) ?? '';
    for (const mode of ['custom', 'generic'] as const) {
      const plan = await explain(sql, mode);
      expect([part, plan.map((node) => node['Node Type'])]).toEqual([part, expect.not.arrayContaining(['Seq Scan'])]);
      const [whole] = plan;
      // A page has 50 events, and there may be some more that are not settled.
      expect((whole?.['Shared Hit Blocks'] ?? 0) + (whole?.['Shared Read Blocks'] ?? 0)).toBeLessThan(100);
    }
  }
});
