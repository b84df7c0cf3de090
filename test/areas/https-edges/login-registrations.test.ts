// A login module that uses the registration of another route: what is refused, what is shown, and what keeps the registration.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idpEntityId, idpMetadata } from '../../support/identity-provider.ts';
import { idpKey } from '../../support/login.ts';
import { baseUrl, startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const metadata = idpMetadata([idpKey]);
const unknown = 'edghtsrt_0zm7xc4kkmepqbszdrczy3hnma';

const makeEdge = async () => (await service.rest('POST', '/edges/https', { hostports: ['a.example.com:443'] })).body.id;
/** Adds a route to an edge, and returns its id and its address. */
async function makeRoute(edge: string, match: string, saml: object | null = null) {
  const route = { match_type: 'path_prefix', match };
  const { id } = (await service.rest('POST', `/edges/https/${edge}/routes`, route)).body;
  const path = `/edges/https/${edge}/routes/${id}`;
  if (saml !== null) expect((await service.rest('PUT', `${path}/saml`, saml)).status).toBe(200);
  return { id, path };
}
const put = (path: string, login_route_id: string, others: object = {}) =>
  service.rest('PUT', `${path}/saml`, { login_route_id, ...others });
const problemOf = ({ status, body }: Awaited<ReturnType<typeof put>>) => [status, body.error_code, body.msg];

describe('a module that names the route whose registration it uses', () => {
  test('answers with the addresses of that registration, and nothing that it has not', async () => {
    const edge = await makeEdge();
    const owner = await makeRoute(edge, '/', { idp_metadata: metadata });
    const user = await makeRoute(edge, '/api');
    const { status, body } = await put(user.path, owner.id, { authorized_groups: ['staff'], maximum_duration: 60 });
    const urls = `${baseUrl}/saml/${owner.id}`;
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        enabled: true,
        options_passthrough: false,
        cookie_prefix: 'sallyport.',
        inactivity_timeout: 0,
        maximum_duration: 60,
        idp_metadata: '',
        idp_metadata_url: '',
        idp_entity_id: '',
        login_route_id: owner.id,
        force_authn: false,
        allow_idp_initiated: true,
        authorized_groups: ['staff'],
        entity_id: urls,
        assertion_consumer_service_url: `${urls}/acs`,
        single_logout_url: `${urls}/slo`,
        metadata_url: urls,
        request_signing_certificate_pem: '',
        nameid_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      },
    });
    expect((await service.rest('GET', `${user.path}/saml`)).body).toEqual(body);
    expect((await service.rest('PUT', `${user.path}/saml`, body)).status).toBe(400);
    const { data } = await service.graphql(
      `{ httpsEdgeRoute(edgeId: "${edge}", id: "${user.id}") { saml { loginRouteId identityProvider { entityId }
        idpMetadataWarnings { code } } } }`,
    );
    expect(data.httpsEdgeRoute.saml).toEqual({
      loginRouteId: owner.id,
      identityProvider: { entityId: idpEntityId },
      idpMetadataWarnings: [],
    });
  });

  test('gets a key when it has a registration of its own for the first time, and then keeps it', async () => {
    const edge = await makeEdge();
    const owner = await makeRoute(edge, '/', { idp_metadata: metadata });
    const { path } = await makeRoute(edge, '/api', { login_route_id: owner.id });
    const own = async () => (await service.rest('PUT', `${path}/saml`, { idp_metadata: metadata })).body;
    const pem = (await own()).request_signing_certificate_pem;
    expect(pem).toContain('BEGIN CERTIFICATE');
    expect((await put(path, owner.id)).body.request_signing_certificate_pem).toBe('');
    expect((await own()).request_signing_certificate_pem).toBe(pem);
  });

  test.each([
    [
      'both metadata and a route',
      async () => {
        const edge = await makeEdge();
        const owner = await makeRoute(edge, '/', { idp_metadata: metadata });
        const { path } = await makeRoute(edge, '/api');
        return put(path, owner.id, { idp_metadata: metadata });
      },
      [
        400,
        'INVALID_INPUT',
        'idp_metadata: must be left out or empty where another route is named whose registration is used.',
      ],
    ],
    [
      'neither',
      async () => service.rest('PUT', `${(await makeRoute(await makeEdge(), '/api')).path}/saml`, {}),
      [
        400,
        'INVALID_INPUT',
        'idp_metadata: must be given, or the URL at which it is read, unless another route is named whose registration is used.',
      ],
    ],
    [
      'a route that does not exist',
      async () => put((await makeRoute(await makeEdge(), '/api')).path, unknown),
      [400, 'UNKNOWN_REFERENCE', `login_route_id: There is no route of an HTTPS edge "${unknown}" in this account.`],
    ],
    [
      'a route of another account',
      async () => {
        const other = await service.otherAccount('login registrations');
        const { id } = (await other.rest('POST', '/edges/https', {})).body;
        const route = { match_type: 'path_prefix', match: '/' };
        const foreign = (await other.rest('POST', `/edges/https/${id}/routes`, route)).body.id;
        return put((await makeRoute(await makeEdge(), '/api')).path, foreign);
      },
      [400, 'UNKNOWN_REFERENCE', expect.stringMatching(/^login_route_id: There is no route of an HTTPS edge/)],
    ],
    [
      'itself',
      async () => {
        const { id, path } = await makeRoute(await makeEdge(), '/api');
        return put(path, id);
      },
      [
        400,
        'INVALID_INPUT',
        'login_route_id: names the route itself. Leave it out, and give the metadata of an identity provider.',
      ],
    ],
    [
      'a route without a login',
      async () => {
        const edge = await makeEdge();
        const { id } = await makeRoute(edge, '/plain');
        return put((await makeRoute(edge, '/api')).path, id);
      },
      [
        400,
        'INVALID_INPUT',
        expect.stringMatching(/\/plain.*, which has no login module\. It must have a SAML module\.$/),
      ],
    ],
    [
      'a route with an OpenID Connect module',
      async () => {
        const edge = await makeEdge();
        const { id, path } = await makeRoute(edge, '/oidc');
        const oidc = { issuer: 'https://idp.example.com', client_id: 'a', client_secret: 'b' };
        await service.rest('PUT', `${path}/oidc`, oidc);
        return put((await makeRoute(edge, '/api')).path, id);
      },
      [400, 'INVALID_INPUT', expect.stringMatching(/\/oidc.*, which has an OpenID Connect module\./)],
    ],
    [
      'a route that itself uses another',
      async () => {
        const edge = await makeEdge();
        const owner = await makeRoute(edge, '/owner', { idp_metadata: metadata });
        const user = await makeRoute(edge, '/user', { login_route_id: owner.id });
        return put((await makeRoute(edge, '/api')).path, user.id);
      },
      [
        400,
        'INVALID_INPUT',
        expect.stringMatching(/\/user.*, which itself uses the registration of .*\/owner.*\. Name that one\.$/),
      ],
    ],
    [
      'another route, where others use its own registration',
      async () => {
        const edge = await makeEdge();
        const owner = await makeRoute(edge, '/owner', { idp_metadata: metadata });
        const used = await makeRoute(edge, '/used', { idp_metadata: metadata });
        await makeRoute(edge, '/user', { login_route_id: used.id });
        return put(used.path, owner.id);
      },
      [
        400,
        'INVALID_INPUT',
        expect.stringMatching(/must be left out, because the registration of this route is used by 1 route: .*\/user/),
      ],
    ],
  ])('is refused with %s', async (_name, attempt, problem) => {
    expect(problemOf(await attempt())).toEqual(problem);
  });
});

