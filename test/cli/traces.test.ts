// What traces of errors show beside places: `test/process/build.test.ts` has the places.

import { GraphQLError, parse } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { nameSourcesInTraces } from '../../src/cli/traces.ts';

test('a trace begins with the message of an error, and shows nothing of the document that an error of GraphQL is about', () => {
  const { prepareStackTrace } = Error;
  onTestFinished(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });
  nameSourcesInTraces();
  const error = new GraphQLError('It is wrong.', { nodes: parse('{ secret }').definitions });
  expect(error.stack).toMatch(/^GraphQLError: It is wrong\.\n {4}at .*traces\.test\.ts:\d+:\d+/);
  expect(error.stack).not.toContain('secret');
});
