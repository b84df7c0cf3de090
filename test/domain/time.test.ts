// What `domain/values/time.ts` promises: which timestamps are read, as which instant, and how instants are written.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addOneYear, floorToSecond, formatTimestamp, parseTimestamp } from '../../src/domain/values/time.ts';

describe('parseTimestamp', () => {
  it.each([
    ['UTC', '2027-01-31T09:30:00Z', '2027-01-31T09:30:00.000Z'],
    ['lower-case letters', '2027-01-31t09:30:00z', '2027-01-31T09:30:00.000Z'],
    ['an offset to the east', '2027-01-31T09:30:00+02:00', '2027-01-31T07:30:00.000Z'],
    ['an offset to the west', '2027-01-31T09:30:00-23:59', '2027-02-01T09:29:00.000Z'],
    ['an unknown local offset', '2027-01-31T09:30:00-00:00', '2027-01-31T09:30:00.000Z'],
    ['a fraction of one digit', '2027-01-31T09:30:00.5Z', '2027-01-31T09:30:00.500Z'],
    ['nanoseconds, rounded down', '2027-01-31T09:30:59.999999999Z', '2027-01-31T09:30:59.999Z'],
    ['29 February of a leap year', '2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['the first year', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['a year below 100', '0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['the last second', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('ok/%s', (_, text, instant) => {
    expect(parseTimestamp('validAfter', text).toISOString()).toBe(instant);
  });

  const form = 'must be an RFC 3339 timestamp with its offset, such as 2027-01-31T09:30:00Z.';
  const timeOfDay = 'must be a valid time of day, from 00:00:00 to 23:59:59.';
  const date = 'must be a date that exists in the calendar.';
  const offset = 'must have an offset from -23:59 to +23:59, or Z for UTC.';
  it.each([
    ['nothing', '', form],
    ['a word', 'tomorrow', form],
    ['a date alone', '2027-01-31', form],
    ['a missing offset', '2027-01-31T09:30:00', form],
    ['a missing second', '2027-01-31T09:30Z', form],
    ['an offset without its colon', '2027-01-31T09:30:00+0200', form],
    ['an offset without minutes', '2027-01-31T09:30:00+02', form],
    ['a space instead of T', '2027-01-31 09:30:00Z', form],
    ['a fraction without digits', '2027-01-31T09:30:00.Z', form],
    ['a comma before the fraction', '2027-01-31T09:30:00,5Z', form],
    ['Unix seconds', '1801387800', form],
    ['a year of five digits', '+12027-01-31T09:30:00Z', form],
    ['digits of another script', '２０２７-01-31T09:30:00Z', form],
    ['a line break at the end', '2027-01-31T09:30:00Z\n', form],
    ['30 February', '2027-02-30T00:00:00Z', date],
    ['29 February of a common year', '2027-02-29T00:00:00Z', date],
    ['29 February of 1900', '1900-02-29T00:00:00Z', date],
    ['31 April', '2027-04-31T00:00:00Z', date],
    ['month 13', '2027-13-01T00:00:00Z', date],
    ['month 0', '2027-00-01T00:00:00Z', date],
    ['day 0', '2027-01-00T00:00:00Z', date],
    ['day 32', '2027-01-32T00:00:00Z', date],
    ['a leap second', '2016-12-31T23:59:60Z', timeOfDay],
    ['hour 24', '2027-01-31T24:00:00Z', timeOfDay],
    ['minute 60', '2027-01-31T09:60:00Z', timeOfDay],
    ['an offset of 24 hours', '2027-01-31T09:30:00+24:00', offset],
    ['an offset of 60 minutes', '2027-01-31T09:30:00+01:60', offset],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseTimestamp('validAfter', text)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'validAfter', message }),
    );
  });

  it('reads back every instant that formatTimestamp writes, rounded down to the second', () => {
    const min = new Date('0000-01-01T00:00:00Z');
    const max = new Date('9999-12-31T23:59:59Z');
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (instant) => {
        expect(parseTimestamp('at', formatTimestamp(instant))).toEqual(floorToSecond(instant));
      }),
    );
  });
});

describe('formatTimestamp', () => {
  it('writes whole seconds in UTC', () => {
    expect(formatTimestamp(new Date('2027-01-31T09:30:59.999+02:00'))).toBe('2027-01-31T07:30:59Z');
  });

  it('writes every second of one day and its neighbors as that of its own day', () => {
    const days = fc.integer({ min: -719_528, max: 2_932_896 });
    const seconds = fc.array(fc.integer({ min: -86_400, max: 2 * 86_400 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(days, seconds, (day, offsets) => {
        const instants = offsets
          .map((offset) => new Date(day * 86_400_000 + offset * 1000))
          .filter((instant) => instant.getUTCFullYear() >= 0 && instant.getUTCFullYear() <= 9999);
        expect(instants.map(formatTimestamp)).toEqual(
          instants.map((instant) => instant.toISOString().replace('.000', '')),
        );
      }),
    );
  });

  it('throws for a year that RFC 3339 cannot write', () => {
    expect(() => formatTimestamp(new Date(Date.UTC(10_000, 0)))).toThrow(RangeError);
    expect(() => formatTimestamp(new Date(Number.NaN))).toThrow(RangeError);
  });
});

describe('addOneYear', () => {
  it.each([
    ['2026-11-20T12:34:56.789Z', '2027-11-20T12:34:56.789Z'],
    ['2027-02-28T23:59:59.000Z', '2028-02-28T23:59:59.000Z'],
    ['2028-02-29T12:00:00.000Z', '2029-02-28T12:00:00.000Z'],
    ['2027-03-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2027-12-31T23:59:59.000Z', '2028-12-31T23:59:59.000Z'],
  ])('from %s to %s', (from, to) => {
    expect(addOneYear(new Date(from)).toISOString()).toBe(to);
  });
});
