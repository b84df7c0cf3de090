// What `domain/saml/authn-request.ts` promises: requests that identity providers can read and verify.

import { verify, X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type AuthnRequest, redirectUrl, writeAuthnRequest } from '../../../src/domain/saml/authn-request.ts';
import { serviceProviderUrls } from '../../../src/domain/saml/service-provider.ts';
import { makeIdpKey, persistent } from '../../support/identity-provider.ts';

const key = makeIdpKey();
const request: AuthnRequest = {
  id: '_a1',
  ssoLocation: 'https://idp.example.com/sso',
  urls: serviceProviderUrls('https://sallyport.example', 'edghtsrt_1'),
  nameidFormat: persistent,
  forceAuthn: false,
  sentAt: new Date('2026-06-01T12:00:00.500Z'),
};
const relayState = 'Aa-_0123456789abcdefgh';

describe('writeAuthnRequest', () => {
  it('asks for a login, and for no way of authentication', () => {
    expect(writeAuthnRequest(request)).toBe(
      '<samlp:AuthnRequest ID="_a1" Version="2.0" ' +
        'IssueInstant="2026-06-01T12:00:00Z" Destination="https://idp.example.com/sso" ' +
        'ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" ' +
        'AssertionConsumerServiceURL="https://sallyport.example/saml/edghtsrt_1/acs" xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">' +
        '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://sallyport.example/saml/edghtsrt_1</saml:Issuer>' +
        `<samlp:NameIDPolicy Format="${persistent}" AllowCreate="true"/></samlp:AuthnRequest>`,
    );
  });

  it('demands credentials where that is configured', () => {
    expect(writeAuthnRequest({ ...request, forceAuthn: true })).toContain(' ForceAuthn="true" ');
  });

  it('does not ask to create a name that is always a new one', () => {
    const nameidFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    expect(writeAuthnRequest({ ...request, nameidFormat })).toContain(`<samlp:NameIDPolicy Format="${nameidFormat}"/>`);
  });
});

describe('redirectUrl', () => {
  it('carries the request and the state, signed in the form in which they are sent', () => {
    const url = redirectUrl(request, relayState, key.privateKey);
    const [, query = '', signature = ''] = /^https:\/\/idp\.example\.com\/sso\?(.*)&Signature=(.*)$/.exec(url) ?? [];
    const parameters = new URLSearchParams(query);
    expect([...parameters.keys()]).toEqual(['SAMLRequest', 'RelayState', 'SigAlg']);
    expect(inflateRawSync(Buffer.from(parameters.get('SAMLRequest') ?? '', 'base64')).toString()).toBe(
      writeAuthnRequest(request),
    );
    expect(parameters.get('RelayState')).toBe(relayState);
    expect(parameters.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    const { publicKey } = new X509Certificate(key.certificatePem);
    const bytes = Buffer.from(decodeURIComponent(signature), 'base64');
    expect(verify('sha256', Buffer.from(query), publicKey, bytes)).toBe(true);
    expect(verify('sha256', Buffer.from(query.replace(relayState, 'other')), publicKey, bytes)).toBe(false);
  });

  it('keeps the query that the location has, and nothing after it', () => {
    const ssoLocation = 'https://idp.example.com/sso?tenant=a%20b#top';
    expect(redirectUrl({ ...request, ssoLocation }, relayState, key.privateKey)).toMatch(
      /^https:\/\/idp\.example\.com\/sso\?tenant=a%20b&SAMLRequest=[^#]+$/,
    );
  });
});
