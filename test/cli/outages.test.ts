// An outage of the database in the log: each cause once, with what happened.

import { expect, test } from 'vitest';
import { tellingOutagesOnce } from '../../src/cli/outages.ts';
import { SallyportError } from '../../src/domain/errors.ts';
import { translate } from '../../src/storage/errors.ts';
import { lostError, toDriverError } from '../../src/storage/postgres/errors.ts';
import { describeFailure } from '../../src/telemetry/failures.ts';

const lost = () => translate(lostError(new Error('Connection terminated unexpectedly')));
const refused = () => translate(toDriverError(new Error('connect ECONNREFUSED 127.0.0.1:5432')));

test('each cause is told once for each kind of work, and again once no request has failed for a while', () => {
  let nowMs = 0;
  const isNew = tellingOutagesOnce(() => nowMs);
  const failures: [string, unknown][] = [
    ['request', lost()],
    ['request', lost()],
    ['feed', lost()],
    ['request', refused()],
    ['request', lost()],
  ];
  expect(failures.map(([work, error]) => isNew(work, error))).toEqual([true, false, true, true, false]);
  nowMs += 9_999;
  expect(isNew('request', lost())).toBe(false);
  nowMs += 10_000;
  expect(isNew('request', lost())).toBe(true);
});

test('what is no outage is told each time', () => {
  const isNew = tellingOutagesOnce(() => 0);
  const bug = new SallyportError('INTERNAL', 'The server failed.', { cause: new TypeError('x is undefined') });
  expect([isNew('request', bug), isNew('request', bug)]).toEqual([true, true]);
});

test('a lost connection is described with its cause, which ends the chain', () => {
  expect(describeFailure(lost())).toMatchObject({
    message: 'The database cannot serve the request now. Retry in a few seconds.',
    cause: { message: 'Connection terminated unexpectedly', cause: undefined },
  });
});
