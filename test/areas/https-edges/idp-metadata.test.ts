// Previews what would be read from metadata before it is saved.

import { beforeAll, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { idpMetadata, makeIdpKey } from '../../support/identity-provider.ts';
import { createClient, startService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const provider = `identityProvider { entityId validUntil singleSignOnServices { binding location }
  signingCertificates { fingerprint expiresAt } }`;
const query = `query ($metadata: String!) {
  idpMetadata(metadata: $metadata) { ${provider} warnings { code message } error } }`;
const read = async (metadata: string) => dataOf(await service.graphql(query, { metadata })).idpMetadata;

describe('idpMetadata', () => {
  test('tells the same as a module that is set with it', async () => {
    const { id: edge } = (await service.rest('POST', '/edges/https', { hostports: ['app.example.com:443'] })).body;
    const route = { match_type: 'path_prefix', match: '/' };
    const { id } = (await service.rest('POST', `/edges/https/${edge}/routes`, route)).body;
    for (const idp_metadata of [
      idpMetadata([makeIdpKey()]),
      '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com" validUntil="2026-01-01T00:00:00Z"/>',
    ]) {
      expect((await service.rest('PUT', `/edges/https/${edge}/routes/${id}/saml`, { idp_metadata })).status).toBe(200);
      const ofModule = `query ($id: ID!) {
        node(id: $id) { ... on HttpsEdgeRoute { saml { ${provider} idpMetadataWarnings { code message } } } } }`;
      const { identityProvider, idpMetadataWarnings } = dataOf(await service.graphql(ofModule, { id })).node.saml;
      expect(await read(idp_metadata)).toEqual({ identityProvider, warnings: idpMetadataWarnings, error: null });
    }
  });

  test('lists what would keep logins from working', async () => {
    const empty = '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>';
    expect(await read(empty)).toEqual({
      identityProvider: {
        entityId: 'https://idp.example.com',
        validUntil: null,
        singleSignOnServices: [],
        signingCertificates: [],
      },
      warnings: [
        {
          code: 'no_sso_location',
          message:
            'There is no SingleSignOnService with an http(s) Location and the binding HTTP-Redirect or HTTP-POST.',
        },
        {
          code: 'no_signing_certificate',
          message: 'There is no signing certificate whose key can be used, so assertions cannot be verified.',
        },
      ],
      error: null,
    });
  });

  test.each<[what: string, metadata: string, error: string | RegExp]>([
    ['nothing', '', /^must /],
    ['text that is no XML', 'metadata', /^must /],
    ['an address', 'https://idp.example.com/metadata', /^is only an address/],
    ['a page', '<html><body/></html>', /^must be the metadata of one identity provider/],
    ['metadata without a name', '<EntityDescriptor/>', 'must have an `entityID` on its EntityDescriptor.'],
    ['a document type definition', '<!DOCTYPE a><EntityDescriptor entityID="a"/>', /^must /],
    ['NUL', '<EntityDescriptor entityID="a\u0000"/>', 'must not contain the NUL character (U+0000).'],
    ['more than may be saved', 'a'.repeat(262_145), 'must be at most 262144 bytes of UTF-8; it has 262145.'],
  ])('says of %s why it cannot be used, as saving does', async (_what, metadata, error) => {
    const answer = await read(metadata);
    expect(answer).toEqual({
      identityProvider: null,
      warnings: [],
      error: typeof error === 'string' ? error : expect.stringMatching(error),
    });
    const { body } = await service.rest('POST', '/edges/https', {});
    const route = { match_type: 'path_prefix', match: '/' };
    const { id } = (await service.rest('POST', `/edges/https/${body.id}/routes`, route)).body;
    const saved = await service.rest('PUT', `/edges/https/${body.id}/routes/${id}/saml`, { idp_metadata: metadata });
    // A module may also go without, if it uses the registration of another route.
    const said = metadata === '' ? expect.stringContaining('must be given') : `idp_metadata: ${answer.error}`;
    expect([saved.status, saved.body.msg]).toEqual([400, said]);
  });

  test('is read no more often in one document than it may cost', async () => {
    const many = Array.from({ length: 16 }, (_, i) => `a${i}: idpMetadata(metadata: "<a/>") { error }`);
    const { errors } = await service.graphql(`{ ${many.join(' ')} }`);
    expect(errors?.map(({ extensions: { code } }) => code)).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test('is not for keys without the right to read edges', async () => {
    const { token } = (await service.rest('POST', '/api_keys', { scopes: ['tls-edges:read'] })).body;
    expect(errorOf(await createClient(service.url, token).graphql(query, { metadata: '' }))?.code).toBe('FORBIDDEN');
  });
});
