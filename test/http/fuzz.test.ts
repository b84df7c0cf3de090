// Whatever is sent, the answer has a documented shape and is never a failure of the server.

import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { errorCatalogue } from '../../src/domain/error-catalogue.ts';
import { schema } from '../../src/graphql/schema.ts';
import { prepareRoutes } from '../../src/surfaces/rest/prepared-route.ts';
import { successStatus } from '../../src/surfaces/rest/route.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import { startService, type TestService } from '../support/service.ts';
import { createArbitraries } from './arbitraries.ts';
import { expectKnownError, send } from './wire.ts';
import { createWorld, fillPath, freshBody, type IdOf, nameOf } from './world.ts';

let service: TestService;
let ids: IdOf;
beforeAll(async () => {
  service = await startService();
  ids = await createWorld(service);
});

const operations = new Map(prepareRoutes(routes, schema).map((operation) => [nameOf(operation.route), operation]));
/** For the first of the two tests. A count rather than a time, so that a busy machine tests as much as an idle one. */
const limits = { numRuns: 150 };

const { text, idText, valuesOf, bodyOf } = createArbitraries(() => ids);

const headerText = fc.string({ maxLength: 40 }).map((value) => value.replace(/[^\x20-\x7e]/g, '').trim());
const oddHeaders = fc.record(
  {
    'if-match': fc.oneof(fc.constantFrom('"1"', '*', 'W/"1"', '"99999999999"'), headerText),
    'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', ';', 'a/b;c'),
    'content-encoding': fc.constantFrom('identity', 'gzip', 'br', 'x'),
    'service-version': fc.constantFrom('2', '1', ''),
    accept: fc.constantFrom('*/*', 'text/html', 'application/graphql-response+json', ';;q=2'),
    origin: headerText,
    'x-forwarded-host': headerText,
    'x-http-method-override': fc.constantFrom('DELETE'),
    range: fc.constantFrom('bytes=0-1'),
    'if-none-match': fc.constantFrom('*', '"1"'),
  },
  { requiredKeys: [] },
);
const query = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc
    .array(fc.tuple(fc.oneof(fc.constantFrom('limit', 'before_id', 'beforeId'), text), fc.oneof(idText, fc.nat(200))), {
      maxLength: 3,
    })
    // Half of a surrogate pair cannot be encoded in a URL.
    .map((pairs) => `?${pairs.map(([name, value]) => `${inUrl(name)}=${inUrl(String(value))}`).join('&')}`),
);

function inUrl(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'));
}

test('REST answers every request on every route in a documented way', async () => {
  const succeeded = new Set<string>();
  const refused = new Set<string>();
  const request = fc.constantFrom(...operations.values()).chain((operation) =>
    fc.record({
      name: fc.constant(nameOf(operation.route)),
      address: fc.option(idText, { freq: 4, nil: null }),
      search: query,
      body: bodyOf(operation),
      headers: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, oddHeaders),
    }),
  );
  await fc.assert(
    fc.asyncProperty(request, async ({ name, address, search, body, headers }) => {
      const operation = operations.get(name);
      if (operation === undefined) throw new Error(`There is no route ${name}.`);
      const { route, answerFields } = operation;
      const id: IdOf = (collection) => (address === null ? ids(collection) : inUrl(address) || 'x');
      const answer = await send(service.url, `${fillPath(route.path, id)}${search}`, {
        method: route.method,
        headers: {
          authorization: `Bearer ${service.token}`,
          'service-version': '2',
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.headers['x-request-id']).toMatch(/^op_/);
      if (answer.status === successStatus[route.method]) {
        if (answer.status === 204) expect(answer.bytes.length).toBe(0);
        else expect(Object.keys(answer.body ?? {}).sort()).toEqual([...answerFields].sort());
      } else if (answer.status === 304) {
        expect([route.method, answer.bytes.length]).toEqual(['GET', 0]);
        expect(headers).toHaveProperty('if-none-match');
      } else {
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expectKnownError(answer.body, answer.status);
      }
      // The world must not run empty: deleted objects are created again.
      if (answer.status === 204) ids = await createWorld(service, undefined, freshBody);
      (answer.status < 400 ? succeeded : refused).add(name);
    }),
    limits,
  );
  // The requests are well-formed often enough to get past the checks, and malformed often enough to trigger them.
  expect(succeeded.size).toBeGreaterThan(operations.size / 6);
  expect(refused.size).toBeGreaterThan(operations.size / 4);
});

test('GraphQL answers every mutation in a documented way', async () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const codes = Object.keys(errorCatalogue).filter((code) => code !== 'INTERNAL' && code !== 'UNAVAILABLE');
  let succeeded = 0;
  let refused = 0;
  const request = fc.constantFrom(...mutations).chain((mutation) => {
    const [arg] = mutation.args;
    return fc.record({
      name: fc.constant(mutation.name),
      type: fc.constant(String(arg?.type)),
      input: arg === undefined ? fc.constant({}) : valuesOf(arg.type),
    });
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ name, type, input }) => {
      const document = `mutation ($input: ${type}) { ${name}(input: $input) { __typename } }`;
      const answer = await send(service.url, '/graphql', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.token}`,
          'content-type': 'application/json',
          accept: 'application/graphql-response+json',
        },
        // With `force`, a restriction could refuse all that follows.
        body: JSON.stringify({ query: document, variables: { input } }, (key, value) =>
          key === 'force' ? undefined : value,
        ),
      });
      expect([200, 400]).toContain(answer.status);
      const { data, errors } = answer.body;
      if (errors === undefined) {
        expect(Object.keys(data)).toEqual([name]);
        succeeded += 1;
      } else {
        refused += 1;
        expect([undefined, null, { [name]: null }]).toContainEqual(data);
        for (const { message, extensions } of errors) {
          expect(message).toMatch(/\S/);
          expect(codes).toContain(extensions.code);
        }
      }
      if (name.startsWith('delete') && errors === undefined) ids = await createWorld(service, undefined, freshBody);
    }),
    // Of these, as few as five have succeeded.
    { numRuns: 300 },
  );
  expect(succeeded).toBeGreaterThan(2);
  expect(refused).toBeGreaterThan(5);
});
