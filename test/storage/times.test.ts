// Times as PostgreSQL and Prisma write them.

import { expect, test } from 'vitest';
import { readTime } from '../../src/storage/sql/times.ts';

test('reads times in the forms of both, however many digits there are, and days in any order', () => {
  const read = {
    '2027-01-31T09:30:00.000+00:00': '2027-01-31T09:30:00.000Z',
    '2027-01-31T23:59:59.987+00:00': '2027-01-31T23:59:59.987Z',
    '2027-01-31 09:30:00': '2027-01-31T09:30:00.000Z',
    '2027-01-31 09:30:00.5': '2027-01-31T09:30:00.500Z',
    '2028-02-29 00:00:00.05': '2028-02-29T00:00:00.050Z',
    '2027-01-31 09:30:00.005': '2027-01-31T09:30:00.005Z',
    '1969-12-31 23:59:59.123456': '1969-12-31T23:59:59.123Z',
    '9999-12-31 23:59:59.999': '9999-12-31T23:59:59.999Z',
    '0001-01-01 00:00:00': '0001-01-01T00:00:00.000Z',
    '0099-01-01T00:00:00.000+00:00': '0099-01-01T00:00:00.000Z',
  };
  expect(Object.fromEntries(Object.keys(read).map((text) => [text, readTime(text).toISOString()]))).toEqual(read);
});
