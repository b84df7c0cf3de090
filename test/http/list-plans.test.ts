// However long a list is, each statement for it looks at a bounded number of rows: in every order, with every filter and every two of
// them, from either end and from any cursor, searched and counted, and whether or not the account has its tables to itself.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, type GraphQLArgument, type GraphQLField, getNamedType, isEnumType } from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { prepareEvaluation } from '../../src/areas/ip-restrictions/evaluation-store.ts';
import { serverUpkeep } from '../../src/cli/upkeep.ts';
import { usualKeyAges } from '../../src/domain/access/key-ages.ts';
import { hashOf } from '../../src/domain/values/hash.ts';
import { type Kind, kinds } from '../../src/domain/values/ids.ts';
import { loadAttentionSources } from '../../src/graphql/kit/attention-query.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import { createFileReceiver } from '../../src/outgoing/shipping/file.ts';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { findingsIn } from '../../src/storage/lifecycle/health.ts';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { dataOf } from '../support/answers.ts';
import { byEngine, execute } from '../support/database.ts';
import { nodesOf, type PlanNode } from '../support/query-plan.ts';
import { someOf } from '../support/runs.ts';
import { startService, type TestService } from '../support/service.ts';
import { root } from '../support/source-files.ts';
import { statementsOf } from '../support/statements.ts';

/** Rows that the account has in each table: several slices. Another account later gets as many, all of them newer. */
const ownCount = byEngine({ sqlite: 2_100, postgresql: 4_500 });
/** Number of rows of another table that are referred to, each by many rows. */
const wholes = 100;
/** Rows, or blocks of 8 KiB, that a statement may look at beside those that its limit allows: on the way to a place in an index. */
const others = 30;
/**
 * Rows that a statement for a slice may look at for each of its rows. Those of a table within the statement are counted with it, and
 * for a row that is found by its id, PostgreSQL reads a few blocks.
 */
const readsInSlice = byEngine({ sqlite: 2, postgresql: 4 });

const { models } = getDatamodel().datamodel;

const prefixOf = (model: string) => `${model in kinds ? kinds[model as Kind].prefix : 'none'}_`;
/** Ids of rows by number: a higher number is newer. */
const idOf = (model: string, number: number) => `${prefixOf(model)}${String(number).padStart(26, '0')}`;
const idInSql = (model: string, number: string) =>
  `'${prefixOf(model)}' || ${byEngine({ sqlite: `printf('%026d', ${number})`, postgresql: `lpad((${number})::text, 26, '0')` })}`;
const textOf = (number: string) => `CAST(${number} AS TEXT)`;

/** Times of rows, in minutes: a quarter of an account's rows share one. */
const minuteOf = (number: number) => Math.floor(((number % 10_000) * 4) / ownCount);
const minutesInSql = `((n % 10000) * 4 / ${ownCount})`;
const firstTime = Date.UTC(2026, 10, 20, 21);

/** Values by the type of their column; numbers and texts are unique to a row. */
const sampleOf: Readonly<Record<string, string>> = {
  String: textOf('n'),
  Int: 'n',
  BigInt: 'n',
  Boolean: 'true',
  Json: `'[]'`,
  DateTime: byEngine({
    sqlite: `strftime('%Y-%m-%dT%H:%M:%f+00:00', '2026-11-20 21:00', ${minutesInSql} || ' minutes')`,
    postgresql: `timestamp '2026-11-20 21:00' + ${minutesInSql} * interval '1 minute'`,
  }),
  Bytes: byEngine({ sqlite: `x'00'`, postgresql: `'\\x00'::bytea` }),
};
/** Returns SQL for one of three values, each for a third of an account's rows one after the other. */
const oneOf = (first: string, second: string, third: string) =>
  `CASE (n % 10000) * 3 / ${ownCount} WHEN 0 THEN '${first}' WHEN 1 THEN '${second}' ELSE '${third}' END`;

/** A user as an identity provider names them. */
const named = { nameId: '1', nameidFormat: '', nameQualifier: null, spNameQualifier: null, sessionIndex: null };
const fingerprintOf = (letter: string) => `SHA256:${letter.repeat(43)}`;
/** An authority for each third of an account's rows. */
const authorityInSql = idInSql('SshCertificateAuthority', `n / 10000 * 10000 + (n % 10000) * 3 / ${ownCount}`);
const authority = idOf('SshCertificateAuthority', 10_001);

