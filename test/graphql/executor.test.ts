// Executing a plan gives exactly the answer of GraphQL.js: its data, its errors, and their order.

import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isObjectType,
  parse,
  responsePathAsArray,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { executePlan } from '../../src/graphql/executor/executor.ts';
import { type Plan, planOf } from '../../src/graphql/executor/plan.ts';
import { runs } from '../support/runs.ts';

/** The possible outcomes of a field. Values are the most frequent. */
const fates = ['value', 'value', 'value', 'value', 'promise', 'promise', 'null', 'throws', 'rejects', 'error', 'late'];

/** Chooses by the place of a field in the answer, so that executions are repeatable. */
function chosen<T>(seed: number, place: string, among: readonly T[]): T | undefined {
  let hash = seed | 0;
  for (const character of place) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return among[(hash >>> 3) % among.length];
}

const thing = { name: 'a "thing"', count: 3, kind: 'FIRST', words: ['one', null, 'two'], self: {} };

/** Creates a schema whose fields return values, null and errors, at once or later, depending on the seed in the context. */
function createSchema(): GraphQLSchema {
  const schema = buildSchema(`
    enum Kind { FIRST SECOND }
    interface Thing { name: String, must: Thing!, self: Thing, things(first: Int = 2, kind: Kind): [Thing] }
    type A implements Thing {
      name: String, count: Int!, kind: Kind, words: [String], strict: [String!]!
      must: Thing!, self: Thing, either: Either, things(first: Int = 2, kind: Kind): [Thing], all: [Thing!]!, rows: [[A!]]
    }
    type B implements Thing {
      name: String, count: Int, must: Thing!, self: Thing, things(first: Int = 2, kind: Kind): [Thing]
    }
    union Either = A | B
    type Query {
      name: String, count: Int!, must: A!, self: Thing, either: Either
      things(first: Int = 2, kind: Kind): [Thing], all: [Thing!]!, rows: [[A!]], given(text: String!): String
    }
    type Mutation { name: String, self: Thing, must: A!, count: Int! }
  `);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type))
      type.resolveType = (_value, { seed }, { path }) => chosen(seed, JSON.stringify(path), ['A', 'B']);
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (['count', 'kind'].includes(field.name)) continue;
      field.resolve = (_source, args, { seed }: { seed: number }, info) => {
        const value = () => {
          const { first, text } = args;
          switch (field.name) {
            case 'given':
              return text;
            case 'things':
              return Array.from({ length: first ?? 1 }, () => thing);
            case 'all':
              // No error after a pending item: GraphQL.js would leave that item's rejection unhandled.
              return [[thing, Promise.resolve(thing)], [new Error('an item'), thing], [thing]][seed % 3];
            case 'rows':
              return [[thing], null, [null, thing]].slice(0, 1 + (seed % 3));
            case 'strict':
              return ['one', ...(seed % 3 === 0 ? [null] : [])];
            case 'words':
            case 'name':
              return thing[field.name];
            default:
              return thing;
          }
        };
        const fate = chosen(seed, responsePathAsArray(info.path).join(), fates);
        if (fate === 'null') return null;
        if (fate === 'throws') throw new Error(`${info.parentType.name}.${info.fieldName}`);
        if (fate === 'error') return new Error('returned');
        if (fate === 'rejects') return Promise.reject(new Error('rejected'));
        if (fate === 'late') return new Promise((resolve) => setImmediate(() => resolve(value())));
        return fate === 'promise' ? Promise.resolve(value()) : value();
      };
    }
  }
  return schema;
}

const schema = createSchema();

