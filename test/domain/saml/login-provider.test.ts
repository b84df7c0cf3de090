// What `domain/saml/login-provider.ts` promises: the parts of metadata that a login needs, without those that cannot be used.

import { describe, expect, it } from 'vitest';
import { signingKeysMax } from '../../../src/domain/saml/login-provider.ts';
import { idpEntityId, idpMetadata, makeIdpKey, readProvider } from '../../support/identity-provider.ts';

const key = makeIdpKey();

describe('readLoginProvider', () => {
  it('gives the name, the keys, and where requests are taken', () => {
    expect(readProvider(idpMetadata([key], ' validUntil="2030-01-01T00:00:00Z"'))).toEqual({
      entityId: idpEntityId,
      validUntil: new Date('2030-01-01T00:00:00Z'),
      signingKeys: [expect.objectContaining({ type: 'public', asymmetricKeyType: 'rsa' })],
      sso: { binding: 'redirect', location: 'https://idp.example.com/sso' },
      logout: null,
    });
  });

  it.each(['javascript:alert(1)', '/sso', ''])('leaves out the location %j', (location) => {
    expect(readProvider(idpMetadata([key], '', location)).sso).toBeNull();
  });

  it('prefers redirects to forms, and takes forms where there is nothing else', () => {
    const other =
      '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP" Location="https://idp.example.com/soap"/>';
    const posted =
      '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.com/post"/>';
    const both = idpMetadata([key]).replace('<SingleSignOnService', `${other}${posted}<SingleSignOnService`);
    expect(readProvider(both).sso).toEqual({ binding: 'redirect', location: 'https://idp.example.com/sso' });
    const one = both.replace(/<SingleSignOnService[^>]*HTTP-Redirect[^>]*>/, '');
    expect(readProvider(one).sso).toEqual({ binding: 'post', location: 'https://idp.example.com/post' });
    expect(readProvider(one.replace(posted, '')).sso).toBeNull();
  });

  it('finds where logouts go, and where responses to them', () => {
    const at = (attributes: string) =>
      readProvider(idpMetadata([key]).replace('<SingleSignOn', `<SingleLogoutService ${attributes}/><SingleSignOn`))
        .logout;
    const redirect =
      'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.com/slo"';
    const requests = { binding: 'redirect', location: 'https://idp.example.com/slo' };
    expect(at(redirect)).toEqual({ requests, responses: requests });
    expect(at(`${redirect} ResponseLocation="https://idp.example.com/done"`)).toEqual({
      requests,
      responses: { binding: 'redirect', location: 'https://idp.example.com/done' },
    });
    expect(at(`${redirect} ResponseLocation="javascript:alert(1)"`)).toEqual({ requests, responses: requests });
    expect(at(redirect.replace('HTTP-Redirect', 'SOAP'))).toBeNull();
  });

  it('leaves out certificates that cannot be read, and more keys than a forgery may cost', () => {
    const unreadable = { ...key, certificatePem: 'AAAA' };
    expect(readProvider(idpMetadata([unreadable, key])).signingKeys).toHaveLength(1);
    const keys = Array.from({ length: signingKeysMax + 1 }, () => makeIdpKey(undefined, 'P-256'));
    expect(readProvider(idpMetadata(keys)).signingKeys).toHaveLength(signingKeysMax);
  });
});
