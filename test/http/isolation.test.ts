// Accounts see nothing of each other: an object of another account is answered exactly like one that never existed.

import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kinds } from '../../src/domain/values/ids.ts';
import { schema } from '../../src/graphql/schema.ts';
import type { OpenDatabase } from '../../src/storage/engine.ts';
import { tables } from '../../src/storage/sql/tables.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { DashboardBrowser } from '../support/dashboard-browser.ts';
import { execute } from '../support/database.ts';
import { makeApprovals, makePerson } from '../support/people.ts';
import { accountOf, type Client, startService, type TestService } from '../support/service.ts';
import { restHeaders, send } from './wire.ts';
import { createWorld, creations, fillPath, type IdOf, nameOf, neverId, sampleBody } from './world.ts';

let service: TestService;
let other: Client;
/** The objects of the account `default`, those of the account `other`, and ids that never existed. */
let owned: IdOf;
let own: IdOf;
let never: IdOf;
/** The id of the account `default`, and the database as another process sees it. */
let owner: string;
let beside: OpenDatabase;
/** The rows of that account before anything was tried. */
let before: unknown;

beforeAll(async () => {
  service = await startService();
  other = await service.otherAccount('other');
  owned = await createWorld(service);
  own = await createWorld(other);
  // Dashboard sessions, which no documented call creates.
  for (const { token } of [service, other]) await new DashboardBrowser(service).signIn(token);
  // As if signed in with the key that a call created.
  const key = `'${owned('/api_keys')}'`;
  await execute(
    service.database,
    `UPDATE "DashboardSession" SET "apiKeyId" = ${key}
     WHERE "accountId" = (SELECT "accountId" FROM "ApiKey" WHERE "id" = ${key})`,
  );
  const accounts = await Promise.all([accountOf(service), accountOf(other)]);
  const people = [
    await makePerson(service, accounts[0], owned('/sign_in_providers')),
    await makePerson(service, accounts[1], own('/sign_in_providers')),
  ];
  await makeApprovals(service, accounts[0]);
  await new DashboardBrowser(service).signIn(service.token);
  await execute(
    service.database,
    `UPDATE "DashboardSession" SET "apiKeyId" = NULL, "personId" = '${people[0]}'
     WHERE "id" = (SELECT max("id") FROM "DashboardSession")`,
  );
  owned = withPerson(owned, people[0] ?? '');
  own = withPerson(own, people[1] ?? '');
  never = neverId(owned);
  owner = await accountOf(service);
  beside = await service.database.engine.open({});
  before = await rowsOwned();
  expect(JSON.stringify(before)).toContain(owned('/ip_policies'));
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await beside.close();
  await service.close();
});

/** Adds a person to the ids of a world: people have no collection. */
function withPerson(ids: IdOf, person: string): IdOf {
  return (collection) => (collection === '/people' ? person : ids(collection));
}

