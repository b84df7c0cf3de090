// Runs the unmodified npm client of the API family through every area of this service. 0.11.0 is the version whose types
// have the policy module of TLS edges with inbound and outbound rules.

import { Ngrok } from '@ngrok/ngrok-api';
import { TLSEdgePolicyModule } from '@ngrok/ngrok-api/lib/services.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostKey } from '../support/host-key.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Ngrok;
beforeAll(async () => {
  service = await startService({ baseUrl: null });
  client = new Ngrok({ apiToken: service.token, baseUrl: service.url });
});
afterAll(() => service.close());

/** What all collections of the client have in common. */
interface Collection<Create, Update, Item> {
  create(arg: Create): Promise<Item>;
  get(id: string): Promise<Item>;
  list(beforeId?: string, limit?: string): Promise<Item[]>;
  update(arg: Update): Promise<Item>;
  delete(id: string): Promise<void>;
}

/** Creates, reads, lists, pages, changes and deletes an object, as a program that knows only the client would. */
async function live<Create, Update extends { id: string }, Item extends { id: string }>(
  collection: Collection<Create, Update, Item>,
  create: Create,
  expected: object,
  update: (id: string) => Update,
  expectedUpdate: object,
): Promise<void> {
  const older = await collection.create(create);
  const created = await collection.create(create);
  expect(created).toMatchObject(expected);
  const shown = await collection.get(created.id);
  // The token of an API key is shown only once.
  expect({ ...shown, token: null }).toEqual({ ...created, token: null });
  const listed = await collection.list();
  expect(listed.slice(0, 2).map(({ id }) => id)).toEqual([created.id, older.id]);
  // With pages of one object, the client continues by `beforeId` until there is no next page.
  expect(await collection.list(undefined, '1')).toEqual(listed);
  expect(await collection.update(update(created.id))).toMatchObject({ ...expected, ...expectedUpdate });
  for (const { id } of [created, older]) {
    await remove(collection, id);
    await expect(collection.get(id)).rejects.toMatchObject({ statusCode: 404, errorCode: 'NOT_FOUND' });
  }
}

/** Deletes an object. This client version reads a body after every success, and fails at the 204 that the contract demands. */
async function remove(collection: { delete(id: string): Promise<void> }, id: string): Promise<void> {
  await collection.delete(id).catch((error: unknown) => {
    if (!(error instanceof SyntaxError)) throw error;
  });
}

