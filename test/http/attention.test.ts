// What needs attention: each problem is found, reported with advice, and gone once it has been solved.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import { standingOf } from '../../src/areas/ssh/rules.ts';
import { sshUpkeep } from '../../src/areas/ssh/upkeep.ts';
import type { KeyScope } from '../../src/domain/access/key-scopes.ts';
import { attentionCodes } from '../../src/domain/attention.ts';
import { loadAttentionSources } from '../../src/graphql/kit/attention-query.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { dataOf, errorOf } from '../support/answers.ts';
import { idpMetadata, makeIdpKey } from '../support/identity-provider.ts';
import { makePolicy, makeRestriction } from '../support/ip-rules.ts';
import { configure, makePlace, post } from '../support/login.ts';
import { alter, plant } from '../support/planting.ts';
import {
  type Client,
  createClient,
  ofOneServer,
  repeatableBytes,
  startService,
  startTime,
  type TestService,
} from '../support/service.ts';
import { read } from '../support/source-files.ts';
import { hostKeys } from '../support/ssh.ts';
import { statementsOf } from '../support/statements.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  // Each server knows only the warnings of restrictions that it has counted itself.
  const account = await ofOneServer(shared).asNewAccount();
  service = { ...account, ...createClient(shared.url, account.token) };
});
afterEach(() => {
  expect(shared.failures).toEqual([]);
});
afterAll(() => shared.close());

const hour = 3_600_000;
const day = 24 * hour;
const later = (ms: number) => new Date(startTime.getTime() + ms);
const timestamp = (ms: number) => `${later(ms).toISOString().slice(0, 19)}Z`;

const fields = 'code severity message count at subjectId subjectName subjectKind subject { __typename id }';
const attention = async (client: Client = service, args = '') => {
  const found = dataOf(await client.graphql(`{ attention${args} { ${fields} } }`)).attention;
  for (const { message, subjectName } of found) {
    // The dashboard makes a link of this name.
    expect(message).toContain(subjectName ?? '');
    // Only what has no name is named by its id.
    expect(message.replaceAll(/without description \(\w+\)/g, '')).not.toMatch(/\b[a-z]+_[\da-z]{26}\b/);
  }
  return found.map(({ subjectName: _, ...item }: { subjectName: string | null }) => item);
};
/** Returns what messages call an object without a name. */
const unnamed = (id: string) => `without description (${id})`;
const brief = async (client: Client = service) =>
  (await attention(client)).map((item: Record<string, unknown>) => [
    item.severity,
    item.code,
    item.count,
    item.subjectId,
  ]);

const accountOf = async (client: Client): Promise<string> =>
  dataOf(await client.graphql('{ viewer { account { id } } }')).viewer.account.id;

async function clientWith(...scopes: KeyScope[]): Promise<Client> {
  const scope = shared.storage.actingFor(await accountOf(service), commandLine);
  const { token } = await createApiKey(scope, { scopes }, unlimited);
  return createClient(shared.url, token);
}

describe('API keys', () => {
  test('are named that expire within 14 days, the first one first', async () => {
    const make = async (days: number, description = '') =>
      (await service.rest('POST', '/api_keys', { description, expires_at: timestamp(days * day) })).body.id;
    const [second, first] = [await make(13), await make(0.5, 'old laptop')];
    await make(15);
    expect(await attention()).toEqual([
      {
        code: 'api_key_expires',
        severity: 'critical',
        message: `The API key "old laptop" expires at 2026-11-21T09:00:00Z. Make a new one, and give it to whoever uses this one.`,
        count: 1,
        at: '2026-11-21T09:00:00Z',
        subjectId: first,
        subjectKind: 'ApiKey',
        subject: { __typename: 'ApiKey', id: first },
      },
      {
        code: 'api_key_expires',
        severity: 'warning',
        message: `The API key ${unnamed(second)} expires at 2026-12-03T21:00:00Z. Make a new one, and give it to whoever uses this one.`,
        count: 1,
        at: '2026-12-03T21:00:00Z',
        subjectId: second,
        subjectKind: 'ApiKey',
        subject: { __typename: 'ApiKey', id: second },
      },
    ]);
  });
});

