// Changes that wait for a second person: which do, who approves them, and what does not get past that.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { upkeep } from '../../../src/areas/approvals/upkeep.ts';
import { createSignInProvider } from '../../../src/areas/people/provider-store.ts';
import { keyScopes } from '../../../src/domain/access/key-scopes.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import type { DashboardBrowser } from '../../support/dashboard-browser.ts';
import { hostKey } from '../../support/host-key.ts';
import { makeTeamProvider, signInPerson } from '../../support/people.ts';
import {
  accountOf,
  type Client,
  createClient,
  ofOneServer,
  startService,
  startTime,
  type TestService,
} from '../../support/service.ts';

type Person = DashboardBrowser & { readonly personId: string };
type Caller = Pick<Client, 'graphql'>;

let shared: TestService;
let service: TestService;
let accountId: string;
let signIn: (name: string, ...roles: string[]) => Promise<Person>;
/** An owner who asks, and another one who approves. */
let amy: Person;
let bob: Person;
beforeAll(async () => {
  shared = await startService();
});
afterAll(async () => {
  expect(shared.failures).toEqual([]);
  await shared.close();
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
  accountId = await accountOf(service);
  const provider = await makeTeamProvider(service, accountId);
  signIn = (name, ...roles) => signInPerson(service, accountId, provider, name, ...roles);
  amy = await signIn('Amy', 'owner');
  bob = await signIn('Bob', 'owner');
  dataOf(await amy.graphql(setRequired(true)));
});

const setRequired = (required: boolean) =>
  `mutation { updateApprovalSettings(input: { required: ${required} }) { approvalSettings { required } } }`;
const createRole = 'mutation { createRole(input: { name: "network", scopes: ["ip-policies:read"] }) { role { id } } }';
const decide = (name: string, id: string) =>
  `mutation { ${name}Request(input: { id: "${id}" }) { approvalRequest { state deciderName } } }`;

/** Sends a change that must wait, and returns the id of the request for its approval. */
async function askedFor(caller: Caller, query: string): Promise<string> {
  const { errors } = await caller.graphql(query);
  expect(errors).toMatchObject([{ extensions: { code: 'APPROVAL_REQUIRED' } }]);
  return /areq_\w+/.exec(errors?.[0]?.message ?? '')?.[0] ?? '';
}
/** Returns the code and the message of a refusal. */
async function refusalOf(caller: Caller, query: string) {
  const { errors } = await caller.graphql(query);
  return [errors?.[0]?.extensions.code, errors?.[0]?.message];
}
const rolesOf = async () => dataOf(await service.graphql('{ roles { nodes { name } } }')).roles.nodes;
const minutesLater = (minutes: number) => service.setTime(new Date(startTime.getTime() + minutes * 60_000));

test('a change waits, says for whom, is made once by who asked after another has approved it, and the trail has both', async () => {
  const { errors } = await amy.graphql(createRole);
  expect(errors?.[0]?.message).toMatch(
    /^It waits for a second person, and nothing was changed: Create role "network"\. Until 2026-11-20T21:15:00Z, somebody else whose roles have "people:write" can approve it in the dashboard \(areq_\w{26}\)\. Then repeat the same request, within 15 minutes\.$/,
  );
  // Asking again is the same request.
  const id = await askedFor(amy, createRole);
  const read = `{ approvalRequests { nodes { id mutation summary input scopes state requesterName deciderName own whyNotYours } } }`;
  expect(dataOf(await bob.graphql(read)).approvalRequests.nodes).toEqual([
    {
      id,
      mutation: 'createRole',
      summary: 'Create role "network".',
      input: '{"name":"network","scopes":["ip-policies:read"]}',
      scopes: ['people:write'],
      state: 'open',
      requesterName: 'Amy',
      deciderName: '',
      own: false,
      whyNotYours: null,
    },
  ]);
  expect(dataOf(await bob.graphql(decide('approve', id))).approveRequest.approvalRequest).toEqual({
    state: 'approved',
    deciderName: 'Bob',
  });
  // Another call, or that of another person, is not what was approved.
  await askedFor(amy, createRole.replace('network', 'networks'));
  await askedFor(bob, createRole);
  expect(await rolesOf()).toEqual([]);
  const { role } = dataOf(await amy.graphql(createRole)).createRole;
  expect(await rolesOf()).toEqual([{ name: 'network' }]);
  const events = `{ auditEvents(kind: "Role") { nodes { action actor { id description } } } }`;
  expect(dataOf(await service.graphql(events)).auditEvents.nodes).toEqual([
    { action: 'create', actor: { id: amy.personId, description: 'Amy, approved by Bob' } },
  ]);
  const history = `{ auditEvents(objectId: "${id}") { nodes { action actor { description } } } }`;
  expect(dataOf(await service.graphql(history)).auditEvents.nodes).toEqual([
    { action: 'update', actor: { description: 'Amy, approved by Bob' } },
    { action: 'update', actor: { description: 'Bob' } },
    { action: 'create', actor: { description: 'Amy' } },
  ]);
  const remove = `mutation { deleteRole(input: { id: "${role.id}" }) { deletedId } }`;
  await askedFor(amy, remove);
});