describe('the client @ngrok/ngrok-api 0.11.0', () => {
  test('keeps IP policies', () => {
    const notes = { description: 'office', metadata: '{"a":1}' };
    const changes = { description: 'offices' };
    return live(client.ipPolicies, notes, notes, (id) => ({ id, ...changes }), changes);
  });

  test('keeps IP policy rules', async () => {
    const { id: ipPolicyId, uri } = await client.ipPolicies.create({});
    let count = 0;
    const create = () => {
      // A range must be unique within its policy.
      count += 1;
      return client.ipPolicyRules.create({ ipPolicyId, cidr: `10.${count}.0.0/16`, action: 'allow' });
    };
    const expected = { ipPolicy: { id: ipPolicyId, uri }, cidr: '10.2.0.0/16', action: 'allow' };
    const changes = { action: 'deny' };
    const rules = { ...bind(client.ipPolicyRules), create };
    await live(rules, {}, expected, (id) => ({ id, ...changes }), changes);
  });

  test('keeps IP restrictions', async () => {
    const { id: policyId, uri } = await client.ipPolicies.create({});
    await live(
      client.ipRestrictions,
      { type: 'endpoints', enforced: false, ipPolicyIds: [policyId] },
      { type: 'endpoints', enforced: false, ipPolicies: [{ id: policyId, uri }], description: '', metadata: '' },
      // The client requires policies on every update; an empty list leaves them unchanged.
      (id) => ({ id, enforced: true, ipPolicyIds: [] }),
      { enforced: true },
    );
  });

  test('keeps SSH certificate authorities', () =>
    live(
      client.sshCertificateAuthorities,
      { privateKeyType: 'ecdsa', ellipticCurve: 'p384', keySize: 0 },
      { keyType: 'ecdsa', publicKey: expect.stringMatching(/^ecdsa-sha2-nistp384 /) },
      (id) => ({ id, description: 'hosts' }),
      { description: 'hosts' },
    ));

  test('keeps SSH host certificates', async () => {
    const unset = { privateKeyType: '', ellipticCurve: '', keySize: 0 };
    const authority = await client.sshCertificateAuthorities.create(unset);
    const principals = ['bastion.example.com'];
    await live(
      client.sshHostCertificates,
      {
        sshCertificateAuthorityId: authority.id,
        publicKey: hostKey,
        principals,
        // The client sends every date as an empty object, which stands for the default.
        validAfter: new Date(0),
        validUntil: new Date(0),
      },
      {
        keyType: 'ed25519',
        principals,
        validAfter: '2026-11-20T21:00:00Z',
        validUntil: '2027-11-20T21:00:00Z',
        certificate: expect.stringMatching(/^ssh-ed25519-cert-v01@openssh\.com /),
      },
      (id) => ({ id, metadata: 'rack 7' }),
      { metadata: 'rack 7' },
    );
  });

  test('keeps API keys, and works with a new one', async () => {
    const notes = { description: 'dashboard' };
    const changes = { metadata: 'x', token: null };
    await live(
      client.apiKeys,
      notes,
      { ...notes, token: expect.any(String) },
      (id) => ({ id, metadata: 'x' }),
      changes,
    );
    const { id, token = '' } = await client.apiKeys.create({});
    const other = new Ngrok({ apiToken: token, baseUrl: service.url });
    expect(await other.ipPolicies.list()).toEqual(await client.ipPolicies.list());
    await remove(client.apiKeys, id);
    await expect(other.ipPolicies.list()).rejects.toMatchObject({ statusCode: 401, errorCode: 'UNAUTHENTICATED' });
  });

  test('keeps tunnel-group backends, and TLS edges with their modules', async () => {
    // The types require a Map, which the client would send as `{}`; a plain object is sent intact.
    const labels: Map<string, string> = Object({ app: 'web' });
    await live(
      client.backends.tunnelGroupBackends,
      { labels },
      { labels, tunnels: [] },
      (id) => ({ id, description: 'web', labels }),
      { description: 'web' },
    );
    const hostports = ['tls.example.com:443'];
    const edges = client.edges.edgesTls;
    await live(edges, { hostports }, { hostports, backend: null }, (id) => ({ id, metadata: 'm' }), { metadata: 'm' });

    const backend = await client.backends.tunnelGroupBackends.create({ labels });
    const edge = await edges.create({ hostports });
    const backends = client.edgeModules.tlsEdgeBackendModule;
    const { uri } = backend;
    const expectedBackend = { enabled: true, backend: { id: backend.id, uri } };
    expect(await backends.replace({ id: edge.id, module: { backendId: backend.id } })).toEqual(expectedBackend);
    expect(await backends.get(edge.id)).toEqual(expectedBackend);

    // This version has the module's class, but does not instantiate it.
    const policies = new TLSEdgePolicyModule(Reflect.get(client, 'httpClient'));
    const inbound = [
      {
        name: 'old',
        expressions: ["conn.tls.version == '1.0'"],
        actions: [{ type: 'log', config: { metadata: { edge: 'tls' } } }],
      },
    ];
    const policy = await policies.replace({ id: edge.id, module: { enabled: true, inbound, outbound: [] } });
    expect(policy).toMatchObject({
      enabled: true,
      inbound: [{ name: 'old', actions: [{ type: 'log' }] }],
      outbound: [],
    });
    expect(await policies.get(edge.id)).toEqual(policy);
    expect(await edges.get(edge.id)).toMatchObject({ backend: expectedBackend, policy });

    await remove(policies, edge.id);
    await remove(backends, edge.id);
    const restriction = client.edgeModules.tlsEdgeIpRestrictionModule;
    const { id: ipPolicyId } = await client.ipPolicies.create({});
    const restricted = await restriction.replace({ id: edge.id, module: { ipPolicyIds: [ipPolicyId] } });
    expect(restricted).toMatchObject({ enabled: true, ipPolicies: [{ id: ipPolicyId }] });
    expect(await restriction.get(edge.id)).toEqual(restricted);
    await remove(restriction, edge.id);
    expect(await edges.get(edge.id)).toMatchObject({ backend: null, policy: null });
  });

  test('keeps HTTPS edges with routes and their SAML modules', async () => {
    const hostports = ['example.com:443'];
    const { edgesHttps: edges, edgesHttpsRoutes: routes } = client.edges;
    await live(edges, { hostports }, { hostports, routes: [] }, (id) => ({ id, metadata: 'm' }), { metadata: 'm' });

    const { id: edgeId } = await edges.create({ hostports });
    const route = await routes.create({ edgeId, matchType: 'path_prefix', match: '/' });
    const { id } = route;
    expect(await routes.update({ edgeId, id, matchType: 'path_prefix', match: '/', description: 'all' })).toMatchObject(
      { match: '/', description: 'all' },
    );
    const saml = client.edgeModules.edgeRouteSamlModule;
    const idpMetadata =
      '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>';
    const settings = {
      idpMetadata,
      inactivityTimeout: 4_294_967_295,
      maximumDuration: 0,
      optionsPassthrough: false,
      cookiePrefix: '',
      forceAuthn: false,
      authorizedGroups: [],
      nameidFormat: '',
    };
    const module = await saml.replace({ edgeId, id, module: settings });
    expect(module).toMatchObject({ enabled: true, idpMetadata, inactivityTimeout: 4_294_967_295, forceAuthn: false });
    expect(await saml.get({ edgeId, id })).toEqual(module);
    expect((await edges.get(edgeId)).routes).toMatchObject([{ id, saml: { idpMetadata } }]);
    await saml.delete({ edgeId, id }).catch((error: unknown) => expect(error).toBeInstanceOf(SyntaxError));
    await expect(saml.get({ edgeId, id })).rejects.toMatchObject({ statusCode: 404 });

    const { id: ipPolicyId } = await client.ipPolicies.create({});
    const restriction = client.edgeModules.edgeRouteIpRestrictionModule;
    const restricted = await restriction.replace({ edgeId, id, module: { enabled: true, ipPolicyIds: [ipPolicyId] } });
    expect(restricted).toMatchObject({ enabled: true, ipPolicies: [{ id: ipPolicyId }] });
    expect(await restriction.get({ edgeId, id })).toEqual(restricted);
    expect((await edges.get(edgeId)).routes).toMatchObject([{ id, ipRestriction: restricted }]);

    const backend = await client.backends.tunnelGroupBackends.create({ labels: Object({ app: 'web' }) });
    const backends = client.edgeModules.edgeRouteBackendModule;
    const expectedBackend = { enabled: true, backend: { id: backend.id, uri: backend.uri } };
    expect(await backends.replace({ edgeId, id, module: { backendId: backend.id } })).toEqual(expectedBackend);
    expect(await backends.get({ edgeId, id })).toEqual(expectedBackend);
    const whole = await routes.create({
      edgeId,
      matchType: 'exact_path',
      match: '/whole',
      backend: { backendId: backend.id },
      ipRestriction: { enabled: true, ipPolicyIds: [ipPolicyId] },
    });
    expect(whole).toMatchObject({ backend: expectedBackend, ipRestriction: restricted });
    const update = { edgeId, id: whole.id, matchType: 'exact_path', match: '/whole' };
    expect(
      await routes.update({ ...update, ipRestriction: { enabled: false, ipPolicyIds: [ipPolicyId] } }),
    ).toMatchObject({ backend: expectedBackend, ipRestriction: { ...restricted, enabled: false } });
    await backends.delete({ edgeId, id }).catch((error: unknown) => expect(error).toBeInstanceOf(SyntaxError));
    await expect(backends.get({ edgeId, id })).rejects.toMatchObject({ statusCode: 404 });
    await restriction.delete({ edgeId, id }).catch((error: unknown) => expect(error).toBeInstanceOf(SyntaxError));
    await expect(restriction.get({ edgeId, id })).rejects.toMatchObject({ statusCode: 404 });
  });

  test('understands every error: code, status, message and details', async () => {
    const failed = await client.ipPolicyRules
      .create({ ipPolicyId: 'ipp_1', cidr: '10.0.0.1/8', action: 'allow' })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({
      errorCode: 'INVALID_INPUT',
      statusCode: 400,
      msg: expect.stringContaining('10.0.0.0/8'),
    });
    expect(Object(failed).details).toEqual(
      new Map([
        ['operationId', expect.stringMatching(/^op_/)],
        ['field', 'cidr'],
      ]),
    );
  });
});

/** Returns the methods of a collection, so that one of them can be replaced. */
function bind<Create, Update, Item>(
  collection: Collection<Create, Update, Item>,
): Omit<Collection<Create, Update, Item>, 'create'> {
  return {
    get: (id) => collection.get(id),
    list: (beforeId, limit) => collection.list(beforeId, limit),
    update: (arg) => collection.update(arg),
    delete: (id) => collection.delete(id),
  };
}
