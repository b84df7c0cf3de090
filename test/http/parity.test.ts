// REST and GraphQL agree: every route answers what its document answers over /graphql.

import { type DocumentNode, Kind, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { type PreparedRoute, prepareRoutes } from '../../src/surfaces/rest/prepared-route.ts';
import { successStatus } from '../../src/surfaces/rest/route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { startService, type TestService } from '../support/service.ts';
import { allCreations, apart, fillPath, findOthers, freshBody, type IdOf, nameOf, sampleBody } from './world.ts';

// Two services with the same clock and the same randomness create the same ids for the same calls.
let rest: TestService;
let twin: TestService;
beforeAll(async () => {
  [rest, twin] = await Promise.all([startService(), startService()]);
});
afterAll(async () => {
  expect([rest.failures, twin.failures]).toEqual([[], []]);
  await Promise.all([rest.close(), twin.close()]);
});

const operations = new Map(prepareRoutes(routes, schema).map((operation) => [nameOf(operation.route), operation]));

function operationOf(name: string): PreparedRoute {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`There is no route ${name}.`);
  return operation;
}

/** Returns the values of the path parameters by name. */
function pathVariables(path: string, id: IdOf): Record<string, string> {
  const filled = fillPath(path, id).split('/');
  return Object.fromEntries(
    path.split('/').flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), filled[index] ?? '']] : [])),
  );
}

/** Executes the document of a route over /graphql. Returns the equivalent of the route's body, and the version separately. */
async function overGraphQL(
  document: DocumentNode,
  variables: Record<string, unknown>,
  { bodyPath }: PreparedRoute,
  service: TestService = twin,
) {
  const answer = await service.graphql(print(document), variables);
  const { errors } = answer;
  if (errors !== undefined) return { errors };
  const body = bodyPath?.reduce((value, name) => value[name], answer.data);
  const { etag, ...shown } = body ?? {};
  return { etag, body: body === undefined ? undefined : shown };
}

/** Replaces values in a body that depend on fresh keys, which the twins cannot have in common. */
function withoutKeys(body: object | undefined): unknown {
  const keys = /^(public_key|certificate|\w+_certificate_pem)$/;
  const hide = (name: string, value: unknown) => (keys.test(name) && typeof value === 'string' ? 'fresh' : value);
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body, hide));
}

async function expectParity(name: string, id: IdOf, body: object | undefined, query: Record<string, unknown> = {}) {
  const operation = operationOf(name);
  const { method, path, document } = operation.route;
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
  const target = `${fillPath(path, id)}${search === '' ? '' : `?${search}`}`;
  const answer = await rest.rest(method, target, body);
  expect([name, answer.status]).toEqual([name, successStatus[method]]);
  const variables = { ...pathVariables(path, id), ...query, ...body };
  // A read is sent to the same service, and compared byte for byte; a change is sent to the twin.
  const { etag, ...same } = await overGraphQL(document, variables, operation, method === 'GET' ? rest : twin);
  if (method === 'GET') expect(same).toEqual({ body: answer.body });
  else expect({ ...same, body: withoutKeys(same.body) }).toEqual({ body: withoutKeys(answer.body) });
  expect(etag === undefined ? null : `"${etag}"`).toBe(answer.headers.get('etag'));
  return answer.body;
}

test('the twins start the same', async () => {
  expect(rest.token).toBe(twin.token);
});

describe('the same answer over REST and over GraphQL', () => {
  const ids = new Map<string, string>();
  const id: IdOf = (collection) => ids.get(collection) ?? '';
  const ofMethod = (...methods: string[]) => routes.filter(({ method }) => methods.includes(method));

  test.each(allCreations.map(nameOf))('%s', async (name) => {
    const { route } = operationOf(name);
    const collection = apart.get(route.path);
    if (collection !== undefined) {
      const creation = `POST ${collection}`;
      const own = await expectParity(creation, id, freshBody(operationOf(creation).route, id));
      ids.set(route.path, own.id);
    }
    const body = await expectParity(name, id, sampleBody(route, id));
    if (route.method === 'POST') ids.set(route.path, body.id);
  });
  test('what comes with others', async () => {
    for (const [collection, found] of await findOthers(rest, twin)) ids.set(collection, found);
  });
  test.each(ofMethod('GET').map(nameOf))('%s', async (name) => {
    // A hundred edges, each with all its routes and modules, exceed what a client's document may request at once.
    await expectParity(name, id, undefined, name === 'GET /edges/https' ? { limit: 30 } : {});
    const isList = !name.includes('{') && name !== 'GET /configuration';
    if (isList) await expectParity(name, id, undefined, { limit: 1 });
  });
  test.each(ofMethod('PATCH').map(nameOf))('%s', async (name) => {
    await expectParity(name, id, sampleBody(operationOf(name).route, id));
    await expectParity(name.replace('PATCH', 'GET'), id, undefined);
  });

  const failures: [name: string, body: object | undefined, id: IdOf, code: string][] = [
    ...routes
      .filter(({ path }) => path.includes('{'))
      .map((route): [string, object | undefined, IdOf, string] => [
        nameOf(route),
        route.method === 'PATCH' ? { description: 'x' } : undefined,
        () => 'ipp_00000000000000000000000000',
        'NOT_FOUND',
      ]),
    ...routes
      .filter(({ method, path }) => method === 'PATCH' && path.includes('{'))
      .map((route): [string, object, IdOf, string] => [
        nameOf(route),
        { description: 'x'.repeat(256) },
        id,
        'INVALID_INPUT',
      ]),
  ];
  test.each(failures)('%s with %j fails alike', async (name, body, idOf, code) => {
    const operation = operationOf(name);
    const { method, path, document } = operation.route;
    // A PUT or POST to an object that does not exist needs an otherwise valid body.
    const sent = method === 'PUT' || method === 'POST' ? sampleBody(operation.route, id) : body;
    const answer = await rest.rest(method, fillPath(path, idOf), sent);
    const { errors } = await overGraphQL(document, { ...pathVariables(path, idOf), ...sent }, operation);
    expect([name, answer.body.error_code]).toEqual([name, code]);
    expect(errors?.map(({ message, extensions }) => [extensions.code, message])).toEqual([
      [answer.body.error_code, answer.body.msg],
    ]);
  });

  test.each(ofMethod('DELETE').map(nameOf).reverse())('%s', async (name) => {
    await expectParity(name, id, undefined);
  });

  test('leaves the twins the same', async () => {
    // Except for the actors, which the trail shows.
    for (const { path } of ofMethod('GET').filter(({ path }) => !path.includes('{') && path !== '/audit_events')) {
      const [one, two] = [await rest.rest('GET', path), await twin.rest('GET', path)];
      expect(withoutKeys(one.body)).toEqual(withoutKeys(two.body));
    }
  });
});

test('every route is executed by one operation document', () => {
  for (const { document } of routes) {
    expect(document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)).toHaveLength(1);
  }
});