describe('who approves', () => {
  test('counts only while that person may approve: nobody who was blocked meanwhile has', async () => {
    const id = await askedFor(amy, createRole);
    dataOf(await bob.graphql(decide('approve', id)));
    dataOf(await amy.graphql(`mutation { blockPerson(input: { id: "${bob.personId}" }) { person { blocked } } }`));
    expect(await askedFor(amy, createRole)).not.toBe(id);
    expect(await rolesOf()).toEqual([]);
  });

  test('is another person with the scopes of the change, in a session: no key, nor who asked', async () => {
    const id = await askedFor(amy, createRole);
    const approve = decide('approve', id);
    const make = 'mutation { createApiKey(input: {}) { apiKey { token } } }';
    const keyOf = async (person: Person) =>
      createClient(service.url, dataOf(await person.graphql(make)).createApiKey.apiKey.token);
    const own = 'It is your own request: somebody else has to approve it. You can withdraw it.';
    const key =
      'Only a person who is signed in to the dashboard approves or refuses: an API key cannot, nor can one of a person.';
    const operator = await signIn('Olga', 'operator');
    expect([
      await refusalOf(amy, approve),
      await refusalOf(await keyOf(amy), approve),
      await refusalOf(await keyOf(bob), approve),
      await refusalOf(service, approve),
      await refusalOf(operator, approve),
      (await refusalOf(await signIn('Vic', 'viewer'), approve))[0],
      await refusalOf(bob, decide('withdraw', id)),
      await refusalOf(service, decide('withdraw', id)),
    ]).toEqual([
      ['FORBIDDEN', own],
      ['FORBIDDEN', key],
      ['FORBIDDEN', key],
      ['FORBIDDEN', key],
      ['FORBIDDEN', 'Whoever approves the change must be allowed to make it, and your roles lack "people:write".'],
      'FORBIDDEN',
      ['FORBIDDEN', 'Only who has asked withdraws a request. You can refuse it.'],
      ['FORBIDDEN', 'Only who has asked withdraws a request. You can refuse it.'],
    ]);
    expect(await rolesOf()).toEqual([]);
    // What a personal key asks for is asked by its person, who alone can use it.
    expect(await askedFor(await keyOf(amy), createRole)).toBe(id);
  });

  test('approves only what that person could change: not a deletion that the same document has come to mean', async () => {
    dataOf(await bob.graphql(decide('approve', await askedFor(amy, setRequired(false)))));
    dataOf(await amy.graphql(setRequired(false)));
    const clerk = 'name: "clerk", scopes: ["approvals:write", "people:write"]';
    dataOf(await service.graphql(`mutation { createRole(input: { ${clerk} }) { role { id } } }`));
    const scope = service.storage.actingFor(accountId, commandLine);
    const client = { issuer: 'https://clerks.example.com', clientId: 'sallyport', clientSecret: 'x' };
    const clerks = { ...client, name: 'Clerks', roleMappings: [{ group: 'clerk', role: 'clerk' }] };
    const giver = { rights: new Set(keyScopes), examine: async () => {} };
    const { id: provider } = await createSignInProvider(scope, clerks, giver);
    const cleo = await signInPerson(service, accountId, provider, 'Cleo', 'clerk');
    dataOf(await amy.graphql(setRequired(true)));
    const apply = (objects: string) =>
      `mutation { applyConfiguration(input: { prune: true, document: { document: "ca", ${objects} } }) { applied { plan { document } } } }`;
    const role = apply('roles: { n: { name: "n", scopes: ["ip-policies:read"] } }');
    dataOf(await cleo.graphql(decide('approve', await askedFor(amy, role))));
    dataOf(await amy.graphql(apply('sshCertificateAuthorities: { prod: {} }')));
    await askedFor(amy, role);
    const [{ scopes }] = dataOf(await cleo.graphql('{ approvalRequests { nodes { scopes } } }')).approvalRequests.nodes;
    expect(scopes).toEqual(['people:write', 'ssh:write']);
  });

  test('is never needed by halves: a key of the account cannot ask at all', async () => {
    expect(await refusalOf(service, createRole)).toEqual([
      'FORBIDDEN',
      expect.stringContaining('not even a first one'),
    ]);
  });

  test('is one of two who approve at once, and refusing takes an approval back that is not used', async () => {
    const id = await askedFor(amy, createRole);
    const eve = await signIn('Eve', 'owner');
    const answers = await Promise.all([bob, eve].map((person) => person.graphql(decide('approve', id))));
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'approved').sort()).toEqual([
      'OUT_OF_ORDER',
      'approved',
    ]);
    const refuse = dataOf(await eve.graphql(decide('refuse', id))).refuseRequest.approvalRequest;
    expect(refuse).toEqual({ state: 'refused', deciderName: 'Eve' });
    expect(await refusalOf(bob, decide('approve', id))).toEqual(['OUT_OF_ORDER', 'Eve has refused the request.']);
    expect(await askedFor(amy, createRole)).not.toBe(id);
  });
});

