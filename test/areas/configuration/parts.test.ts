// Documents in parts: what is too large to be sent as one value.

import { expect, test } from 'vitest';
import { partsOf, wholeOf } from '../../../src/areas/configuration/parts-schema.ts';
import { startService } from '../../support/service.ts';
import { apply, plan, refusalOf } from './documents.ts';

/** Runs all steps. */
function doneBy<T>(steps: Generator<unknown, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

test('a document is the same after it was divided and put together, and a small one is sent as it is', () => {
  const ipPolicies = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`p${n}`, { description: `of ${n}` }]));
  const document = {
    document: 'main',
    ipPolicies,
    ...JSON.parse('{"__proto__": {"a": {}}, "roles": {"__proto__": {}}}'),
  };
  const parts = partsOf(document);
  expect(parts).toHaveLength(5);
  expect(JSON.stringify(doneBy(wholeOf(parts)))).toBe(JSON.stringify(document));
  const small = { ipPolicies: { office: {} } };
  expect(partsOf(small)).toBe(small);
  expect(doneBy(wholeOf(small))).toBe(small);
});

test('a document in parts is applied as one, and what is wrong with a part is said', async () => {
  const service = await startService();
  const parts = ['{"document":"main"}', '{"ipPolicies":{"a":{}}}', '{"ipPolicies":{"b":{}}}'];
  expect((await apply(service, parts)).plan.changes).toHaveLength(2);
  expect((await plan(service, { ipPolicies: { a: {}, b: {} } })).changes).toEqual([]);
  expect(await refusalOf(service, ['{"ipPolicies":{"a":{}}}', '{"ipPolicies":{"a":{}}}'])).toMatchObject({
    code: 'INVALID_INPUT',
    field: 'ipPolicies.a',
  });
  expect(await refusalOf(service, [{}])).toMatchObject({ code: 'INVALID_INPUT', field: 'document[0]' });
  expect(await refusalOf(service, ['[]'])).toMatchObject({ code: 'INVALID_INPUT', field: 'document[0]' });
  expect(await refusalOf(service, ['{"a'])).toMatchObject({ code: 'MALFORMED_BODY' });
  // Names that are no kinds would be found out only once all is put together.
  const many = (of: string) =>
    Array.from({ length: 5 }, (_, part) => part).map((part) => {
      const entries = Array.from({ length: 2_500 }, (_, n) => [`${of}${part}-${n}`, {}]);
      return JSON.stringify(of === 'p' ? { ipPolicies: Object.fromEntries(entries) } : Object.fromEntries(entries));
    });
  for (const of of ['p', 'unknown']) {
    expect(await refusalOf(service, many(of))).toMatchObject({ code: 'QUERY_TOO_COMPLEX' });
  }
});