test('keys that have been in use for long are named: API keys of a year without an end, authorities of five years', async () => {
  // Ids never go back, as the clock of the shared service does.
  const own = await startService();
  const { id } = (await own.rest('POST', '/api_keys', { description: 'nightly' })).body;
  await own.rest('POST', '/api_keys', { expires_at: timestamp(3_000 * day) });
  const authority = (await own.rest('POST', '/ssh_certificate_authorities', { description: 'prod' })).body.id;
  own.setTime(later(5 * 365 * day - 1));
  const old = await attention(own);
  expect(old.filter(({ subjectId }: { subjectId: string }) => [id, authority].includes(subjectId))).toEqual([
    {
      code: 'api_key_old',
      severity: 'notice',
      message:
        'The API key "nightly" was made at 2026-11-20T21:00:00Z, and never expires. Make a new one that does, give it to whoever uses ' +
        'this one, and revoke this one.',
      count: 1,
      at: timestamp(365 * day),
      subjectId: id,
      subjectKind: 'ApiKey',
      subject: { __typename: 'ApiKey', id },
    },
  ]);
  own.setTime(later(5 * 365 * day));
  expect(await attention(own)).toContainEqual({
    code: 'ssh_authority_old',
    severity: 'notice',
    message:
      'The key of the certificate authority "prod" was made at 2026-11-20T21:00:00Z. Announce a successor with a new key, and hand over to it.',
    count: 1,
    at: timestamp(5 * 365 * day),
    subjectId: authority,
    subjectKind: 'SshCertificateAuthority',
    subject: { __typename: 'SshCertificateAuthority', id: authority },
  });
  // Once it has a successor, the next step is told.
  const announce = `mutation { announceSshCertificateAuthoritySuccessor(input: { id: "${authority}" }) { __typename } }`;
  dataOf(await own.graphql(announce));
  expect(await attention(own)).not.toContainEqual(expect.objectContaining({ code: 'ssh_authority_old' }));
});

test('how long that is, the operator decides', async () => {
  const keyAges = { apiKeyDays: 30, authorityDays: 60, secretKeyDays: 90 };
  const own = await startService({}, { deciding: { gateAllowSemicolon: false, renewalGraceDays: 7, keyAges } });
  await own.rest('POST', '/ssh_certificate_authorities', {});
  const codes = async (days: number) => {
    own.setTime(later(days * day));
    return (await attention(own)).map(({ code }: { code: string }) => code);
  };
  expect(await codes(29)).toEqual([]);
  expect(await codes(30)).toEqual(['api_key_old']);
  expect(await codes(60)).toEqual(['api_key_old', 'ssh_authority_old']);
});

