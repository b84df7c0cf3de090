// What `domain/saml/authn-request.ts` promises: requests that identity providers can read.

import { describe, expect, it } from 'vitest';
import { type AuthnRequest, writeAuthnRequest } from '../../../src/domain/saml/authn-request.ts';
import { serviceProviderUrls } from '../../../src/domain/saml/service-provider.ts';
import { persistent } from '../../support/identity-provider.ts';

const urls = serviceProviderUrls('https://sallyport.example', 'edghtsrt_1');
const request: AuthnRequest = {
  id: '_a1',
  destination: 'https://idp.example.com/sso',
  issuer: urls.entityId,
  assertionConsumerService: urls.assertionConsumerService,
  nameidFormat: persistent,
  forceAuthn: false,
  sentAt: new Date('2026-06-01T12:00:00.500Z'),
};

describe('writeAuthnRequest', () => {
  it('asks for a login, and for no way of authentication', () => {
    expect(writeAuthnRequest(request).xml).toBe(
      '<samlp:AuthnRequest ID="_a1" Version="2.0" ' +
        'IssueInstant="2026-06-01T12:00:00Z" Destination="https://idp.example.com/sso" ' +
        'ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" ' +
        'AssertionConsumerServiceURL="https://sallyport.example/saml/edghtsrt_1/acs" xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">' +
        '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://sallyport.example/saml/edghtsrt_1</saml:Issuer>' +
        `<samlp:NameIDPolicy Format="${persistent}" AllowCreate="true"/></samlp:AuthnRequest>`,
    );
  });

  it('demands credentials where that is configured', () => {
    expect(writeAuthnRequest({ ...request, forceAuthn: true }).xml).toContain(' ForceAuthn="true" ');
  });

  it('does not ask to create a name that is always a new one', () => {
    const nameidFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    expect(writeAuthnRequest({ ...request, nameidFormat }).xml).toContain(
      `<samlp:NameIDPolicy Format="${nameidFormat}"/>`,
    );
  });
});
