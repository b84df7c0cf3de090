// The ordered lists of IP policies.

import { describe, expect, test } from 'vitest';
import { checkPolicyIds } from '../../src/domain/ip/policy-ids.ts';

describe('checkPolicyIds', () => {
  test('keeps the order and drops repetitions', () => {
    expect(checkPolicyIds(['c', 'a', 'c', 'b', 'a'])).toEqual(['c', 'a', 'b']);
  });

  test('refuses an empty list', () => {
    expect(() => checkPolicyIds([])).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        field: 'ipPolicyIds',
        message: 'must name at least one IP policy.',
      }),
    );
  });
});
