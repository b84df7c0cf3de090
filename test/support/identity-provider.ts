// An identity provider for tests: real keys, real signatures, and messages that an honest one would never write.

import {
  constants,
  createCipheriv,
  createHash,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
  sign,
} from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { atOnce } from '../../src/domain/concurrency/steps.ts';
import type { Decryption } from '../../src/domain/saml/decryption.ts';
import { type LoginProvider, readLoginProvider } from '../../src/domain/saml/login-provider.ts';
import { certifyKey } from '../../src/domain/saml/signing-key.ts';
import { rsaKeyFromStock } from './keys.ts';

export const idpEntityId = 'https://idp.example.com/metadata';
export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
export const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** A key with its certificate, as an identity provider has it. */
export interface IdpKey {
  readonly privateKey: KeyObject;
  readonly certificatePem: string;
}

/** Creates a key: an RSA key, or one on a curve. Its certificate is valid for five years from a given day. */
export function makeIdpKey(validFrom = new Date('2026-01-01T00:00:00Z'), namedCurve?: string): IdpKey {
  const { privateKey } =
    namedCurve === undefined
      ? { privateKey: rsaKeyFromStock(2048, 'identity-provider') }
      : generateKeyPairSync('ec', { namedCurve });
  return certified(privateKey, validFrom);
}

/** Returns the key that no call of `makeIdpKey` returns, however many keys were made in this process. */
export function wellKnownIdpKey(): IdpKey {
  return certified(rsaKeyFromStock(2048, 'well-known'), new Date('2026-01-01T00:00:00Z'));
}

function certified(privateKey: KeyObject, validFrom: Date): IdpKey {
  const { certificatePem } = certifyKey('signing', privateKey, 'idp', randomBytes(16), validFrom);
  return { privateKey, certificatePem };
}

/** Reads metadata as a login does. */
export function readProvider(metadata: string): LoginProvider {
  return atOnce(readLoginProvider(metadata));
}

/** Writes metadata with keys. */
export function idpMetadata(keys: readonly IdpKey[], attributes = '', ssoLocation = 'https://idp.example.com/sso') {
  const key = ({ certificatePem }: IdpKey) =>
    `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificatePem
      .replace(/-----[A-Z ]+-----/g, '')
      .trim()}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
  return (
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${idpEntityId}"${attributes}>` +
    `<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.map(key).join('')}` +
    `<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ssoLocation}"/>` +
    '</IDPSSODescriptor></EntityDescriptor>'
  );
}

/** Adds a logout service to metadata. */
export function withLogout(metadata: string, binding: 'Redirect' | 'POST' = 'Redirect', attributes = ''): string {
  const service =
    `<SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-${binding}" ` +
    `Location="https://idp.example.com/slo"${attributes}/>`;
  return metadata.replace('<SingleSignOnService', `${service}<SingleSignOnService`);
}

/** The parts of a response; each test changes the part that it is about. */
export interface Spoken {
  readonly responseAttributes: string;
  readonly responseIssuer: string;
  readonly status: string;
  readonly assertionAttributes: string;
  readonly issuer: string;
  readonly subject: string;
  readonly conditions: string;
  readonly statement: string;
  readonly attributes: string;
}

/** The addressee of an honest response, and the request that it answers. */
export interface Addressed {
  readonly entityId: string;
  readonly acs: string;
  /** Id of the request; null for an unsolicited response. */
  readonly inResponseTo: string | null;
  readonly now: Date;
}

