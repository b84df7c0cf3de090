// Documents are applied as a whole or not at all, once, and only as they were planned.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { partsOf } from '../../../src/areas/configuration/parts-schema.ts';
import { dataOf } from '../../support/answers.ts';
import { send } from '../../support/send.ts';
import {
  accountOf,
  createClient,
  ofOneServer,
  startBeside,
  startService,
  type TestService,
} from '../../support/service.ts';
import { apply, applyMutation, applyRefusalOf, exported, plan, refusalOf, shortly } from './documents.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
});

const rules = (...cidrs: string[]) => cidrs.map((cidr) => ({ cidr, action: 'allow' }));

/** Everything that a document of the tests has, with versions. */
async function standing() {
  const { data } = await service.graphql(
    `{ ipPolicies { nodes { description version rules { nodes { cidr version } } } }
       tlsEdges { nodes { hostports version ipRestriction { ipPolicyRefs { id } } backend { backendRef { id } } } }
       tunnelGroupBackends { nodes { targets version } } auditEvents(first: 100) { nodes { id } } }`,
  );
  return data;
}

const several = {
  ipPolicies: {
    office: { description: 'the office', rules: rules('203.0.113.0/24', '198.51.100.0/24') },
    guests: { description: 'guests', rules: rules('192.0.2.0/24') },
  },
  tunnelGroupBackends: { mail: { targets: ['10.0.0.5:993'] } },
  tlsEdges: {
    mail: {
      hostports: ['mail.example.com:993'],
      ipRestriction: { ipPolicyIds: ['office', 'guests'] },
      backend: { backendId: 'mail' },
    },
  },
};

describe('is stored whatever refers to what', () => {
  const hostports = (name: string) => [`${name}.example.com:993`];
  const ipPolicies = { office: {}, guests: {} };
  const restricted = (name: string, ...ipPolicyIds: string[]) => ({
    hostports: hostports(name),
    ipRestriction: { ipPolicyIds },
  });

  test.each<[what: string, before: object, after: object]>([
    [
      'a module that one edge gets, beside the policies that another one has in its own',
      { ipPolicies, tlsEdges: { a: restricted('a', 'office'), b: { hostports: hostports('b') } } },
      { ipPolicies, tlsEdges: { a: restricted('a', 'guests'), b: restricted('b', 'office') } },
    ],
    [
      'a backend that goes, in the place of which an edge gets another, with a route that goes with its own edge',
      {
        tunnelGroupBackends: { a: { targets: ['10.0.0.1:80'] } },
        httpsEdges: {
          shop: {
            hostports: ['shop.example.com:443'],
            routes: { all: { matchType: 'path_prefix', match: '/', backend: { backendId: 'a' } } },
          },
          wiki: {
            hostports: ['wiki.example.com:443'],
            routes: { all: { matchType: 'path_prefix', match: '/', backend: { backendId: 'a' } } },
          },
        },
      },
      {
        tunnelGroupBackends: { b: { targets: ['10.0.0.2:80'] } },
        httpsEdges: {
          wiki: {
            hostports: ['wiki.example.com:443'],
            description: 'the wiki',
            routes: {
              all: { matchType: 'path_prefix', match: '/', description: 'all of it', backend: { backendId: 'b' } },
              admin: { matchType: 'path_prefix', match: '/admin', backend: { backendId: 'b' } },
            },
          },
        },
      },
    ],
  ])('%s', async (_, before, after) => {
    await apply(service, before);
    await apply(service, after, { prune: true });
    expect((await plan(service, after, { prune: true })).changes).toEqual([]);
  });
});

