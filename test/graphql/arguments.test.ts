// A planned field reads the same arguments as GraphQL.js: the same values, and the same errors for invalid ones.

import fc from 'fast-check';
import { buildSchema, type FieldNode, getArgumentValues, Kind, parse } from 'graphql';
import { expect, test } from 'vitest';
import { planArguments, readArguments } from '../../src/graphql/executor/arguments.ts';
import { fieldOf } from '../../src/graphql/kit/fields.ts';
import { runs } from '../support/runs.ts';

const schema = buildSchema(`
  enum Kind { FIRST SECOND }
  input Range { from: Int!, to: Int = 9, kind: Kind = SECOND, inner: Range, tags: [String!], must: String! = "given" }
  input Choice @oneOf { name: String, count: Int }
  type Query {
    find(
      id: ID!, count: Int, first: Int! = 10, text: String = "none", kind: Kind, tags: [String], range: Range, sure: Range!
      ranges: [Range!], choice: Choice
    ): String
  }
`);
const query = schema.getQueryType();
const field = query == null ? undefined : fieldOf(query, 'find');

const variableNames = ['a', 'b', 'c', 'd'];
const names = ['id', 'count', 'first', 'text', 'kind', 'tags', 'range', 'sure', 'ranges', 'choice'];
const inner = ['from', 'to', 'kind', 'inner', 'tags', 'must', 'name', 'count', 'unknown'];

const { literal } = fc.letrec<{ literal: string }>((tie) => ({
  literal: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...variableNames.map((name) => `$${name}`)) },
    { weight: 3, arbitrary: fc.constantFrom('1', '"text"', 'null', 'SECOND', 'THIRD', 'true', '2.5') },
    { weight: 1, arbitrary: fc.array(tie('literal'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`) },
    {
      weight: 3,
      arbitrary: fc
        .uniqueArray(fc.tuple(fc.constantFrom(...inner), tie('literal')), { maxLength: 5, selector: ([name]) => name })
        .map((fields) => `{ ${fields.map((one) => one.join(': ')).join(', ')} }`),
    },
  ),
}));
const given = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), literal), { selector: ([name]) => name });
const variables = fc.dictionary(
  fc.constantFrom(...variableNames),
  fc.constantFrom(null, undefined, 1, 'text', ['one', null], { from: 1 }),
  { noNullPrototype: true },
);

/** Arguments by name, with their values as text. */
type Places = [name: string, value: string][];

/** Returns a function's result, or the error that it throws. */
function outcomeOf(work: () => unknown): { readonly given?: unknown; readonly thrown?: unknown } {
  try {
    return { given: work() };
  } catch (error) {
    return { thrown: error };
  }
}

test('are those that GraphQL.js gives, valid or not', () => {
  let valid = 0;
  const check = (places: Places, values: Record<string, unknown>) => {
    const text = places.map((one) => one.join(': ')).join(', ');
    const [definition] = parse(`{ find${text === '' ? '' : `(${text})`} }`).definitions;
    const node = definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections[0] : undefined;
    if (field === undefined || node?.kind !== Kind.FIELD) throw new Error('No field was found.');
    const known: FieldNode = node;
    const expected = outcomeOf(() => getArgumentValues(field, known, values));
    const planned = { field, nodes: [known], planned: planArguments(field, known) } as const;
    // Twice, because every execution follows the same plan.
    expect(outcomeOf(() => readArguments(planned, values))).toStrictEqual(expected);
    expect(outcomeOf(() => readArguments(planned, values))).toStrictEqual(expected);
    if ('given' in expected) valid += 1;
  };
  const sure: Places = [
    ['id', '$a'],
    ['sure', '{ from: $b, to: $c, inner: { from: 1, kind: $c } }'],
  ];
  fc.assert(fc.property(given, variables, check), { numRuns: runs(500) });
  const others = given.map(
    (places): Places => [...sure, ...places.filter(([name]) => name !== 'id' && name !== 'sure')],
  );
  fc.assert(fc.property(others, variables, check), { numRuns: runs(2_000) });
  expect(valid).toBeGreaterThan(runs(50));
});
