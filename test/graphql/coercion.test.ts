import fc from 'fast-check';
import { buildSchema, getOperationAST, getVariableValues, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { coerceVariables, coercionOptions } from '../../src/graphql/executor/coercion.ts';
import { runs } from '../support/runs.ts';

const schema = buildSchema(
  `enum Size { small large } input Point { x: Int! size: Size = large nested: Point list: [Int!] } input Either @oneOf { a: Int b: Int }
  type Query { a: Int }`,
);

const types = ['String', 'ID', 'Int', 'Float', 'Boolean', 'Size', 'Point', '[Int]', '[Point!]', 'Either'];
const declared = types.flatMap((type) => [type, `${type}!`, ...(type === 'Int' ? ['Int = 5', 'Int! = 5'] : [])]);

const objects: unknown[] = [
  ...[
    { x: 1 },
    {},
    { x: 1, size: 'small', list: [1] },
    { x: 1, nested: { x: 2, size: null }, list: 3 },
    { x: 1, y: 2 },
  ],
  ...[{ x: '1' }, { x: 1, size: 'tiny' }, { x: 1, list: [null] }, { x: null }, { a: 1 }, { a: 1, b: 2 }, { a: null }],
  ...[
    { toString: 1, x: 1 },
    { x: undefined },
    { x: 1, size: undefined },
    [{ x: 1 }],
    [{ x: 1 }, null],
    [[1]],
    [1, null],
  ],
];
const value = fc.oneof(
  fc.constantFrom(...objects),
  fc.constantFrom<unknown>('', 'text', 'small', '7', null, undefined, true, [1], ['a']),
  fc.constantFrom(0, -0, 1, 1.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, Number.NaN, Infinity),
  fc.integer(),
  fc.bigInt(),
);

function operationOf(text: string): OperationDefinitionNode {
  const operation = getOperationAST(parse(text));
  if (operation == null) throw new Error('There is no operation.');
  return operation;
}

test('values of variables are coerced, and refused, as by GraphQL.js', () => {
  const variables = fc.record({ type: fc.constantFrom(...declared), isGiven: fc.boolean(), value });
  fc.assert(
    fc.property(fc.array(variables, { maxLength: 3 }), (given) => {
      const list = given.map(({ type }, index) => `$v${index}: ${type}`).join(', ');
      const operation = operationOf(`query ${list === '' ? '' : `(${list})`} { a }`);
      const values = Object.fromEntries(
        given.flatMap((each, index) => (each.isGiven ? [[`v${index}`, each.value]] : [])),
      );
      const expected = getVariableValues(schema, operation.variableDefinitions ?? [], values, coercionOptions);
      // The first call reads the types, the second one already knows them.
      expect(coerceVariables(schema, operation, values)).toEqual(expected);
      expect(coerceVariables(schema, operation, values)).toEqual(expected);
    }),
    { numRuns: runs(2_000) },
  );
});

test('a variable may have the name of what every object has, and is not given for that', () => {
  const operation = operationOf('query ($toString: String, $__proto__: Int) { a }');
  expect(coerceVariables(schema, operation, {})).toEqual({ coerced: {} });
  const values = Object.fromEntries<unknown>([
    ['toString', 'text'],
    ['__proto__', 7],
  ]);
  expect(coerceVariables(schema, operation, values)).toEqual(
    getVariableValues(schema, operation.variableDefinitions ?? [], values),
  );
  expect(Object.getOwnPropertyNames(coerceVariables(schema, operation, values).coerced)).toEqual([
    'toString',
    '__proto__',
  ]);
});

test('of a variable with many errors, only the first ones are returned, without names that are similar to wrong ones', () => {
  const operation = operationOf('query ($sizes: [Size!], $point: Point) { a }');
  const { errors = [] } = coerceVariables(schema, operation, { sizes: Array(1_000).fill('smal'), point: { y: 1 } });
  expect([errors.length, errors[0]?.message, errors.at(-1)?.message]).toEqual([
    51,
    'Variable "$sizes" got invalid value "smal" at "sizes[0]"; Value "smal" does not exist in "Size" enum.',
    'Too many errors processing variables, error limit reached. Execution aborted.',
  ]);
});
