// Ranges of policy rules: kept as they were sent, compared in canonical form.

import { describe, expect, test } from 'vitest';
import { checkCidr } from '../../../src/areas/ip-policies/rules.ts';

describe('checkCidr', () => {
  test.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['2001:0DB8::/32', '2001:db8::/32'],
    ['2001:db8:0:0:1:0:0:0/80', '2001:db8:0:0:1::/80'],
    ['::0.0.0.0/0', '::/0'],
  ])('keeps %s as it was sent, and compares it as %s', (cidr, range) => {
    expect(checkCidr(cidr)).toEqual({ cidr, range });
  });

  test('blames the field', () => {
    expect(() => checkCidr('10.0.0.0')).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        field: 'cidr',
        message: 'must have a mask; for this one address write 10.0.0.0/32.',
      }),
    );
  });
});