/** Aliases that have a meaning in JavaScript, one per field so that they never conflict. */
const aliasOf: Readonly<Record<string, string>> = {
  name: '__proto__',
  count: 'constructor',
  self: 'toString',
  must: 'hasOwnProperty',
  kind: 'toJSON',
  words: 'then',
};
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  Query: ['name', 'count', 'must', 'self', 'either', 'things', 'all', 'rows', 'given'],
  Mutation: ['name', 'self', 'must', 'count'],
  Thing: ['name', 'must', 'self', 'things'],
  A: ['name', 'count', 'kind', 'words', 'strict', 'must', 'self', 'either', 'things', 'all', 'rows'],
  B: ['name', 'must', 'self', 'things'],
  Either: [],
};
const typeOf: Readonly<Record<string, string>> = {
  must: 'Thing',
  self: 'Thing',
  either: 'Either',
  things: 'Thing',
  all: 'Thing',
  rows: 'A',
};
const conditions = ['', '', '', ' @include(if: $yes)', ' @skip(if: $yes)', ' @include(if: $no)', ' @skip(if: true)'];
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  things: ['', '(first: 1)', '(first: $two)', '(first: $none, kind: SECOND)', '(kind: $kind)'],
  given: ['(text: "literal")', '(text: $text)', '(text: $missing)'],
};

/** Generates documents, most of them valid. */
const documents = fc.gen().map((make) => {
  const oneOf = <T>(...among: readonly T[]): T => make(fc.constantFrom, ...among) as T;
  const selection = (type: string, depth: number): string => {
    const known = fieldsOf[type] ?? [];
    const parts = Array.from({ length: make(fc.integer, { min: 1, max: depth === 0 ? 2 : 4 }) }, () => {
      const condition = oneOf(...conditions);
      const form = oneOf('field', 'field', 'field', 'field', 'inline', 'spread', '__typename');
      if (form === '__typename' || known.length === 0) return `__typename${condition}`;
      if (form === 'inline' && depth > 0) {
        const on = type === 'Thing' ? oneOf('A', 'B', 'Thing') : type;
        return `... on ${on}${condition} ${selection(on, depth - 1)}`;
      }
      if (form === 'spread')
        return type === 'Query' || type === 'Mutation' ? `name${condition}` : `...Of${type}${condition}`;
      const field = oneOf(...known);
      const inner = typeOf[field];
      if (inner !== undefined && depth === 0) return `name${condition}`;
      const alternatives = argumentsOf[field] ?? [''];
      const given = oneOf(...alternatives);
      // A field with other arguments needs another name.
      const alias = given === '' ? aliasOf[field] : `${field}${alternatives.indexOf(given)}`;
      const named = oneOf(true, false) || given !== '' ? (alias === undefined ? field : `${alias}: ${field}`) : field;
      const innerType = inner === 'Thing' && type === 'Query' && field === 'must' ? 'A' : inner;
      return `${named}${given}${condition}${innerType === undefined ? '' : ` ${selection(innerType, depth - 1)}`}`;
    });
    return `{ ${parts.join('\n ')} }`;
  };
  const operation = oneOf('query', 'query', 'query', 'mutation');
  return `
    ${operation} ($yes: Boolean!, $no: Boolean = false, $two: Int = 2, $none: Int, $kind: Kind, $text: String!, $missing: String = "m")
    ${selection(operation === 'query' ? 'Query' : 'Mutation', 3)}
    fragment OfThing on Thing { name self { name ...OfB } }
    fragment OfA on A { count rows { words } ...OfThing }
    fragment OfB on B { name must { __typename } }
  `;
});

async function byPlan(text: string, variables: Record<string, unknown>, context: object): Promise<ExecutionResult> {
  const document = parse(text);
  const operation = getOperationAST(document);
  const { coerced } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables);
  if (operation == null || coerced === undefined)
    throw new Error('The document has no operation, or its variables do not fit.');
  const plan = (): Plan => planOf(schema, document, operation, coerced, () => {});
  // The second execution reuses the plan of the first.
  await executePlan(plan(), {}, context, coerced);
  return executePlan(plan(), {}, context, coerced);
}