test('two who repeat an approved change at once make it once', async () => {
  dataOf(await bob.graphql(decide('approve', await askedFor(amy, createRole))));
  const [one, other] = await Promise.all([amy.graphql(createRole), amy.graphql(createRole)]);
  expect([one, other].map(({ errors }) => errors === undefined).sort()).toEqual([false, true]);
  expect(await rolesOf()).toEqual([{ name: 'network' }]);
});

test('a request ends after 15 minutes, an approval 15 minutes after it was given, and both are forgotten a day later', async () => {
  const first = await askedFor(amy, createRole);
  minutesLater(15);
  expect(await refusalOf(bob, decide('approve', first))).toEqual([
    'OUT_OF_ORDER',
    'The request ended at 2026-11-20T21:15:00Z. Whoever asked repeats the change to ask again.',
  ]);
  const second = await askedFor(amy, createRole);
  minutesLater(29);
  dataOf(await bob.graphql(decide('approve', second)));
  minutesLater(44);
  const third = await askedFor(amy, createRole);
  dataOf(await bob.graphql(decide('approve', third)));
  minutesLater(58);
  expect((await amy.graphql(createRole)).errors).toBeUndefined();
  const states = async () =>
    dataOf(await bob.graphql('{ approvalRequests { nodes { id state } } }')).approvalRequests.nodes;
  expect(await states()).toEqual([
    { id: third, state: 'used' },
    { id: second, state: 'expired' },
    { id: first, state: 'expired' },
  ]);
  const dayAfter = new Date(startTime.getTime() + 44 * 60_000 + 86_400_000);
  for (const { hourly } of upkeep()) await hourly?.(service.storage.server, dayAfter, new AbortController().signal);
  expect(await states()).toEqual([{ id: third, state: 'used' }]);
});

