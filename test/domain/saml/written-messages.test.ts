// What `domain/saml/written-messages.ts` promises: messages that identity providers can verify, sent by redirect or in forms.

import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { readMessage } from '../../../src/domain/saml/message.ts';
import { readSigned } from '../../../src/domain/saml/signature.ts';
import { type Outgoing, sendMessage, writeMessage } from '../../../src/domain/saml/written-messages.ts';
import { makeIdpKey } from '../../support/identity-provider.ts';

const key = makeIdpKey();
const location = 'https://idp.example.com/slo';
const head = {
  id: '_a1',
  sentAt: new Date('2026-06-01T12:00:00.500Z'),
  destination: location,
  issuer: 'https://sp&co',
};
const xml = writeMessage('LogoutRequest', head, { Reason: 'a"b' }, [
  { name: 'saml:NameID', attributes: { Format: null }, content: '<amy>' },
]);
const message = { parameter: 'SAMLRequest', xml, id: head.id } as const;
const relayState = 'Aa-_0123456789abcdefgh';

describe('writeMessage', () => {
  it('escapes what it is given', () => {
    expect(xml).toBe(
      '<samlp:LogoutRequest ID="_a1" Version="2.0" IssueInstant="2026-06-01T12:00:00Z" ' +
        'Destination="https://idp.example.com/slo" Reason="a&quot;b" xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">' +
        '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://sp&amp;co</saml:Issuer>' +
        '<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">&lt;amy&gt;</saml:NameID></samlp:LogoutRequest>',
    );
  });
});

describe('by redirect', () => {
  const send = (to: string, state: string | null = relayState) =>
    sendMessage(message, { binding: 'redirect', location: to }, state, key.privateKey).location;

  it('carries the message and the state, signed in the form in which they are sent', () => {
    const [, query = '', signature = ''] =
      /^https:\/\/idp\.example\.com\/slo\?(.*)&Signature=(.*)$/.exec(send(location)) ?? [];
    const parameters = new URLSearchParams(query);
    expect([...parameters.keys()]).toEqual(['SAMLRequest', 'RelayState', 'SigAlg']);
    expect(inflateRawSync(Buffer.from(parameters.get('SAMLRequest') ?? '', 'base64')).toString()).toBe(xml);
    expect(parameters.get('RelayState')).toBe(relayState);
    expect(parameters.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    const { publicKey } = new X509Certificate(key.certificatePem);
    const bytes = Buffer.from(decodeURIComponent(signature), 'base64');
    expect(verify('sha256', Buffer.from(query), publicKey, bytes)).toBe(true);
    expect(verify('sha256', Buffer.from(query.replace(relayState, 'other')), publicKey, bytes)).toBe(false);
  });

  it('carries no state where there is none', () => {
    expect([...new URL(send(location, null)).searchParams.keys()]).toEqual(['SAMLRequest', 'SigAlg', 'Signature']);
  });

  it('keeps the query that the location has, and nothing after it', () => {
    expect(send(`${location}?tenant=a%20b#top`)).toMatch(
      /^https:\/\/idp\.example\.com\/slo\?tenant=a%20b&SAMLRequest=[^#]+$/,
    );
  });
});

describe('in a form', () => {
  const post = (state: string | null): Extract<Outgoing, { binding: 'post' }> => {
    const sent = sendMessage(message, { binding: 'post', location }, state, key.privateKey);
    if (sent.binding !== 'post') throw new Error('It was not to be redirected.');
    return sent;
  };

  it('carries a signature of the whole message, behind its issuer', () => {
    const { location: to, fields } = post(relayState);
    expect([to, Object.keys(fields), fields.RelayState]).toEqual([location, ['SAMLRequest', 'RelayState'], relayState]);
    const signed = Buffer.from(fields.SAMLRequest ?? '', 'base64').toString();
    const document = readMessage(signed);
    const names = [...(document.documentElement?.childNodes ?? [])].map(({ nodeName }) => nodeName);
    expect(names).toEqual(['saml:Issuer', 'ds:Signature', 'saml:NameID']);
    const root = document.documentElement;
    if (root === null) throw new Error('There is no root.');
    expect(readSigned(signed, root, [createPublicKey(key.certificatePem)])).toContain('&lt;amy&gt;');
    expect(() => readSigned(signed, root, [createPublicKey(makeIdpKey().certificatePem)])).toThrow('not made by a key');
    const [signature] = [...document.getElementsByTagName('ds:Signature')];
    const judge = new SignedXml({ publicCert: key.certificatePem });
    judge.loadSignature(String(signature));
    expect(judge.checkSignature(signed)).toBe(true);
  });

  it('carries no state where there is none', () => {
    expect(Object.keys(post(null).fields)).toEqual(['SAMLRequest']);
  });
});
