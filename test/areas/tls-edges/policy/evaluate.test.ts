// What the rules of a traffic policy do with a connection.

import { describe, expect, it } from 'vitest';
import { evaluateRule, namedIpPolicies, type PolicyRule } from '../../../../src/areas/tls-edges/policy/evaluate.ts';
import { readConnection } from '../../../../src/areas/tls-edges/policy/variables.ts';

const allowed = { action: 'allow', range: '10.0.0.0/8' };

function contextFor(clientIp: string) {
  const connection = readConnection({ clientIp, serverName: 'www.example.com' }, new Date(0));
  return { connection, ipPolicies: new Map([['ipp_1', [allowed]]]), charge: () => {}, breathe: async () => {} };
}

const evaluate = (rule: PolicyRule, clientIp = '10.1.2.3') => evaluateRule(rule, contextFor(clientIp));
const restrict = async (config: object, clientIp?: string) =>
  (await evaluate({ actions: [{ type: 'restrict-ips', config }] }, clientIp)).actions[0];

describe('evaluateRule', () => {
  it('applies a rule without expressions to everything', async () => {
    const closed = {
      type: 'deny',
      effect: 'refuse',
      matchedRange: null,
      message: 'The connection is closed.',
    };
    expect(await evaluate({ actions: [{ type: 'deny' }] })).toEqual({
      matched: true,
      expressions: [],
      actions: [closed],
    });
    expect((await evaluate({ expressions: [], actions: [{ type: 'deny', config: {} }] })).actions).toEqual([closed]);
  });

  it('needs all expressions to be true', async () => {
    const actions = [{ type: 'deny' }];
    const matched = async (...expressions: string[]) => (await evaluate({ expressions, actions })).matched;
    expect(await matched('true', 'conn.tls.sni == "www.example.com"')).toBe(true);
    expect(await matched('true', 'false')).toBe(false);
  });

  it('says of every expression why it cannot be evaluated, and does not match', async () => {
    const expressions = ['true', 'conn.foo', 'conn.geo.city == "x"'];
    expect(await evaluate({ expressions, actions: [{ type: 'deny' }] })).toEqual({
      matched: false,
      expressions: [
        { expression: 'true', value: true, error: null },
        { expression: 'conn.foo', value: null, error: 'Unknown variable: conn.foo, at position 0.' },
        {
          expression: 'conn.geo.city == "x"',
          value: null,
          error: 'No such key: city (the connection in question does not give it), at position 9.',
        },
      ],
      actions: [],
    });
  });

  it('runs actions in order up to one that refuses, and names those that it does not know', async () => {
    const actions = [
      { type: 'log', config: { metadata: {} } },
      { type: 'terminate-tls', config: {} },
      { type: 'deny' },
      { type: 'log', config: { metadata: {} } },
    ];
    expect((await evaluate({ actions })).actions.map(({ type, effect }) => [type, effect])).toEqual([
      ['log', 'pass'],
      ['terminate-tls', 'unknown'],
      ['deny', 'refuse'],
    ]);
  });

  it.each([
    [{ allow: ['10.0.0.0/8', '10.1.0.0/16'] }, 'pass', '10.1.0.0/16'],
    [{ allow: ['10.0.0.0/8'], deny: ['10.1.2.3/32'] }, 'refuse', '10.1.2.3/32'],
    [{ allow: ['10.1.2.3/32'], deny: ['10.0.0.0/8'] }, 'refuse', '10.0.0.0/8'],
    [{ allow: ['192.0.2.0/24'] }, 'refuse', null],
    [{ allow: ['::/0'] }, 'refuse', null],
    [{}, 'refuse', null],
    [{ enforce: true }, 'refuse', null],
    [{ enforce: null }, 'refuse', null],
    [{ enforce: false }, 'warn', null],
    [{ enforce: false, allow: ['0.0.0.0/0'], deny: ['10.0.0.0/8'] }, 'warn', '10.0.0.0/8'],
    [{ ip_policies: ['ipp_1'] }, 'pass', '10.0.0.0/8'],
    [{ ip_policies: ['ipp_1'], deny: ['10.1.0.0/16'] }, 'refuse', '10.1.0.0/16'],
    [{ ip_policies: ['ipp_gone'] }, 'refuse', null],
    [{ ip_policies: ['ipp_gone', 'ipp_1'] }, 'pass', '10.0.0.0/8'],
  ])('restrict-ips with %j: %s', async (config, effect, matchedRange) => {
    expect(await restrict(config)).toMatchObject({ effect, matchedRange });
  });

  it('reads ranges however they were written', async () => {
    const config = { allow: ['2001:0DB8::/32', '::102:0:0/96'] };
    expect(await restrict(config, '2001:db8::1')).toMatchObject({ effect: 'pass', matchedRange: '2001:db8::/32' });
    expect(await restrict({ allow: ['64:ff9b::192.0.2.0/120'] }, '64:ff9b::c000:201')).toMatchObject({
      effect: 'pass',
      matchedRange: '64:ff9b::c000:200/120',
    });
  });

  it('leaves what restrict-ips found to later expressions', async () => {
    const context = contextFor('10.1.2.3');
    const told =
      'actions.ngrok.restrict_ips.action == "deny" && actions.ngrok.restrict_ips.matched_cidr == "10.0.0.0/8"';
    const rule = { expressions: [told], actions: [{ type: 'deny' }] };
    expect((await evaluateRule(rule, context)).matched).toBe(false);
    const config = { enforce: false, deny: ['10.0.0.0/8'] };
    await evaluateRule({ actions: [{ type: 'restrict-ips', config }] }, context);
    expect((await evaluateRule(rule, context)).matched).toBe(true);
  });
});

describe('namedIpPolicies', () => {
  it('lists each policy once', () => {
    const named = (ip_policies: string[]) => ({ type: 'restrict-ips', config: { ip_policies } });
    const other = { type: 'log', config: { ip_policies: ['c'] } };
    expect(namedIpPolicies([{ actions: [named(['a', 'b']), other] }, { actions: [named(['b'])] }])).toEqual(['a', 'b']);
  });
});
