// What GraphQL shows of HTTPS edges, their routes and SAML modules beyond REST.

import { beforeAll, describe, expect, test } from 'vitest';
import { startService, startTime, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const idp = (content: string, attributes = '') =>
  `<EntityDescriptor entityID="https://idp"${attributes}><IDPSSODescriptor>${content}</IDPSSODescriptor></EntityDescriptor>`;
const location =
  '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp/a"/>';
const keyOf = (pem: string) =>
  '<KeyDescriptor><KeyInfo><X509Data><X509Certificate>' +
  `${pem.replace(/-----[A-Z ]+-----/g, '')}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;

async function mutate(name: string, input: object, selection: string) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
  const { data, errors } = await service.graphql(query, { input });
  return errors === undefined ? data[name] : errors.map(({ message, extensions }) => ({ message, ...extensions }));
}

const newEdge = async (input: object = {}) => (await mutate('createHttpsEdge', input, 'httpsEdge { id }')).httpsEdge.id;
const newRoute = async (edgeId: string, match = '/') =>
  (await mutate('createHttpsEdgeRoute', { edgeId, matchType: 'exact_path', match }, 'httpsEdgeRoute { id }'))
    .httpsEdgeRoute.id;

test('what an identity provider has to be told of a route is known before the route has a module, and remains', async () => {
  const edgeId = await newEdge();
  const routeId = await newRoute(edgeId);
  const values = 'entityId assertionConsumerServiceUrl singleLogoutUrl';
  const query = `query ($id: ID!) { node(id: $id) { ... on HttpsEdgeRoute { samlServiceProvider { ${values} } saml { ${values} } } } }`;
  const told = {
    entityId: `https://sallyport.test/saml/${routeId}`,
    assertionConsumerServiceUrl: `https://sallyport.test/saml/${routeId}/acs`,
    singleLogoutUrl: `https://sallyport.test/saml/${routeId}/slo`,
  };
  const read = async () => (await service.graphql(query, { id: routeId })).data;
  expect(await read()).toEqual({ node: { samlServiceProvider: told, saml: null } });
  await mutate('replaceSamlModule', { edgeId, routeId, idpMetadata: idp('') }, 'httpsEdgeRoute { id }');
  expect(await read()).toEqual({ node: { samlServiceProvider: told, saml: told } });
});

describe('relations', () => {
  test('lead from the edge to its routes and their modules, and back', async () => {
    const edgeId = await newEdge({ hostports: ['a.example.com:443'] });
    const routeId = await newRoute(edgeId);
    const set = 'httpsEdgeRoute { id version edge { id version } saml { version } }';
    expect(await mutate('replaceSamlModule', { edgeId, routeId, idpMetadata: idp('') }, set)).toEqual({
      httpsEdgeRoute: { id: routeId, version: 2, edge: { id: edgeId, version: 3 }, saml: { version: 2 } },
    });
    const query = `query ($id: ID!) {
      node(id: $id) { ... on HttpsEdge { hostports routes { id uri match matchType edgeId saml { route { edge { id } } } } } }
    }`;
    expect((await service.graphql(query, { id: edgeId })).data).toEqual({
      node: {
        hostports: ['a.example.com:443'],
        routes: [
          {
            id: routeId,
            uri: `https://sallyport.test/edges/https/${edgeId}/routes/${routeId}`,
            match: '/',
            matchType: 'exact_path',
            edgeId,
            saml: { route: { edge: { id: edgeId } } },
          },
        ],
      },
    });
  });

  test('cost one statement each, however many objects they lead to', async () => {
    const query =
      '{ httpsEdges(first: 20) { nodes { id routes { id edge { id } saml { enabled idpMetadataWarnings { code } } } } } }';
    const count = async () => {
      service.statements.length = 0;
      expect((await service.graphql(query)).errors).toBeUndefined();
      return service.statements.filter((sql) => /Https|Saml/.test(sql)).length;
    };
    const before = await count();
    for (let number = 0; number < 3; number++) {
      const edgeId = await newEdge();
      for (const match of ['/a', '/b']) {
        const routeId = await newRoute(edgeId, match);
        if (match === '/a')
          await mutate('replaceSamlModule', { edgeId, routeId, idpMetadata: idp('') }, 'httpsEdgeRoute { id }');
      }
    }
    expect([before, await count()]).toEqual([4, 4]);
    // The metadata text is large and was not selected.
    expect(service.statements.join()).not.toMatch(/"idpMetadata"|sealedPrivateKey/);
  });
});

describe('updateHttpsEdge', () => {
  test('empties the hosts with an empty list, which on REST keeps them', async () => {
    const id = await newEdge({ hostports: ['a.example.com:443'] });
    const answer = await mutate('updateHttpsEdge', { id, hostports: [] }, 'httpsEdge { hostports version }');
    expect(answer).toEqual({ httpsEdge: { hostports: [], version: 2 } });
  });
});

