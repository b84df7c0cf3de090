// The description of the REST surface. `npm run generate:openapi` runs this file and writes what it compares with.

import { beforeAll, describe, expect, test } from 'vitest';
import { writeDocumentSchema } from '../../src/areas/configuration/document-public.ts';
import { schema } from '../../src/graphql/schema.ts';
import { describeRestSurface, writeOpenApi } from '../../src/surfaces/rest/openapi/describe.ts';
import { recordedExamples } from '../../src/surfaces/rest/openapi/examples.generated.ts';
import { scalarsWithoutForm } from '../../src/surfaces/rest/openapi/json-schema.ts';
import type { Examples } from '../../src/surfaces/rest/openapi/types.ts';
import { operationsWithoutExample, recordExamples, settleExamples } from '../support/examples.ts';
import { checkExchange, type Exchange } from '../support/openapi.ts';
import { root } from '../support/source-files.ts';

let examples: Examples;
beforeAll(async () => {
  const [first, second] = await Promise.all([recordExamples(), recordExamples()]);
  examples = settleExamples(first, second, recordedExamples);
});

test('every operation has an example, from a call in test/support/examples.ts', () => {
  expect(operationsWithoutExample(examples)).toEqual([]);
});

test('the recorded examples are what a service answers today', async () => {
  const file = `// Recorded from a service by test/guards/openapi.test.ts.
import type { Examples } from './types.ts';

export const recordedExamples: Examples = ${JSON.stringify(examples, null, 2)};
`;
  await expect(file).toMatchFileSnapshot(`${root}/src/surfaces/rest/openapi/examples.generated.ts`);
});

test('openapi.json is what the route rows and their documents say', async () => {
  const document = describeRestSurface('Service-Version', examples);
  await expect(writeOpenApi(document)).toMatchFileSnapshot(`${root}/openapi.json`);
});

test('configuration.schema.json is what documents of the configuration can have', async () => {
  await expect(writeDocumentSchema(schema)).toMatchFileSnapshot(`${root}/configuration.schema.json`);
});

test('the routes described with a conflict are those that change something, and so take an Idempotency-Key', () => {
  const { paths } = describeRestSurface('Service-Version');
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const changes = operations.filter(({ parameters }) => JSON.stringify(parameters)?.includes('/IdempotencyKey"'));
  // What an undo would do fails as the undo does.
  const withConflict = operations.filter(
    ({ operationId, responses }) => '409' in responses && operationId !== 'PlanUndo',
  );
  expect(withConflict.map(({ operationId }) => operationId)).toEqual(changes.map(({ operationId }) => operationId));
  expect(changes.length).toBeGreaterThan(0);
});

test('every scalar says what it looks like in JSON, in extensions.jsonSchema', () => {
  expect(scalarsWithoutForm(schema)).toEqual([]);
});

describe('every REST answer of a test is held to the description, which refuses', () => {
  const { response } = recordedExamples.operations.GetIpPolicyRule ?? {};
  const good: Exchange = {
    method: 'GET',
    path: '/ip_policy_rules/ipr_1?x=1',
    status: 200,
    headers: new Headers({ 'Content-Type': 'application/json', 'X-Request-Id': 'op_1', ETag: '"1"' }),
    body: response,
  };
  const missing = recordedExamples.errors[404];

  test('none of the good ones', () => {
    checkExchange(good);
    checkExchange({ ...good, method: 'DELETE', status: 204, body: undefined });
    checkExchange({ ...good, status: 404, body: missing });
    checkExchange({
      ...good,
      path: '/ip_policy',
      status: 404,
      body: { ...Object(missing), error_code: 'UNKNOWN_ROUTE' },
    });
  });

  test.each<[what: string, change: Partial<Exchange>, message: RegExp]>([
    ['a status that no route of the kind has', { status: 202 }, /no such status/],
    ['a path that is no route, with a success', { path: '/ip_policy' }, /no such operation/],
    ['an answer without its ETag', { headers: new Headers({ 'X-Request-Id': 'op_1' }) }, /no header ETag/],
    ['another content type', { headers: new Headers({ 'Content-Type': 'text/html' }) }, /content type/],
    ['a field too many', { body: { ...Object(response), owner: '' } }, /additional properties/],
    ['a field too few', { body: { ...Object(response), action: undefined } }, /action/],
    ['a value that is none of the enumeration', { body: { ...Object(response), action: 'maybe' } }, /allowed values/],
    ['null where there is none', { body: { ...Object(response), cidr: null } }, /must be string/],
    ['a code of another status', { status: 404, body: { ...Object(missing), error_code: 'IN_USE' } }, /allowed values/],
    ['a body where there is none', { method: 'DELETE', status: 204 }, /a body/],
  ])('%s', (_what, change, message) => {
    expect(() => checkExchange({ ...good, ...change })).toThrow(message);
  });
});
