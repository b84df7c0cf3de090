// The rules of IP restrictions: which addresses they let pass.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, effectOf } from '../../../src/areas/ip-restrictions/rules.ts';
import { parseAddress } from '../../../src/domain/ip/cidr.ts';
import type { DecidingRule } from '../../../src/domain/ip/rule-table.ts';

const address = parseAddress('address', '10.1.2.3');

/** Creates a rule. Ids sort by age, oldest first. */
function rule(id: string, action: 'allow' | 'deny', range: string): DecidingRule {
  return { id, action, range };
}

describe('decide', () => {
  test('keeps everybody out without rules', () => {
    expect(decide(address, [])).toEqual({ passes: false, decidedBy: null });
  });

  test('keeps out whom no rule speaks of', () => {
    expect(decide(address, [rule('a', 'allow', '10.2.0.0/16'), rule('b', 'deny', '::/0')])).toEqual({
      passes: false,
      decidedBy: null,
    });
  });

  test('lets pass whom a rule allows, and names the most specific one', () => {
    const rules = [
      rule('a', 'allow', '0.0.0.0/0'),
      rule('b', 'allow', '10.1.2.0/24'),
      rule('c', 'allow', '10.0.0.0/8'),
      rule('d', 'allow', '10.1.2.4/32'),
    ];
    expect(decide(address, rules)).toEqual({ passes: true, decidedBy: rules[1] });
  });

  test('denies also where a more specific rule allows', () => {
    const rules = [rule('a', 'allow', '10.1.2.3/32'), rule('b', 'deny', '10.0.0.0/8')];
    expect(decide(address, rules)).toEqual({ passes: false, decidedBy: rules[1] });
  });

  test('names the most specific of several rules that deny', () => {
    const rules = [rule('a', 'deny', '0.0.0.0/0'), rule('b', 'deny', '10.1.0.0/16'), rule('c', 'allow', '10.1.2.3/32')];
    expect(decide(address, rules).decidedBy).toBe(rules[1]);
  });

  test('names the oldest of equally specific rules, in whatever order they come', () => {
    const [oldest, newer] = [rule('a', 'allow', '10.0.0.0/8'), rule('b', 'allow', '10.0.0.0/8')];
    expect(decide(address, [newer, oldest]).decidedBy).toBe(oldest);
    expect(decide(address, [oldest, newer]).decidedBy).toBe(oldest);
  });

  test('does not depend on the order of the rules, and passes exactly when one allows and none denies', () => {
    const anyRules = fc.uniqueArray(
      fc.record({
        id: fc.uuid(),
        action: fc.constantFrom('allow', 'deny'),
        range: fc.constantFrom('0.0.0.0/0', '10.0.0.0/8', '10.1.2.3/32', '11.0.0.0/8', '::/0', '10.1.2.0/31'),
      }),
      { selector: ({ id }) => id, maxLength: 8 },
    );
    fc.assert(
      fc.property(anyRules, (rules) => {
        const matching = rules.filter(({ range }) => ['0.0.0.0/0', '10.0.0.0/8', '10.1.2.3/32'].includes(range));
        const denied = matching.some(({ action }) => action === 'deny');
        const decision = decide(address, rules);
        expect(decision.passes).toBe(matching.length > 0 && !denied);
        expect(decision.decidedBy === null).toBe(matching.length === 0);
        if (decision.decidedBy !== null) expect(decision.decidedBy.action).toBe(denied ? 'deny' : 'allow');
        expect(decide(address, [...rules].reverse())).toEqual(decision);
      }),
    );
  });
});

describe('effectOf', () => {
  test.each([
    [true, true, 'pass'],
    [false, true, 'pass'],
    [true, false, 'refuse'],
    [false, false, 'warn'],
  ])('enforced %s, passes %s: %s', (enforced, passes, effect) => {
    expect(effectOf(enforced, passes)).toBe(effect);
  });
});
