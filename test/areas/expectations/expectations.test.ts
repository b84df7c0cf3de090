// Expectations are asked of the functions that decide, before every change that could break one. The clients here connect from
// 127.0.0.1.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { createProvingHost } from '../../support/proving-host.ts';
import { ofOneServer, startService, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
});

async function created(path: string, body: object = {}): Promise<string> {
  const answer = await service.rest('POST', path, body);
  expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
  return answer.body.id;
}

const rule = (ip_policy_id: string, cidr: string, action = 'allow') =>
  created('/ip_policy_rules', { ip_policy_id, action, cidr });

async function expecting(body: object): Promise<{ id: string; state: object }> {
  const answer = await service.rest('POST', '/expectations', body);
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body;
}

const met = (outcome: string, logged: boolean | null = null) => ({ met: true, outcome, logged });

/** Expects that both surfaces refuse a change, and that REST makes it when it is forced. */
async function expectRefusal(message: string, ...[method, path, body]: [method: string, path: string, body?: object]) {
  const refused = await service.rest(method, path, body);
  expect([refused.status, refused.body.error_code, refused.body.msg]).toEqual([
    409,
    'EXPECTATION_FAILED',
    `The change would break the expectation ${message}. Nothing was changed. If it is meant, repeat the change with force: true, on ` +
      'REST with the header Sallyport-Force: true, or on the command line with --force.',
  ]);
  const forced = await service.rest(method, path, body, { 'Sallyport-Force': 'true' });
  expect(forced.status).toBeLessThan(300);
  // What was told before it was stored is what has come.
  const { data } = await service.graphql('{ expectations { nodes { name state { met outcome } } } }');
  const unmet = data.expectations.nodes.filter(({ state }: { state: { met: boolean } }) => !state.met);
  const [{ state }] = unmet.filter(({ name }: { name: string }) => message.startsWith(`"${name}"`));
  expect(message).toContain(` would be ${inWords[state.outcome]}`);
}

const inWords: Record<string, string> = {
  allowed: 'allowed',
  refused: 'refused',
  mixed: 'allowed in part',
  unknown: 'unknown',
};

