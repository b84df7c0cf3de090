// An outage of the database in the log: each cause once a minute, with what happened.

import pg from 'pg';
import { expect, test } from 'vitest';
import { tellingOutagesOnce } from '../../src/cli/outages.ts';
import { SallyportError } from '../../src/domain/errors.ts';
import { translate } from '../../src/storage/errors.ts';
import { lostError, toDriverError, unknownOutcomeError } from '../../src/storage/postgres/errors.ts';
import { describeFailure } from '../../src/telemetry/failures.ts';

const lost = () => translate(lostError(new Error('Connection terminated unexpectedly')));
const refused = () => translate(toDriverError(new Error('connect ECONNREFUSED 127.0.0.1:5432')));

/** The failure of one statement that PostgreSQL refused with a SQLSTATE. */
function refusedWith(code: string, message: string) {
  return translate(toDriverError(Object.assign(new pg.DatabaseError(message, 0, 'error'), { code })));
}

test('each cause is told at most once a minute for each kind of work, with the number of failures in between', () => {
  let nowMs = 0;
  const untoldOf = tellingOutagesOnce(() => nowMs);
  const failures: [string, unknown][] = [
    ['request', lost()],
    ['request', lost()],
    ['feed', lost()],
    ['request', refused()],
    ['request', lost()],
  ];
  expect(failures.map(([work, error]) => untoldOf(work, error))).toEqual([0, null, 0, 0, null]);
  nowMs += 59_999;
  expect(untoldOf('request', lost())).toBe(null);
  nowMs += 1;
  expect([untoldOf('request', lost()), untoldOf('request', lost())]).toEqual([3, null]);
  // An outage of another day has nothing to do with the failures of this one.
  nowMs += 86_400_000;
  expect(untoldOf('request', lost())).toBe(0);
});

test.each([
  ['an ended session', () => refusedWith('57P01', 'terminating connection due to administrator command')],
  ['a database that takes no writes', () => refusedWith('25006', 'cannot execute UPDATE in a read-only transaction')],
])('%s is an outage', (_, failure) => {
  const untoldOf = tellingOutagesOnce(() => 0);
  expect([untoldOf('request', failure()), untoldOf('request', failure())]).toEqual([0, null]);
});

test('a client is told to retry while the database takes no writes, which a failover ends by itself', () => {
  const failure = refusedWith('25006', 'cannot execute UPDATE in a read-only transaction');
  expect(describeFailure(failure).message).toMatch(/takes no writes now, as during a failover\. Retry;/);
});

test.each([
  ['a bug', () => new SallyportError('INTERNAL', 'The server failed.', { cause: new TypeError('x is undefined') })],
  ['a statement that took too long', () => refusedWith('57014', 'canceling statement due to statement timeout')],
  ['a statement that was not answered in time', () => translate(toDriverError(new Error('Query read timeout')))],
  ['a full disk', () => refusedWith('53100', 'could not extend file "base/16384/16389": No space left on device')],
  ['a change that may have been stored', () => translate(unknownOutcomeError(new Error('Connection terminated')))],
])('%s is told each time', (_, failure) => {
  const untoldOf = tellingOutagesOnce(() => 0);
  expect([untoldOf('request', failure()), untoldOf('request', failure())]).toEqual([0, 0]);
});

test('only so many causes are remembered', () => {
  const untoldOf = tellingOutagesOnce(() => 0);
  const cause = (number: number) => untoldOf('request', translate(lostError(new Error(`connection ${number} lost`))));
  const told = Array.from({ length: 101 }, (_, number) => cause(number));
  expect([told.every((untold) => untold === 0), cause(100), cause(0)]).toEqual([true, null, 0]);
});

test('a lost connection is described with its cause, which ends the chain', () => {
  expect(describeFailure(lost())).toMatchObject({
    message: 'The database cannot serve the request now. Retry in a few seconds.',
    cause: { message: 'Connection terminated unexpectedly', cause: undefined },
  });
});