/** Writes an attribute with its values. */
export function attribute(name: string, ...values: string[]): string {
  const written = values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`);
  return `<saml:Attribute Name="${name}">${written.join('')}</saml:Attribute>`;
}

/** Writes the time some seconds after another. */
export function shifted(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1000).toISOString();
}

/** Returns the parts of an honest response. */
export function honest({ entityId, acs, inResponseTo, now }: Addressed): Spoken {
  const answers = inResponseTo === null ? '' : ` InResponseTo="${inResponseTo}"`;
  return {
    responseAttributes: ` Version="2.0" IssueInstant="${shifted(now, 0)}" Destination="${acs}"${answers}`,
    responseIssuer: `<saml:Issuer>${idpEntityId}</saml:Issuer>`,
    status: `<samlp:Status><samlp:StatusCode Value="${success}"/></samlp:Status>`,
    assertionAttributes: ` Version="2.0" IssueInstant="${shifted(now, 0)}"`,
    issuer: `<saml:Issuer>${idpEntityId}</saml:Issuer>`,
    subject:
      `<saml:Subject><saml:NameID Format="${persistent}">amy</saml:NameID>` +
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ` +
      `NotOnOrAfter="${shifted(now, 300)}" Recipient="${acs}"${answers}/></saml:SubjectConfirmation></saml:Subject>`,
    conditions:
      `<saml:Conditions NotBefore="${shifted(now, -30)}" NotOnOrAfter="${shifted(now, 300)}"><saml:AudienceRestriction>` +
      `<saml:Audience>${entityId}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    statement:
      `<saml:AuthnStatement AuthnInstant="${shifted(now, -5)}" SessionIndex="_session" SessionNotOnOrAfter="${shifted(now, 28_800)}">` +
      '<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password' +
      '</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>',
    attributes: `<saml:AttributeStatement>${attribute('groups', 'staff', 'admins')}${attribute(
      'mail',
      'amy@example.com',
    )}</saml:AttributeStatement>`,
  };
}

/** Writes an assertion without a signature. */
export function assertionXml(spoken: Spoken, id = '_assertion'): string {
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}"${spoken.assertionAttributes}>` +
    `${spoken.issuer}${spoken.subject}${spoken.conditions}${spoken.statement}${spoken.attributes}</saml:Assertion>`
  );
}

