// Every change records an event: each mutation on both surfaces, each command, and the first start.

import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type DocumentNode, Kind, print } from 'graphql';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { leafCommands } from '../../../docs/cli-page.ts';
import { setRequired } from '../../../src/areas/approvals/settings-store.ts';
import { makeFirstAccount } from '../../../src/cli/first-start.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { schema } from '../../../src/graphql/schema.ts';
import type { AuditEvent } from '../../../src/storage/generated/client/client.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { prepareRoutes } from '../../../src/surfaces/rest/prepared-route.ts';
import { routes } from '../../../src/surfaces/rest/routes.ts';
import { creations, fillPath, type IdOf, nameOf, sampleBody } from '../../http/world.ts';
import { openClient } from '../../support/database.ts';
import { keyDirectory } from '../../support/openssh.ts';
import { makeApprovals, makePerson } from '../../support/people.ts';
import { capturePrinted } from '../../support/printed.ts';
import { accountOf, repeatableBytes, startService, type TestService } from '../../support/service.ts';
import { startAgent } from '../../support/ssh-agent.ts';
import { expectTrailToAgree, recordedModels, rowsOf } from './trail.ts';

let service: TestService;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const changing = prepareRoutes(routes, schema).filter(({ changes }) => changes);

/** Returns the name of the document's mutation field. */
function mutationOf(document: DocumentNode): string {
  const [operation] = document.definitions;
  const [field] = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
  return field?.kind === Kind.FIELD ? field.name.value : '';
}

/** Mutations without a route. */
const onlyInGraphQL = [
  'announceSshCertificateAuthoritySuccessor',
  'approveRequest',
  'confirmIpPolicySource',
  'createIpPolicyRules',
  'createPersonalApiKey',
  'createSshCertificateAuthorityInAgent',
  'deleteApiKeys',
  'deleteIpPolicyRules',
  'deletePersonalApiKey',
  'deleteSshHostCertificates',
  'endDashboardSession',
  'endDashboardSessions',
  'endLoginSession',
  'endLoginSessions',
  'handOverSshCertificateAuthority',
  'refreshIpPolicySource',
  'refuseRequest',
  'restoreObject',
  'retireSshCertificateAuthority',
  'updateApprovalSettings',
  'withdrawRequest',
];

test('the routes that change something are all mutations that there are, but for a few', () => {
  expect([...changing.map(({ route }) => mutationOf(route.document)), ...onlyInGraphQL].sort()).toEqual(
    Object.keys(schema.getMutationType()?.getFields() ?? {}).sort(),
  );
});

/** Sends a route's sample request over one of the surfaces and returns the body of the answer. */
type Send = (name: string, id: IdOf) => Promise<{ id?: string } | null>;

const overRest: Send = async (name, id) => {
  const { route } = preparedOf(name);
  const { status, body } = await service.rest(route.method, fillPath(route.path, id), sampleBody(route, id));
  expect([name, status]).toEqual([name, expect.toSatisfy((code: number) => code < 300)]);
  return body ?? null;
};

const overGraphQL: Send = async (name, id) => {
  const { route, bodyPath } = preparedOf(name);
  const filled = fillPath(route.path, id).split('/');
  const inPath = route.path
    .split('/')
    .flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), filled[index] ?? '']] : []));
  const variables = { ...Object.fromEntries(inPath), ...sampleBody(route, id) };
  const { data, errors } = await service.graphql(print(route.document), variables);
  expect([name, errors]).toEqual([name, undefined]);
  return bodyPath?.reduce((value, field) => value[field], data) ?? null;
};

function preparedOf(name: string) {
  const prepared = changing.find(({ route }) => nameOf(route) === name);
  if (prepared === undefined) throw new Error(`There is no route ${name}.`);
  return prepared;
}

