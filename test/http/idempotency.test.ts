// Requests with an `Idempotency-Key`: a repeated request is carried out once, and is answered as the first time.

import { print } from 'graphql';
import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import type { KeyScope } from '../../src/domain/access/key-scopes.ts';
import { idpMetadataBytesMax } from '../../src/domain/saml/descriptor.ts';
import { schema } from '../../src/graphql/schema.ts';
import { idempotencyUpkeep } from '../../src/storage/lifecycle/idempotency-upkeep.ts';
import { sql, verbatim } from '../../src/storage/sql/statement.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { type PreparedRoute, prepareRoutes } from '../../src/surfaces/rest/prepared-route.ts';
import { successStatus } from '../../src/surfaces/rest/route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { failureOf } from '../support/answers.ts';
import { contentsOf, execute } from '../support/database.ts';
import { models } from '../support/model-rows.ts';
import { exchange } from '../support/raw-socket.ts';
import { type Client, createClient, startService, startTime, type TestService } from '../support/service.ts';
import { apart, creations, fillPath, findOthers, type IdOf, nameOf, putsOnOthers, sampleBody } from './world.ts';

let shared: TestService;
let service: TestService;

beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

/** Sends a GraphQL request with a key. */
async function graphql(
  key: string,
  query: string,
  variables: object = {},
  more: object = {},
  { token, url = service.url }: Client & { url?: string } = service,
) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ query, variables, ...more }),
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed'),
    text: await response.text(),
  };
}

/** Sends a REST request with a key. Returns the parts of the answer that a repetition repeats, and whether it is one. */
async function rest(key: string, method: string, path: string, body?: unknown, sender: Client = service) {
  const answer = await sender.rest(method, path, body, { 'Idempotency-Key': key });
  return {
    status: answer.status,
    etag: answer.headers.get('etag'),
    type: answer.headers.get('content-type'),
    replayed: answer.headers.get('idempotency-replayed'),
    body: answer.body,
  };
}

const create = (key: string, body: object = { description: 'office' }, sender: Client = service) =>
  rest(key, 'POST', '/ip_policies', body, sender);
const policies = async (sender: Client = service) => (await sender.rest('GET', '/ip_policies')).body.ip_policies;

/** Deletes the stored answers, as in a database whose server was killed after the change and before the answer. */
const loseAnswers = () => service.storage.server.change(sql`DELETE FROM "IdempotencyRecord" WHERE "responseName" = ''`);

/** Returns a client with a key of the account that has only some scopes. */
const withScopes = async (...scopes: KeyScope[]) => {
  const accountId = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
  const { token } = await createApiKey(service.storage.actingFor(accountId, commandLine), { scopes }, unlimited);
  return createClient(service.url, token);
};

/** Returns the number of rows of every table except the one that records requests. */
async function rowCounts(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  // The records of requests themselves, and the chain, which upkeep continues meanwhile.
  const others = ['IdempotencyRecord', 'AuditChain', 'AuditSegment'];
  for (const { name } of models.filter((model) => !others.includes(model.name))) {
    const [row] = await service.storage.server.rows(sql`SELECT count(*) FROM ${verbatim(`"${name}"`)}`);
    counts[name] = Number(row?.[0]);
  }
  return counts;
}

const inUse = {
  status: 409,
  code: 'IDEMPOTENCY_KEY_IN_USE',
  msg: 'A request with this Idempotency-Key is being answered. Repeat this one in a few seconds to get the same answer.',
};
const reused = {
  status: 422,
  code: 'IDEMPOTENCY_KEY_REUSED',
  msg: 'This Idempotency-Key was sent with another request. Send a new key with each new request.',
};
const wrongKey = {
  status: 400,
  code: 'IDEMPOTENCY_KEY_INVALID',
  msg: 'Send one Idempotency-Key of 1 to 255 printable ASCII characters, such as a UUID.',
};

const idpMetadata =
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>';
const createPolicy = 'mutation { createIpPolicy(input: { description: "a" }) { ipPolicy { id version } } }';

