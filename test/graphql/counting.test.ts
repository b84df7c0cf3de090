import { buildSchema, execute, getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { executePlan } from '../../src/graphql/executor/executor.ts';
import { planOf } from '../../src/graphql/executor/plan.ts';
import { countAnswers } from '../../src/graphql/wrappers/counting.ts';
import { Budget, isLargeAnswer } from '../../src/load/budget.ts';
import { answerBytesMax } from '../../src/load/limits.ts';

const schema = buildSchema(
  'type Row { text: String, other: String, number: Int } type Query { row: Row } type Mutation { row: Row }',
);
countAnswers(schema);

/** Executes a document with GraphQL.js and with its plan; returns both answers, each with its counts. */
async function bothWays(text: string, row: object) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('There is no operation.');
  const rootValue = { row };
  const budgets = [new Budget(true), new Budget(true)] as const;
  const [ofGraphQL, ofPlan] = budgets.map((budget) => ({ budget, identity: { accountId: 'acc' } }));
  const answers = [
    await execute({ schema, document, rootValue, contextValue: ofGraphQL }),
    await executePlan(
      planOf(schema, document, operation, {}, () => {}),
      rootValue,
      ofPlan,
      {},
    ),
  ];
  return answers.map((answer, index) => ({ answer: JSON.parse(JSON.stringify(answer)), spent: budgets[index]?.spent }));
}

test('long text of a row is counted by a plan as by the resolvers of its fields', async () => {
  const row = { text: 'a'.repeat(10_000), other: null, number: 1 };
  const [byGraphQL, byPlan] = await bothWays('{ row { text again: text other number } }', row);
  expect(byPlan).toEqual(byGraphQL);
  expect(byPlan?.spent).toBeGreaterThan(0);
});

test.each(['query', 'mutation'])(
  'a %s whose text is too much is answered by a plan as by the resolvers',
  async (kind) => {
    const row = { text: 'a'.repeat(answerBytesMax / 2 + 1), other: 'b', number: 1 };
    const [byGraphQL, byPlan] = await bothWays(`${kind} { row { text again: text other number } }`, row);
    expect(byPlan).toEqual(byGraphQL);
    expect(byPlan?.answer.errors.length).toBe(kind === 'query' ? 1 : 2);
  },
);

test('rows that were looked at make an answer large, and then refuse it', () => {
  const budget = new Budget(true);
  expect([budget.countLooked(24_999), isLargeAnswer(budget), budget.countLooked(1)]).toEqual([0, true, 1]);
  expect(budget.countLooked(9_975_000)).toBe(399);
  expect(() => budget.countLooked(1)).toThrow('looked through for more than 10000000 rows');
  expect(budget.excess?.code).toBe('QUERY_TOO_COMPLEX');
});