describe('host certificates', () => {
  const newAuthority = async (): Promise<string> =>
    (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;

  async function certify(ssh_certificate_authority_id: string, from: number, until: number): Promise<string> {
    const { status, body } = await service.rest('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id,
      public_key: hostKeys.ed25519,
      principals: ['a.example.com'],
      valid_after: timestamp(from),
      valid_until: timestamp(until),
    });
    expect(status).toBe(201);
    return body.id;
  }

  test('are counted by authority: those of a day and those of a week, and those that have expired', async () => {
    const [one, other] = [await newAuthority(), await newAuthority()];
    const single = await certify(one, -90 * day, 12 * hour);
    await certify(one, -90 * day, 3 * day);
    await certify(one, -90 * day, 5 * day);
    // With more than a sixth left, and with a year of validity but more than 30 days.
    await certify(one, -90 * day, 20 * day);
    await certify(one, -330 * day, 35 * day);
    const ended = await certify(other, -90 * day, -day);
    expect(await attention()).toEqual([
      {
        code: 'ssh_certificates_expired',
        severity: 'critical',
        message: `The host certificate "a.example.com" of the authority ${unnamed(other)} has expired at 2026-11-19T21:00:00Z: clients do not trust its host any more. Enroll the host again, or delete the certificate if the host is gone.`,
        count: 1,
        at: '2026-11-19T21:00:00Z',
        subjectId: ended,
        subjectKind: 'SshHostCertificate',
        subject: { __typename: 'SshHostCertificate', id: ended },
      },
      {
        code: 'ssh_certificates_expire',
        severity: 'critical',
        message: `The host certificate "a.example.com" of the authority ${unnamed(one)} expires at 2026-11-21T09:00:00Z, and its host is late with the renewal. Renew it; or sign a new one, install it there, and delete this one.`,
        count: 1,
        at: '2026-11-21T09:00:00Z',
        subjectId: single,
        subjectKind: 'SshHostCertificate',
        subject: { __typename: 'SshHostCertificate', id: single },
      },
      {
        code: 'ssh_certificates_expire',
        severity: 'warning',
        message: `2 host certificates of the authority ${unnamed(one)} expire, the first at 2026-11-23T21:00:00Z, and their hosts are late with the renewal. Renew them; or sign new ones, install them there, and delete these.`,
        count: 2,
        at: '2026-11-23T21:00:00Z',
        subjectId: one,
        subjectKind: 'SshCertificateAuthority',
        subject: { __typename: 'SshCertificateAuthority', id: one },
      },
    ]);
  });

  test('are left out that a renewal has replaced, and those whose hosts are not late', async () => {
    const authority = await newAuthority();
    const replaced = [await certify(authority, -90 * day, day), await certify(authority, -90 * day, -day)];
    const scope = shared.storage.actingFor(await accountOf(service), commandLine);
    for (const id of replaced) await alter(scope, 'SshHostCertificate', { id }, { replacedById: 'shcrt_x' });
    // Valid for a day: hosts renew eight hours before the end, and are late from four hours before it.
    await certify(authority, -19 * hour, 5 * hour);
    await certify(authority, -hour, 6 * day);
    expect(await brief()).toEqual([]);
    const late = await certify(authority, -21 * hour, 3 * hour);
    expect(await brief()).toEqual([['critical', 'ssh_certificates_expire', 1, late]]);
  });

  test('are late by the rule of doctor, whatever their validity: compared with it for many', async () => {
    const authority = await newAuthority();
    const scope = shared.storage.actingFor(await accountOf(service), commandLine);
    const now = later(0);
    const randomness = repeatableBytes('certificates');
    const random = (most: number) => (Buffer.from(randomness(4)).readUInt32BE() / 2 ** 32) * most;
    const certificates = Array.from({ length: 600 }, (_, index) => {
      const left = 40 * day * 2 ** -random(12);
      return { place: index, validUntil: later(left), validAfter: later(left - left * (3 + random(6))) };
    });
    const data = certificates.map(({ place, ...times }) => ({
      ...{ id: `shcrt_${place}`, accountId: '', sshCertificateAuthorityId: authority, createdAt: startTime, ...times },
      ...{ publicKey: 'p', keyType: 'ed25519', principals: [], serial: BigInt(place + 1), certificate: 'c' },
    }));
    const gauge = sshUpkeep.gauges?.find(({ name }) => name === 'sallyport_ssh_host_certificates_by_state');
    // Of other accounts.
    const others = await gauge?.count(shared.storage.server, now);
    await plant(scope, 'SshHostCertificate', data);
    const late = certificates.filter((certificate) => standingOf(certificate, now) === 'late');
    const within = (from: number, to: number) =>
      late.filter(({ validUntil }) => {
        const left = validUntil.getTime() - now.getTime();
        return left > from && left <= to;
      });
    const [urgent, thisWeek] = [within(0, day), within(day, 7 * day)];
    expect(await brief()).toEqual([
      ['critical', 'ssh_certificates_expire', urgent.length, authority],
      ['warning', 'ssh_certificates_expire', thisWeek.length, authority],
      ['warning', 'ssh_certificates_expire', late.length - urgent.length - thisWeek.length, authority],
    ]);
    expect(urgent.length).toBeGreaterThan(100);
    // The metric counts the same, in the database.
    const counts = await gauge?.count(shared.storage.server, now);
    expect(counts?.map(({ labels, count }, index) => [labels.state, count - (others?.[index]?.count ?? 0)])).toEqual([
      ['on_time', certificates.length - late.length],
      ['late', late.length],
      ['ended', 0],
    ]);
  });

  test('of authorities that are replaced: each next step is named once it can be taken', async () => {
    const old = await newAuthority();
    const step = (name: string) =>
      service.graphql(`mutation { ${name}(input: { id: "${old}" }) { sshCertificateAuthority { id } } }`);
    const certificate = await certify(old, 0, day * 30);
    await step('announceSshCertificateAuthoritySuccessor');
    expect(await brief()).toEqual([['notice', 'ssh_authority_hand_over', 1, old]]);
    await step('handOverSshCertificateAuthority');
    expect(await brief()).toEqual([]);
    await service.rest('DELETE', `/ssh_host_certificates/${certificate}`);
    expect(await brief()).toEqual([['notice', 'ssh_authority_retire', 1, old]]);
    await step('retireSshCertificateAuthority');
    expect(await brief()).toEqual([]);
  });
});

test('of IP policies, all rules count that end within a day or have ended, however many', async () => {
  const [ending, ended] = [await makePolicy(service, []), await makePolicy(service, [])];
  const adding = `mutation ($input: CreateIpPolicyRulesInput!) { createIpPolicyRules(input: $input) { ipPolicyRules { id } } }`;
  for (const [ipPolicyId, days] of [
    [ended, 0.25],
    [ending, 1],
  ] as const) {
    const rules = Array.from({ length: 150 }, (_, at) => {
      return { cidr: `10.0.${at}.0/24`, action: 'allow', expiresAt: timestamp(days * day) };
    });
    dataOf(await service.graphql(adding, { input: { ipPolicyId, rules } }));
  }
  const restriction = { type: 'endpoints', enforced: true, ip_policy_ids: [ended] };
  const { id } = (await service.rest('POST', '/ip_restrictions', restriction)).body;
  service.setTime(new Date(startTime.getTime() + 0.5 * day));
  const found = await attention();
  expect(found).toMatchObject([
    { code: 'ip_restriction_admits_nobody', subjectId: id },
    { code: 'ip_policy_rules_end', subjectId: ending, count: 150 },
  ]);
  expect(found[1].message).toContain('10.0.0.0/24, 10.0.1.0/24, 10.0.2.0/24 and 147 more.');
});