/** Writes a response around an assertion. */
export function responseXml(spoken: Spoken, content: string, id = '_response'): string {
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ` +
    `ID="${id}"${spoken.responseAttributes}>${spoken.responseIssuer}${spoken.status}${content}</samlp:Response>`
  );
}

const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const names = {
  'rsa-sha1': 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  'rsa-sha256': `${more}rsa-sha256`,
  'rsa-sha384': `${more}rsa-sha384`,
  'rsa-sha512': `${more}rsa-sha512`,
  'rsa-pss-sha384': 'http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1',
  'ecdsa-sha1': `${more}ecdsa-sha1`,
  'ecdsa-sha256': `${more}ecdsa-sha256`,
  'ecdsa-sha384': `${more}ecdsa-sha384`,
  'ecdsa-sha512': `${more}ecdsa-sha512`,
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: `${more}sha384`,
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
  comments: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  inclusive: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
} as const;

type SignatureName = Extract<keyof typeof names, `rsa-${string}` | `ecdsa-${string}`>;

/** Signs a text. An ECDSA signature is in the form of XML signatures. */
function signedBy(key: IdpKey, name: SignatureName, text: string): string {
  const digest = name.replace(/.*-/, '');
  const padding = name.startsWith('rsa-pss') ? { padding: 6, saltLength: -1 } : {};
  const options = { key: key.privateKey, dsaEncoding: 'ieee-p1363', ...padding } as const;
  return sign(digest, Buffer.from(text), options).toString('base64');
}

/** How to sign, where it deviates from the proper way today. */
export interface SigningManner {
  readonly signature?: SignatureName;
  readonly digest?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  readonly canonicalization?: 'exclusive' | 'comments' | 'inclusive';
  /** The canonical form of `SignedInfo`, the element over which the signature is computed. */
  readonly signedInfo?: 'exclusive' | 'comments' | 'inclusive';
}

/** The parts of a logout message; each test changes the part that it is about. */
export interface SpokenLogout {
  readonly name: 'LogoutRequest' | 'LogoutResponse';
  readonly id: string;
  readonly attributes: string;
  readonly issuer: string;
  readonly content: string;
}

/** Returns the parts of an honest logout request, or of the honest response to one. */
export function honestLogout(slo: string, now: Date, inResponseTo: string | null = null): SpokenLogout {
  const common = ` Version="2.0" IssueInstant="${shifted(now, 0)}" Destination="${slo}"`;
  const issuer = `<saml:Issuer>${idpEntityId}</saml:Issuer>`;
  const id = `_l${randomBytes(8).toString('hex')}`;
  if (inResponseTo !== null) {
    const content = `<samlp:Status><samlp:StatusCode Value="${success}"/></samlp:Status>`;
    return { name: 'LogoutResponse', id, attributes: `${common} InResponseTo="${inResponseTo}"`, issuer, content };
  }
  const content = `<saml:NameID Format="${persistent}">amy</saml:NameID><samlp:SessionIndex>_session</samlp:SessionIndex>`;
  return { name: 'LogoutRequest', id, attributes: common, issuer, content };
}

/** Writes a logout message without a signature. */
export function logoutXml({ name, id, attributes, issuer, content }: SpokenLogout): string {
  return (
    `<samlp:${name} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ` +
    `ID="${id}"${attributes}>${issuer}${content}</samlp:${name}>`
  );
}

/** Writes the signed query of a message that is sent by redirect. */
export function signedQuery(
  xml: string,
  key: IdpKey,
  relayState = '',
  algorithm: SignatureName = 'rsa-sha256',
): string {
  const parameter = xml.includes('<samlp:LogoutResponse') ? 'SAMLResponse' : 'SAMLRequest';
  const message = encodeURIComponent(deflateRawSync(xml).toString('base64'));
  const state = relayState === '' ? '' : `&RelayState=${encodeURIComponent(relayState)}`;
  const query = `${parameter}=${message}${state}&SigAlg=${encodeURIComponent(names[algorithm])}`;
  return `${query}&Signature=${encodeURIComponent(signedBy(key, algorithm, query))}`;
}

/** Signs the element with a local name, and puts the signature where the schema has it: after the issuer. */
export function signed(
  xml: string,
  name: 'Assertion' | 'Response' | SpokenLogout['name'],
  key: IdpKey,
  manner: SigningManner = {},
): string {
  const { signature = 'rsa-sha256', digest = 'sha256' } = manner;
  const { canonicalization = 'exclusive', signedInfo = 'exclusive' } = manner;
  const xpath = `//*[local-name(.)='${name}']`;
  const signer = new SignedXml({
    privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicCert: key.certificatePem,
    signatureAlgorithm: names[signature],
    canonicalizationAlgorithm: names[signedInfo],
  });
  signer.SignatureAlgorithms = {
    [names[signature]]: class {
      getAlgorithmName = () => names[signature];
      getSignature = (text: unknown) => signedBy(key, signature, String(text));
      verifySignature = () => false;
    },
  };
  signer.HashAlgorithms = {
    [names[digest]]: class {
      getAlgorithmName = () => names[digest];
      getHash = (text: string) => createHash(digest).update(text).digest('base64');
    },
  };
  signer.addReference({
    xpath,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', names[canonicalization]],
    digestAlgorithm: names[digest],
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: /:Issuer/.test(xml)
      ? { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' }
      : { reference: xpath, action: 'prepend' },
  });
  return signer.getSignedXml();
}

/** Writes a response as honest identity providers do, with the assertion signed. */
export function signedResponse(spoken: Spoken, key: IdpKey, manner?: SigningManner, id?: string): string {
  return responseXml(spoken, signed(assertionXml(spoken, id), 'Assertion', key, manner));
}

/** Returns what it takes to decrypt with some keys. */
export function decryptionWith(...keys: readonly KeyObject[]): Decryption {
  return { openKeys: () => keys, mayTry: () => true, randomBytes };
}

const xmlenc = 'http://www.w3.org/2001/04/xmlenc#';
const xmlenc11 = 'http://www.w3.org/2009/xmlenc11#';
const oaep11 = (hash: 'sha1' | 'sha256') =>
  `<xenc:EncryptionMethod Algorithm="${xmlenc11}rsa-oaep"><ds:DigestMethod Algorithm="${names[hash]}"/>` +
  `<xenc11:MGF xmlns:xenc11="${xmlenc11}" Algorithm="${xmlenc11}mgf1${hash}"/></xenc:EncryptionMethod>`;

/** How keys are encrypted, each with the method that says so. */
const transports = {
  'oaep-mgf1p': {
    method: `<xenc:EncryptionMethod Algorithm="${xmlenc}rsa-oaep-mgf1p"><ds:DigestMethod Algorithm="${names.sha1}"/></xenc:EncryptionMethod>`,
    options: { oaepHash: 'sha1' },
  },
  'oaep-mgf1p without digest': {
    method: `<xenc:EncryptionMethod Algorithm="${xmlenc}rsa-oaep-mgf1p"/>`,
    options: { oaepHash: 'sha1' },
  },
  'oaep-sha1': { method: oaep11('sha1'), options: { oaepHash: 'sha1' } },
  'oaep-sha256': { method: oaep11('sha256'), options: { oaepHash: 'sha256' } },
  'rsa-1_5': {
    method: `<xenc:EncryptionMethod Algorithm="${xmlenc}rsa-1_5"/>`,
    options: { padding: constants.RSA_PKCS1_PADDING },
  },
} as const;

const contents = {
  'aes-128-gcm': { algorithm: `${xmlenc11}aes128-gcm`, keyBytes: 16 },
  'aes-192-gcm': { algorithm: `${xmlenc11}aes192-gcm`, keyBytes: 24 },
  'aes-256-gcm': { algorithm: `${xmlenc11}aes256-gcm`, keyBytes: 32 },
  'aes-128-cbc': { algorithm: `${xmlenc}aes128-cbc`, keyBytes: 16 },
  'aes-256-cbc': { algorithm: `${xmlenc}aes256-cbc`, keyBytes: 32 },
  'des-ede3-cbc': { algorithm: `${xmlenc}tripledes-cbc`, keyBytes: 24 },
} as const;

/** How to encrypt, where it deviates from AES-128-GCM with the key inside. */
export interface EncryptionManner {
  readonly content?: keyof typeof contents;
  readonly transport?: keyof typeof transports;
  /** Whether the encrypted key is beside what it decrypts. */
  readonly isKeyBeside?: boolean;
}

/** Encrypts an element for the holder of a key. */
export function encrypted(
  name: 'EncryptedAssertion' | 'EncryptedID',
  text: string,
  recipient: KeyObject,
  { content = 'aes-128-gcm', transport = 'oaep-mgf1p', isKeyBeside = false }: EncryptionManner = {},
): string {
  const { algorithm, keyBytes } = contents[content];
  const contentKey = randomBytes(keyBytes);
  const { method, options } = transports[transport];
  const encryptedKey =
    `<xenc:EncryptedKey xmlns:xenc="${xmlenc}" xmlns:ds="${xmldsig}" Id="_key">${method}` +
    `<xenc:CipherData>${cipherValue(publicEncrypt({ key: recipient, ...options }, contentKey))}</xenc:CipherData></xenc:EncryptedKey>`;
  const inside = isKeyBeside ? `<ds:RetrievalMethod Type="${xmlenc}EncryptedKey" URI="#_key"/>` : encryptedKey;
  const type = 'http://www.w3.org/2001/04/xmlenc#Element';
  return (
    `<saml:${name} xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><xenc:EncryptedData xmlns:xenc="${xmlenc}" Type="${type}">` +
    `<xenc:EncryptionMethod Algorithm="${algorithm}"/><ds:KeyInfo xmlns:ds="${xmldsig}">${inside}</ds:KeyInfo>` +
    `<xenc:CipherData>${cipherValue(sealed(content, contentKey, text))}</xenc:CipherData></xenc:EncryptedData>` +
    `${isKeyBeside ? encryptedKey : ''}</saml:${name}>`
  );
}

const xmldsig = 'http://www.w3.org/2000/09/xmldsig#';

function cipherValue(bytes: Uint8Array): string {
  return `<xenc:CipherValue>${Buffer.from(bytes).toString('base64')}</xenc:CipherValue>`;
}

/** Encrypts with the start before the text, and the tag, if there is one, after it. */
function sealed(content: keyof typeof contents, key: Uint8Array, text: string): Buffer {
  if (content === 'aes-128-gcm' || content === 'aes-192-gcm' || content === 'aes-256-gcm') {
    const start = randomBytes(12);
    const cipher = createCipheriv(content, key, start);
    return Buffer.concat([start, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  }
  const start = randomBytes(content === 'des-ede3-cbc' ? 8 : 16);
  const cipher = createCipheriv(content, key, start);
  return Buffer.concat([start, cipher.update(text), cipher.final()]);
}

/** Encodes a response as the browser sends it. */
export function encode(xml: string): string {
  return Buffer.from(xml).toString('base64');
}
