// What `domain/saml/identity-provider.ts` promises: what it reads out of metadata, and what it warns of.

import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/domain/concurrency/steps.ts';
import { idpMetadataBytesMax } from '../../../src/domain/saml/descriptor.ts';
import { type IdentityProvider, readIdentityProvider, warningsOf } from '../../../src/domain/saml/identity-provider.ts';
import { signingKeysMax } from '../../../src/domain/saml/login-provider.ts';
import { certifyKey, serviceProviderKeyKind } from '../../../src/domain/saml/signing-key.ts';
import { generatePrivateKey } from '../../../src/storage/keys/key-generation.ts';
import { type IdpKey, makeIdpKey, readProvider } from '../../support/identity-provider.ts';

const read = (metadata: string) => atOnce(readIdentityProvider('idpMetadata', metadata));
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
  const key = certifyKey(
    'signing',
    await generatePrivateKey(serviceProviderKeyKind),
    'https://idp.example.com',
    Buffer.alloc(16, 7),
    new Date('2026-01-01T00:00:00Z'),
  );
  certificate = key.certificatePem.replace(/-----[A-Z ]+-----/g, '').trim();
  fingerprint = new X509Certificate(key.certificatePem).fingerprint256;
});

describe('readIdentityProvider', () => {
  it('reads each certificate in a step of its own, so that other work gets its turns', () => {
    const stepsOf = (certificates: number) =>
      [...readIdentityProvider('idpMetadata', descriptor(keyOf(certificate).repeat(certificates)))].length;
    expect(stepsOf(40) - stepsOf(1)).toBe(39);
  });

  it.each([
    [
      'more endpoints than an identity provider has',
      sso('/a').repeat(41),
      'must have at most 40 elements SingleSignOnService',
    ],
    [
      'a location that no browser opens',
      sso(`https://a/${'b'.repeat(2_048)}`),
      'must have a Location of at most 2048 characters',
    ],
    [
      'a response location that no browser opens',
      `<md:SingleLogoutService Binding="${redirect}" Location="/" ResponseLocation="https://a/${'b'.repeat(2_048)}"/>`,
      'must have a ResponseLocation of at most 2048 characters',
    ],
  ])('refuses %s, which no login refuses that was set up before', (_, content, message) => {
    const metadata = descriptor(content + sso('https://a/sso'));
    expect(() => read(metadata)).toThrow(message);
    expect(readProvider(metadata).sso).not.toBeNull();
  });

  it('reads 40 signing certificates, and refuses more', () => {
    expect(read(descriptor(keyOf(certificate).repeat(40))).signingCertificates).toHaveLength(40);
    expect(() => read(descriptor(keyOf(certificate).repeat(41)))).toThrow(
      'has 41 signing certificates; the maximum is 40.',
    );
  });

  it('reads everything that a login needs', () => {
    const metadata = descriptor(
      keyOf(certificate) + keyOf(certificate, '') + sso('https://idp.example.com/sso?a=1&amp;b=2') + sso('/b', 'urn:c'),
      ' validUntil="2030-01-01T02:00:00+02:00"',
    );
    const signing = { fingerprint, expiresAt: '2030-12-31T00:00:00Z' };
    expect(read(metadata)).toEqual({
      entityId: 'https://idp.example.com',
      validUntil: '2030-01-01T00:00:00Z',
      ssoServices: [
        { binding: redirect, location: 'https://idp.example.com/sso?a=1&b=2' },
        { binding: 'urn:c', location: '/b' },
      ],
      signingCertificates: [signing, signing],
      unreadableCertificates: 0,
      unsupportedKeys: [],
      usableKeys: 1,
      leftOutKeys: 0,
      unreadableExpiry: null,
      cacheSeconds: null,
    });
  });

  it.each(Object.entries(honestShapes()))('takes metadata in the shape that %s writes', (_, metadata) => {
    expect(read(metadata.replaceAll('CERTIFICATE', certificate))).toMatchObject({
      entityId: 'https://idp.example.com',
      ssoServices: expect.arrayContaining([{ binding: redirect, location: 'https://idp.example.com/sso' }]),
      signingCertificates: [{ fingerprint }],
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
  ])('knows no end of the validity %s, and says so', (_, text) => {
    const provider = read(descriptor('', ` validUntil="${text}"`));
    expect(provider).toMatchObject({ validUntil: null, unreadableExpiry: text });
    expect(warningsOf(provider, new Date('2026-01-01T00:00:00Z'))).toContainEqual({
      code: 'unreadable_expiry',
      message: `The \`validUntil\` ${JSON.stringify(text)} is not a time, so it does not count.`,
    });
  });

  it('takes an end of the validity without a zone as UTC, and white space around what is pasted as nothing', () => {
    const padded = descriptor(
      sso(' https://idp.example.com/sso\n', ` ${redirect} `),
      ' validUntil=" 2030-01-01T00:00:00 "',
    );
    const { entityId, validUntil, ssoServices } = read(
      padded.replace('"https://idp.example.com"', '"\n https://idp.example.com "'),
    );
    expect([entityId, validUntil, ssoServices]).toEqual([
      'https://idp.example.com',
      '2030-01-01T00:00:00Z',
      [{ binding: redirect, location: 'https://idp.example.com/sso' }],
    ]);
  });

  it('tells of the keys just what a login makes of them', () => {
    const pem = ({ certificatePem }: IdpKey) => keyOf(certificatePem.replace(/-----[A-Z ]+-----/g, '').trim());
    const warned = (keys: IdpKey[]) => {
      const metadata = descriptor(keys.map(pem).join('') + sso('https://a'));
      const warnings = warningsOf(read(metadata), new Date('2026-06-01T00:00:00Z')).map(({ message }) => message);
      return [readProvider(metadata).signingKeys.length, ...warnings];
    };
    const curve = (name: string) => makeIdpKey(undefined, name);
    expect(warned([curve('prime256v1')])).toEqual([1]);
    expect(warned([curve('secp256k1')])).toEqual([
      0,
      'There is no signing certificate whose key can be used, so assertions cannot be verified.',
      'Signatures of some keys (ec on secp256k1) are refused; accepted are RSA keys and ECDSA keys on P-256, P-384 or P-521.',
    ]);
    const many = Array.from({ length: signingKeysMax }, () => curve('prime256v1'));
    expect(warned([...many, ...many])).toEqual([signingKeysMax]);
    expect(warned([...many, curve('secp384r1'), curve('secp384r1')])).toEqual([
      signingKeysMax,
      `There are ${signingKeysMax + 2} signing keys; only the first ${signingKeysMax} are accepted.`,
    ]);
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
    [
      'nothing of a place for posted requests alone',
      { ssoServices: [{ binding: redirect.replace('Redirect', 'POST'), location: 'https://a' }] },
      [],
    ],
    ['a binding without a browser', { ssoServices: [{ binding: 'b', location: 'https://a' }] }, ['no_sso_location']],
    ['no certificate', { signingCertificates: [] }, ['no_signing_certificate']],
    ['a damaged certificate', { unreadableCertificates: 1 }, ['unreadable_certificate']],
    [
      'damaged certificates alone',
      { signingCertificates: [], unreadableCertificates: 2 },
      ['no_signing_certificate', 'unreadable_certificate'],
    ],
  ])('tells %s', (_, part, codes) => {
    expect(warn(part)).toEqual(codes);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,a',
    'file:///etc/passwd',
    'ftp://a/b',
    '/sso',
    '//idp.example.com/sso',
    'sso',
    'https:sso',
    'https:/idp.example.com/sso',
    'https:///sso',
    'https://[idp]/sso',
    'java\nscript:alert(1)',
    '',
  ])('tells of %j, to which no browser is sent', (location) => {
    const posted = redirect.replace('Redirect', 'POST');
    const ssoServices = [redirect, posted].map((binding) => ({ binding, location }));
    expect(warningsOf({ ...healthy, ssoServices }, new Date('2026-01-01T00:00:00Z'))).toEqual([
      {
        code: 'no_sso_location',
        message:
          'There is no SingleSignOnService with an http(s) Location and the binding HTTP-Redirect or HTTP-POST. ' +
          `Nobody is sent to ${JSON.stringify(location)}.`,
      },
    ]);
    const logout = `<SingleLogoutService Binding="${redirect}" Location="${location}"/>`;
    const metadata = `<EntityDescriptor entityID="a"><IDPSSODescriptor>${logout}</IDPSSODescriptor></EntityDescriptor>`;
    expect(readProvider(metadata).logout).toBeNull();
  });

  it('tells the end of the metadata and of each certificate, from that second on', () => {
    expect(warn({}, '2029-12-31T23:59:59.999Z')).toEqual([]);
    expect(warningsOf(healthy, new Date('2030-01-01T00:00:00Z'))).toEqual([
      { code: 'metadata_expired', message: 'The metadata expired at 2030-01-01T00:00:00Z.' },
    ]);
    expect(warningsOf(healthy, new Date('2031-01-01T00:00:00Z'))).toEqual([
      { code: 'metadata_expired', message: 'The metadata expired at 2030-01-01T00:00:00Z.' },
      { code: 'certificate_expired', message: 'The certificate AB:CD expired at 2031-01-01T00:00:00Z.' },
    ]);
  });
});

/** Returns metadata in the shapes of common identity providers, as large as it gets. */
function honestShapes(): Record<string, string> {
  // CERTIFICATE is a placeholder, because this runs before the certificate is created.
  const key = (prefix = 'ds:') =>
    `<KeyDescriptor use="signing"><${prefix}KeyInfo xmlns${prefix === '' ? '' : ':ds'}="http://www.w3.org/2000/09/xmldsig#">` +
    `<${prefix}X509Data><${prefix}X509Certificate>CERTIFICATE</${prefix}X509Certificate></${prefix}X509Data></${prefix}KeyInfo></KeyDescriptor>`;
  const entity = (content: string, attributes = '') =>
    `<?xml version="1.0" encoding="UTF-8"?><EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"${attributes}>${content}</EntityDescriptor>`;
  const role = (content: string) =>
    `<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${content}` +
    `<SingleSignOnService Binding="${redirect}" Location="https://idp.example.com/sso"/></IDPSSODescriptor>`;
  const signature =
    '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><CanonicalizationMethod Algorithm="a"/>' +
    '<Reference URI="#_1"><Transforms><Transform Algorithm="b"/></Transforms><DigestValue>c</DigestValue></Reference>' +
    '</SignedInfo><SignatureValue>d</SignatureValue><KeyInfo><X509Data><X509Certificate>e</X509Certificate></X509Data>' +
    '</KeyInfo></Signature>';
  // Each claim declares the namespace again.
  const claims = Array.from(
    { length: 250 },
    (_, n) =>
      `<auth:ClaimType xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706" Uri="https://claims.example.com/${n}" Optional="true">` +
      `<auth:DisplayName>Claim ${n}</auth:DisplayName><auth:Description>Of a user</auth:Description></auth:ClaimType>`,
  ).join('');
  const federation =
    '<RoleDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" ' +
    'xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706">' +
    `<fed:ClaimTypesOffered>${claims}</fed:ClaimTypesOffered><fed:TargetScopes>` +
    '<wsa:EndpointReference xmlns:wsa="http://www.w3.org/2005/08/addressing"><wsa:Address>https://idp.example.com/</wsa:Address>' +
    '</wsa:EndpointReference></fed:TargetScopes></RoleDescriptor>';
  const attributes = Array.from(
    { length: 60 },
    (_, n) =>
      `<saml:Attribute xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" Name="urn:oid:${n}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri" FriendlyName="a${n}"/>`,
  ).join('');
  const shibboleth =
    '<Extensions><shibmd:Scope regexp="false">example.com</shibmd:Scope><mdui:UIInfo>' +
    ['en', 'de', 'fr'].map((l) => `<mdui:DisplayName xml:lang="${l}">IdP &amp; more</mdui:DisplayName>`).join('') +
    '<mdui:Logo height="80" width="80">data:image/png;base64,AAAA</mdui:Logo></mdui:UIInfo></Extensions>';
  const prefixes = [
    'ds',
    'shibmd',
    'xml2',
    'mdui',
    'mdrpi',
    'mdattr',
    'alg',
    'remd',
    'xsi',
    'xs',
    'xenc',
    'init',
    'idpdisc',
  ];
  return {
    'Entra ID': entity(signature + federation + federation + role(key('')), ' ID="_1"'),
    'AD FS': entity(signature + federation + role(key('') + attributes), ' ID="_1"'),
    Okta: entity(role(key())),
    Keycloak: entity(role(`${key()}<NameIDFormat>urn:a</NameIDFormat>`)),
    SimpleSAMLphp: entity(
      `${role(key())}<Organization><OrganizationName xml:lang="en">A</OrganizationName></Organization>`,
    ),
    Shibboleth: entity(role(shibboleth + key()), prefixes.map((prefix) => ` xmlns:${prefix}="urn:${prefix}"`).join('')),
  };
}
