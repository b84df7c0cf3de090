// Rate limits, as they are configured.

import { expect, test } from 'vitest';
import { readRateLimit } from '../../src/domain/concurrency/rate-limit.ts';

test('limits are read', () => {
  expect(readRateLimit('600/60')).toEqual({ quota: 600, seconds: 60 });
  expect(readRateLimit('1000000/86400')).toEqual({ quota: 1_000_000, seconds: 86_400 });
});

test.each([
  '',
  '600',
  '600/',
  '/60',
  '0/60',
  '600/0',
  '1000001/60',
  '600/86401',
  '600/60s',
  '-1/60',
  '1.5/60',
  ' 600/60',
])('is no limit: %j', (text) => {
  expect(readRateLimit(text)).toBe(null);
});
