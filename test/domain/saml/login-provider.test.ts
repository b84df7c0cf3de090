// What `domain/saml/login-provider.ts` promises: what a login needs of metadata, and nothing that cannot be used.

import { describe, expect, it } from 'vitest';
import { readLoginProvider, signingKeysMax } from '../../../src/domain/saml/login-provider.ts';
import { idpEntityId, idpMetadata, makeIdpKey } from '../../support/identity-provider.ts';

const key = makeIdpKey();

describe('readLoginProvider', () => {
  it('gives the name, the keys, and where requests are taken', () => {
    expect(readLoginProvider(idpMetadata([key], ' validUntil="2030-01-01T00:00:00Z"'))).toEqual({
      entityId: idpEntityId,
      validUntil: new Date('2030-01-01T00:00:00Z'),
      signingCertificates: [key.certificatePem],
      ssoLocation: 'https://idp.example.com/sso',
    });
  });

  it.each(['javascript:alert(1)', '/sso', ''])('leaves out the location %j', (location) => {
    expect(readLoginProvider(idpMetadata([key], '', location)).ssoLocation).toBeNull();
  });

  it('leaves out a location for posted requests', () => {
    const metadata = idpMetadata([key]).replace('HTTP-Redirect', 'HTTP-POST');
    expect(readLoginProvider(metadata).ssoLocation).toBeNull();
  });

  it('leaves out certificates that cannot be read, and more keys than a forgery may cost', () => {
    const unreadable = { ...key, certificatePem: 'AAAA' };
    expect(readLoginProvider(idpMetadata([unreadable, key])).signingCertificates).toEqual([key.certificatePem]);
    const keys = Array.from({ length: signingKeysMax + 1 }, () => makeIdpKey());
    expect(readLoginProvider(idpMetadata(keys)).signingCertificates).toHaveLength(signingKeysMax);
  });
});