describe('a registration that another route uses', () => {
  test('is deleted neither with its module nor with its route nor with its edge, until nothing uses it', async () => {
    const [edge, other] = [await makeEdge(), await makeEdge()];
    const owner = await makeRoute(edge, '/', { idp_metadata: metadata });
    await makeRoute(edge, '/api', { login_route_id: owner.id });
    const user = await makeRoute(other, '/user', { login_route_id: owner.id });
    const refusal = [409, 'IN_USE', expect.stringMatching(/is used by 2 routes: .*\/api.*\/user/)];
    expect(problemOf(await service.rest('DELETE', `${owner.path}/saml`))).toEqual(refusal);
    expect(problemOf(await service.rest('DELETE', owner.path))).toEqual(refusal);
    const ofEdge = problemOf(await service.rest('DELETE', `/edges/https/${edge}`));
    expect(ofEdge).toEqual([409, 'IN_USE', expect.stringMatching(/by 1 route: .*\/user/)]);
    expect((await service.rest('DELETE', `${user.path}/saml`)).status).toBe(204);
    // With all that use it.
    expect((await service.rest('DELETE', `/edges/https/${edge}`)).status).toBe(204);
  });

  test('comes back with its edge, and those that use it', async () => {
    const edge = await makeEdge();
    const user = await makeRoute(edge, '/user', { idp_metadata: metadata });
    const owner = await makeRoute(edge, '/owner', { idp_metadata: metadata });
    await put(user.path, owner.id);
    expect((await service.rest('DELETE', `/edges/https/${edge}`)).status).toBe(204);
    const { data } = await service.graphql(`{ auditEvents(objectId: "${edge}", action: delete) { nodes { id } } }`);
    const restored = await service.graphql(
      'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }',
      { id: data.auditEvents.nodes[0].id },
    );
    expect(restored.errors).toBeUndefined();
    expect((await service.rest('GET', `${user.path}/saml`)).body.login_route_id).toBe(owner.id);
    expect((await service.rest('GET', `${owner.path}/saml`)).body.idp_metadata).toBe(metadata);
  });
});

