// The OpenID Connect module of a route, on both surfaces.

import { beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let edgeId: string;
beforeAll(async () => {
  service = await startService();
  edgeId = (await service.rest('POST', '/edges/https', {})).body.id;
});

let routes = 0;
async function newRoute() {
  routes += 1;
  const body = { match_type: 'path_prefix', match: `/${routes}` };
  const { id } = (await service.rest('POST', `/edges/https/${edgeId}/routes`, body)).body;
  return { id, route: `/edges/https/${edgeId}/routes/${id}`, path: `/edges/https/${edgeId}/routes/${id}/oidc` };
}

const client = { issuer: 'https://idp.example.com/realm', client_id: 'sallyport', client_secret: 'secret' };
const answerFor = (id: string) => ({
  enabled: true,
  options_passthrough: false,
  cookie_prefix: 'sallyport.',
  inactivity_timeout: 0,
  maximum_duration: 0,
  issuer: 'https://idp.example.com/realm',
  client_id: 'sallyport',
  client_secret: '',
  login_route_id: null,
  scopes: ['email', 'profile'],
  authorized_groups: [],
  authorized_email_domains: [],
  groups_claim: 'groups',
  email_verification: 'required',
  redirect_url: `https://sallyport.test/oidc/${id}/callback`,
  backchannel_logout_url: `https://sallyport.test/oidc/${id}/backchannel-logout`,
});
const metadata = '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp"/>';

describe('the module', () => {
  test('is set, shown in its route, and deleted, without its secret', async () => {
    const { id, route, path } = await newRoute();
    const issuer = `${client.issuer}/.well-known/openid-configuration`;
    expect(await service.rest('PUT', path, { ...client, issuer })).toMatchObject({ status: 200, body: answerFor(id) });
    expect((await service.rest('GET', path)).body).toEqual(answerFor(id));
    expect((await service.rest('GET', route)).body).toMatchObject({ saml: null, oidc: answerFor(id) });
    const events = await service.graphql('{ auditEvents(first: 5) { nodes { state } } }');
    expect(JSON.stringify(events)).not.toContain('"secret"');
    expect((await service.rest('DELETE', path)).status).toBe(204);
    expect((await service.rest('GET', path)).status).toBe(404);
    expect((await service.rest('GET', route)).body.oidc).toBeNull();
  });

  test('keeps its secret when a client puts back what it got, and needs another for another client', async () => {
    const { path } = await newRoute();
    expect(await service.rest('PUT', path, { ...client, client_secret: '' })).toMatchObject({ status: 400 });
    const {
      redirect_url: _back,
      backchannel_logout_url: _logout,
      ...got
    } = (await service.rest('PUT', path, client)).body;
    expect((await service.rest('PUT', path, { ...got, enabled: false })).status).toBe(200);
    const other = await service.rest('PUT', path, { ...got, client_id: 'other' });
    expect([other.status, other.body.msg]).toEqual([
      400,
      'client_secret: must be given, because the stored one belongs to another issuer or client.',
    ]);
  });

  test('is the only login of its route', async () => {
    const { route, path } = await newRoute();
    const saml = { idp_metadata: metadata };
    expect((await service.rest('PUT', `${route}/saml`, saml)).status).toBe(200);
    const refused = await service.rest('PUT', path, client);
    expect([refused.status, refused.body.msg]).toEqual([
      400,
      'id: names a route that has a SAML module, and a route has one login module at most. Delete that one first.',
    ]);
    await service.rest('DELETE', `${route}/saml`);
    expect((await service.rest('PUT', path, client)).status).toBe(200);
    expect((await service.rest('PUT', `${route}/saml`, saml)).status).toBe(400);
  });

  test('is restored without its secret, and lets nobody in until that is given again', async () => {
    const { id, path } = await newRoute();
    await service.rest('PUT', path, client);
    const { data } = await service.graphql(`{ auditEvents(first: 1) { nodes { id } } }`);
    await service.rest('DELETE', path);
    const restored = await service.graphql(
      `mutation { restoreObject(input: { eventId: "${data.auditEvents.nodes[0].id}" }) { kind: __typename } }`,
    );
    expect(restored.errors).toBeUndefined();
    expect((await service.rest('GET', path)).body).toEqual(answerFor(id));
    const known = await service.graphql(
      `{ node(id: "${id}") { ... on HttpsEdgeRoute { oidc { hasClientSecret failure failedAt } } }
        attention { code severity message subjectId } }`,
    );
    expect(known.data).toEqual({
      node: { oidc: { hasClientSecret: false, failure: null, failedAt: null } },
      attention: [
        {
          code: 'oidc_client_secret_missing',
          severity: 'critical',
          message: `The client secret for the OpenID provider ${client.issuer} was lost in a restoration: nobody can log in. This concerns 1 route: "/${routes}". Enter it again.`,
          subjectId: id,
        },
      ],
    });
    expect((await service.rest('PUT', path, { ...client, client_secret: '' })).body.msg).toBe(
      'client_secret: must be given: no secret of the client is stored.',
    );
  });
});

test.each([
  [
    'issuer',
    'http://idp.example.com',
    'must be the https URL of the provider, without user name, query (?) and fragment (#).',
  ],
  [
    'issuer',
    'https://a:b@idp.example.com',
    'must be the https URL of the provider, without user name, query (?) and fragment (#).',
  ],
  [
    'issuer',
    'https://login.microsoftonline.com/common/v2.0',
    'lets in the users of all tenants. It must have the id of your tenant in place of "common".',
  ],
  ['client_id', '', 'must be given, unless another route is named whose registration is used.'],
  ['scopes', ['a b'], 'must be a word without spaces and quotes.'],
  ['authorized_email_domains', ['@example.com'], 'must be a domain such as "example.com", without "@" and wildcards.'],
])('%s may not be %j', async (field, value, problem) => {
  const { path } = await newRoute();
  const { status, body } = await service.rest('PUT', path, { ...client, [field]: value });
  expect([status, body.msg]).toEqual([400, expect.stringContaining(problem)]);
});