describe.each([
  ['rest', overRest],
  ['graphql', overGraphQL],
] as const)('over %s', (surface, send) => {
  test('every mutation is recorded, with who made it', async () => {
    const client = await openClient(service.database);
    const apiKey = await client.apiKey.findFirstOrThrow();
    const ids = new Map<string, string>();
    const id: IdOf = (collection) => ids.get(collection) ?? '';
    const known = new Set((await client.auditEvent.findMany()).map((event) => event.id));
    const newEvents = async () => {
      const events = (await client.auditEvent.findMany()).filter((event) => !known.has(event.id));
      for (const event of events) known.add(event.id);
      return events;
    };
    const change = async (name: string) => {
      const answer = await send(name, id);
      const events = await newEvents();
      const requestIds = new Set(events.map(({ requestId }) => requestId));
      expect([name, events.length > 0, [...requestIds]]).toEqual([name, true, [expect.stringMatching(/^op_\w{26}$/)]]);
      for (const event of events) {
        expect(event).toMatchObject({
          accountId: apiKey.accountId,
          actor: apiKey.id,
          actorDescription: 'key of default',
          surface,
          clientAddress: '127.0.0.1',
        });
      }
      await expectTrailToAgree(client);
      return answer;
    };
    for (const route of creations) {
      // It changes no object, and the trail has no names of documents.
      if (nameOf(route) === 'PUT /configuration/import') continue;
      const answer = await change(nameOf(route));
      if (route.method === 'POST') ids.set(route.path, answer?.id ?? '');
    }
    for (const { route } of changing) if (route.method === 'PATCH') await change(nameOf(route));
    for (const { method, path } of creations.toReversed()) {
      const deletion = method === 'PUT' ? `DELETE ${path}` : `DELETE ${path}/{id}`;
      // A list that is put whole is emptied by an empty one.
      if (changing.some(({ route }) => nameOf(route) === deletion)) await change(deletion);
    }
  });
});

test('sessions that an API ends are recorded', async () => {
  const client = await openClient(service.database);
  const ids = new Map<string, string>();
  const id: IdOf = (collection) => ids.get(collection) ?? '';
  for (const route of creations) {
    const answer = await overRest(nameOf(route), id);
    if (route.method === 'POST') ids.set(route.path, answer?.id ?? '');
  }
  const [{ routeId, accountId }] = [await client.samlModule.findFirstOrThrow()];
  const sessions = Array.from({ length: 150 }, (_, index) => `sess_${String(index).padStart(26, '0')}`);
  const at = new Date('2026-11-20T20:00:00Z');
  const session = { accountId, routeId, host: 'h:443', issuer: 'i', person: '{}', clientAddress: '192.0.2.1' };
  await client.loginSession.createMany({
    data: sessions.map((sessionId) => ({
      ...session,
      id: sessionId,
      tokenHash: `hash of ${sessionId}`,
      userHash: 'hash of the user',
      createdAt: at,
      endsAt: new Date(at.getTime() + 86_400_000),
      lastUsedAt: at,
    })),
  });
  const end = 'mutation ($id: ID!) { endLoginSession(input: { id: $id }) { __typename } }';
  expect((await service.graphql(end, { id: sessions[7] })).errors).toBeUndefined();
  const endAll = 'mutation ($id: ID!) { endLoginSessions(input: { routeId: $id }) { __typename } }';
  expect((await service.graphql(endAll, { id: routeId })).errors).toBeUndefined();
  const events = await client.auditEvent.findMany({ where: { kind: 'LoginSession' } });
  expect(events.map(({ objectId }) => objectId).sort()).toEqual(sessions);
  expect(new Set(events.map(({ action, surface }) => `${action} ${surface}`))).toEqual(new Set(['delete graphql']));
  expect(Object.keys(JSON.parse(events[0]?.state ?? '{}'))).not.toContain('tokenHash');
});