describe('a request that is repeated', () => {
  test('gets the first answer, and makes nothing', async () => {
    const first = await create('k');
    const before = await rowCounts();
    expect(first).toEqual({
      status: 201,
      etag: '"1"',
      type: 'application/json; charset=utf-8',
      replayed: null,
      body: expect.objectContaining({ description: 'office' }),
    });
    expect(await create('k')).toEqual({ ...first, replayed: 'true' });
    expect(await create('k')).toEqual({ ...first, replayed: 'true' });
    expect(await rowCounts()).toEqual(before);
    expect(await policies()).toEqual([first.body]);
  });

  test('gets the first answer although the object has been changed and deleted since', async () => {
    const first = await create('k');
    await service.rest('PATCH', `/ip_policies/${first.body.id}`, { description: 'changed' });
    expect(await create('k')).toEqual({ ...first, replayed: 'true' });
    await service.rest('DELETE', `/ip_policies/${first.body.id}`);
    expect(await create('k')).toEqual({ ...first, replayed: 'true' });
    expect(await policies()).toEqual([]);
  });

  test('is noted in the log with what it executes', async () => {
    const noted: object[] = [];
    const own = await startService({
      requestEnded: ({ route, operationName }) => noted.push({ route, operationName }),
    });
    const document = 'mutation Name { createIpPolicy(input: {}) { ipPolicy { id } } }';
    await graphql('k', document, {}, {}, own);
    await graphql('k', document, {}, {}, own);
    await rest('l', 'POST', '/ip_policies', {}, own);
    await rest('l', 'POST', '/ip_policies', {}, own);
    await own.close();
    const ofMutation = { route: 'createIpPolicy', operationName: 'Name' };
    const ofRoute = { route: 'POST /ip_policies', operationName: null };
    expect(noted).toEqual([ofMutation, ofMutation, ofRoute, ofRoute]);
  });

  test('of another account is another request', async () => {
    const other = await service.otherAccount('other');
    const first = await create('k');
    const second = await create('k', { metadata: 'theirs' }, other);
    expect(second).toMatchObject({ status: 201, replayed: null });
    expect(await create('k', { metadata: 'theirs' }, other)).toEqual({ ...second, replayed: 'true' });
    expect([await policies(), await policies(other)]).toEqual([[first.body], [second.body]]);
  });

  test('that changed nothing gets the first answer as well', async () => {
    const { id } = (await service.rest('POST', '/edges/tls', {})).body;
    const first = await rest('k', 'DELETE', `/edges/tls/${id}/policy`);
    await service.rest('PUT', `/edges/tls/${id}/policy`, {});
    expect(first).toMatchObject({ status: 204, replayed: null });
    expect(await rest('k', 'DELETE', `/edges/tls/${id}/policy`)).toEqual({ ...first, replayed: 'true' });
    expect((await service.rest('GET', `/edges/tls/${id}/policy`)).status).toBe(200);
  });
});

/**
 * Sends the sample of a route over one of the surfaces. Returns what a repetition must repeat, whether it is one, and the id in it.
 */
type Send = (
  key: string,
  prepared: PreparedRoute,
  id: IdOf,
) => Promise<{ answer: { replayed: string | null }; id?: string }>;

const overRest: Send = async (key, { route }, id) => {
  const answer = await rest(key, route.method, fillPath(route.path, id), sampleBody(route, id));
  expect([nameOf(route), answer.status]).toEqual([nameOf(route), successStatus[route.method]]);
  return { answer, id: answer.body?.id };
};

const overGraphQL: Send = async (key, { route, bodyPath }, id) => {
  const filled = fillPath(route.path, id).split('/');
  const inPath = route.path
    .split('/')
    .flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), filled[index] ?? '']] : []));
  const variables = { ...Object.fromEntries(inPath), ...sampleBody(route, id) };
  const answer = await graphql(key, print(route.document), variables);
  const { data, errors } = JSON.parse(answer.text);
  expect([nameOf(route), errors]).toEqual([nameOf(route), undefined]);
  return { answer, id: bodyPath?.reduce((value, field) => value[field], data)?.id };
};

// Routes that take proofs are tested where the proofs are made.
const changing = prepareRoutes(routes, schema).filter(
  ({ route, changes }) => changes && route.withoutKey === undefined,
);

