// What stack traces of errors show besides locations, which `test/process/build.test.ts` covers.

import { readFileSync } from 'node:fs';
import { GraphQLError, parse } from 'graphql';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { nameSourcesInTraces } from '../../src/cli/traces.ts';
import { SallyportError } from '../../src/domain/errors.ts';
import { coded } from '../../src/graphql/kit/public-errors.ts';
import { describeFailure } from '../../src/telemetry/failures.ts';

beforeEach(() => {
  const { prepareStackTrace } = Error;
  onTestFinished(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });
  nameSourcesInTraces();
});

test('a trace begins with the message of an error, and shows nothing of the document that an error of GraphQL is about', () => {
  const error = new GraphQLError('It is wrong.', { nodes: parse('{ secret }').definitions });
  expect(error.stack).toMatch(/^GraphQLError: It is wrong\.\n {4}at .*traces\.test\.ts:\d+:\d+/);
  expect(error.stack).not.toContain('secret');
});

const errorOf = (fail: () => unknown): Error => {
  try {
    fail();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('Nothing has failed.');
};
const firstLine = ({ stack = '' }: Error) => stack.split('\n')[0];

test("the code of an error of Node's own stands in its trace, and in the log", () => {
  const error = errorOf(() => Buffer.from(JSON.parse('1')));
  const written = /^TypeError \[ERR_INVALID_ARG_TYPE\]: The first argument must be /;
  expect(firstLine(error)).toMatch(written);
  expect(describeFailure(error)).toMatchObject({ type: 'TypeError', stack: expect.stringMatching(written) });
  // Node adds no other codes to the trace; they are in the message.
  expect(firstLine(errorOf(() => readFileSync('/nothing')))).toBe(
    "Error: ENOENT: no such file or directory, open '/nothing'",
  );
});

test('an expected error has no trace, in an answer either, but its cause has', () => {
  const cause = new Error('It is gone.');
  const expected = new SallyportError('UNAVAILABLE', 'Retry.', { cause });
  const answered = coded(expected.code, expected.message, undefined, expected);
  expect([expected.stack, answered.stack]).toEqual(['SallyportError: Retry.', 'SallyportError: Retry.']);
  expect(describeFailure(expected).cause?.stack).toMatch(/\n {4}at .*traces\.test\.ts:\d+:\d+/);
  expect(new Error('Later ones have traces.').stack).toMatch(/\n {4}at /);
});

test.each<[string, string, PropertyDescriptorMap]>([
  ['a code that is no text', 'Error: odd', { code: { value: { toString: () => 'ERR_X' } } }],
  ['a code of several lines', 'Error: odd', { code: { value: 'ERR_X\nat nothing' } }],
  ['a code that throws', '<error>', { code: { get: () => JSON.parse('') } }],
  ['a name that is no text', '<error>', { code: { value: 'ERR_X' }, name: { value: Symbol('name') } }],
  ['a message that throws', '<error>', { message: { get: () => JSON.parse('') } }],
])('an error with %s has a trace', (_, head, properties) => {
  const error = Object.defineProperties(new Error('odd'), properties);
  expect(error.stack).toMatch(/\n {4}at .*traces\.test\.ts:\d+:\d+/);
  expect(firstLine(error)).toBe(head);
});