describe('all or nothing', () => {
  test('what names something that is nowhere fails with that, also if a part of it was done', async () => {
    const routes = {
      r: { matchType: 'path_prefix', match: '/', saml: { loginRouteId: `edghtsrt_${'0'.repeat(26)}` } },
    };
    const document = { httpsEdges: { e: { hostports: ['z.example.com:443'], routes } } };
    expect(await refusalOf(service, document)).toMatchObject({
      code: 'UNKNOWN_REFERENCE',
      field: 'httpsEdges.e.routes.r.saml.loginRouteId',
    });
  });

  test('more objects than are stored together are refused with the number, before anything is done', async () => {
    const before = await standing();
    const ofPolicy = (policy: number) =>
      Array.from({ length: 1_000 }, (_, rule) => `10.${policy}.${rule >> 8}.${rule & 255}/32`);
    const ipPolicies = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`p${at}`, { rules: rules(...ofPolicy(at)) }]),
    );
    expect(await refusalOf(service, partsOf({ ipPolicies }))).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      message:
        'The document describes more than 10000 objects, the most that are stored together. Divide it into several documents, each with a name of its own.',
    });
    expect(await standing()).toEqual(before);
  });

  test('what fails at its end changes nothing', async () => {
    await apply(service, several);
    const before = await standing();
    const documents = [
      {
        tunnelGroupBackends: { other: {} },
        httpsEdges: {
          wiki: {
            routes: {
              a: { matchType: 'path_prefix', match: '/' },
              b: { matchType: 'path_prefix', match: '/' },
            },
          },
        },
      },
      { ...several, tlsEdges: { mail: { hostports: ['mail.example.com:993'], backend: { backendId: 'none' } } } },
      { ...several, ipPolicies: { office: { rules: [...rules('203.0.113.0/24'), ...rules('203.0.113.0/24')] } } },
      { ...several, ipPolicies: { office: { description: 'x'.repeat(300) } } },
      { ipRestrictions: { api: { type: 'api', enforced: true, ipPolicyIds: ['gone'] } } },
    ];
    const codes: unknown[] = [];
    for (const document of documents) {
      const { code, field } = await refusalOf(service, document, { prune: true });
      codes.push([code, field]);
    }
    expect(codes).toEqual([
      ['DUPLICATE', 'httpsEdges.wiki.routes.b.match'],
      ['UNKNOWN_REFERENCE', 'tlsEdges.mail.backend.backendId'],
      ['INVALID_INPUT', 'ipPolicies.office.rules[1].cidr'],
      ['INVALID_INPUT', 'ipPolicies.office.description'],
      ['UNKNOWN_REFERENCE', 'ipRestrictions.api.ipPolicyIds[0]'],
    ]);
    expect(await standing()).toEqual(before);
  });

  test('creates, changes and deletions of many kinds are one change in the trail', async () => {
    await apply(service, several);
    const { nodes } = dataOf(
      await service.graphql('{ auditEvents(first: 100) { nodes { kind action requestId } } }'),
    ).auditEvents;
    const [{ requestId }] = nodes;
    const made = nodes.filter((event: { requestId: string }) => event.requestId === requestId);
    expect(made.map(({ action, kind }: { action: string; kind: string }) => `${action} ${kind}`).sort()).toEqual([
      'create IpPolicy',
      'create IpPolicy',
      'create IpPolicyRule',
      'create IpPolicyRule',
      'create IpPolicyRule',
      'create TlsEdge',
      'create TunnelGroupBackend',
    ]);
    const next = {
      ipPolicies: {
        office: { description: 'changed', rules: rules('198.51.100.0/24', '198.51.101.0/24') },
        branch: { rules: rules('192.0.2.0/24') },
      },
      tlsEdges: { mail: { hostports: ['mail.example.org:993'], ipRestriction: { ipPolicyIds: ['branch'] } } },
    };
    const { plan: done } = await apply(service, next, { prune: true });
    expect(shortly(done).sort()).toEqual([
      'create IpPolicy branch',
      'delete IpPolicy guests',
      'delete TunnelGroupBackend mail',
      'update IpPolicy office',
      'update TlsEdge mail',
    ]);
    expect((await plan(service, next, { prune: true })).changes).toEqual([]);
    expect((await exported(service)).document).toEqual(next);
  });
});