test('every column of an object is recorded, but for secrets and what the server keeps for itself', async () => {
  const client = await openClient(service.database);
  const ids = new Map<string, string>();
  const id: IdOf = (collection) => ids.get(collection) ?? '';
  for (const route of creations) {
    const answer = await overRest(nameOf(route), id);
    if (route.method === 'POST') ids.set(route.path, answer?.id ?? '');
  }
  await makePerson(service, await accountOf(service), id('/sign_in_providers'));
  await makeApprovals(service, await accountOf(service));
  const missing: Record<string, string[]> = {};
  for (const { name, columns } of recordedModels) {
    const [row] = await rowsOf(client, name);
    const [event] = await client.auditEvent.findMany({
      where: { objectId: row?.id ?? '' },
      orderBy: { version: 'desc' },
    });
    const state = JSON.parse(event?.state ?? '{}');
    const left = columns
      .map((column) => column.name)
      .filter((column) => !(column in state) && !['id', 'accountId', 'version', 'updatedAt'].includes(column));
    if (left.length > 0) missing[name] = left;
  }
  expect(missing).toEqual({
    ApiKey: ['tokenHash', 'lastUsedAt'],
    ApprovalRequest: ['callHash'],
    HttpsEdge: ['routeCount', 'moduleBytes'],
    IpPolicy: ['ruleCount', 'rulesVersion', 'restoredVersion', 'sourceCount', 'sourceRangeCount'],
    IpPolicyRule: ['range'],
    IpPolicySource: ['readAt', 'triedAt', 'failure', 'nextAt', 'entityTag'],
    Person: ['subjectHash', 'signedInAt', 'lastSeenAt'],
    SignInProvider: [
      'sealedClientSecret',
      'identityProvider',
      'metadataReadAt',
      'metadataFailure',
      'metadataFailedAt',
      'metadataKeysAt',
      'metadataNextAt',
      'sealedPrivateKey',
      'sealedDecryptionKeys',
      'place',
      'acceptsFrom',
    ],
    SshCertificateAuthority: ['sealedPrivateKey', 'revocationCount'],
    SshEnrollmentToken: ['tokenHash'],
    SshHostCertificate: ['fingerprint'],
    Webhook: ['sealedSecret', 'sealedFormerSecret'],
  });
  const saml = await client.auditEvent.findFirstOrThrow({
    where: { kind: 'HttpsEdgeRoute', action: 'update' },
    orderBy: { version: 'desc' },
  });
  expect(Object.keys(JSON.parse(saml.state).saml).sort()).toEqual([
    'allowIdpInitiated',
    'authorizedGroups',
    'certificatePem',
    'cookiePrefix',
    'enabled',
    'encryptionCertificatePem',
    'forceAuthn',
    'formerCertificatePem',
    'idpEntityId',
    'idpMetadata',
    'idpMetadataUrl',
    'inactivityTimeout',
    'loginRouteId',
    'maximumDuration',
    'nameidFormat',
    'nextCertificatePem',
    'optionsPassthrough',
    'rotatedAt',
  ]);
});

/** What each command records: the action and kind of each event, in any order. Null for commands that change no object. */
const ofCommand: Record<string, string[] | null> = {
  'approvals suspend': ['update ApprovalSettings'],
  'account create': ['create Account'],
  'account list': null,
  'audit export': null,
  'audit verify': null,
  'audit restore': ['create IpPolicy', 'create IpPolicyRule'],
  backup: null,
  copy: null,
  doctor: null,
  'export configuration': null,
  'export caddy': null,
  'export haproxy': null,
  'export nftables': null,
  'export nginx': null,
  import: null,
  'key create': ['create ApiKey'],
  'key list': null,
  'key revoke': ['delete ApiKey'],
  'migrate apply': null,
  'migrate status': null,
  plan: null,
  apply: ['create IpPolicy'],
  undo: ['delete IpPolicy'],
  restore: null,
  'restrictions suspend': ['update IpRestriction'],
  'secret rotate': null,
  serve: null,
  'sign-in suspend': ['update SignInProvider'],
  'sign-in test': null,
  'ssh-authority create': ['create SshCertificateAuthority'],
  'ssh-authority list': null,
  'ssh-authority agents': null,
  'ssh-authority add': ['create SshCertificateAuthority'],
  'ssh-authority import': ['create SshCertificateAuthority'],
  'ssh-authority announce': ['update SshCertificateAuthority', 'create SshCertificateAuthority'],
  'ssh-authority hand-over': ['update SshCertificateAuthority'],
  'ssh-authority retire': ['update SshCertificateAuthority'],
  'ssh-authority status': null,
  'ssh-enrollment-token create': ['create SshEnrollmentToken'],
  'ssh-enrollment-token delete': ['delete SshEnrollmentToken'],
  'ssh-enrollment-token list': null,
};