/** Columns with few different values, which filters ask for. Restrictions of type `api` would guard the test itself. */
const fewValues: Readonly<Record<string, string>> = {
  'SshHostCertificate.fingerprint': oneOf(fingerprintOf('a'), fingerprintOf('b'), fingerprintOf('c')),
  'SshHostCertificate.replacedById': `CASE WHEN n % 2 = 0 THEN ${textOf('n')} END`,
  'SshHostCertificate.sshCertificateAuthorityId': authorityInSql,
  // Many certificates share one name, and a few each of the others.
  'SshHostCertificateName.name': `CASE WHEN n % 3 = 0 THEN 'a' ELSE 'b' || n % 97 END || '.example.com'`,
  'SshHostCertificateName.sshHostCertificateId': idInSql('SshHostCertificate', 'n'),
  'SshRevocation.sshCertificateAuthorityId': authorityInSql,
  'SshRevocation.sshHostCertificateId': idInSql('SshHostCertificate', 'n'),
  'LoginSession.userHash': `CASE WHEN n % 2 = 0 THEN '${hashOf('amy')}' ELSE ${textOf('n')} END`,
  'LoginSession.person': `'${JSON.stringify({ user: '1', groups: [], issuer: '', named })}'`,
  'Expectation.kind': `'ip'`,
  'Expectation.expected': `'allowed'`,
  'Expectation.address': `'192.0.2.1'`,
  'Expectation.trafficType': `'endpoints'`,
  'AuditEvent.objectId': oneOf('ipp_a', 'ipp_b', 'ipp_c'),
  'AuditEvent.kind': oneOf('ApiKey', 'IpPolicy', 'TlsEdge'),
  'AuditEvent.actor': oneOf('ak_a', 'cli', 'system'),
  'AuditEvent.action': oneOf('create', 'update', 'delete'),
  // Numbers of transactions that have ended.
  'AuditEvent.commitOrder': 'n - 20000',
  'IpPolicyRule.action': oneOf('allow', 'deny', 'allow'),
  'IpPolicy.ruleCount': '1',
  // One rule in each of many policies.
  'IpPolicyRule.range': `CASE WHEN n % 101 = 0 AND n % 3 <> 0 THEN '10.0.0.0/8' ELSE ${textOf('n')} END`,
  // None of them is deleted, and nothing has to be parsed.
  'IpRestrictionPolicy.ipPolicyId': idInSql('IpPolicy', 'n'),
  'IpRestrictionPolicy.ipRestrictionId': idInSql('IpRestriction', 'n'),
  // At most some hundred in one list.
  'HttpsIpRestrictionPolicy.routeId': idInSql('HttpsEdgeRoute', 'n'),
  'TlsIpRestrictionPolicy.edgeId': idInSql('TlsEdge', 'n'),
  'SamlModule.enabled': 'false',
  'IpRestriction.type': oneOf('dashboard', 'agent', 'endpoints'),
  'IpRestriction.enforced': 'n % 7 = 0',
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

/** Returns the statement that gives an account rows of a model, with these numbers; those of its parents must be there. */
function fillingOf(model: string, accountId: string, first: number): string {
  const { fields = [] } = models[model] ?? {};
  const columns = fields.filter(({ kind }) => kind === 'scalar');
  const values = columns.map(({ name, type, isId }) => {
    const few = fewValues[`${model}.${name}`];
    const parent = few === undefined ? parentOf(model, name) : undefined;
    // Each module belongs to its own object; of other parts, a third belongs to one object.
    if (parent !== undefined) {
      const part = `CASE WHEN n % 3 = 0 THEN ${first} ELSE ${first} + n % ${wholes} END`;
      return idInSql(keyOwnerOf(parent), isId ? 'n' : part);
    }
    if (name === 'id') return idInSql(model, 'n');
    if (name === 'accountId') return `'${accountId}'`;
    // Unique in each table.
    return few ?? sampleOf[type];
  });
  return (
    `INSERT INTO "${model}" (${columns.map(({ name }) => `"${name}"`).join(', ')}) ` +
    `WITH RECURSIVE r(n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM r WHERE n < ${first + ownCount - 1}) ` +
    `SELECT ${values.join(', ')} FROM r`
  );
}

/** Returns the models that belong to accounts, each after the models that it is a part of. */
function inOrder(): string[] {
  const ordered: string[] = [];
  const add = (model: string) => {
    if (ordered.includes(model)) return;
    const { fields = [] } = models[model] ?? {};
    for (const { type, relationFromFields } of fields) if (relationFromFields?.length && type !== model) add(type);
    // An account has one row of what is told by its own id, or unique for it.
    if (fields.some(({ name, isId, isUnique }) => name === 'accountId' && !isId && !isUnique)) ordered.push(model);
  };
  for (const model of Object.keys(models)) add(model);
  return ordered;
}

/** Returns the value of an argument in the document. */
const quoted = (text: string) => JSON.stringify(text);
const id = (model: string, number = 10_000) => quoted(idOf(model, number));
/** Values of the filters by name, with the kind in front if a kind uses the name for another filter. */
const filters: Readonly<Record<string, readonly string[]>> = {
  ipPolicyId: [id('IpPolicy')],
  sshCertificateAuthorityId: [quoted(authority)],
  edgeId: [id('HttpsEdge')],
  routeId: [id('HttpsEdgeRoute')],
  apiKeyId: [id('ApiKey')],
  personId: [id('Person')],
  signInProviderId: [id('SignInProvider')],
  user: ['"amy"'],
  objectId: ['"ipp_b"'],
  kind: ['"IpPolicy"'],
  actor: ['"cli"'],
  action: ['update'],
  'IpPolicyRule.action': ['deny'],
  // The ids of the rows have times from 1970.
  from: ['"1970-01-01T00:00:00Z"'],
  to: ['"2026-11-24T00:00:00Z"'],
  type: ['agent'],
  // In the middle of the times.
  validUntilBefore: ['"2026-11-20T21:02:00Z"'],
  validUntilAfter: ['"2026-11-20T21:01:00Z"'],
  principal: ['"a.example.com"', '"b5.example.com"'],
  fingerprint: [quoted(fingerprintOf('b'))],
  replaced: ['false', 'true'],
  enforced: ['true'],
  contains: ['"10.0.0.1"'],
  search: ['"nowhere"'],
  'SshRevocation.search': [quoted(authority), '"10005"', id('SshHostCertificate', 10_005)],
};
const paging = ['first', 'last', 'after', 'before'];

interface List {
  readonly name: string;
  readonly kind: string;
  readonly field: string;
  /** The arguments of one request, without those of the page. */
  readonly args: readonly string[];
  /** The order; undefined for that of the list. */
  readonly order: string | undefined;
  readonly isSearch: boolean;
  /** Whether two filters are chosen that a list without them need not have. */
  readonly isPair: boolean;
}

/** Returns all ways to choose a value for each filter. */
function choicesOf(kind: string, some: readonly GraphQLArgument[]): string[][] {
  const [filter, ...rest] = some;
  if (filter === undefined) return [[]];
  const values = filters[`${kind}.${filter.name}`] ?? filters[filter.name] ?? [];
  return values.flatMap((value) => choicesOf(kind, rest).map((chosen) => [`${filter.name}: ${value}`, ...chosen]));
}

function listsOf({ name, type, args }: GraphQLField<unknown, unknown>): List[] {
  const kind = /^(\w+)Connection$/.exec(getNamedType(type).toString())?.[1];
  if (kind === undefined) return [];
  const ordering = args.find((arg) => arg.name === 'orderBy');
  const orderType = ordering === undefined ? undefined : getNamedType(ordering.type);
  // The pages from the other end of a list are those of the opposite order.
  const byTime = (isEnumType(orderType) ? orderType.getValues() : [])
    .filter((value) => value.deprecationReason === undefined && value.name.endsWith('_asc'))
    .map((value) => value.name)
    .filter((order) => !order.startsWith('created_at'));
  const own = args.filter((arg) => ![...paging, 'orderBy'].includes(arg.name));
  const required = own.filter((arg) => arg.type.toString().endsWith('!'));
  const optional = own.filter((arg) => !required.includes(arg) && arg.deprecationReason === undefined);
  const pairs = optional.flatMap((one, index) => optional.slice(index + 1).map((other) => [one, other]));
  return [[], ...optional.map((one) => [one]), ...pairs].flatMap((some) =>
    choicesOf(kind, [...required, ...some]).flatMap((chosen) => {
      const isSearch = some.some((filter) => filter.name === 'search') && kind !== 'SshRevocation';
      return (isSearch || some.length === 2 ? [undefined] : [undefined, ...byTime]).map((order) => ({
        name: [name, ...chosen, order].join(' '),
        kind,
        field: name,
        args: [...chosen, ...(order === undefined ? [] : [`orderBy: ${order}`])],
        order,
        isSearch,
        isPair: some.length === 2,
      }));
    }),
  );
}

const schema = buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'));
const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
/** The ways to ask for each list, by its name. */
const lists = fields.map((field) => [field.name, listsOf(field)] as const).filter(([, ways]) => ways.length > 0);

/** Returns the cursor of a row of a list, in the middle of many rows with its time. */
function cursorOf({ kind, args, order }: List, number: number): string {
  const ms = firstTime + minuteOf(number) * 60_000;
  // The first other order of certificates has no mark.
  const mark = order === undefined || (kind === 'SshHostCertificate' && order === 'valid_until_asc') ? [] : [order];
  if (args.some((arg) => arg.startsWith('objectId'))) return [idOf(kind, number), number].join('.');
  if (kind === 'SshRevocation') return [ms, authority, number, ...mark].join('.');
  return [idOf(kind, number), ...(order === undefined ? [] : [ms]), ...mark].join('.');
}

/** Returns the document for pages of a list, and for the number of its objects. */
function documentOf(list: List): string {
  const page = (alias: string, ...args: string[]) =>
    `${alias}: ${list.field}(${[...list.args, ...args].join(', ')}) { nodes { __typename } }`;
  const count = `count: ${list.field}(${[...list.args, 'first: 1'].join(', ')}) { totalCount }`;
  // A search is made once for all pages.
  if (list.isSearch) return `{ ${page('first', 'first: 5')} ${count} }`;
  const middle = quoted(cursorOf(list, 10_000 + Math.floor(ownCount * 0.45)));
  const fromStart = `${page('first', 'first: 5')} ${page('after', 'first: 5', `after: ${middle}`)}`;
  // Its conditions are those of each filter, which are looked at from both ends.
  if (list.isPair) return `{ ${fromStart} ${count} }`;
  return `{ ${fromStart} ${page('last', 'last: 5')} ${page('before', 'last: 5', `before: ${middle}`)} ${count} }`;
}

let service: TestService;
/** Returns how many rows, or blocks, a statement looks at. */
let looksAt: (sql: string) => Promise<number>;
/** Executes a statement that may take long. */
let run: (sql: string) => Promise<unknown>;
let close: () => Promise<unknown>;
beforeAll(async () => {
  // Each slice seems to take what a slice should take: all are as large as the first.
  let ms = 0;
  const monotonicMs = () => {
    ms += 5;
    return ms;
  };
  service = await startService({}, { monotonicMs });
  if (inject('engine') === 'sqlite') {
    const database = new Sqlite(service.database.engine.name, { readonly: true });
    let looked = 0;
    database.function('looked', { deterministic: false }, () => {
      looked += 1;
      return 1;
    });
    const planOf = (sql: string) =>
      (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail);
    looksAt = async (sql) => {
      looked = 0;
      // SQLite evaluates the conditions that an index does not decide in their order: this one for each row that it looks at.
      const counted = sql.replaceAll(/\bWHERE\b/g, 'WHERE looked() AND');
      database.prepare(counted).all();
      expect(planOf(counted)).toEqual(planOf(sql));
      return looked;
    };
    run = (sql) => execute(service.database, sql);
    close = async () => database.close();
  } else {
    const database = new pg.Client({ connectionString: service.database.url });
    await database.connect();
    // In tables of this size, reading everything can cost less than to seek a few rows.
    await database.query('SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off');
    looksAt = (sql) => explain(database, sql);
    run = (sql) => database.query(sql);
    close = () => database.end();
  }
  const [account] = await execute(service.database, 'SELECT "id" FROM "Account"');
  await fill(String(account?.[0]), 10_000);
});
afterAll(async () => {
  await close();
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Gives an account its rows, and brings the statistics up to date. */
async function fill(accountId: string, first: number): Promise<void> {
  for (const model of inOrder()) await run(fillingOf(model, accountId, first));
  await run(byEngine({ sqlite: 'ANALYZE', postgresql: 'VACUUM (ANALYZE)' }));
}

/**
 * Returns the rows that PostgreSQL looks at, or the blocks: rows that it skips within an index are not counted. It may execute the
 * plan for these values or the one for any values; of two that differ, the worse counts.
 */
async function explain(database: pg.Client, sql: string): Promise<number> {
  const values: string[] = [];
  // The statement as it was sent: with a placeholder for each value that is not the name of a column in an object of JSON.
  const prepared = sql.replace(/'(?:[^']|'')*'(, "t)?|(?<=(?:LIMIT|OFFSET) )\d+/g, (value, column) => {
    if (column !== undefined) return value;
    if (!values.includes(value)) values.push(value);
    return `$${values.indexOf(value) + 1}`;
  });
  const execution = values.length === 0 ? 'listing' : `listing(${values.join(', ')})`;
  const ofThese = planIn(await database.query(`EXPLAIN (${executed}) ${sql}`));
  await database.query(`PREPARE listing AS ${prepared}`);
  const ofAny = planIn(await database.query(`EXPLAIN (FORMAT JSON) EXECUTE ${execution}`));
  const isOne = shapeOf(ofThese) === shapeOf(ofAny);
  const other = isOne ? ofThese : planIn(await database.query(`EXPLAIN (${executed}) EXECUTE ${execution}`));
  await database.query('DEALLOCATE listing');
  return Math.max(looked(ofThese), looked(other));
}