describe('an address or a range at IP restrictions', () => {
  const office = { name: 'office', kind: 'ip', expected: 'allowed', address: '203.0.113.7', traffic_type: 'endpoints' };
  const lost = '"office": 203.0.113.7 at endpoints would be refused instead of allowed';
  let policy: string;
  let allowing: string;
  let restriction: string;
  beforeEach(async () => {
    policy = await created('/ip_policies');
    allowing = await rule(policy, '203.0.113.0/24');
    restriction = await created('/ip_restrictions', { type: 'endpoints', enforced: true, ip_policy_ids: [policy] });
    expect((await expecting(office)).state).toEqual(met('allowed'));
  });

  test('is protected when a rule is deleted', () => expectRefusal(lost, 'DELETE', `/ip_policy_rules/${allowing}`));
  test('is protected when a rule gets another range', () =>
    expectRefusal(lost, 'PATCH', `/ip_policy_rules/${allowing}`, { cidr: '198.51.100.0/24' }));
  test('is protected when a rule denies it', () =>
    expectRefusal(lost, 'POST', '/ip_policy_rules', { ip_policy_id: policy, action: 'deny', cidr: '203.0.113.7/32' }));
  test('is protected when a policy is deleted', () => expectRefusal(lost, 'DELETE', `/ip_policies/${policy}`));
  test('is protected when another restriction is made', async () => {
    const other = await created('/ip_policies');
    await expectRefusal(lost, 'POST', '/ip_restrictions', {
      type: 'endpoints',
      enforced: true,
      ip_policy_ids: [other],
    });
  });
  test('is protected when a restriction gets other policies', async () => {
    const other = await created('/ip_policies');
    await expectRefusal(lost, 'PATCH', `/ip_restrictions/${restriction}`, { ip_policy_ids: [other] });
  });
  test('is protected when all rules are replaced', async () => {
    const replace = (cidr: string) =>
      service.graphql(
        'mutation ($input: ReplaceIpPolicyRulesInput!) { replaceIpPolicyRules(input: $input) { __typename } }',
        { input: { ipPolicyId: policy, rules: [{ cidr, action: 'allow' }] } },
      );
    expect(errorOf(await replace('198.51.100.0/24'))?.code).toBe('EXPECTATION_FAILED');
    expect((await replace('203.0.113.0/24')).errors).toBeUndefined();
  });
  test('is protected when a deleted rule is put back', async () => {
    const denying = await created('/ip_policy_rules', {
      ip_policy_id: policy,
      action: 'deny',
      cidr: '198.51.100.0/24',
    });
    await service.rest(
      'PATCH',
      `/ip_policy_rules/${denying}`,
      { cidr: '203.0.113.7/32' },
      { 'Sallyport-Force': 'true' },
    );
    await service.rest('DELETE', `/ip_policy_rules/${denying}`);
    const events = await service.graphql('query ($id: ID!) { auditEvents(objectId: $id, first: 1) { nodes { id } } }', {
      id: denying,
    });
    const eventId = dataOf(events).auditEvents.nodes[0].id;
    const restored = await service.graphql(
      'mutation ($input: RestoreObjectInput!) { restoreObject(input: $input) { __typename } }',
      { input: { eventId } },
    );
    expect(errorOf(restored)?.code).toBe('EXPECTATION_FAILED');
  });

  test('lets changes pass that break nothing', async () => {
    await rule(policy, '198.51.100.0/24');
    expect((await service.rest('DELETE', `/ip_restrictions/${restriction}`)).status).toBe(204);
  });

  test('lets changes pass once it is broken', async () => {
    await service.rest('DELETE', `/ip_policy_rules/${allowing}`, undefined, { 'Sallyport-Force': 'true' });
    await rule(policy, '203.0.113.7/32', 'deny');
    const list = await service.rest('GET', '/expectations');
    expect(list.body.expectations[0].state).toEqual({ met: false, outcome: 'refused', logged: null });
    const { attention } = dataOf(await service.graphql('{ attention { code severity message subject { id } } }'));
    expect(attention).toContainEqual({
      code: 'expectation_fails',
      severity: 'warning',
      message:
        'The expectation "office" is not met: 203.0.113.7 at endpoints is refused, and should be allowed. See why, and change what ' +
        'decides, or the expectation.',
      subject: { id: list.body.expectations[0].id },
    });
  });

  test('asks about all addresses of a range', async () => {
    const state = async (address: string, expected: string) =>
      (await expecting({ ...office, name: `${address} ${expected}`, address, expected })).state;
    expect(await state('203.0.113.0/25', 'allowed')).toEqual(met('allowed'));
    expect(await state('10.0.0.0/8', 'refused')).toEqual(met('refused'));
    expect(await state('203.0.112.0/23', 'refused')).toEqual({ met: false, outcome: 'mixed', logged: null });
    await expectRefusal(
      '"10.0.0.0/8 refused": 10.0.0.0/8 at endpoints would be allowed in part instead of refused',
      'POST',
      '/ip_policy_rules',
      { ip_policy_id: policy, action: 'allow', cidr: '10.1.2.3/32' },
    );
  });
});

