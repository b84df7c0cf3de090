// Checks a traffic policy before it is saved, with the same result as saving it.

import { beforeAll, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { makePolicy } from '../../support/ip-rules.ts';
import { createClient, startService, type TestService } from '../../support/service.ts';

let service: TestService;
let edge: string;
beforeAll(async () => {
  service = await startService();
  edge = (await service.rest('POST', '/edges/tls', {})).body.id;
});

const deny = { actions: [{ type: 'deny' }] };
const query = `query ($policy: TlsPolicyDraft!) {
  checkTlsPolicy(policy: $policy) { direction rule expression action position field message }
}`;
const problemsOf = async (policy: object) => dataOf(await service.graphql(query, { policy })).checkTlsPolicy;

describe('checkTlsPolicy', () => {
  test('tells all problems at once with their places, and none of a policy that can be saved', async () => {
    const policy = await makePolicy(service, []);
    const unknown = policy.replace(/_.*/, `_${'0'.repeat(26)}`);
    const restrict = (config: object) => ({
      actions: [
        { type: 'log', config: { metadata: {} } },
        { type: 'restrict-ips', config },
      ],
    });
    const broken = {
      inbound: [
        { expressions: ['true', 'a &&', "conn.server_name == 'a"], ...deny },
        { name: '\u0000', actions: [] },
        restrict({ allow: ['10.0.0.0/8', '10.0.0.1/8', 'x'], ip_policies: [policy, unknown, 1] }),
      ],
      outbound: [{ actions: [{ type: 'Deny' }, { type: 'log' }] }, restrict({ alow: [] })],
    };
    const nowhere = { rule: null, expression: null, action: null, position: null };
    const inbound = (rule: number) => ({ ...nowhere, direction: 'inbound', rule });
    const outbound = (rule: number) => ({ ...nowhere, direction: 'outbound', rule });
    const problems = await problemsOf(broken);
    expect(problems).toEqual([
      {
        ...inbound(0),
        expression: 1,
        position: 4,
        field: 'inbound[0].expressions[1]',
        message: 'must be a CEL expression. Unexpected token: EOF, at position 4.',
      },
      {
        ...inbound(0),
        expression: 2,
        position: 20,
        field: 'inbound[0].expressions[2]',
        message: 'must be a CEL expression. Unterminated string, at position 20.',
      },
      { ...inbound(1), field: 'inbound[1].name', message: 'must not contain the NUL character (U+0000).' },
      { ...inbound(1), field: 'inbound[1].actions', message: 'must have at least one action.' },
      {
        ...inbound(2),
        action: 1,
        field: 'inbound[2].actions[1].config.allow[1]',
        message: 'must start at the lowest address of its range: write 10.0.0.0/8.',
      },
      {
        ...inbound(2),
        action: 1,
        field: 'inbound[2].actions[1].config.allow[2]',
        message: 'must be an IPv4 or IPv6 range in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32.',
      },
      { ...inbound(2), action: 1, field: 'inbound[2].actions[1].config.ip_policies[2]', message: 'must be a string.' },
      {
        ...outbound(0),
        action: 0,
        field: 'outbound[0].actions[0].type',
        message: 'must be lower-case words separated by hyphens, such as restrict-ips.',
      },
      {
        ...outbound(0),
        action: 1,
        field: 'outbound[0].actions[1].config',
        message: 'must have an object in `metadata`, which the action writes to the log.',
      },
      {
        ...outbound(1),
        action: 1,
        field: 'outbound[1].actions[1].config',
        message:
          'has a setting that restrict-ips does not support: "alow". Supported: enforce, allow, deny, ip_policies.',
      },
      {
        ...inbound(2),
        action: 1,
        field: 'inbound[2].actions[1].config.ip_policies[1]',
        message: `There is no IP policy "${unknown}" in this account.`,
      },
    ]);
    // Saving reports the first problem.
    const { status, body } = await service.rest('PUT', `/edges/tls/${edge}/policy`, broken);
    expect([status, body.msg]).toEqual([400, `${problems[0].field}: ${problems[0].message}`]);
    expect(await problemsOf({ inbound: [deny, restrict({ ip_policies: [policy] })], outbound: null })).toEqual([]);
    expect(await problemsOf({})).toEqual([]);
  });

  test('tells no more than a hundred, and of a policy that is too large only that', async () => {
    const many = Array.from({ length: 50 }, () => '&&');
    const rules = Array.from({ length: 3 }, () => ({ expressions: many, ...deny }));
    const problems = await problemsOf({ inbound: rules });
    expect([problems.length, problems[99]?.field]).toEqual([100, 'inbound[1].expressions[49]']);
    const large = Array.from({ length: 100 }, () => ({ expressions: ['&&', 'a'.repeat(4_000)], ...deny }));
    expect(await problemsOf({ inbound: [], outbound: large })).toEqual([
      {
        direction: 'outbound',
        rule: null,
        expression: null,
        action: null,
        position: null,
        field: 'outbound',
        message: expect.stringMatching(
          /^is too long: both directions together have \d+ bytes as JSON; the maximum is 262144\.$/,
        ),
      },
    ]);
  });

  test('takes no longer lists than saving does', async () => {
    const inbound = Array.from({ length: 101 }, () => deny);
    const { errors } = await service.graphql(query, { policy: { inbound } });
    expect(errors?.map(({ message, extensions: { code } }) => [code, message])).toEqual([
      ['INVALID_INPUT', 'policy.inbound: must have at most 100 entries; it has 101.'],
    ]);
  });

  test('does not tell a key which IP policies exist that may not read them', async () => {
    const { token } = (await service.rest('POST', '/api_keys', { scopes: ['tls-edges:write'] })).body;
    expect(errorOf(await createClient(service.url, token).graphql(query, { policy: {} }))?.code).toBe('FORBIDDEN');
  });
});

describe('evaluateTlsPolicy with a policy that is not saved', () => {
  const evaluate = `query ($edge: ID!, $policy: TlsPolicyDraft) {
    evaluateTlsPolicy(edge: $edge, connection: { clientIp: "10.1.2.3" }, policy: $policy) {
      allowed steps { direction position actions { effect matchedRange } } } }`;
  const ask = (policy?: object, at = edge) => service.graphql(evaluate, { edge: at, policy });

  test('evaluates it in place of what is set, and changes nothing', async () => {
    const path = `/edges/tls/${edge}/policy`;
    await service.rest('PUT', path, { enabled: false, inbound: [deny] });
    const policy = await makePolicy(service, ['deny 10.1.0.0/16']);
    const outbound = [
      { actions: [{ type: 'restrict-ips', config: { allow: ['10.0.0.0/8'], ip_policies: [policy] } }] },
    ];
    expect(dataOf(await ask({ outbound })).evaluateTlsPolicy).toEqual({
      allowed: false,
      steps: [{ direction: 'outbound', position: 0, actions: [{ effect: 'refuse', matchedRange: '10.1.0.0/16' }] }],
    });
    expect(dataOf(await ask({})).evaluateTlsPolicy).toEqual({ allowed: true, steps: [] });
    expect(dataOf(await ask()).evaluateTlsPolicy).toEqual({ allowed: true, steps: [] });
    await service.rest('PUT', path, { enabled: true, inbound: [deny] });
    expect(dataOf(await ask()).evaluateTlsPolicy.allowed).toBe(false);
    expect(dataOf(await ask({ inbound: [] })).evaluateTlsPolicy).toEqual({ allowed: true, steps: [] });
  });

  test('refuses one that could not be saved as saving does, and an edge of nobody', async () => {
    expect(errorOf(await ask({ inbound: [{ expressions: ['a &&'], ...deny }] }))).toEqual({
      code: 'INVALID_INPUT',
      field: 'inbound[0].expressions[0]',
      message: 'inbound[0].expressions[0]: must be a CEL expression. Unexpected token: EOF, at position 4.',
    });
    const config = { ip_policies: ['x'] };
    expect(errorOf(await ask({ inbound: [{ actions: [{ type: 'restrict-ips', config }] }] }))?.code).toBe(
      'UNKNOWN_REFERENCE',
    );
    expect(errorOf(await ask({ inbound: [] }, 'nothing'))?.code).toBe('NOT_FOUND');
  });

  test('tells on request of expressions that can be saved and that no connection makes true', async () => {
    const ask = `query ($policy: TlsPolicyDraft!) {
      checkTlsPolicy(policy: $policy, warnings: true) { severity direction rule expression position message }
    }`;
    const expressions = ['conn.server_nam == "a"', 'true', 'conn.client_ip', 'starts(conn.client_ip)', 'a &&'];
    const policy = { outbound: [deny, { expressions, ...deny }] };
    const place = { direction: 'outbound', rule: 1 };
    expect(dataOf(await service.graphql(ask, { policy })).checkTlsPolicy).toEqual([
      {
        severity: 'error',
        ...place,
        expression: 4,
        position: 4,
        message: 'must be a CEL expression. Unexpected token: EOF, at position 4.',
      },
      {
        severity: 'warning',
        ...place,
        expression: 0,
        position: 0,
        message: 'cannot be evaluated. Unknown variable: conn.server_nam, at position 0.',
      },
      {
        severity: 'warning',
        ...place,
        expression: 2,
        position: null,
        message: 'cannot be evaluated. The expression must be true or false.',
      },
      {
        severity: 'warning',
        ...place,
        expression: 3,
        position: 0,
        message: 'cannot be evaluated. Unknown function: starts, at position 0.',
      },
    ]);
    // The saved policy keeps the same warnings, as the answer to saving it does, and REST does not show them.
    const savable = { outbound: [deny, { expressions: expressions.slice(0, -1), ...deny }] };
    const stored = `policy { warnings { severity direction rule expression position message } }`;
    const save = `mutation ($input: ReplaceTlsEdgePolicyInput!) { replaceTlsEdgePolicy(input: $input) { tlsEdge { ${stored} } } }`;
    const saved = dataOf(await service.graphql(save, { input: { edgeId: edge, ...savable } }));
    const { warnings } = saved.replaceTlsEdgePolicy.tlsEdge.policy;
    expect(warnings).toEqual(dataOf(await service.graphql(ask, { policy: savable })).checkTlsPolicy);
    expect(warnings).toHaveLength(3);
    expect((await service.rest('GET', `/edges/tls/${edge}/policy`)).body).not.toHaveProperty('warnings');
    // By default they are not reported: an empty list means that the policy can be saved.
    expect(await problemsOf({ inbound: [{ expressions: ['conn.server_nam == "a"'], ...deny }] })).toEqual([]);
  });
});