describe('waits', () => {
  const lockedOut = async () => {
    const { body } = await service.rest('POST', '/ip_policies', {});
    return (force: boolean, type = 'dashboard') =>
      `mutation { createIpRestriction(input: { type: ${type}, enforced: true, ipPolicyIds: ["${body.id}"], force: ${force} })
        { ipRestriction { id } } }`;
  };

  test('what needs force, and not what is only sent with it', async () => {
    const create = await lockedOut();
    expect((await amy.graphql(create(true, 'endpoints'))).errors).toBeUndefined();
    expect((await refusalOf(amy, create(false)))[0]).toBe('LOCKOUT');
    const olga = await signIn('Olga', 'operator');
    const id = await askedFor(amy, create(true));
    const [request] = dataOf(await olga.graphql('{ approvalRequests { nodes { summary scopes } } }')).approvalRequests
      .nodes;
    expect(request).toEqual({
      summary:
        'Create IP restriction. By force: The new IP restriction would refuse requests from your own address, 127.0.0.1.',
      scopes: ['ip-restrictions:write'],
    });
    dataOf(await olga.graphql(decide('approve', id)));
    expect((await amy.graphql(create(true))).errors).toBeUndefined();
    expect((await amy.graphql('{ viewer { scopes } }')).errors?.[0]?.extensions.code).toBe('IP_RESTRICTED');
  });

  test('a document that would lock out, by its force, with the rights for all that it changes', async () => {
    const apply = (force: boolean) => `mutation { applyConfiguration(input: { force: ${force}, document: {
        ipPolicies: { office: { rules: [{ cidr: "192.0.2.0/24", action: "allow" }] } },
        ipRestrictions: { dashboard: { type: "dashboard", enforced: true, ipPolicyIds: ["office"] } }
      } }) { applied { plan { changes } } } }`;
    expect((await refusalOf(amy, apply(false)))[0]).toBe('LOCKOUT');
    const id = await askedFor(amy, apply(true));
    const olga = await signIn('Olga', 'operator');
    const [request] = dataOf(await olga.graphql('{ approvalRequests { nodes { summary scopes } } }')).approvalRequests
      .nodes;
    expect(request).toEqual({
      summary: expect.stringMatching(/^Apply configuration, and 2 more\. By force: .*127\.0\.0\.1\.$/),
      scopes: expect.arrayContaining(['ip-policies:write', 'ip-restrictions:write']),
    });
    expect(request.scopes).toHaveLength(2);
    expect(await askedFor(amy, apply(true))).toBe(id);
    dataOf(await olga.graphql(decide('approve', id)));
    expect(dataOf(await amy.graphql(apply(true))).applyConfiguration.applied.plan.changes).toHaveLength(2);
    expect((await amy.graphql('{ viewer { scopes } }')).errors?.[0]?.extensions.code).toBe('IP_RESTRICTED');
  });

  test('deleting a certificate authority, before any of its certificates is revoked, also by a document', async () => {
    const { body: authority } = await service.rest('POST', '/ssh_certificate_authorities', { description: 'prod' });
    const { body: certificate } = await service.rest('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authority.id,
      public_key: hostKey,
      principals: ['web.example.com'],
    });
    const remove = (id: string) =>
      `mutation { deleteSshCertificateAuthority(input: { id: "${id}", revokeCertificates: true }) { deletedId } }`;
    const id = await askedFor(amy, remove(authority.id));
    const left = async () =>
      dataOf(
        await service.graphql('{ sshCertificateAuthorities { nodes { id } } sshHostCertificates { nodes { id } } }'),
      );
    const nothing = {
      sshCertificateAuthorities: { nodes: [{ id: authority.id }] },
      sshHostCertificates: { nodes: [{ id: certificate.id }] },
    };
    expect(await left()).toEqual(nothing);
    const olga = await signIn('Olga', 'operator');
    dataOf(await olga.graphql(decide('approve', id)));
    dataOf(await amy.graphql(remove(authority.id)));
    expect(await left()).toEqual({ sshCertificateAuthorities: { nodes: [] }, sshHostCertificates: { nodes: [] } });

    const apply = (objects: string, prune: boolean) =>
      `mutation { applyConfiguration(input: { prune: ${prune}, document: { document: "ca", ${objects} } }) { applied { plan { document } } } }`;
    expect((await amy.graphql(apply('sshCertificateAuthorities: { prod: {} }', false))).errors).toBeUndefined();
    await askedFor(amy, apply('', true));
    expect((await left()).sshCertificateAuthorities.nodes).toHaveLength(1);
  });

  test('what gives somebody rights: providers, mappings, and letting somebody in again, but not keeping somebody out', async () => {
    const [{ id: provider }] = dataOf(await service.graphql('{ signInProviders { nodes { id } } }')).signInProviders
      .nodes;
    const client = 'issuer: "https://other.example.com", clientId: "x", enabled: false';
    const mappings = 'roleMappings: [{ everybody: true, role: "owner" }]';
    await askedFor(
      amy,
      `mutation { createSignInProvider(input: { name: "Other", ${client}, ${mappings} }) { signInProvider { id } } }`,
    );
    await askedFor(amy, `mutation { deleteSignInProvider(input: { id: "${provider}", force: true }) { deletedId } }`);
    const eve = await signIn('Eve', 'owner');
    const block = (name: string) => `mutation { ${name}(input: { id: "${eve.personId}" }) { person { blocked } } }`;
    expect(dataOf(await amy.graphql(block('blockPerson'))).blockPerson.person).toEqual({ blocked: true });
    await askedFor(amy, block('unblockPerson'));
  });

  test('putting back what was changed, and switching it off', async () => {
    dataOf(await bob.graphql(decide('approve', await askedFor(amy, createRole))));
    const { role } = dataOf(await amy.graphql(createRole)).createRole;
    const [event] = dataOf(await service.graphql(`{ auditEvents(objectId: "${role.id}") { nodes { id } } }`))
      .auditEvents.nodes;
    const restore = (id: string) =>
      `mutation { restoreObject(input: { eventId: "${id}", force: true }) { event { id } } }`;
    await askedFor(amy, restore(event.id));
    const id = await askedFor(amy, setRequired(false));
    await askedFor(amy, setRequired(false).replace('required: false', 'required: false, force: true'));
    dataOf(await bob.graphql(decide('approve', id)));
    dataOf(await amy.graphql(setRequired(false)));
    expect((await service.graphql(createRole.replace('network', 'free'))).errors).toBeUndefined();
    expect(await refusalOf(service, setRequired(true))).toEqual([
      'FORBIDDEN',
      expect.stringContaining('Only a person can switch it on'),
    ]);
    // Nor does one who could not find anybody to approve switching it off.
    await signIn('Olga', 'operator');
    dataOf(await amy.graphql(`mutation { blockPerson(input: { id: "${bob.personId}" }) { person { blocked } } }`));
    expect((await refusalOf(amy, setRequired(true)))[0]).toBe('LOCKOUT');
  });

  test('a request with an idempotency key: it is not remembered as refused, nor made again', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const send = () => amy.graphql(createRole, {}, headers);
    const { errors } = await send();
    const [id = ''] = /areq_\w+/.exec(errors?.[0]?.message ?? '') ?? [];
    dataOf(await bob.graphql(decide('approve', id)));
    const made = dataOf(await send());
    expect(dataOf(await send())).toEqual(made);
    expect(await rolesOf()).toEqual([{ name: 'network' }]);
  });
});