describe('something else changes meanwhile', () => {
  test('a plan that was agreed to is outdated by any change of what it changes, and of the document', async () => {
    const { digest } = await plan(service, several);
    const other = { ...several, tunnelGroupBackends: { mail: { targets: ['10.0.0.6:993'] } } };
    expect(await applyRefusalOf(service, other, { digest })).toMatchObject({ code: 'PLAN_OUTDATED' });
    await apply(service, several, { digest });
    expect(await applyRefusalOf(service, several, { digest })).toMatchObject({ code: 'PLAN_OUTDATED' });
    const changed = { ...several, tunnelGroupBackends: { mail: { targets: ['10.0.0.7:993'] } } };
    const planned = await plan(service, changed);
    const { nodes } = dataOf(await service.graphql('{ tunnelGroupBackends { nodes { id } } }')).tunnelGroupBackends;
    const path = `/backends/tunnel_group/${nodes[0].id}`;
    expect((await service.rest('PATCH', path, { metadata: 'by hand' })).status).toBe(200);
    expect(await applyRefusalOf(service, changed, { digest: planned.digest })).toMatchObject({ code: 'PLAN_OUTDATED' });
  });

  test('documents and single changes at the same time on two servers are each carried out as a whole', async () => {
    const beside = await startBeside(shared);
    const other = createClient(beside.url, service.token);
    const documents = Array.from({ length: 6 }, (_none, index) => ({
      document: `team-${index % 3}`,
      ipPolicies: Object.fromEntries(
        Array.from({ length: 10 }, (_, at) => [
          `p${at}`,
          { description: `${index}`, rules: rules(`10.${index}.${at}.0/24`) },
        ]),
      ),
    }));
    const answers = await Promise.all([
      ...documents.map((document, index) =>
        (index % 2 === 0 ? service : other).graphql(applyMutation, { input: { document } }),
      ),
      ...Array.from({ length: 10 }, (_none, index) =>
        (index % 2 === 0 ? other : service).rest('POST', '/ip_policies', { description: 'single' }),
      ),
    ]);
    const codes = answers.map((answer) => {
      if (!('errors' in answer)) return answer.status;
      return answer.errors?.[0]?.extensions.code ?? 'applied';
    });
    for (const code of codes) expect(['applied', 'PLAN_OUTDATED', 'UNAVAILABLE', 201]).toContain(code);
    const { data } = await service.graphql(
      '{ ipPolicies(first: 100) { nodes { description rules { nodes { cidr } } } } }',
    );
    // Each document is there whole, as one of those that were applied under its name.
    const found = new Map<string, number>();
    for (const { description, rules: own } of data.ipPolicies.nodes) {
      if (description === 'single') continue;
      expect(own.nodes[0].cidr.startsWith(`10.${description}.`)).toBe(true);
      found.set(description, (found.get(description) ?? 0) + 1);
    }
    expect(new Set(found.values())).toEqual(new Set([10]));
    expect(data.ipPolicies.nodes.filter((one: { description: string }) => one.description === 'single').length).toBe(
      10,
    );
    await beside.close();
  });
});

describe('a document that would shut out', () => {
  test('its own client is refused unless it is forced', async () => {
    const document = {
      ipPolicies: { office: { rules: rules('192.0.2.0/24') } },
      ipRestrictions: { api: { type: 'api', enforced: true, ipPolicyIds: ['office'] } },
    };
    expect((await plan(service, document)).refusals).toMatchObject([{ code: 'LOCKOUT' }]);
    const before = await standing();
    expect(await applyRefusalOf(service, document)).toMatchObject({ code: 'LOCKOUT' });
    expect(await standing()).toEqual(before);
    await apply(service, document, { force: true });
    expect((await service.rest('GET', '/ip_policies')).status).toBe(403);
  });

  test('what an expectation says is refused unless it is forced', async () => {
    const document = (cidr: string) => ({
      ipPolicies: { office: { rules: rules(cidr) } },
      ipRestrictions: { web: { type: 'endpoints', enforced: true, ipPolicyIds: ['office'] } },
      expectations: {
        office: { name: 'Berlin', kind: 'ip', trafficType: 'endpoints', address: '203.0.113.7', expected: 'allowed' },
      },
    });
    expect((await plan(service, document('192.0.2.0/24'))).refusals).toMatchObject([{ code: 'EXPECTATION_FAILED' }]);
    await apply(service, document('203.0.113.0/24'));
    expect(await applyRefusalOf(service, document('192.0.2.0/24'))).toMatchObject({ code: 'EXPECTATION_FAILED' });
    expect((await plan(service, document('203.0.113.0/24'))).changes).toEqual([]);
    await apply(service, document('192.0.2.0/24'), { force: true });
  });
});

test('a repeated request is answered as the first time, and applies nothing again', async () => {
  const document = { sshCertificateAuthorities: { hosts: { enrollmentTokens: { web: { principals: ['web1'] } } } } };
  const ask = async () => {
    const { text } = await send(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'apply-1',
      },
      body: JSON.stringify({ query: applyMutation, variables: { input: { document } } }),
    });
    return JSON.parse(text);
  };
  const first = await ask();
  expect(first.data.applyConfiguration.applied.shownOnce).toMatchObject([
    { kind: 'SshEnrollmentToken', name: 'hosts/web', field: 'token' },
  ]);
  const before = await standing();
  expect(await ask()).toEqual(first);
  expect(await standing()).toEqual(before);
});

test('after the database is closed, no draft of it is read any more', async () => {
  const own = await startService();
  const scope = own.storage.forAccount(await accountOf(own));
  await own.close();
  await expect(scope.draft(['IpPolicy'], new AbortController().signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