/** On one engine: a route's answer is stored with the one statement that stores those of all others. */
const describeRoutes = describe.runIf(inject('engine') === 'sqlite');

describeRoutes.each([
  ['REST', overRest],
  ['GraphQL', overGraphQL],
])('over %s, every route that changes something', (_surface, send) => {
  test.each([
    ['is carried out once', async () => {}],
    ['is carried out once also where the server was killed before it answered', loseAnswers],
  ])('%s', async (_promise, between) => {
    const ids = new Map<string, string>();
    const id: IdOf = (collection) => ids.get(collection) ?? '';
    // All go to one object of each kind, and a route has one login.
    const waiting = new Map(
      changing.filter(({ route }) => !apart.has(route.path)).map((prepared) => [nameOf(prepared.route), prepared]),
    );
    const thrice = async (name: string) => {
      const prepared = waiting.get(name);
      if (prepared === undefined) throw new Error(`There is no route ${name}, or it was sent before.`);
      waiting.delete(name);
      const first = await send(name, prepared, id);
      expect([name, first.answer.replayed]).toEqual([name, null]);
      const before = await rowCounts();
      await between();
      const repeated = { ...first.answer, replayed: 'true' };
      expect([name, (await send(name, prepared, id)).answer]).toEqual([name, repeated]);
      // The answer is stored again.
      expect([name, (await send(name, prepared, id)).answer]).toEqual([name, repeated]);
      expect([name, await rowCounts()]).toEqual([name, before]);
      return first;
    };
    for (const { method, path } of creations) {
      const made = await thrice(`${method} ${path}`);
      if (method === 'POST') ids.set(path, made.id ?? '');
    }
    for (const [collection, found] of await findOthers(service)) ids.set(collection, found);
    for (const route of putsOnOthers) await thrice(nameOf(route));
    for (const { route } of changing) if (route.method === 'PATCH') await thrice(nameOf(route));
    for (const { method, path } of [...creations, ...putsOnOthers].toReversed()) {
      const deletion = method === 'PUT' ? `DELETE ${path}` : `DELETE ${path}/{id}`;
      // A list that is put whole has none.
      if (waiting.has(deletion)) await thrice(deletion);
    }
    expect([...waiting.keys()]).toEqual([]);
  });
});

describe('sessions', () => {
  const settings = { idp_metadata: idpMetadata };

  /** Makes a route with 150 sessions, more than end together. */
  async function makeSessions() {
    const edge = (await service.rest('POST', '/edges/https', { hostports: ['app.example.com:443'] })).body.id;
    const route = { match_type: 'path_prefix', match: '/' };
    const id = (await service.rest('POST', `/edges/https/${edge}/routes`, route)).body.id;
    await service.rest('PUT', `/edges/https/${edge}/routes/${id}/saml`, settings);
    const accountId = (await service.graphql('{ viewer { account { id } } }')).data.viewer.account.id;
    const prefix = `sess_0${id.slice(-9)}${'0'.repeat(13)}`;
    await execute(
      service.database,
      `INSERT INTO "LoginSession" ("id", "accountId", "routeId", "version", "tokenHash", "host", "issuer", "userHash", "person",
        "clientAddress", "createdAt", "endsAt", "lastUsedAt")
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1149)
        SELECT '${prefix}' || substr(CAST(i AS TEXT), 2), '${accountId}', '${id}', 1, '${id}' || i, 'app.example.com:443',
          'https://idp.example.com', 'hash', '{}', '192.0.2.1', '${startTime.toISOString()}', '2027-01-01T00:00:00.000Z',
          '${startTime.toISOString()}' FROM n`,
    );
    const left = async () =>
      Number(
        (await service.storage.server.rows(sql`SELECT count(*) FROM "LoginSession" WHERE "routeId" = ${id}`))[0]?.[0],
      );
    return { edge: `/edges/https/${edge}`, id, session: `${prefix}007`, left };
  }

  test('that are ended are ended once, and counted as the first time', async () => {
    const { id, session } = await makeSessions();
    const endOne = 'mutation ($id: ID!) { endLoginSession(input: { id: $id }) { endedId } }';
    const endAll = 'mutation ($id: ID!) { endLoginSessions(input: { routeId: $id }) { endedCount } }';
    const one = await graphql('one', endOne, { id: session });
    const all = await graphql('all', endAll, { id });
    expect([one.text, all.text]).toEqual([
      `{"data":{"endLoginSession":{"endedId":"${session}"}}}`,
      '{"data":{"endLoginSessions":{"endedCount":149}}}',
    ]);
    for (const between of [async () => {}, loseAnswers]) {
      await between();
      expect(await graphql('one', endOne, { id: session })).toEqual({ ...one, replayed: 'true' });
      expect(await graphql('all', endAll, { id })).toEqual({ ...all, replayed: 'true' });
    }
  });

  test.each([
    ['an edge', 'PATCH', '', { hostports: ['b.example.com:443'] }],
    ['a module', 'PUT', 'saml', { ...settings, enabled: false }],
    [
      'a module of another identity provider',
      'PUT',
      'saml',
      { idp_metadata: settings.idp_metadata.replace('idp', 'other') },
    ],
  ])('that a change of %s ends are ended, and the change is made once', async (_, method, part, body) => {
    const { edge, id, left } = await makeSessions();
    const path = part === '' ? edge : `${edge}/routes/${id}/${part}`;
    const first = await rest('change', method, path, body);
    expect([first.status, await left()]).toEqual([200, 0]);
    await loseAnswers();
    expect(await rest('change', method, path, body)).toEqual({ ...first, replayed: 'true' });
  });
});

