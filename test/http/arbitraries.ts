// Random requests for the whole route table: values that are well-formed often enough to get past the checks, and malformed often
// enough to trigger them.

import fc from 'fast-check';
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { PreparedRoute } from '../../src/surfaces/rest/prepared-route.ts';
import { creations, type IdOf, sampleBody } from './world.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    'x'.repeat(256),
    '10.0.0.0/8',
    '::/0',
    '1',
    '2026-11-20T21:00:00Z',
    '__proto__',
  ),
);
const collections = creations.filter(({ method }) => method === 'POST').map(({ path }) => path);
const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom('id', 'module', '__proto__', 'type'),
);

/** Values and bodies to send. */
export interface Arbitraries {
  readonly text: fc.Arbitrary<string>;
  /** Ids, mostly of existing objects. */
  readonly idText: fc.Arbitrary<string>;
  /** Values of a declared type, mostly well-formed. */
  valuesOf(type: GraphQLInputType): fc.Arbitrary<unknown>;
  /** Bodies for a route; undefined for no body. */
  bodyOf(operation: PreparedRoute): fc.Arbitrary<string | undefined>;
}

/** Creates arbitraries over the objects of a world, which may be recreated meanwhile. */
export function createArbitraries(ids: () => IdOf): Arbitraries {
  const idText = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...collections).map((path) => (path.includes('{') ? 'x' : ids()(path))) },
    text,
    fc.constantFrom(
      'ipp_00000000000000000000000000',
      'ipp_8zzzzzzzzzzzzzzzzzzzzzzzzz',
      'op_00000000000000000000000000',
    ),
  );
  const junk = fc.oneof(fc.jsonValue({ maxDepth: 4 }), text, idText, fc.integer(), fc.double());

  function valuesOf(type: GraphQLInputType): fc.Arbitrary<unknown> {
    const nullable = getNullableType(type);
    const inShape = (): fc.Arbitrary<unknown> => {
      if (isListType(nullable)) return fc.array(valuesOf(nullable.ofType), { maxLength: 5 });
      if (isEnumType(nullable)) return fc.constantFrom(...nullable.getValues().map(({ name }) => name));
      if (isInputObjectType(nullable)) {
        const fields = Object.values(nullable.getFields());
        const requiredKeys = fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
        return fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, valuesOf(type)])), { requiredKeys });
      }
      switch (getNamedType(type).name) {
        case 'ID':
          return idText;
        case 'Int':
          return fc.oneof(fc.integer(), fc.integer({ min: 0, max: 100 }));
        case 'Boolean':
          return fc.boolean();
        case 'Cidr':
          return fc.oneof(
            fc.ipV4().map((address) => `${address}/32`),
            fc.ipV6().map((address) => `${address}/128`),
            fc.tuple(fc.ipV4(), fc.integer({ min: -1, max: 40 })).map(([address, bits]) => `${address}/${bits}`),
            text,
          );
        default:
          return text;
      }
    };
    return fc.oneof({ weight: 12, arbitrary: inShape() }, { weight: 1, arbitrary: junk });
  }

  function bodyOf({ route, inputFields }: PreparedRoute): fc.Arbitrary<string | undefined> {
    const fields = Object.fromEntries([...inputFields.values()].map(({ name, type }) => [name, valuesOf(type)]));
    const requiredKeys = [...inputFields.values()].filter(({ required }) => required).map(({ name }) => name);
    return fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(
            fc.record(fields, { requiredKeys: [] }),
            fc.subarray(Object.keys(fields), { maxLength: Math.min(2, inputFields.size) }),
          )
          .map(([value, kept]) => {
            const changed = Object.entries(value).filter(([name]) => kept.includes(name));
            return JSON.stringify({ ...sampleBody(route, ids()), ...Object.fromEntries(changed) });
          }),
      },
      { weight: 4, arbitrary: fc.record(fields, { requiredKeys }).map((value) => JSON.stringify(value)) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.record(fields, { requiredKeys }), fc.dictionary(key, junk, { maxKeys: 2 }))
          .map(([value, more]) => JSON.stringify({ ...value, ...more })),
      },
      { weight: 1, arbitrary: fc.json() },
      { weight: 1, arbitrary: text },
      { weight: 1, arbitrary: fc.constant(undefined) },
    );
  }

  return { text, idText, valuesOf, bodyOf };
}