/** Options of EXPLAIN, which then executes the statement. */
const executed = 'ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON';

function planIn({ rows }: pg.QueryResult): PlanNode {
  return rows[0]['QUERY PLAN'][0].Plan;
}

/** Returns how a plan finds the rows, whatever the values. */
function shapeOf(plan: PlanNode): string {
  return JSON.stringify(nodesOf(plan).map((node) => [node['Node Type'], node['Index Name'], node['Index Cond']]))
    .replaceAll(/'[^']*'(::[\w ]+(\(\d+\))?)?(\[\])?|\$\d+/g, '?')
    .replaceAll('ARRAY[?]', '?');
}

/** Returns how many rows, or blocks, the execution of a plan looked at. */
function looked(plan: PlanNode): number {
  const rows = nodesOf(plan).map((node) =>
    node.Plans !== undefined ? 0 : (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
  );
  const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return Math.max(
    blocks,
    rows.reduce((sum, some) => sum + some, 0),
  );
}

/** Returns how many rows the statements of one request may look at: those of the largest slice. */
function limitOf(statements: readonly string[]): number {
  const limits = statements.flatMap((sql) =>
    [...sql.matchAll(/(?:LIMIT|OFFSET) '?(\d+)/g)].map(([, rows]) => Number(rows)),
  );
  return Math.max(...limits.filter((rows) => rows < 2 ** 31 - 1));
}

/** A statement that looks at too many rows. */
interface Excess {
  readonly looked: number;
  readonly limit: number;
  readonly sql: string;
}

/** Runs a document, and returns those of its statements that look at too many rows. */
function excessOf(document: string): Promise<Excess[]> {
  return excessIn(async () => dataOf(await service.graphql(document)));
}

/** Does some work, and returns those of its statements that look at too many rows. */
async function excessIn(work: () => Promise<unknown>): Promise<Excess[]> {
  const statements = await statementsOf(service, work);
  // Statements that differ only in their values are alike, except for the first slice and the next.
  const formOf = (sql: string) => sql.replaceAll(/'[^']*'|\d+/g, '?');
  // The delivery of webhooks reads its lanes when it is time, whatever else is going on.
  const reads = statements.filter((sql) => /^\s*SELECT/.test(sql) && !sql.includes('JOIN "WebhookLane"'));
  const some = Object.values(Object.fromEntries(reads.map((sql) => [formOf(sql), sql])));
  const found: Excess[] = [];
  for (const sql of some) {
    const rows = await looksAt(sql);
    const isOfSlice = /OFFSET|count\(|CASE WHEN|\) s WHERE|LIMIT \d+\) AS/.test(sql);
    // Rows that are found by their ids, each by itself.
    const named = (/ IN \(([^)]*)\)/.exec(sql)?.[1] ?? '').split(/, ?/).length;
    // Parts of a list, of which each is looked for.
    const parts = (/\(VALUES (.*)\) p WHERE/.exec(sql)?.[1] ?? '').split('), (').length;
    const limit = isOfSlice ? limitOf(statements) : limitOf([sql, `LIMIT ${Math.max(6, named, parts)}`]);
    if (rows > (isOfSlice || named > 1 || parts > 1 ? readsInSlice : 1) * limit + others) {
      // A long list of values would hide the rest.
      found.push({ looked: rows, limit, sql: sql.replaceAll(/('[^']*', ){3,}/g, '... ') });
    }
  }
  return found;
}

test('there is a value for every filter, so that a new one is looked at', () => {
  const known = Object.keys(filters).map((name) => name.replace(/^.*\./, ''));
  const all = fields.flatMap(({ type, args }) => (/Connection$/.test(getNamedType(type).toString()) ? args : []));
  const named = all.map((arg) => arg.name).filter((name) => ![...paging, 'orderBy'].includes(name));
  expect(new Set(named)).toEqual(new Set(known));
});

describe.each(['alone in its tables', 'among others'])('an account %s', (where) => {
  beforeAll(async () => {
    if (where === 'alone in its tables') return;
    await service.otherAccount('another');
    const [account] = await execute(service.database, `SELECT "id" FROM "Account" WHERE "name" = 'another'`);
    await fill(String(account?.[0]), 20_000);
  });

  test.each(lists)('%s', async (_name, ways) => {
    const excess: object[] = [];
    // Two filters are told from one by the index, not by whose rows are beside.
    const pairs = where === 'among others' ? [] : someOf(ways.filter(({ isPair }) => isPair));
    for (const list of [...ways.filter(({ isPair }) => !isPair), ...pairs]) {
      for (const one of await excessOf(documentOf(list))) excess.push({ list: list.name, ...one });
    }
    expect(excess).toEqual([]);
  });

  test('search', async () => {
    expect(await excessOf('{ search(text: "nowhere") { field } }')).toEqual([]);
  });

  const scopeOf = async () => {
    const [account] = await execute(service.database, 'SELECT "id" FROM "Account"');
    return service.storage.forAccount(String(account?.[0]));
  };

  test.each([0, 3_600_000])('what needs attention after %i ms', async (ms) => {
    service.setTime(new Date(firstTime + ms));
    const request = { scope: await scopeOf(), most: 10, warningsOf: async () => [] };
    const excess: object[] = [];
    for (const { find } of await loadAttentionSources()) excess.push(...(await excessIn(() => find(request))));
    service.setTime(new Date(firstTime));
    expect(excess).toEqual([]);
  });

  test('enforced restrictions, which are found without those that only warn', async () => {
    const scope = await scopeOf();
    const extent = { enforcedOnly: true, sizeMax: Number.POSITIVE_INFINITY };
    let found: readonly { readonly enforced: boolean }[] = [];
    const prepare = async () => {
      found = (await prepareEvaluation(scope, 'agent', undefined, extent)).restrictions;
    };
    expect(await excessIn(prepare)).toEqual([]);
    // They fit into one page, and all of the type would not.
    const pages = (await statementsOf(service, prepare)).filter((sql) => sql.includes('FROM "IpRestriction"'));
    expect(pages.filter((sql) => sql.includes('"id" >'))).toEqual([]);
    expect(found.length).toBeGreaterThan(ownCount / 3 / 8);
    expect(found.every(({ enforced }) => enforced)).toBe(true);
  });

  test('what is counted for metrics and checked by doctor', async () => {
    const { server } = service.storage;
    const excess: object[] = [];
    for (const area of await serverUpkeep({
      auditDays: 1,
      dashboardIdleSeconds: 60,
      signingAgents: [],
      keyAges: usualKeyAges,
      outgoing: createOutgoing({ outgoingNetworks: [], outgoingDns: [] }),
      receivers: [createFileReceiver({ path: '/nowhere', bytesMax: 1, kept: 1 }, false)],
    })) {
      for (const { name, count } of area.gauges ?? [])
        excess.push(...(await excessIn(() => count(server, new Date(firstTime)))).map((one) => ({ name, ...one })));
      excess.push(...(await excessIn(async () => area.check?.(server, new Date(firstTime)))));
      excess.push(...(await excessIn(async () => area.catchUp?.(server, new AbortController().signal))));
    }
    excess.push(...(await excessIn(() => findingsIn(server, new Date(firstTime), async () => []))));
    expect(excess).toEqual([]);
  });
});