test('IP policies are named whose rules end within a day', async () => {
  const policy = await makePolicy(service, []);
  await service.rest('PATCH', `/ip_policies/${policy}`, { description: 'visitors' });
  const add = async (cidr: string, days: number) => {
    const rule = { ip_policy_id: policy, cidr, action: 'allow', expires_at: timestamp(days * day) };
    expect((await service.rest('POST', '/ip_policy_rules', rule)).status).toBe(201);
  };
  await add('10.0.0.0/8', 1);
  await add('11.0.0.0/8', 0.5);
  await add('12.0.0.0/8', 2);
  expect(await attention()).toMatchObject([
    {
      code: 'ip_policy_rules_end',
      severity: 'warning',
      message:
        '2 rules of the IP policy "visitors" end within a day, the first at 2026-11-21T09:00:00Z: 11.0.0.0/8, 10.0.0.0/8. ' +
        'Give them later ends if they should count for longer.',
      count: 2,
      at: '2026-11-21T09:00:00Z',
      subjectId: policy,
    },
  ]);
});

describe('IP restrictions', () => {
  test('are named that let nobody pass, and refer to deleted or empty policies', async () => {
    const [full, empty, gone] = [
      await makePolicy(service, ['allow 0.0.0.0/0']),
      await makePolicy(service, []),
      await makePolicy(service, ['allow 0.0.0.0/0']),
    ];
    await service.rest('PATCH', `/ip_policies/${gone}`, { description: 'old office' });
    const nobody = await makeRestriction(service, [empty, gone]);
    const warns = await makeRestriction(service, [gone], { enforced: false });
    const some = await makeRestriction(service, [full, empty, gone]);
    await service.rest('DELETE', `/ip_policies/${gone}`);
    expect(await attention()).toEqual([
      {
        code: 'ip_restriction_admits_nobody',
        severity: 'critical',
        message: `All policies of the IP restriction ${unnamed(nobody)} are empty or deleted, or their rules have ended: it is enforced, so that it refuses everybody (type endpoints). Give a policy rules, give the restriction other policies, or delete it.`,
        count: 1,
        at: null,
        subjectId: nobody,
        subjectKind: 'IpRestriction',
        subject: { __typename: 'IpRestriction', id: nobody },
      },
      {
        code: 'ip_restriction_admits_nobody',
        severity: 'warning',
        message: `All policies of the IP restriction ${unnamed(warns)} are empty or deleted, or their rules have ended: once it is enforced, it would refuse everybody (type endpoints). Give a policy rules, give the restriction other policies, or delete it.`,
        count: 1,
        at: null,
        subjectId: warns,
        subjectKind: 'IpRestriction',
        subject: { __typename: 'IpRestriction', id: warns },
      },
      {
        code: 'ip_policy_deleted',
        severity: 'warning',
        message: `The IP restriction ${unnamed(some)} refers to a deleted policy, which counts as empty: "old office". Take it out of its list, or restore it from the audit trail.`,
        count: 1,
        at: null,
        subjectId: some,
        subjectKind: 'IpRestriction',
        subject: { __typename: 'IpRestriction', id: some },
      },
      {
        code: 'ip_policy_empty',
        severity: 'warning',
        message: `The IP policy ${unnamed(empty)} has no rules, or all have ended, and an IP restriction refers to it. Give it rules, or take it out of the restriction.`,
        count: 1,
        at: null,
        subjectId: empty,
        subjectKind: 'IpPolicy',
        subject: { __typename: 'IpPolicy', id: empty },
      },
    ]);
  });

  test('name a policy that was deleted again and again as it was called last, and read only its last deletion', async () => {
    const [gone, full] = [await makePolicy(service, []), await makePolicy(service, ['allow 0.0.0.0/0'])];
    await makeRestriction(service, [full, gone]);
    const deleteAs = async (description: string) => {
      await service.rest('PATCH', `/ip_policies/${gone}`, { description });
      await service.rest('DELETE', `/ip_policies/${gone}`);
    };
    await deleteAs('old office');
    const lastDeletion = `{ auditEvents(objectId: "${gone}", action: delete, first: 1) { nodes { id } } }`;
    const [{ id: eventId }] = dataOf(await service.graphql(lastDeletion)).auditEvents.nodes;
    const restore = 'mutation ($eventId: ID!) { restoreObject(input: { eventId: $eventId }) { event { id } } }';
    dataOf(await service.graphql(restore, { eventId }));
    await deleteAs('older office');
    const statements = await statementsOf(service, async () => {
      expect(await attention()).toMatchObject([
        { code: 'ip_policy_deleted', message: expect.stringContaining('"older office"') },
      ]);
    });
    const ofNames = statements.filter((sql) => /"?state"?.* FROM .*AuditEvent.*'delete'/.test(sql));
    // On PostgreSQL, the number is a value.
    expect(ofNames.map((sql) => / LIMIT '?1\b/.test(sql))).toEqual([true]);
  });

  test('count a policy as empty whose rules have ended, before upkeep deletes them', async () => {
    const policy = await makePolicy(service, []);
    const rule = { ip_policy_id: policy, cidr: '10.0.0.0/8', action: 'allow', expires_at: timestamp(2 * day) };
    expect((await service.rest('POST', '/ip_policy_rules', rule)).status).toBe(201);
    const restriction = await makeRestriction(service, [policy]);
    expect(await brief()).toEqual([]);
    shared.setTime(new Date(startTime.getTime() + 2 * day));
    expect(await brief()).toEqual([['critical', 'ip_restriction_admits_nobody', 1, restriction]]);
  });

  test('are named however many older ones of another type there are', async () => {
    const policy = await makePolicy(service, ['allow 0.0.0.0/0']);
    const scope = shared.storage.actingFor(await accountOf(service), commandLine);
    const restriction = { accountId: '', type: 'agent', enforced: true, createdAt: startTime };
    for (let thousand = 0; thousand < 3; thousand += 1) {
      // Lower than the ids of restrictions made now.
      const ids = Array.from({ length: 1_000 }, (_, index) => `ipx_00${thousand}${String(index).padStart(3, '0')}`);
      await plant(
        scope,
        'IpRestriction',
        ids.map((id) => ({ ...restriction, id })),
      );
      const refs = ids.map((id) => ({ accountId: '', ipRestrictionId: id, position: 0, ipPolicyId: policy }));
      await plant(scope, 'IpRestrictionPolicy', refs);
    }
    const nobody = await makeRestriction(service, [await makePolicy(service, [])]);
    expect(await brief()).toEqual([['critical', 'ip_restriction_admits_nobody', 1, nobody]]);
  });

  test('are named that would have refused requests within the hour, with how many and the last time', async () => {
    const policy = await makePolicy(service, ['allow 192.0.2.0/24']);
    const restriction = await makeRestriction(service, [policy], { type: 'api', enforced: false });
    const ask = `{ ipRestriction(id: "${restriction}") { warnings { count lastAt } } }`;
    shared.setTime(later(60_000));
    for (let count = 0; count < 3; count += 1) await service.rest('GET', '/ip_policies');
    shared.setTime(later(120_000));
    await expect
      .poll(async () => (await brief()).at(0))
      .toEqual(['warning', 'ip_restriction_would_refuse', expect.any(Number), restriction]);
    const [{ message, at, count }] = await attention();
    expect(count).toBeGreaterThanOrEqual(4);
    expect(at).toBe(timestamp(120_000));
    expect(message).toBe(
      `The IP restriction ${unnamed(restriction)} is not enforced, and would have refused ${count} requests within the last hour. Before you enforce it, see whose they were and allow their addresses.`,
    );
    const { warnings } = dataOf(await service.graphql(ask)).ipRestriction;
    expect(warnings.count).toBeGreaterThan(count);
    expect(warnings.lastAt).toBe(timestamp(120_000));
  });
});

test('TLS edges are named whose traffic policies name empty or deleted IP policies', async () => {
  const [full, empty, gone] = [
    await makePolicy(service, ['allow 10.0.0.0/8']),
    await makePolicy(service, []),
    await makePolicy(service, ['allow 10.0.0.0/8']),
  ];
  const makeEdge = async (ip_policies: string[], enabled = true): Promise<string> => {
    const { id } = (await service.rest('POST', '/edges/tls', { hostports: ['www.example.com:443'] })).body;
    const inbound = [{ actions: [{ type: 'restrict-ips', config: { ip_policies } }] }];
    expect((await service.rest('PUT', `/edges/tls/${id}/policy`, { enabled, inbound })).status).toBe(200);
    return id;
  };
  const edge = await makeEdge([full, empty, gone]);
  await makeEdge([full]);
  await makeEdge([empty], false);
  await service.rest('DELETE', `/ip_policies/${gone}`);
  expect(await attention()).toEqual([
    {
      code: 'tls_edge_ip_policy_empty',
      severity: 'warning',
      message: `The traffic policy of the TLS edge "www.example.com:443" names 2 IP policies without rules: ${unnamed(empty)}, ${unnamed(gone)}. Give them rules, restore what was deleted, or change the traffic policy.`,
      count: 2,
      at: null,
      subjectId: edge,
      subjectKind: 'TlsEdge',
      subject: { __typename: 'TlsEdge', id: edge },
    },
  ]);
});

test('TLS edges are named whose traffic policies have expressions that are never true', async () => {
  const makeEdge = async (expressions: string[], enabled = true): Promise<string> => {
    const { id } = (await service.rest('POST', '/edges/tls', { hostports: ['db.example.com:5432'] })).body;
    const inbound = [{ actions: [{ type: 'deny' }] }, { expressions, actions: [{ type: 'deny' }] }];
    expect((await service.rest('PUT', `/edges/tls/${id}/policy`, { enabled, inbound })).status).toBe(200);
    return id;
  };
  const edge = await makeEdge(['true', "ja4 == 't13d'", 'geo.country']);
  await makeEdge(["conn.geo.country_code == 'AQ'"]);
  await makeEdge(['ja4'], false);
  expect(await attention()).toEqual([
    {
      code: 'tls_edge_expression_never_true',
      severity: 'warning',
      message:
        'The traffic policy of the TLS edge "db.example.com:5432" has 2 expressions that are never true here, so that what depends on them is not enforced: inbound[1].expressions[1] cannot be evaluated. Unknown variable: ja4, at position 0. Change the traffic policy.',
      count: 2,
      at: null,
      subjectId: edge,
      subjectKind: 'TlsEdge',
      subject: { __typename: 'TlsEdge', id: edge },
    },
  ]);
});

test('a TLS edge is named for the expressions that were looked at, however many more it has', async () => {
  const many = { expressions: Array.from({ length: 50 }, () => 'true'), actions: [{ type: 'deny' }] };
  const inbound = [{ ...many, expressions: ['ja4'] }, ...Array.from({ length: 80 }, () => many)];
  const { id } = (await service.rest('POST', '/edges/tls', {})).body;
  expect((await service.rest('PUT', `/edges/tls/${id}/policy`, { inbound })).status).toBe(200);
  expect(await attention()).toMatchObject([{ code: 'tls_edge_expression_never_true', count: 1, subjectId: id }]);
});

describe('logins and requests', () => {
  test('are counted that were refused: logins of an hour by route, requests of a day by key', async () => {
    const place = await makePlace(service);
    for (let count = 0; count < 2; count += 1) {
      const answer = await post(service, place, 'nonsense');
      expect(answer.status).toBe(403);
    }
    const client = await clientWith('ip-policies:read');
    expect((await client.rest('GET', '/ip_restrictions')).status).toBe(403);
    await shared.storage.refusals.settled();
    const key = dataOf(await client.graphql('{ viewer { apiKey { id } } }')).viewer.apiKey.id;
    expect(await attention()).toEqual([
      {
        code: 'logins_fail',
        severity: 'warning',
        message: `2 logins of users failed at the route "/app" within the last hour. The last had the reason "malformed". The audit trail has each of them, and the documentation what the reasons mean.`,
        count: 2,
        at: '2026-11-20T21:00:00Z',
        subjectId: place.routeId,
        subjectKind: 'HttpsEdgeRoute',
        subject: { __typename: 'HttpsEdgeRoute', id: place.routeId },
      },
      {
        code: 'requests_refused',
        severity: 'notice',
        message: `1 request by the API key ${unnamed(key)} was refused within the last 24 hours: FORBIDDEN. See in the audit trail what was asked for, and from where.`,
        count: 1,
        at: '2026-11-20T21:00:00Z',
        subjectId: key,
        subjectKind: 'ApiKey',
        subject: { __typename: 'ApiKey', id: key },
      },
    ]);
    shared.setTime(later(hour + 1));
    expect(await brief()).toEqual([['notice', 'requests_refused', 1, key]]);
    shared.setTime(later(day + 1));
    expect(await brief()).toEqual([]);
  });
});

describe('SAML', () => {
  const key = makeIdpKey();

  test('metadata and certificates are named that expire, once for all routes of an identity provider', async () => {
    const idp_metadata = idpMetadata([key], ` validUntil="${timestamp(10 * day)}"`);
    const places = [await makePlace(service, { idp_metadata }), await makePlace(service, { idp_metadata }, '/other')];
    await makePlace(service, { idp_metadata, enabled: false }, '/off');
    const of = 'the identity provider https://idp.example.com/metadata';
    const remedy = `This concerns 2 routes: "/app", "/other". Get its new metadata, and give it to the routes.`;
    expect(await attention()).toEqual([
      {
        code: 'saml_metadata_expires',
        severity: 'warning',
        message: `The metadata of ${of} expires at ${timestamp(10 * day)}; then nobody can log in. ${remedy}`,
        count: 2,
        at: timestamp(10 * day),
        subjectId: null,
        subjectKind: null,
        subject: null,
      },
    ]);
    shared.setTime(later(10 * day));
    expect(await brief()).toEqual([['critical', 'saml_metadata_expired', 2, null]]);
    for (const place of places) await configure(service, place, { idp_metadata: idpMetadata([]) });
    expect(await brief()).toEqual([['critical', 'saml_login_prevented', 2, null]]);
    for (const place of places) await configure(service, place, {});
    expect(await brief()).toEqual([]);
  });

  const years5 = 5 * 365 * day;
  const ofRoutes = async () =>
    (await brief()).filter(([, code]: string[]) => code === 'saml_request_certificate_expires');

  test('the certificate of a route itself is named before it expires, after five years', async () => {
    const { routeId } = await makePlace(service);
    shared.setTime(later(years5 - 91 * day));
    expect(await ofRoutes()).toEqual([]);
    shared.setTime(later(years5 - 89 * day));
    expect(await ofRoutes()).toEqual([['warning', 'saml_request_certificate_expires', 1, routeId]]);
  });

  test('the certificate of a route is named, however many older routes have a new one', async () => {
    const { edgeId, routeId } = await makePlace(service);
    shared.setTime(later(365 * day));
    const renewed = await makePlace(service);
    const scope = shared.storage.actingFor(await accountOf(service), commandLine);
    const module = await scope.db.samlModule.findUniqueOrThrow({ where: { routeId: renewed.routeId } });
    // Lower than the ids of routes created now.
    const ids = Array.from({ length: 250 }, (_, index) => `edghtsrt_00${String(index).padStart(3, '0')}`);
    const route = { accountId: '', edgeId, matchType: 'path_prefix', createdAt: startTime };
    await plant(
      scope,
      'HttpsEdgeRoute',
      ids.map((id) => ({ ...route, id, match: `/${id}` })),
    );
    const json = { identityProvider: module.identityProvider ?? {}, authorizedGroups: [] };
    await plant(
      scope,
      'SamlModule',
      ids.map((id) => ({ ...module, ...json, routeId: id })),
    );
    shared.setTime(later(years5 - 89 * day));
    expect(await ofRoutes()).toEqual([['warning', 'saml_request_certificate_expires', 1, routeId]]);
  });
});

test('the page about dashboards names every code with the scopes that it needs, and its queries can be asked', async () => {
  const page = read('docs/dashboard.md');
  const rows = [...page.matchAll(/^\| `(\w+)` \|.*\| ([^|]*) \|$/gm)].map(([, code, scopes = '']) => [
    code,
    // What several areas find is told to whoever may read one of them.
    scopes.split(' or ').map((some) => [...some.matchAll(/`([\w:-]+)`/g)].map(([, scope]) => scope).join()),
  ]);
  expect(rows.map(([code]) => code)).toEqual(Object.keys(attentionCodes));
  const needed = new Set((await loadAttentionSources()).map(({ needs }) => needs.join()));
  expect(new Set(rows.flatMap(([, scopes]) => scopes))).toEqual(needed);
  const queryOf = (name: string) =>
    new RegExp(`^\`\`\`graphql\\n(query ${name} .*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';
  await service.rest('POST', '/api_keys', { expires_at: timestamp(day), description: 'laptop' });
  const data = dataOf(await service.graphql(queryOf('Overview')));
  expect(data.attention).toMatchObject([{ code: 'api_key_expires', subject: { description: 'laptop' } }]);
  expect(dataOf(await service.graphql(queryOf('Counts'))).apiKeys).toEqual({ totalCount: 2 });
  expect([data.activity.length, data.service.healthy]).toEqual([60, true]);
});

test('a key is told of what it may read, and nothing else', async () => {
  await makeRestriction(service, [await makePolicy(service, [])]);
  await service.rest('POST', '/api_keys', { expires_at: timestamp(day) });
  expect(await brief()).toHaveLength(2);
  const codes = async (...scopes: KeyScope[]) =>
    (await brief(await clientWith(...scopes))).map(([, code]: string[]) => code);
  expect(await codes('ip-restrictions:read')).toEqual([]);
  expect(await codes('ip-restrictions:read', 'ip-policies:read')).toEqual(['ip_restriction_admits_nobody']);
  expect(await codes('api-keys:read')).toEqual(['api_key_expires']);
  expect(await codes('read')).toEqual(['ip_restriction_admits_nobody', 'api_key_expires']);
  expect(await codes('gate')).toEqual([]);
  expect(await brief(await shared.otherAccount('stranger'))).toEqual([]);
});

test('a subject is null that is gone, or that the key may not read', async () => {
  const client = await clientWith('ip-policies:read');
  await client.rest('GET', '/ip_restrictions');
  await shared.storage.refusals.settled();
  const key = dataOf(await client.graphql('{ viewer { apiKey { id } } }')).viewer.apiKey.id;
  const reader = await clientWith('audit-events:read');
  expect(await attention(reader)).toMatchObject([{ subjectId: key, subjectKind: 'ApiKey', subject: null }]);
  expect(await attention()).toMatchObject([{ subjectId: key, subject: { id: key } }]);
  await service.rest('DELETE', `/api_keys/${key}`);
  expect(await attention()).toMatchObject([{ subjectId: key, subjectKind: 'ApiKey', subject: null }]);
});

test('no more are given than are asked for, the most urgent first', async () => {
  for (const days of [3, 1, 2]) await service.rest('POST', '/api_keys', { expires_at: timestamp(days * day) });
  expect((await attention(service, '(first: 2)')).map(({ at }: { at: string }) => at)).toEqual([
    timestamp(day),
    timestamp(2 * day),
  ]);
  for (const first of [0, -1, 101]) {
    expect(errorOf(await service.graphql(`{ attention(first: ${first}) { code } }`))).toMatchObject({
      code: 'INVALID_INPUT',
      field: 'first',
    });
  }
});

test('doors that let nobody in, or everybody without a login, and those whose module is disabled', async () => {
  const [open, empty] = [await makePolicy(service, ['allow 0.0.0.0/0']), await makePolicy(service, [])];
  const { id: edge } = (await service.rest('POST', '/edges/https', {})).body;
  const routes = `/edges/https/${edge}/routes`;
  const routeWith = async (match: string, module: object) => {
    const { id } = (await service.rest('POST', routes, { match_type: 'path_prefix', match })).body;
    await service.rest('PUT', `${routes}/${id}/ip_restriction`, module);
    return id;
  };
  await routeWith('/open', { ip_policy_ids: [open] });
  const free = await routeWith('/free', { mode: 'suffice', ip_policy_ids: [open] });
  const off = await routeWith('/off', { enabled: false, ip_policy_ids: [empty] });
  const login = await routeWith('/login', { mode: 'suffice', ip_policy_ids: [empty] });
  const { id: tls } = (await service.rest('POST', '/edges/tls', { hostports: ['db.example.com:5432'] })).body;
  await service.rest('PUT', `/edges/tls/${tls}/ip_restriction`, { ip_policy_ids: [empty] });
  const found = dataOf(await service.graphql('{ attention { code severity subjectId subjectName } }')).attention;
  expect(found).toEqual([
    {
      code: 'ip_restriction_module_admits_nobody',
      severity: 'critical',
      subjectId: tls,
      subjectName: '"db.example.com:5432"',
    },
    { code: 'ip_restriction_module_admits_nobody', severity: 'warning', subjectId: login, subjectName: '"/login"' },
    { code: 'ip_restriction_module_admits_everybody', severity: 'warning', subjectId: free, subjectName: '"/free"' },
    { code: 'ip_restriction_module_disabled', severity: 'notice', subjectId: off, subjectName: '"/off"' },
  ]);
});

test('what has the same reason is one group: ten thousand keys are counted, and a hundred of them described', async () => {
  const scope = shared.storage.actingFor(await accountOf(service), commandLine);
  const key = { accountId: '', createdAt: startTime, expiresAt: later(3 * day) };
  const ids = Array.from({ length: 10_000 }, (_, index) => `ak_00${String(index).padStart(5, '0')}`);
  for (let from = 0; from < ids.length; from += 1_000) {
    const data = ids.slice(from, from + 1_000).map((id) => ({ ...key, id, tokenHash: id }));
    await plant(scope, 'ApiKey', data);
  }
  await service.rest('POST', '/api_keys', { expires_at: timestamp(day), description: 'laptop' });
  const restriction = await makeRestriction(service, [await makePolicy(service, [])]);
  const groupsOf = async (first: number) =>
    dataOf(
      await service.graphql(
        `{ attentionGroups { code severity count at items(first: ${first}) { count subjectId message } } }`,
      ),
    ).attentionGroups;
  expect(await groupsOf(1)).toEqual([
    {
      code: 'ip_restriction_admits_nobody',
      severity: 'critical',
      count: 1,
      at: null,
      items: [{ count: 1, subjectId: restriction, message: expect.any(String) }],
    },
    {
      code: 'api_key_expires',
      severity: 'critical',
      count: 10_001,
      at: timestamp(day),
      items: [{ count: 1, subjectId: expect.any(String), message: expect.stringContaining('"laptop"') }],
    },
  ]);
  const [, { items }] = await groupsOf(100);
  expect(items.map(({ count }: { count: number }) => count)).toEqual(Array.from({ length: 100 }, () => 1));
  const listed = await attention(service, '(first: 100)');
  expect([listed.length, listed.at(-1)]).toMatchObject([100, { code: 'api_key_expires', count: 1 }]);
  expect(errorOf(await service.graphql('{ attentionGroups { items(first: 0) { code } } }'))).toMatchObject({
    code: 'INVALID_INPUT',
    field: 'first',
  });
});