describe('a document with several mutations', () => {
  const three = `mutation {
    a: createIpPolicy(input: { description: "a" }) { ipPolicy { id description } }
    b: createIpPolicy(input: { description: "b" }) { ipPolicy { id description } }
    c: createIpPolicy(input: { description: "c" }) { ipPolicy { id description } }
  }`;

  test('makes each change once', async () => {
    const first = await graphql('k', three);
    expect(await graphql('k', three)).toEqual({ ...first, replayed: 'true' });
    await loseAnswers();
    expect(await graphql('k', three)).toEqual({ ...first, replayed: 'true' });
    expect((await policies()).map(({ description }: { description: string }) => description)).toEqual(['c', 'b', 'a']);
  });

  test('goes on where the server was killed', async () => {
    const first = JSON.parse((await graphql('k', three)).text).data;
    // As if the third had not been reached.
    await service.rest('DELETE', `/ip_policies/${first.c.ipPolicy.id}`);
    await service.storage.server.change(sql`DELETE FROM "IdempotencyRecord" WHERE "responseName" IN ('', 'c')`);
    const second = await graphql('k', three);
    const { data } = JSON.parse(second.text);
    expect([second.replayed, data.a, data.b]).toEqual(['true', first.a, first.b]);
    expect(await policies()).toHaveLength(3);
    expect(data.c.ipPolicy.id).not.toBe(first.c.ipPolicy.id);
  });

  test('keeps what failed in the answer, too, once something was changed', async () => {
    const document = `mutation ($policy: ID!) {
      a: createIpPolicy(input: {}) { ipPolicy { id } }
      b: createIpPolicyRule(input: { ipPolicyId: $policy, cidr: "10.0.0.0/8", action: allow }) { ipPolicyRule { id } }
    }`;
    const variables = { policy: 'ipp_01h455vb4pex5vsknk084sn02q' };
    const first = await graphql('k', document, variables);
    expect(JSON.parse(first.text)).toMatchObject({ data: { b: null }, errors: [{ path: ['b'] }] });
    expect(await graphql('k', document, variables)).toEqual({ ...first, replayed: 'true' });
    expect(await policies()).toHaveLength(1);
  });
});

