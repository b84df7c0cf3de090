// What `domain/saml/identity-provider.ts` promises: what it reads out of metadata, and what it warns of.

import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type IdentityProvider,
  idpMetadataBytesMax,
  readIdentityProvider,
  warningsOf,
} from '../../../src/domain/saml/identity-provider.ts';
import { certifySigningKey, signingKeyKind } from '../../../src/domain/saml/signing-key.ts';
import { generatePrivateKey } from '../../../src/storage/key-generation.ts';

const read = (metadata: string) => readIdentityProvider('idpMetadata', metadata);
const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const descriptor = (content: string, attributes = '') =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"${attributes}>
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${content}</md:IDPSSODescriptor>
</md:EntityDescriptor>`;
const keyOf = (certificate: string, use = ' use="signing"') =>
  `<md:KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>
    ${certificate}
  </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
const sso = (location: string, binding = redirect) =>
  `<md:SingleSignOnService Binding="${binding}" Location="${location}"/>`;

let certificate: string;
let fingerprint: string;
beforeAll(async () => {
  const key = certifySigningKey(
    await generatePrivateKey(signingKeyKind),
    'https://idp.example.com',
    Buffer.alloc(16, 7),
    new Date('2026-01-01T00:00:00Z'),
  );
  certificate = key.certificatePem.replace(/-----[A-Z ]+-----/g, '').trim();
  fingerprint = new X509Certificate(key.certificatePem).fingerprint256;
});

describe('readIdentityProvider', () => {
  it('reads everything that a login needs', () => {
    const metadata = descriptor(
      keyOf(certificate) + keyOf(certificate, '') + sso('https://idp.example.com/sso?a=1&amp;b=2') + sso('/b', 'urn:c'),
      ' validUntil="2030-01-01T02:00:00+02:00"',
    );
    const signing = { fingerprint, expiresAt: '2060-12-23T00:00:00Z' };
    expect(read(metadata)).toEqual({
      entityId: 'https://idp.example.com',
      validUntil: '2030-01-01T00:00:00Z',
      ssoServices: [
        { binding: redirect, location: 'https://idp.example.com/sso?a=1&b=2' },
        { binding: 'urn:c', location: '/b' },
      ],
      signingCertificates: [signing, signing],
      unreadableCertificates: 0,
    });
  });

  it('reads metadata without a namespace', () => {
    const metadata = descriptor(sso('https://a')).replace(/md:| xmlns:md="[^"]*"/g, '');
    expect(read(metadata).ssoServices).toEqual([{ binding: redirect, location: 'https://a' }]);
  });

  it('leaves out keys for encryption and what stands outside of the identity provider', () => {
    const metadata = descriptor(keyOf(certificate, ' use="encryption"')).replace(
      '</md:EntityDescriptor>',
      `<md:SPSSODescriptor>${keyOf(certificate)}${sso('https://a')}</md:SPSSODescriptor></md:EntityDescriptor>`,
    );
    expect(read(metadata)).toMatchObject({ ssoServices: [], signingCertificates: [], unreadableCertificates: 0 });
  });

  it('takes the earlier end of the validity, of the entity and of its role', () => {
    const metadata = descriptor('', ' validUntil="2030-01-01T00:00:00Z"').replace(
      'protocolSupport',
      'validUntil="2029-01-01T00:00:00Z" protocolSupport',
    );
    expect(read(metadata).validUntil).toBe('2029-01-01T00:00:00Z');
  });

  it.each([
    ['that is a word', 'tomorrow'],
    ['of no day', '2030-02-30T00:00:00Z'],
    ['of nothing', ''],
  ])('knows no end of the validity %s', (_, text) => {
    expect(read(descriptor('', ` validUntil="${text}"`)).validUntil).toBeNull();
  });

  it('counts certificates that cannot be read', () => {
    const broken = ['', 'AAAA', '!', '<b/>', certificate.slice(0, 100)].map((text) => keyOf(text)).join('');
    expect(read(descriptor(broken))).toMatchObject({ signingCertificates: [], unreadableCertificates: 5 });
  });

  it('keeps an entity id of 1,024 characters', () => {
    expect(read(`<EntityDescriptor entityID="${'a'.repeat(1024)}"/>`).entityId).toHaveLength(1024);
  });

  it('takes 256 KiB', () => {
    const start = '<EntityDescriptor entityID="a">';
    const end = '</EntityDescriptor>';
    const fill = 'ü'.repeat((idpMetadataBytesMax - start.length - end.length) / 2);
    expect(read(`${start}${fill}${end}`).entityId).toBe('a');
    expect(() => read(`${start}${fill}a${end}`)).toThrow('must be at most 262144 bytes of UTF-8; it has 262145.');
  });

  it.each([
    ['another root', '<EntitiesDescriptor entityID="a"/>', /its root must be EntityDescriptor/],
    ['another namespace', '<EntityDescriptor xmlns="urn:b" entityID="a"/>', /its root must be EntityDescriptor/],
    ['no entity id', '<EntityDescriptor/>', 'must have an `entityID` on its EntityDescriptor.'],
    ['an empty entity id', '<EntityDescriptor entityID=""/>', 'must have an `entityID` on its EntityDescriptor.'],
    [
      'a long entity id',
      `<EntityDescriptor entityID="${'a'.repeat(1025)}"/>`,
      'must have an `entityID` of at most 1024 characters.',
    ],
  ])('refuses %s', (_, metadata, message) => {
    expect(() => read(metadata)).toThrow(message);
  });
});