describe('the command line', () => {
  test('has no command of which it is not known what it records', () => {
    expect(
      leafCommands()
        .map(([path]) => path.replace(/^sallyport /, ''))
        .sort(),
    ).toEqual(Object.keys(ofCommand).sort());
  });

  test('records every change, as made by nobody with a key', async () => {
    const client = await openClient(service.database);
    vi.stubEnv('DATABASE_URL', service.database.url);
    // The test runner sets a variable of that name.
    vi.stubEnv('BASE_URL', '');
    vi.stubEnv('SECRET_KEY', Buffer.from(repeatableBytes('secret key')(32)).toString('base64'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const policy = (await service.rest('POST', '/ip_policies', {})).body.id;
    await service.rest('POST', '/ip_restrictions', { type: 'endpoints', enforced: true, ip_policy_ids: [policy] });
    const key = (await service.rest('POST', '/api_keys', {})).body.id;
    const provider = { name: 'Ours', issuer: 'https://idp.example.com', client_id: 'x', enabled: false };
    await service.rest('POST', '/sign_in_providers', provider);
    // As if the provider had answered when it was enabled.
    await client.signInProvider.updateMany({ data: { enabled: true } });
    const authority = (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    const token = (
      await service.rest('POST', '/ssh_enrollment_tokens', {
        ssh_certificate_authority_id: authority,
        principals: ['db1.example.com'],
      })
    ).body.id;
    const deleted = (await service.rest('POST', '/ip_policies', {})).body.id;
    await service.rest('POST', '/ip_policy_rules', { ip_policy_id: deleted, cidr: '10.0.0.0/8', action: 'allow' });
    await service.rest('DELETE', `/ip_policies/${deleted}`);
    const caKey = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const input = vi.spyOn(process, 'stdin', 'get');
    onTestFinished(() => input.mockRestore());
    // The input of the only command that reads it.
    input.mockReturnValue(Object.assign(Readable.from([caKey]), { isTTY: false }) as unknown as typeof process.stdin);
    await setRequired(service.storage.actingFor(await accountOf(service), commandLine), true, null);
    const deletion = await client.auditEvent.findFirstOrThrow({ where: { objectId: deleted, action: 'delete' } });
    const document = join(keyDirectory(), 'sallyport.json');
    writeFileSync(document, JSON.stringify({ ipPolicies: { office: {} } }));
    const args: Record<string, string[]> = {
      'account create': ['branch'],
      apply: ['--file', document],
      'ssh-authority add': ['--agent', 'mine'],
      'audit restore': [deletion.id],
      'key revoke': [key],
      'restrictions suspend': ['--type', 'endpoints'],
      'ssh-enrollment-token create': ['--authority', authority, '--principal', '*.example.com', '10.1.0.0/16'],
      'ssh-enrollment-token delete': [token],
      'ssh-authority announce': [authority],
      'ssh-authority hand-over': [authority],
      'ssh-authority retire': [authority],
    };
    const agent = await startAgent(keyDirectory());
    onTestFinished(() => agent.stop());
    await agent.generate('ca', '-t', 'ed25519');
    vi.stubEnv('SIGNING_AGENTS', `mine@default=${agent.socket}`);
    capturePrinted();
    let applied = '';
    for (const [command, expected] of Object.entries(ofCommand)) {
      if (expected === null) continue;
      const before = new Set((await client.auditEvent.findMany()).map(({ id }) => id));
      await createProgram().parseAsync(
        [...command.split(' '), ...(command === 'undo' ? [applied] : (args[command] ?? []))],
        { from: 'user' },
      );
      const events = (await client.auditEvent.findMany()).filter(({ id }) => !before.has(id));
      const recorded = events.map(({ action, kind }) => `${action} ${kind}`).sort();
      expect([command, recorded]).toEqual([command, [...expected].sort()]);
      // All that a document changes is one group.
      const request = ['apply', 'undo'].includes(command) ? expect.stringMatching(/^op_/) : null;
      if (command === 'apply') applied = events[0]?.requestId ?? '';
      expect(events.map(originOf)).toEqual(expected.map(() => ['cli', '', 'cli', request, null]));
    }
    await expectTrailToAgree(client);
  });
});

test('the first start records the account and the key that it makes, as made by the server', async () => {
  const client = await openClient(service.database);
  await client.auditEvent.deleteMany();
  await client.apiKey.deleteMany();
  await client.account.deleteMany();
  await makeFirstAccount(service.storage, 'token of at least twenty characters');
  const events = await client.auditEvent.findMany({ orderBy: { kind: 'asc' } });
  expect(events.map(({ action, kind, state }) => [action, kind, JSON.parse(state)])).toEqual([
    ['create', 'Account', { name: 'default', createdAt: expect.any(String) }],
    [
      'create',
      'ApiKey',
      {
        description: 'First key',
        metadata: '',
        scopes: 'write',
        passGroups: [],
        passAt: null,
        expiresAt: null,
        personId: null,
        createdAt: expect.any(String),
      },
    ],
  ]);
  expect(events.map(originOf)).toEqual([1, 2].map(() => ['system', '', 'server', null, null]));
});

function originOf({ actor, actorDescription, surface, requestId, clientAddress }: AuditEvent) {
  return [actor, actorDescription, surface, requestId, clientAddress];
}