test('over REST, a change waits as well, and keeps its secrets from who approves', async () => {
  const make = 'mutation { createApiKey(input: {}) { apiKey { token } } }';
  const key = createClient(service.url, dataOf(await amy.graphql(make)).createApiKey.apiKey.token);
  const body = {
    issuer: 'https://idp.example.com',
    name: 'Other',
    client_id: 'x',
    client_secret: 'S3cret',
    enabled: false,
  };
  const { status, body: answer } = await key.rest('POST', '/sign_in_providers', body);
  expect([status, answer.error_code]).toEqual([403, 'APPROVAL_REQUIRED']);
  const [request] = dataOf(await bob.graphql('{ approvalRequests { nodes { id input requesterName } } }'))
    .approvalRequests.nodes;
  expect(request.input).toContain('"clientSecret":"(hidden)"');
  expect(request.requesterName).toBe('API key, of Amy');
  dataOf(await bob.graphql(decide('approve', request.id)));
  expect((await key.rest('POST', '/sign_in_providers', body)).status).toBe(201);
});

test('attention has one item for all that waits', async () => {
  await askedFor(amy, createRole);
  await askedFor(amy, createRole.replace('network', 'other'));
  const { attention } = dataOf(await service.graphql('{ attention { code count message } }'));
  expect(attention).toEqual([
    {
      code: 'approvals_wait',
      count: 2,
      message:
        'Amy asks for the approval of a second person: Create role "network". 1 more wait. See "Approvals" in the dashboard.',
    },
  ]);
});

test('at most 20 requests of a person wait at once', async () => {
  for (let count = 0; count < 20; count += 1) await askedFor(amy, createRole.replace('network', `n${count}`));
  expect(await refusalOf(amy, createRole)).toEqual([
    'APPROVAL_REQUIRED',
    'You have asked for 20 approvals, the maximum. Have some approved or refused, or withdraw yours.',
  ]);
});