describe('warningsOf', () => {
  const healthy: IdentityProvider = {
    entityId: 'a',
    validUntil: '2030-01-01T00:00:00Z',
    ssoServices: [{ binding: redirect, location: 'https://a' }],
    signingCertificates: [{ fingerprint: 'AB:CD', expiresAt: '2031-01-01T00:00:00Z' }],
    unreadableCertificates: 0,
  };
  const warn = (part: Partial<IdentityProvider>, now = '2026-01-01T00:00:00Z') =>
    warningsOf({ ...healthy, ...part }, new Date(now)).map(({ code }) => code);

  it.each([
    ['nothing when all is well', {}, []],
    ['nothing of metadata without an end', { validUntil: null }, []],
    ['no place to log in', { ssoServices: [] }, ['no_sso_location']],
    ['a place that is no URL', { ssoServices: [{ binding: redirect, location: '/a' }] }, ['no_sso_location']],
    ['a place that runs code', { ssoServices: [{ binding: redirect, location: 'javascript:a' }] }, ['no_sso_location']],
    ['a binding without a browser', { ssoServices: [{ binding: 'b', location: 'https://a' }] }, ['no_sso_location']],
    ['no certificate', { signingCertificates: [] }, ['no_signing_certificate']],
    ['a damaged certificate', { unreadableCertificates: 1 }, ['unreadable_certificate']],
    ['damaged certificates alone', { signingCertificates: [], unreadableCertificates: 2 }, ['unreadable_certificate']],
  ])('tells %s', (_, part, codes) => {
    expect(warn(part)).toEqual(codes);
  });

  it('tells the end of the metadata and of each certificate, from that second on', () => {
    expect(warn({}, '2029-12-31T23:59:59.999Z')).toEqual([]);
    expect(warningsOf(healthy, new Date('2030-01-01T00:00:00Z'))).toEqual([
      { code: 'metadata_expired', message: 'The metadata were valid until 2030-01-01T00:00:00Z.' },
    ]);
    expect(warningsOf(healthy, new Date('2031-01-01T00:00:00Z'))).toEqual([
      { code: 'metadata_expired', message: 'The metadata were valid until 2030-01-01T00:00:00Z.' },
      { code: 'certificate_expired', message: 'The certificate AB:CD ended at 2031-01-01T00:00:00Z.' },
    ]);
  });
});