describe('an error that may pass', () => {
  const two = `mutation {
    a: createIpPolicy(input: {}) { ipPolicy { id } }
    b: createTlsEdge(input: {}) { tlsEdge { id } }
  }`;

  test('is not kept: a repetition makes what has not been made', async () => {
    const own = await startService();
    onTestFinished(() => own.close());
    const send = () => graphql('k', two, {}, {}, own);
    await execute(own.database, 'ALTER TABLE "TlsEdge" RENAME TO "hidden"');
    const first = JSON.parse((await send()).text);
    expect([first.data.b, first.errors.length, first.errors[0].extensions.code]).toEqual([null, 1, 'INTERNAL']);
    await execute(own.database, 'ALTER TABLE "hidden" RENAME TO "TlsEdge"');
    const second = await send();
    const { data, errors } = JSON.parse(second.text);
    expect([second.replayed, data.a, errors]).toEqual(['true', first.data.a, undefined]);
    expect(await send()).toEqual(second);
    expect((await own.rest('GET', '/edges/tls')).body.tls_edges.map(({ id }: { id: string }) => id)).toEqual([
      data.b.tlsEdge.id,
    ]);
    expect(await policies(own)).toHaveLength(1);
  });

  test('is not kept where it is that of a weaker API key', async () => {
    const first = JSON.parse((await graphql('k', two)).text).data;
    // As if the server had been killed after the first mutation.
    await service.rest('DELETE', `/edges/tls/${first.b.tlsEdge.id}`);
    await service.storage.server.change(sql`DELETE FROM "IdempotencyRecord" WHERE "responseName" IN ('', 'b')`);
    const weaker = await graphql('k', two, {}, {}, await withScopes('ip-policies:write'));
    expect(JSON.parse(weaker.text)).toMatchObject({
      data: { a: first.a, b: null },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    const again = JSON.parse((await graphql('k', two)).text);
    expect([again.data.a, again.errors]).toEqual([first.a, undefined]);
    expect((await service.rest('GET', '/edges/tls')).body.tls_edges).toHaveLength(1);
  });
});

describe('a request that was refused', () => {
  test('may be sent again with its key, as it is or corrected: nothing was done', async () => {
    expect(
      failureOf(await service.rest('POST', '/ip_policies', { metadata: 5 }, { 'Idempotency-Key': 'k' })),
    ).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    const made = await create('k', { metadata: '5' });
    expect(made).toMatchObject({ status: 201, replayed: null });
    expect(await create('k', { metadata: '5' })).toEqual({ ...made, replayed: 'true' });
  });

  test('may so where a part of the change was made before the refusal', async () => {
    const edge = `/edges/https/${(await service.rest('POST', '/edges/https', {})).body.id}`;
    const putModule = async (match: string) => {
      const { id } = (await service.rest('POST', `${edge}/routes`, { match_type: 'exact_path', match })).body;
      const path = `${edge}/routes/${id}/saml`;
      expect((await service.rest('PUT', path, { enabled: false, idp_metadata: idpMetadata })).status).toBe(200);
      return path;
    };
    const [module, other] = [await putModule('/a'), await putModule('/b')];
    // Two of them are more than an edge holds.
    const large = { idp_metadata: idpMetadata.padEnd(idpMetadataBytesMax) };
    expect((await service.rest('PUT', other, large)).status).toBe(200);
    // The logins that wait at a module that is disabled end before it is enabled.
    const document = `mutation ($edge: ID!, $id: ID!, $text: String!) {
      replaceSamlModule(input: { edgeId: $edge, routeId: $id, idpMetadata: $text }) {
        httpsEdgeRoute { id }
      }
    }`;
    const [, , , edgeId, , id] = module.split('/');
    const send = async () =>
      JSON.parse((await graphql('k', document, { edge: edgeId, id, text: large.idp_metadata })).text);
    expect(await send()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_INPUT', field: 'idpMetadata' } }] });
    await service.rest('DELETE', other);
    expect((await send()).errors).toBeUndefined();
  });
});

describe('the key of another request is refused', () => {
  const headers = { 'Idempotency-Key': 'k' };

  test.each([
    ['another body', 'POST', '/ip_policies', { description: 'other' }],
    ['no body', 'POST', '/ip_policies', undefined],
    ['a body with other white space', 'POST', '/ip_policies', '{"description": "office"}'],
    ['another route', 'POST', '/api_keys', { description: 'office' }],
    ['a query', 'POST', '/ip_policies?a=b', { description: 'office' }],
  ])('with %s', async (_, method, path, body) => {
    const first = await create('k');
    expect(failureOf(await service.rest(method, path, body, headers))).toEqual(reused);
    expect(await create('k')).toEqual({ ...first, replayed: 'true' });
    expect(await policies()).toHaveLength(1);
  });

  test('with another method, another object, and another condition', async () => {
    const [one, other] = [await create('1'), await create('2')].map(({ body }) => `/ip_policies/${body.id}`);
    const send = (method: string, path = '', more = {}, body: object | undefined = { description: 'new' }) =>
      service.rest(method, path, body, { ...headers, ...more });
    expect((await send('PATCH', one, { 'If-Match': '"1"' })).status).toBe(200);
    expect(failureOf(await send('PATCH', other, { 'If-Match': '"1"' }))).toEqual(reused);
    expect(failureOf(await send('PATCH', one))).toEqual(reused);
    expect(failureOf(await send('PATCH', one, { 'If-Match': '"2"' }))).toEqual(reused);
    expect(failureOf(await send('PATCH', one, { 'If-Match': '"1"', 'Sallyport-Force': 'true' }))).toEqual(reused);
    expect(failureOf(await service.rest('DELETE', one ?? '', undefined, headers))).toEqual(reused);
    expect((await send('PATCH', one, { 'If-Match': '"1"' })).headers.get('idempotency-replayed')).toBe('true');
  });

  test('on GraphQL with another document, other variables, another operation, and on the other surface', async () => {
    const document = `mutation A($d: String) { createIpPolicy(input: { description: $d }) { ipPolicy { id } } }
      mutation B($d: String) { createTlsEdge(input: { description: $d }) { tlsEdge { id } } }`;
    const first = await graphql('k', document, { d: 'a' }, { operationName: 'A' });
    expect(first.status).toBe(200);
    const refusal = {
      status: 422,
      replayed: null,
      text: JSON.stringify({ errors: [{ message: reused.msg, extensions: { code: reused.code } }] }),
    };
    expect(await graphql('k', document, { d: 'b' }, { operationName: 'A' })).toEqual(refusal);
    expect(await graphql('k', document, { d: 'a' }, { operationName: 'B' })).toEqual(refusal);
    expect(await graphql('k', createPolicy)).toEqual(refusal);
    expect(failureOf(await service.rest('POST', '/ip_policies', {}, headers))).toEqual(reused);
    expect(await graphql('k', document, { d: 'a' }, { operationName: 'A' })).toEqual({ ...first, replayed: 'true' });
    expect(await policies()).toHaveLength(1);
  });
});

describe('a key', () => {
  test.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['of two characters in quotes that is empty', '""'],
    ['of 256 characters in quotes', `"${'k'.repeat(256)}"`],
    ['without its last quote', '"k'],
    ['with parameters', '"k";a=1'],
    ['with other letters', 'clé'],
    ['with a wrong escape', '"\\k"'],
  ])('that is %s is refused on both surfaces', async (_, key) => {
    expect(failureOf(await service.rest('POST', '/ip_policies', {}, { 'Idempotency-Key': key }))).toEqual(wrongKey);
    expect(await graphql(key, createPolicy)).toEqual({
      status: 400,
      replayed: null,
      text: JSON.stringify({ errors: [{ message: wrongKey.msg, extensions: { code: wrongKey.code } }] }),
    });
    expect(await policies()).toEqual([]);
  });

  test('is refused when there are two', async () => {
    const text = await exchange(
      service.url,
      `POST /ip_policies HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer ${service.token}\r\n` +
        'Service-Version: 2\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 0\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain(wrongKey.code);
  });

  test('may have 255 characters, spaces and quotes within, and is the same in quotes', async () => {
    for (const [plain, quoted] of [
      ['k'.repeat(255), `"${'k'.repeat(255)}"`],
      ['order 7, "first" \\', '"order 7, \\"first\\" \\\\"'],
    ] as const) {
      const first = await create(plain);
      expect(first).toMatchObject({ status: 201, replayed: null });
      expect(await create(quoted)).toEqual({ ...first, replayed: 'true' });
    }
  });

  test('is ignored by what only reads, whatever it is', async () => {
    expect((await service.rest('GET', '/ip_policies', undefined, { 'Idempotency-Key': '"' })).status).toBe(200);
    expect(await graphql('"', '{ viewer { account { name } } }')).toMatchObject({ status: 200, replayed: null });
    await graphql('k', '{ viewer { account { name } } }');
    expect(await graphql('k', createPolicy)).toMatchObject({ status: 200, replayed: null });
  });

  test('is needed by nobody, and requests without one cost nothing more', async () => {
    service.statements.length = 0;
    await service.rest('POST', '/ip_policies', {});
    await service.graphql(createPolicy);
    expect(service.statements.filter((statement) => statement.includes('Idempotency'))).toEqual([]);
  });
});

describe('the same key at the same time', () => {
  const atOnce = 20;

  test('makes one object on REST; each gets the answer or is told to wait', async () => {
    const answers = await Promise.all(
      Array.from({ length: atOnce }, () => service.rest('POST', '/ip_policies', {}, { 'Idempotency-Key': 'k' })),
    );
    const made = await policies();
    expect(made).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 201) expect(answer.body).toEqual(made[0]);
      else {
        expect(failureOf(answer)).toEqual(inUse);
        expect(answer.headers.get('retry-after')).toBe('2');
      }
    }
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(await create('k', {})).toMatchObject({ status: 201, replayed: 'true', body: made[0] });
  });

  test('makes each change once over several servers', async () => {
    const { id } = (await create('a')).body;
    const keys = Array.from({ length: atOnce }, (_, index) => `k${index % 4}`);
    const changed = await Promise.all(
      keys.map((key) =>
        service.rest('PATCH', `/ip_policies/${id}`, { description: 'new' }, { 'Idempotency-Key': key }),
      ),
    );
    for (const answer of changed) if (answer.status !== 200) expect(failureOf(answer)).toEqual(inUse);
    // One change for each key.
    expect((await service.rest('GET', `/ip_policies/${id}`)).headers.get('etag')).toBe('"5"');

    const deleted = await Promise.all(
      keys.map(() => service.rest('DELETE', `/ip_policies/${id}`, undefined, { 'Idempotency-Key': 'd' })),
    );
    for (const answer of deleted) if (answer.status !== 204) expect(failureOf(answer)).toEqual(inUse);
    expect(await rest('d', 'DELETE', `/ip_policies/${id}`)).toMatchObject({ status: 204, replayed: 'true' });
  });

  test('answers one of two that differ', async () => {
    const send = (description: string) =>
      service.rest('POST', '/ip_policies', { description }, { 'Idempotency-Key': 'k' });
    const answers = await Promise.all([send('a'), send('b')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(failureOf(answers.find(({ status }) => status === 422) ?? answers[0])).toEqual(reused);
  });
});

describe('what is remembered', () => {
  const later = (ms: number) => service.setTime(new Date(startTime.getTime() + ms));
  const day = 86_400_000;
  const remembered = async () => {
    const [row] = await service.storage.server.rows(sql`SELECT count(*) FROM "IdempotencyRecord"`);
    return Number(row?.[0]);
  };

  test('is forgotten after a day: the same request is then another one', async () => {
    const first = await create('k');
    later(day - 1);
    expect(await create('k')).toEqual({ ...first, replayed: 'true' });
    later(day);
    const second = await create('k', { description: 'another' });
    expect(second).toMatchObject({ status: 201, replayed: null });
    later(2 * day - 1);
    expect(await create('k', { description: 'another' })).toEqual({ ...second, replayed: 'true' });
  });

  test('is forgotten at once, also what a repetition has added', async () => {
    const first = await create('k');
    await loseAnswers();
    later(day - 1);
    expect(await create('k')).toEqual({ ...first, replayed: 'true' });
    later(day);
    expect((await create('k')).body.id).not.toBe(first.body.id);
  });

  test('is deleted by upkeep', async () => {
    await forgetOldRequests(new Date(startTime.getTime() + 9 * day));
    for (let count = 0; count < 3; count += 1) await create(`k${count}`);
    later(1);
    await create('k3');
    expect(await remembered()).toBe(8);
    await forgetOldRequests(new Date(startTime.getTime() + day));
    expect(await remembered()).toBe(2);
  });

  const forgetOldRequests = (now: Date) =>
    idempotencyUpkeep.hourly?.(service.storage.server, now, new AbortController().signal);
});

describe('a new API key', () => {
  const createKey = (key: string, sender: Client = service) =>
    rest(key, 'POST', '/api_keys', { scopes: ['write'] }, sender);

  test('has the same token each time it is shown, which nothing in the database tells', async () => {
    const first = await createKey('k');
    expect(first.body.token).toMatch(/^sallyport_/);
    expect(await createKey('k')).toEqual({ ...first, replayed: 'true' });
    await loseAnswers();
    expect(await createKey('k')).toEqual({ ...first, replayed: 'true' });
    expect((await contentsOf(service.database)).includes(first.body.token)).toBe(false);
    expect((await service.rest('GET', `/api_keys/${first.body.id}`)).body.token).toBeNull();
    const own = createClient(service.url, first.body.token);
    expect((await own.rest('GET', '/ip_policies')).status).toBe(200);
  });

  test('is shown to another key of the account that may as much, and to no weaker one', async () => {
    const first = await createKey('k');
    const weaker = await withScopes('api-keys:write');
    for (const between of [async () => {}, loseAnswers]) {
      await between();
      expect(
        failureOf(await weaker.rest('POST', '/api_keys', { scopes: ['write'] }, { 'Idempotency-Key': 'k' })),
      ).toEqual({
        status: 403,
        code: 'FORBIDDEN',
        msg: 'The answer to this Idempotency-Key was given to an API key that may more, or for longer. Repeat the request with that one.',
      });
      expect(await createKey('k', await withScopes('write'))).toEqual({ ...first, replayed: 'true' });
    }
    await service.storage.refusals.settled();
    const { data } = await service.graphql('{ auditEvents(action: refuse) { nodes { refusal { code asked } } } }');
    const refused = { refusal: { code: 'FORBIDDEN', asked: 'POST /api_keys' } };
    expect(data.auditEvents.nodes).toEqual([refused, refused]);
  });

  test('is not made again where what is sealed cannot be opened any more, which costs the token', async () => {
    const first = await createKey('k');
    await service.storage.server.change(sql`UPDATE "IdempotencyRecord" SET "content" = ${Buffer.from('another key')}`);
    expect(await createKey('k')).toEqual({ ...first, replayed: 'true', body: { ...first.body, token: null } });
  });
});

describe('an answer that is not kept', () => {
  test('because it is large is made again', async () => {
    const aliases = Array.from({ length: 20 }, (_, count) => `m${count}: metadata`).join(' ');
    const document = `mutation ($m: String!) { createIpPolicy(input: { metadata: $m }) { ipPolicy { id ${aliases} } } }`;
    const variables = { m: 'm'.repeat(4096) };
    const first = await graphql('k', document, variables);
    expect(first.text.length).toBeGreaterThan(65_536);
    expect(await graphql('k', document, variables)).toEqual({ ...first, replayed: 'true' });
    expect(await policies()).toHaveLength(1);
  });

  test('shows the object as it is when the request is repeated', async () => {
    const first = await create('k');
    await loseAnswers();
    await service.rest('PATCH', `/ip_policies/${first.body.id}`, { description: 'changed' });
    expect(await create('k')).toMatchObject({ status: 201, etag: '"2"', body: { description: 'changed' } });
  });

  test('is told to be lost where the object has been deleted since', async () => {
    const first = await create('k');
    await loseAnswers();
    await service.rest('DELETE', `/ip_policies/${first.body.id}`);
    const again = await service.rest('POST', '/ip_policies', { description: 'office' }, { 'Idempotency-Key': 'k' });
    expect(failureOf(again)).toEqual({
      status: 409,
      code: 'IDEMPOTENCY_ANSWER_LOST',
      msg: 'The change was made before, and its object has been deleted since, so that its answer cannot be repeated.',
    });
    expect(await policies()).toEqual([]);
  });
});