describe('an OpenID Connect module that names the route whose registration it uses', () => {
  const client = { issuer: 'https://idp.example.com', client_id: 'sallyport', client_secret: 'secret' };
  const putClient = (path: string, settings: object) => service.rest('PUT', `${path}/oidc`, settings);
  /** Adds a route with an OpenID Connect module to an edge. */
  async function makeClient(edge: string, match: string, settings: object = client) {
    const route = await makeRoute(edge, match);
    expect((await putClient(route.path, settings)).status).toBe(200);
    return route;
  }

  test('answers with the addresses of that registration, and nothing that it has not', async () => {
    const edge = await makeEdge();
    const owner = await makeClient(edge, '/');
    const user = await makeRoute(edge, '/api');
    const given = { login_route_id: owner.id, issuer: '', client_id: '', client_secret: '', scopes: ['groups'] };
    const { status, body } = await putClient(user.path, { ...given, authorized_email_domains: ['example.com'] });
    const urls = `${baseUrl}/oidc/${owner.id}`;
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        enabled: true,
        options_passthrough: false,
        cookie_prefix: 'sallyport.',
        inactivity_timeout: 0,
        maximum_duration: 0,
        ...given,
        authorized_groups: [],
        authorized_email_domains: ['example.com'],
        groups_claim: 'groups',
        email_verification: 'required',
        redirect_url: `${urls}/callback`,
        backchannel_logout_url: `${urls}/backchannel-logout`,
      },
    });
    expect((await service.rest('GET', `${user.path}/oidc`)).body).toEqual(body);
    const { data } = await service.graphql(
      `{ httpsEdgeRoute(edgeId: "${edge}", id: "${user.id}") { oidc { hasClientSecret failure failedAt } } }`,
    );
    expect(data.httpsEdgeRoute.oidc).toEqual({ hasClientSecret: true, failure: null, failedAt: null });
  });

  const unless = 'another route is named whose registration is used.';
  test.each([
    [
      'a client as well',
      async (edge: string) => ({ ...client, login_route_id: (await makeClient(edge, '/owner')).id }),
      `issuer: must be left out or empty where ${unless}`,
    ],
    [
      'a secret as well',
      async (edge: string) => ({ client_secret: 'x', login_route_id: (await makeClient(edge, '/owner')).id }),
      `client_secret: must be left out or empty where ${unless}`,
    ],
    ['no issuer', async () => ({ client_id: 'x', client_secret: 'x' }), `issuer: must be given, unless ${unless}`],
    [
      'no client',
      async () => ({ issuer: client.issuer, client_secret: 'x' }),
      `client_id: must be given, unless ${unless}`,
    ],
    [
      'a route that does not exist',
      async () => ({ login_route_id: unknown }),
      `login_route_id: There is no route of an HTTPS edge "${unknown}" in this account.`,
    ],
    [
      'a route with a SAML module',
      async (edge: string) => ({ login_route_id: (await makeRoute(edge, '/saml', { idp_metadata: metadata })).id }),
      'login_route_id: names the route "/saml", which has a SAML module. It must have an OpenID Connect module.',
    ],
    [
      'a route that itself uses another',
      async (edge: string) => {
        const owner = await makeClient(edge, '/owner');
        return { login_route_id: (await makeClient(edge, '/user', { login_route_id: owner.id })).id };
      },
      'login_route_id: names the route "/user", which itself uses the registration of "/owner". Name that one.',
    ],
  ])('is refused with %s', async (_name, settings, problem) => {
    const edge = await makeEdge();
    const { path } = await makeRoute(edge, '/api');
    const { status, body } = await putClient(path, await settings(edge));
    expect([status, body.msg]).toEqual([400, problem]);
  });

  test('is refused with itself, and where others use its own registration', async () => {
    const edge = await makeEdge();
    const [owner, used] = [await makeClient(edge, '/owner'), await makeClient(edge, '/used')];
    await makeClient(edge, '/user', { login_route_id: used.id });
    expect((await putClient(used.path, { login_route_id: used.id })).body.msg).toBe(
      'login_route_id: names the route itself. Leave it out, and give an issuer, and the name and the secret of a client there.',
    );
    expect((await putClient(used.path, { login_route_id: owner.id })).body.msg).toBe(
      'login_route_id: must be left out, because the registration of this route is used by 1 route: "/user".',
    );
  });

  test('keeps that registration from being deleted, and comes back with it', async () => {
    const edge = await makeEdge();
    const user = await makeRoute(edge, '/user');
    const owner = await makeClient(edge, '/owner');
    await putClient(user.path, { login_route_id: owner.id });
    const refusal = [409, 'IN_USE', expect.stringMatching(/is used by 1 route: .*\/user/)];
    expect(problemOf(await service.rest('DELETE', `${owner.path}/oidc`))).toEqual(refusal);
    expect(problemOf(await service.rest('DELETE', owner.path))).toEqual(refusal);
    expect((await service.rest('DELETE', `/edges/https/${edge}`)).status).toBe(204);
    const { data } = await service.graphql(`{ auditEvents(objectId: "${edge}", action: delete) { nodes { id } } }`);
    const restored = await service.graphql(
      'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }',
      { id: data.auditEvents.nodes[0].id },
    );
    expect(restored.errors).toBeUndefined();
    expect((await service.rest('GET', `${user.path}/oidc`)).body.login_route_id).toBe(owner.id);
    // The trail has no secrets: the registration needs another, at both routes.
    const { data: known } = await service.graphql('{ attention { code message } }');
    expect(known.attention).toContainEqual({
      code: 'oidc_client_secret_missing',
      message: expect.stringMatching(/This concerns 2 routes: .*\/owner/),
    });
  });
});