describe('updateHttpsEdgeRoute', () => {
  test('refuses an empty path, which on REST keeps the path', async () => {
    const edgeId = await newEdge();
    const id = await newRoute(edgeId);
    expect(await mutate('updateHttpsEdgeRoute', { edgeId, id, match: '' }, 'httpsEdgeRoute { id }')).toEqual([
      { message: 'match: must be a path that starts with "/".', code: 'INVALID_INPUT', field: 'match' },
    ]);
  });
});

describe('replaceSamlModule', () => {
  let edgeId: string;
  let routeId: string;
  beforeAll(async () => {
    edgeId = await newEdge();
    routeId = await newRoute(edgeId);
  });
  const replace = (input: object, selection: string) =>
    mutate('replaceSamlModule', { edgeId, routeId, ...input }, `httpsEdgeRoute { saml { ${selection} } }`);

  test.each([
    ['-1', -1],
    ['4294967296', 4_294_967_296],
    ['1.5', 1.5],
    ['"1"', '1'],
    ['true', true],
  ])('refuses %s seconds, as a variable and in the document', async (literal, value) => {
    const [asVariable] = await replace({ idpMetadata: idp(''), maximumDuration: value }, 'enabled');
    expect(asVariable).toMatchObject({ code: 'INVALID_INPUT', field: 'input.maximumDuration' });
    const input = `{ edgeId: "${edgeId}", routeId: "${routeId}", idpMetadata: "", maximumDuration: ${literal} }`;
    const { errors } = await service.graphql(
      `mutation { replaceSamlModule(input: ${input}) { httpsEdgeRoute { id } } }`,
    );
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_INVALID');
  });

  test.each([
    ['0', 0],
    ['4294967295', 4_294_967_295],
  ])('takes %s seconds, as a variable and in the document', async (literal, value) => {
    const saml = { inactivityTimeout: value };
    expect(await replace({ idpMetadata: idp(''), ...saml }, 'inactivityTimeout')).toEqual({ httpsEdgeRoute: { saml } });
    const { data } = await service.graphql(
      `mutation ($xml: String!) { replaceSamlModule(input: {
        edgeId: "${edgeId}", routeId: "${routeId}", idpMetadata: $xml, inactivityTimeout: ${literal}
      }) { httpsEdgeRoute { saml { inactivityTimeout } } } }`,
      { xml: idp('') },
    );
    expect(data.replaceSamlModule).toEqual({ httpsEdgeRoute: { saml } });
  });

  test('shows what the metadata contains', async () => {
    const [{ requestSigningCertificatePem: pem }] = [
      (await replace({ idpMetadata: idp('') }, 'requestSigningCertificatePem')).httpsEdgeRoute.saml,
    ];
    const selection = `idpMetadataWarnings { code }
      identityProvider { entityId validUntil singleSignOnServices { binding location } signingCertificates { fingerprint expiresAt } }`;
    const idpMetadata = idp(location + keyOf(pem), ' validUntil="2027-01-01T00:00:00Z"');
    expect(await replace({ idpMetadata }, selection)).toEqual({
      httpsEdgeRoute: {
        saml: {
          idpMetadataWarnings: [],
          identityProvider: {
            entityId: 'https://idp',
            validUntil: '2027-01-01T00:00:00Z',
            singleSignOnServices: [
              { binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', location: 'https://idp/a' },
            ],
            signingCertificates: [
              {
                fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
                expiresAt: '2031-11-19T21:00:00Z',
              },
            ],
          },
        },
      },
    });
  });

  test('warns of unusable metadata, at the time of asking', async () => {
    const warnings = 'idpMetadataWarnings { code message }';
    const idpMetadata = idp(location + keyOf('AAAA'), ' validUntil="2027-01-01T00:00:00Z"');
    const unreadable = [
      {
        code: 'no_signing_certificate',
        message: 'There is no signing certificate whose key can be used, so assertions cannot be verified.',
      },
      { code: 'unreadable_certificate', message: 'Signing certificates that cannot be read as X.509: 1.' },
    ];
    expect((await replace({ idpMetadata }, warnings)).httpsEdgeRoute.saml.idpMetadataWarnings).toEqual(unreadable);
    service.setTime(new Date('2027-01-01T00:00:00Z'));
    const query = `query { httpsEdgeRoute(edgeId: "${edgeId}", id: "${routeId}") { saml { ${warnings} } } }`;
    expect((await service.graphql(query)).data.httpsEdgeRoute.saml.idpMetadataWarnings).toEqual([
      ...unreadable,
      { code: 'metadata_expired', message: 'The metadata expired at 2027-01-01T00:00:00Z.' },
    ]);
    service.setTime(startTime);
  });
});