describe('a request at the gate', () => {
  let edge: string;
  let route: string;
  let policy: string;
  const asked = { kind: 'gate', address: '203.0.113.7', url: 'https://wiki.example.com/admin' };
  beforeEach(async () => {
    edge = await created('/edges/https', { hostports: ['wiki.example.com:443'] });
    policy = await created('/ip_policies');
    await rule(policy, '198.51.100.0/24');
    route = `/edges/https/${edge}/routes/${await created(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' })}`;
  });
  const open = () => expecting({ ...asked, name: 'wiki', expected: 'allowed', https_edge_id: edge });
  const lost = '"wiki": GET https://wiki.example.com/admin from 203.0.113.7 would be refused instead of allowed';

  test('is protected when its route is deleted, shadowed, or restricted', async () => {
    expect((await open()).state).toEqual(met('allowed'));
    await expectRefusal(lost, 'PUT', `${route}/ip_restriction`, { ip_policy_ids: [policy] });
    await service.rest('DELETE', `${route}/ip_restriction`);
    const shadow = { match_type: 'exact_path', match: '/admin', ip_restriction: { ip_policy_ids: [policy] } };
    await expectRefusal(lost, 'POST', `/edges/https/${edge}/routes`, shadow);
    expect((await service.rest('GET', `/edges/https/${edge}/routes`)).body.routes).toHaveLength(2);
  });

  test('is protected when its edge gets other hosts or is deleted', async () => {
    await open();
    await expectRefusal(lost, 'PATCH', `/edges/https/${edge}`, { hostports: ['other.example.com:443'] });
    await service.rest('PATCH', `/edges/https/${edge}`, { hostports: ['wiki.example.com:443'] });
    await expectRefusal(lost, 'DELETE', route);
    await created(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' });
    const gone = lost.replace('refused instead', 'unknown, because what is asked about does not exist instead');
    await expectRefusal(gone, 'DELETE', `/edges/https/${edge}`);
  });

  test('depends on the login and the groups of the user', async () => {
    const body = {
      enabled: true,
      issuer: 'https://login.example.com',
      client_id: 'wiki',
      client_secret: 'secret',
      authorized_groups: ['ops'],
    };
    expect((await service.rest('PUT', `${route}/oidc`, body)).status).toBe(200);
    const ofOps = { ...asked, method: 'POST', signed_in: true, groups: ['ops'], https_edge_id: edge };
    expect((await expecting({ ...ofOps, name: 'alice', expected: 'allowed' })).state).toEqual(met('allowed'));
    const stranger = { ...asked, https_edge_id: edge, name: 'stranger', expected: 'login' };
    expect((await expecting(stranger)).state).toEqual(met('login'));
    await expectRefusal(
      '"alice": POST https://wiki.example.com/admin from 203.0.113.7 by a user of ops would be refused instead of allowed',
      'PUT',
      `${route}/oidc`,
      { ...body, authorized_groups: ['dev'] },
    );
    await expectRefusal(
      '"stranger": GET https://wiki.example.com/admin from 203.0.113.7 would be allowed instead of asked to log in',
      'DELETE',
      `${route}/oidc`,
    );
  });
});

describe('a connection to a TLS edge', () => {
  test('is protected when the policy of the edge changes', async () => {
    const edge = await created('/edges/tls', { hostports: ['a.example.com:443'] });
    const log = { type: 'log', config: { metadata: {} } };
    const inbound = [{ expressions: ["conn.tls.sni == 'a.example.com'"], actions: [log, { type: 'deny' }] }];
    const put = await service.rest('PUT', `/edges/tls/${edge}/policy`, { inbound });
    expect([put.status, put.body]).toEqual([200, expect.anything()]);
    const expectation = { name: 'sni', kind: 'tls', expected: 'refused', logged: true, address: '198.51.100.2' };
    const made = await expecting({ ...expectation, tls_edge_id: edge, server_name: 'a.example.com' });
    expect(made.state).toEqual(met('refused', true));
    const asked = '"sni": a connection for a.example.com from 198.51.100.2 would be';
    const silent = [{ ...inbound[0], actions: [{ type: 'deny' }] }];
    await expectRefusal(
      `${asked} refused and not logged instead of refused and logged`,
      'PUT',
      `/edges/tls/${edge}/policy`,
      {
        inbound: silent,
      },
    );
    await service.rest('PUT', `/edges/tls/${edge}/policy`, { inbound });
    await expectRefusal(
      `${asked} allowed and not logged instead of refused and logged`,
      'DELETE',
      `/edges/tls/${edge}/policy`,
    );
    const shown = await service.graphql('query ($id: ID!) { tlsEdge(id: $id) { expectations { nodes { name } } } }', {
      id: edge,
    });
    expect(dataOf(shown).tlsEdge.expectations.nodes).toEqual([{ name: 'sni' }]);
  });
});

describe('a host', () => {
  let authority: string;
  beforeEach(async () => {
    authority = await created('/ssh_certificate_authorities', {});
  });

  test('may renew as long as its certificate and its authority are there', async () => {
    const certificate = await created('/ssh_host_certificates', {
      ssh_certificate_authority_id: authority,
      public_key: createProvingHost().publicKey,
      principals: ['db1'],
      valid_after: '2026-09-01T00:00:00Z',
      valid_until: '2027-12-01T00:00:00Z',
    });
    const made = await expecting({ name: 'db1 renews', kind: 'renewal', expected: 'allowed', host_name: 'db1' });
    expect(made.state).toEqual(met('allowed'));
    await expectRefusal(
      '"db1 renews": a renewal for db1 would be refused instead of allowed',
      'DELETE',
      `/ssh_host_certificates/${certificate}`,
    );
  });

  test('that no token allows stays without one, and a host that enrolls and renews is never refused', async () => {
    const body = { name: 'no root', kind: 'enrollment', expected: 'refused', host_name: 'root.example.com' };
    expect((await expecting({ ...body, ssh_certificate_authority_id: authority })).state).toEqual(met('refused'));
    const token = { ssh_certificate_authority_id: authority, principals: ['*'] };
    await expectRefusal(
      '"no root": an enrollment of root.example.com would be allowed instead of refused',
      'POST',
      '/ssh_enrollment_tokens',
      token,
    );
    await created('/ssh_enrollment_tokens', { ...token, principals: ['*.db.example.com'] });
  });
});

describe('an object that decides', () => {
  /** The names of the expectations that each of some objects shows, newest first. */
  const shownBy = async (ids: readonly string[], args = '') => {
    const answer = await service.graphql(
      `query ($ids: [ID!]!) {
        nodes(ids: $ids) { ... on Deciding { expectations${args} { totalCount nodes { name } pageInfo { hasNextPage endCursor } } } }
      }`,
      { ids },
    );
    const { nodes } = dataOf(answer);
    return nodes.map(({ expectations }: { expectations: { nodes: { name: string }[] } }) => expectations);
  };
  const namesAt = async (ids: readonly string[]) =>
    (await shownBy(ids)).map(({ nodes }: { nodes: { name: string }[] }) => nodes.map(({ name }) => name).join());
  const from = { address: '203.0.113.7', expected: 'refused' };

  test('shows the expectations about its traffic, whether it is enforced or not', async () => {
    const [named, other] = [await created('/ip_policies'), await created('/ip_policies')];
    const restriction = (type: string, enforced: boolean, id: string) =>
      created('/ip_restrictions', { type, enforced, ip_policy_ids: [id] });
    const endpoints = await restriction('endpoints', false, named);
    const api = await restriction('api', false, other);
    const edge = await created('/edges/https', { hostports: ['wiki.example.com:443'] });
    await expecting({ ...from, name: 'office', kind: 'ip', traffic_type: 'endpoints' });
    await expecting({ ...from, name: 'gate', kind: 'gate', https_edge_id: edge, url: 'https://wiki.example.com/' });
    // Those of type `api` stand in as long as none is enforced for the dashboard itself.
    await expecting({ ...from, name: 'dashboard', kind: 'ip', traffic_type: 'dashboard' });
    expect(await namesAt([named, other, endpoints, api, edge])).toEqual([
      'gate,office',
      'dashboard',
      'gate,office',
      'dashboard',
      'gate',
    ]);
    const dashboard = await restriction('dashboard', true, named);
    expect(await namesAt([dashboard, api, named])).toEqual(['dashboard', '', 'dashboard,gate,office']);
  });

  test('shows those whose request a route answers, and whose connection an edge takes', async () => {
    const policy = await created('/ip_policies');
    const https = await created('/edges/https', { hostports: ['wiki.example.com:443'] });
    const route = (match: string, ip_restriction?: object) =>
      created(`/edges/https/${https}/routes`, { match_type: 'path_prefix', match, ip_restriction });
    const [root, admin] = [await route('/'), await route('/admin', { ip_policy_ids: [policy] })];
    const tls = await created('/edges/tls', { hostports: ['a.example.com:443'] });
    const restrictIps = { type: 'restrict-ips', config: { enforce: true, ip_policies: [policy] } };
    await service.rest('PUT', `/edges/tls/${tls}/policy`, { inbound: [{ actions: [restrictIps] }] });
    const gate = { ...from, kind: 'gate', https_edge_id: https };
    await expecting({ ...gate, name: 'home', url: 'https://wiki.example.com/' });
    await expecting({ ...gate, name: 'admin', url: 'https://wiki.example.com/admin/x' });
    await expecting({ ...gate, name: 'elsewhere', url: 'https://other.example.com/admin' });
    await expecting({ ...from, name: 'sni', kind: 'tls', tls_edge_id: tls });
    expect(await namesAt([https, root, admin, tls, policy])).toEqual([
      'elsewhere,admin,home',
      'home',
      'admin',
      'sni',
      'sni,admin',
    ]);
    const [first] = await shownBy([https], '(first: 2)');
    expect(first).toMatchObject({ totalCount: 3, nodes: [{ name: 'elsewhere' }, { name: 'admin' }] });
    const [second] = await shownBy([https], `(first: 2, after: "${first.pageInfo.endCursor}")`);
    expect([first.pageInfo.hasNextPage, second.nodes, second.pageInfo.hasNextPage]).toEqual([
      true,
      [{ name: 'home' }],
      false,
    ]);
    const [last] = await shownBy([https], '(last: 1)');
    expect(last.nodes).toEqual([{ name: 'home' }]);
  });

  test('shows those about hosts that it lets enroll or renew', async () => {
    const [one, other] = [await created('/ssh_certificate_authorities'), await created('/ssh_certificate_authorities')];
    const certificate = await created('/ssh_host_certificates', {
      ssh_certificate_authority_id: one,
      public_key: createProvingHost().publicKey,
      principals: ['db1.example.com'],
    });
    const body = { ssh_certificate_authority_id: one, principals: ['*.example.com'] };
    const token = await created('/ssh_enrollment_tokens', body);
    const policy = await created('/ip_policies');
    await created('/ip_restrictions', { type: 'agent', ip_policy_ids: [policy] });
    await expecting({ name: 'renews', kind: 'renewal', expected: 'allowed', host_name: 'db1.example.com' });
    const enrollment = { kind: 'enrollment', expected: 'allowed', host_name: 'db2.example.com' };
    await expecting({ ...enrollment, name: 'by any', address: from.address });
    await expecting({ ...enrollment, name: 'by the other', ssh_certificate_authority_id: other });
    expect(await namesAt([one, other, certificate, token, policy])).toEqual([
      'by any,renews',
      'by the other,by any',
      'renews',
      'by any',
      'by any',
    ]);
  });
});

describe('an expectation', () => {
  test('is checked field by field', async () => {
    const wrong = async (field: string, body: object) => {
      const answer = await service.rest('POST', '/expectations', {
        name: 'x',
        kind: 'ip',
        expected: 'allowed',
        address: '192.0.2.1',
        traffic_type: 'api',
        ...body,
      });
      expect([answer.status, answer.body.details?.field]).toEqual([400, field]);
      return [answer.body.error_code, answer.body.msg];
    };
    expect(await wrong('address', { address: '10.1.0.0/8' })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "address: must start at the lowest address of its range: write 10.0.0.0/8.",
      ]
    `);
    expect(await wrong('traffic_type', { traffic_type: null })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "traffic_type: must be given for the kind ip.",
      ]
    `);
    expect(await wrong('url', { url: 'https://a.example/' })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "url: must not be given for the kind ip, which does not ask for it.",
      ]
    `);
    expect(await wrong('logged', { logged: false })).toEqual([
      'INVALID_INPUT',
      'logged: must not be given for the kind ip, which does not ask for it.',
    ]);
    expect(await wrong('expected', { expected: 'login' })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "expected: can be login only for the kind gate.",
      ]
    `);
    const gate = {
      kind: 'gate',
      traffic_type: null,
      url: 'https://a.example/',
      https_edge_id: 'edghts_01h455vb4pex5vsknk084sn02q',
    };
    expect(await wrong('https_edge_id', gate)).toMatchInlineSnapshot(`
      [
        "UNKNOWN_REFERENCE",
        "https_edge_id: There is no HTTPS edge "edghts_01h455vb4pex5vsknk084sn02q" in this account.",
      ]
    `);
    expect(await wrong('address', { ...gate, address: '10.0.0.0/8' })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "address: must be one address: only the kind ip asks about ranges.",
      ]
    `);
    expect(await wrong('groups', { ...gate, groups: ['ops'] })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "groups: need \`signedIn\`: only users have groups.",
      ]
    `);
    expect(await wrong('url', { ...gate, url: 'a.example' })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "url: must be a URL with scheme, host and path, such as https://app.example.com/admin.",
      ]
    `);
    expect(await wrong('method', { ...gate, method: 'post' })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "method: must be a method in capital letters, such as POST.",
      ]
    `);
    expect(await wrong('name', { name: ' ' })).toMatchInlineSnapshot(`
      [
        "INVALID_INPUT",
        "name: must not be empty: messages name the expectation by it.",
      ]
    `);
  });

  test('that is put back has none of what it was given later', async () => {
    const authority = await created('/ssh_certificate_authorities');
    const { id } = await expecting({
      name: 'db',
      kind: 'enrollment',
      expected: 'refused',
      host_name: 'db.example.com',
    });
    const path = `/expectations/${id}`;
    await service.rest('PATCH', path, { ssh_certificate_authority_id: authority });
    const query = 'query ($id: ID!) { auditEvents(objectId: $id) { nodes { id } } }';
    const [, creation] = dataOf(await service.graphql(query, { id })).auditEvents.nodes;
    const putBack = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }';
    expect((await service.graphql(putBack, { id: creation.id })).errors).toBeUndefined();
    expect((await service.rest('GET', path)).body).toMatchObject({ ssh_certificate_authority_id: null });
  });

  test('loses by null what it can be without, and keeps all else', async () => {
    const authority = await created('/ssh_certificate_authorities');
    const edge = await created('/edges/tls', { hostports: ['a.example.com:443'] });
    const connection = { kind: 'tls', expected: 'allowed', address: '192.0.2.1', server_name: 'a.example.com' };
    const tls = await expecting({ ...connection, name: 'tls', tls_edge_id: edge, logged: true });
    const host = { name: 'db', kind: 'enrollment', expected: 'refused', host_name: 'db.example.com' };
    const enrollment = await expecting({ ...host, ssh_certificate_authority_id: authority });
    const nothing = { address: null, tls_edge_id: null, server_name: null, groups: null, host_name: null };

    const overRest = await service.rest('PATCH', `/expectations/${tls.id}`, { ...nothing, logged: null });
    expect(overRest.body).toMatchObject({ ...connection, tls_edge_id: edge, logged: null, state: { met: true } });
    const mutation = `mutation ($input: UpdateExpectationInput!) {
      updateExpectation(input: $input) { expectation { hostName sshCertificateAuthorityId } }
    }`;
    const input = { id: enrollment.id, hostName: null, sshCertificateAuthorityId: null };
    expect(dataOf(await service.graphql(mutation, { input })).updateExpectation.expectation).toEqual({
      hostName: 'db.example.com',
      sshCertificateAuthorityId: null,
    });
    // What a REST client leaves empty is not given.
    await service.rest('PATCH', `/expectations/${enrollment.id}`, { ssh_certificate_authority_id: authority });
    const empty = await service.rest('PATCH', `/expectations/${enrollment.id}`, { ssh_certificate_authority_id: '' });
    expect(empty.body).toMatchObject({ ssh_certificate_authority_id: authority });
  });

  test('has a name of its own in the account, and can change all but its kind', async () => {
    const body = { name: 'mine', kind: 'ip', expected: 'allowed', address: '192.0.2.1', traffic_type: 'api' };
    const { id } = await expecting(body);
    const again = await service.rest('POST', '/expectations', body);
    expect([again.status, again.body.error_code, again.body.details]).toMatchObject([
      400,
      'DUPLICATE',
      { field: 'name' },
    ]);
    const changed = await service.rest('PATCH', `/expectations/${id}`, { expected: 'refused', address: '192.0.2.2' });
    expect(changed.body).toMatchObject({
      name: 'mine',
      expected: 'refused',
      address: '192.0.2.2',
      state: { met: false },
    });
    expect((await service.rest('PATCH', `/expectations/${id}`, { kind: 'tls' })).status).toBe(400);
    expect((await service.rest('DELETE', `/expectations/${id}`)).status).toBe(204);
  });
});