test('a plan is followed to the answer of GraphQL.js, whatever comes of the fields', async () => {
  let compared = 0;
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(documents, fc.nat(), fc.boolean(), async (text, seed, yes) => {
      const ignored = ['is never used', 'Unused'];
      const wrong = validate(schema, parse(text)).filter(
        ({ message }) => !ignored.some((part) => message.includes(part)),
      );
      fc.pre(wrong.length === 0);
      const variables = { yes, text: 'a text', two: 1 };
      const context = { seed };
      const expected = await execute({
        schema,
        document: parse(text),
        variableValues: variables,
        contextValue: context,
        rootValue: {},
      });
      expect(JSON.stringify(await byPlan(text, variables, context))).toBe(JSON.stringify(expected));
      compared += 1;
      if (expected.errors !== undefined) failed += 1;
    }),
    { numRuns: runs(200), maxSkipsPerRun: 50 },
  );
  expect(failed).toBeGreaterThan(compared / 10);
  expect(compared - failed).toBeGreaterThan(compared / 20);
});

test('the plans of a document are told apart by its conditions, those that are kept and those that are not', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const text = `query (${names.map((name) => `$${name}: Boolean!`)}) {
    ${names.map((name) => `${name}: __typename @${name < 'c' ? 'skip' : 'include'}(if: $${name})`)} }`;
  const document = parse(text);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('The document has no operation.');
  const noted = new Set<number>();
  // Forth, back and forth again: five conditions give twice as many plans as are cached.
  const numbers = Array.from({ length: 32 }, (_, number) => number);
  for (const number of [...numbers, ...numbers.toReversed(), ...numbers]) {
    const variables = Object.fromEntries(names.map((name, index) => [name, ((number >> index) & 1) === 1]));
    const plan = planOf(schema, document, operation, variables, () => noted.add(number));
    const result = await executePlan(plan, {}, {}, variables);
    const asked = names.filter((name) => variables[name] === name >= 'c');
    expect([number, result]).toEqual([number, { data: Object.fromEntries(asked.map((name) => [name, 'Query'])) }]);
  }
  // Only cached plans are counted.
  expect([...noted]).toEqual(numbers.slice(0, 16));
});

test('what a client gives to a variable that is a condition in another operation alone is kept with no plan', async () => {
  const document = parse(`
    query A($x: String!) { given(text: $x) }
    query B($x: Boolean!) { ...F }
    fragment F on Query { name @include(if: $x) }`);
  const operation = getOperationAST(document, 'A');
  if (operation == null) throw new Error('The document has no such operation.');
  let noted = 0;
  const plans = ['one', 'two', 'x'.repeat(100_000), Object.create(null)].map((x) =>
    planOf(schema, document, operation, { x }, () => {
      noted += 1;
    }),
  );
  expect(new Set(plans).size).toBe(1);
  expect(noted).toBe(1);
});

test('a condition that is null, or has no value, is the error that GraphQL.js makes of it', async () => {
  const document = parse('query ($x: Boolean = true) { name @include(if: $x) }');
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('The document has no operation.');
  for (const given of [{ x: null }, {}, { x: true }, { x: null }]) {
    const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
    const context = { seed: 1 };
    const plan = planOf(schema, document, operation, coerced, () => {});
    expect(await executePlan(plan, {}, context, coerced)).toEqual(
      await execute({ schema, document, variableValues: given, contextValue: context, rootValue: {} }),
    );
  }
});

test('what fails later, beside an error that leaves nothing of its list, is no failure of the process', async () => {
  const late = new Promise((_, reject) => setImmediate(() => reject(new Error('later'))));
  const lists = buildSchema('type Query { words: [String!]! }');
  const document = parse('{ words }');
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('The document has no operation.');
  const result = await executePlan(
    planOf(lists, document, operation, {}, () => {}),
    { words: [late, new Error('at once')] },
    {},
    {},
  );
  // Vitest fails on an unhandled rejection.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(JSON.stringify(result)).toBe(
    '{"errors":[{"message":"at once","locations":[{"line":1,"column":3}],"path":["words",1]}],"data":null}',
  );
});