/** Sends a request as `other`, and returns the answer with the requested ids replaced by a word, and without its own request id. */
async function answerTo(method: string, path: string, body: object | undefined, ids: IdOf) {
  const { jsonHeaders } = restHeaders(other);
  const answer = await send(service.url, path, {
    method,
    headers: jsonHeaders,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { 'x-request-id': requestId, date: _date, ...headers } = answer.headers;
  let text = answer.bytes.toString().replaceAll(String(requestId), 'REQUEST');
  for (const { method, path: collection } of creations) {
    if (method === 'POST') text = text.replaceAll(ids(collection), 'ID');
  }
  return { status: answer.status, headers, text };
}

/** Returns the rows of the owner's account. */
async function rowsOwned(): Promise<unknown> {
  const all: unknown[] = [];
  for (const { name, columns } of tables) {
    // When a key or a session was last used is written later, by itself.
    const names = columns.map((column) => column.name).filter((column) => column !== 'lastUsedAt');
    if (!names.includes('accountId')) continue;
    const list = names.map((column) => `"${column}"`).join(', ');
    const sql = `SELECT ${list} FROM "${name}" WHERE "accountId" = '${owner}' ORDER BY ${list}`;
    all.push([name, (await beside.connection.queryRaw({ sql, args: [], argTypes: [] })).rows]);
  }
  return all;
}

describe('over REST', () => {
  const addressed = routes.filter(({ path }) => path.includes('{'));
  test.each(addressed.map((route) => [nameOf(route), route] as const))(
    '%s answers for the object of another account as for one that never was',
    async (_name, route) => {
      const body = sampleBody(route, own);
      const foreign = await answerTo(route.method, fillPath(route.path, owned), body, owned);
      const unknown = await answerTo(route.method, fillPath(route.path, never), body, never);
      expect(foreign).toEqual(unknown);
      expect(foreign.status).toBe(404);
    },
  );

  // A document has names, and no ids (`test/areas/configuration/isolation.test.ts`).
  const lists = routes.filter(
    ({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/configuration',
  );
  test.each(lists.map(({ path }) => path))('GET %s shows only what is of the account', async (path) => {
    const mine = await service.rest('GET', path);
    const theirs = await other.rest('GET', path);
    // Without request ids, because servers with the same randomness create the same ones.
    const idsIn = (text: string) => new Set(text.match(/\b(?!op_)[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g));
    expect(idsIn(JSON.stringify(mine.body))).toContain(owned(path));
    expect(idsIn(JSON.stringify(theirs.body))).toContain(own(path));
    for (const id of idsIn(JSON.stringify(theirs.body))) expect(idsIn(JSON.stringify(mine.body))).not.toContain(id);
    // A cursor of another account is a position in the list, and reveals nothing.
    const beyond = await other.rest('GET', `${path}?before_id=${owned(path)}`);
    for (const id of idsIn(JSON.stringify(beyond.body))) expect(idsIn(JSON.stringify(mine.body))).not.toContain(id);
  });

  const referring = routes.filter((route) => {
    // The object of a proof is addressed by the body, and an unknown one is answered with a 404
    // (test/areas/ssh/challenges.test.ts).
    if (route.method === 'GET' || route.method === 'DELETE' || route.withoutKey !== undefined) return false;
    const text = (ids: IdOf) => JSON.stringify(sampleBody(route, ids));
    return text(() => 'a') !== text(() => 'b');
  });
  test.each(referring.map((route) => [nameOf(route), route] as const))(
    '%s refuses a reference to an object of another account as one to an object that never was',
    async (_name, route) => {
      const path = fillPath(route.path, own);
      const foreign = await answerTo(route.method, path, sampleBody(route, owned), owned);
      const unknown = await answerTo(route.method, path, sampleBody(route, never), never);
      expect(foreign).toEqual(unknown);
      expect([foreign.status, JSON.parse(foreign.text).error_code]).toEqual([400, 'UNKNOWN_REFERENCE']);
    },
  );
});

describe('over GraphQL', () => {
  type Field = GraphQLField<unknown, unknown>;
  const fieldsOf = (type: GraphQLObjectType | null | undefined): Field[] => Object.values(type?.getFields() ?? {});
  const collections = new Map(
    Object.entries(kinds).flatMap(([name, kind]) => ('path' in kind ? [[name, kind.path] as const] : [])),
  );
  const collectionOf = (typeName: string): string | undefined => collections.get(typeName);
  /**
   * Returns the collection of the object that a field of the schema addresses by `id`: that of its own type, or of the type in its
   * payload.
   */
  const addressedBy = (field: Field): string | undefined => {
    const name = getNamedType(field.type).name;
    return collectionOf(name) ?? collectionOf(field.name.replace(/^(update|delete)/, ''));
  };
  const ask = async (query: string, id: string) => {
    const { data, errors, status } = await other.graphql(query, { id });
    return JSON.parse(JSON.stringify({ status, data, errors }).replaceAll(id, 'ID'));
  };

  const byId = fieldsOf(schema.getQueryType()).filter(
    ({ args, name, type }) =>
      name !== 'node' && args.length === 1 && args[0]?.name === 'id' && collectionOf(getNamedType(type).name),
  );
  const changes = fieldsOf(schema.getMutationType()).filter((field) => {
    const input = field.args[0] && getNamedType(field.args[0].type);
    if (!/^(update|delete)/.test(field.name) || !isInputObjectType(input) || addressedBy(field) === undefined)
      return false;
    const required = Object.values(input.getFields()).filter(({ type }) => isNonNullType(type));
    return required.length === 1 && required[0]?.name === 'id';
  });

  test('covers every kind that has a collection', () => {
    const all = Object.keys(kinds).flatMap((name) => (schema.getType(name) && collectionOf(name)) ?? []);
    expect(new Set(byId.map(addressedBy))).toEqual(new Set(all));
    // Nobody can change the trail, and people only sign in.
    const changed = new Set(all.filter((path) => !path.startsWith('/audit_') && path !== '/people'));
    expect(new Set(changes.filter(({ name }) => name.startsWith('delete')).map(addressedBy))).toEqual(changed);
    expect(new Set(changes.filter(({ name }) => name.startsWith('update')).map(addressedBy))).toEqual(changed);
  });

  test.each(byId.map((field) => [field.name, field] as const))(
    '%s answers for the object of another account as for one that never was',
    async (name, field) => {
      const collection = addressedBy(field) ?? '';
      const query = `query ($id: ID!) { ${name}(id: $id) { id } }`;
      expect((await service.graphql(query, { id: owned(collection) })).data[name].id).toBe(owned(collection));
      const foreign = await ask(query, owned(collection));
      expect(foreign).toEqual(await ask(query, never(collection)));
      expect(foreign.errors[0].extensions.code).toBe('NOT_FOUND');
    },
  );

  test.each(byId.map((field) => [addressedBy(field) ?? '']))(
    'node finds nothing of another account in %s',
    async (path) => {
      const query = 'query ($id: ID!) { node(id: $id) { __typename id } }';
      expect((await service.graphql(query, { id: owned(path) })).data.node.id).toBe(owned(path));
      const foreign = await ask(query, owned(path));
      expect(foreign).toEqual({ status: 200, data: { node: null } });
      expect(await ask(query, never(path))).toEqual(foreign);
    },
  );

  test('node and nodes find nothing by the ids of what is no node, nor by what is no id', async () => {
    const { headers } = await service.rest('GET', '/ip_policies');
    const query = 'query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }';
    for (const id of [owner, headers.get('x-request-id'), 'junk', '', '\u0000']) {
      expect([id, await service.graphql(query, { id })]).toEqual([
        id,
        { status: 200, data: { node: null, nodes: [null] }, errors: undefined },
      ]);
    }
  });

  test.each(changes.map((field) => [field.name, field] as const))(
    '%s answers for the object of another account as for one that never was',
    async (name, field) => {
      const collection = addressedBy(field) ?? '';
      const query = `mutation ($id: ID!) { ${name}(input: { id: $id }) { __typename } }`;
      const foreign = await ask(query, owned(collection));
      expect(foreign).toEqual(await ask(query, never(collection)));
      expect(foreign.errors[0].extensions.code).toBe('NOT_FOUND');
    },
  );

  const allLists = fieldsOf(schema.getQueryType()).filter(({ type }) => {
    const named = getNamedType(type);
    return isObjectType(named) && 'totalCount' in named.getFields();
  });
  const isOfObject = ({ args }: (typeof allLists)[number]) => args.some(({ type }) => isNonNullType(type));
  const lists = allLists.filter((field) => !isOfObject(field));

  const listsOfObjects = [
    ['httpsEdgeRoutes', 'edgeId', '/edges/https'],
    ['loginSessions', 'routeId', '/edges/https/{edge_id}/routes'],
  ] as const;

  test('covers every list of an object', () => {
    const names = allLists.filter(isOfObject).map(({ name }) => name);
    expect(names.sort()).toEqual(listsOfObjects.map(([name]) => name));
  });

  test.each(listsOfObjects)('%s is of no object of another account', async (name, arg, collection) => {
    const query = `query ($id: ID!) { ${name}(${arg}: $id) { totalCount nodes { id } } }`;
    expect((await service.graphql(query, { id: owned(collection) })).errors).toBeUndefined();
    const foreign = await ask(query, owned(collection));
    expect(foreign.errors[0].extensions.code).toBe('NOT_FOUND');
    expect(foreign).toEqual(await ask(query, never(collection)));
  });

  test.each(lists.map(({ name }) => name))('%s and its totalCount show only what is of the account', async (name) => {
    const query = `{ ${name} { totalCount nodes { __typename } edges { cursor } } }`;
    const empty = await service.otherAccount(`reader of ${name}`);
    const { data } = await empty.graphql(query);
    // The key, and two events: the creations of the account and of the key.
    const own = { apiKeys: 1, auditEvents: 2 }[name] ?? 0;
    expect(data[name].totalCount).toBe(own);
    expect(data[name].nodes).toHaveLength(own);
    expect((await service.graphql(query)).data[name].totalCount).toBeGreaterThan(0);
  });

  test.each(
    lists.flatMap(({ name, args }) =>
      args
        .filter(({ name, type }) => /Id$/.test(name) && getNamedType(type).name === 'ID')
        .map((arg) => [name, arg.name]),
    ),
  )('%s by %s of another account is as empty as by one that never was', async (name, arg) => {
    const kind = (arg ?? '').replace(/Id$/, '').replace(/^./, (first) => first.toUpperCase());
    // An object of any kind.
    const collection = (kind === 'Object' ? '/ip_policies' : collectionOf(kind)) ?? '/people';
    const query = `query ($id: ID!) { ${name}(${arg}: $id) { totalCount nodes { __typename } } }`;
    expect((await service.graphql(query, { id: owned(collection) })).data[name ?? ''].totalCount).toBeGreaterThan(0);
    const foreign = await ask(query, owned(collection));
    expect(foreign).toEqual({ status: 200, data: { [name ?? '']: { totalCount: 0, nodes: [] } } });
    expect(await ask(query, never(collection))).toEqual(foreign);
  });

  test('viewer is the account of the key', async () => {
    const query = '{ viewer { account { name } apiKey { description } } }';
    expect((await service.graphql(query)).data.viewer.account.name).toBe('default');
    expect((await other.graphql(query)).data.viewer.account.name).toBe('other');
  });

  test('evaluateIp asks only the restrictions of the account', async () => {
    const query = '{ evaluateIp(address: "203.0.113.1", type: endpoints) { allowed verdicts { passes } } }';
    const stranger = await service.otherAccount('stranger');
    expect((await service.graphql(query)).data.evaluateIp).toEqual({ allowed: false, verdicts: [{ passes: false }] });
    expect((await stranger.graphql(query)).data.evaluateIp).toEqual({ allowed: true, verdicts: [] });
  });
});

test('all that was tried has changed no row of another account', async () => {
  expect(await rowsOwned()).toEqual(before);
});
