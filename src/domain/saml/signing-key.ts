// The keys of a service provider, one that signs its requests and one that decrypts assertions, and their certificates for identity
// providers. No I/O; the clock and the serial number are arguments.

import { createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import { dayMs, floorToSecond } from '../values/time.ts';

/** Validity of a certificate, in days: five years. Some identity providers refuse it afterwards; a key is replaced before. */
export const validityDays = 5 * 365;
/** The same where keys cannot be replaced: 35 years. */
export const lastingDays = 35 * 365;
/** Length of the serial number, in bytes. */
export const serialBytes = 16;

export type KeyUse = 'signing' | 'encryption';

/** A new key, in its stored forms. */
export interface CertifiedKey {
  /** The private key, unencrypted (PKCS#8, DER). Seal it at once and never log it. */
  readonly pkcs8Der: Buffer;
  /** Its self-issued X.509 certificate. */
  readonly certificatePem: string;
}

/** The kind of both keys, which every identity provider can use. */
export const serviceProviderKeyKind = { privateKeyType: 'rsa', keySize: 2048 } as const;

/**
 * Creates the certificate of a new private key.
 *
 * @param use the only one that the certificate allows: a key for both could be made to decrypt what it seems to sign
 * @param commonName the subject of the certificate; must not come from a request, because it stays for years
 * @param serialNumber `serialBytes` random bytes
 * @param now the start of the validity, rounded down to the second
 * @param days how long it lasts
 */
export function certifyKey(
  use: KeyUse,
  privateKey: KeyObject,
  commonName: string,
  serialNumber: Uint8Array,
  now: Date,
  days = validityDays,
): CertifiedKey {
  return {
    pkcs8Der: privateKey.export({ type: 'pkcs8', format: 'der' }),
    certificatePem: writeCertificate(use, privateKey, commonName, serialNumber, now, days),
  };
}

/** Returns when a certificate in PEM expires. Throws Error for anything else. */
export function endOfCertificate(pem: string): Date {
  return new Date(new X509Certificate(pem).validTo);
}

const sha256WithRsa = '1.2.840.113549.1.1.11';
/** The types of the parts of a name (X.520). */
const nameParts = { organization: '2.5.4.10', commonName: '2.5.4.3' } as const;
/** ASN.1 NULL, the required parameters of an RSA signature algorithm (RFC 4055, section 5). */
const noParameters = new Uint8Array([0x05, 0x00]).buffer;

const usages = { signing: KeyUsageFlags.digitalSignature, encryption: KeyUsageFlags.keyEncipherment } as const;

/** Writes the self-issued certificate of a key. It is not a certificate authority. */
function writeCertificate(
  use: KeyUse,
  privateKey: KeyObject,
  commonName: string,
  serialNumber: Uint8Array,
  now: Date,
  days: number,
): string {
  const part = (type: string, utf8String: string) =>
    new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String }) })]);
  const name = new Name([part(nameParts.organization, 'Sallyport'), part(nameParts.commonName, commonName)]);
  const notBefore = floorToSecond(now);
  const notAfter = new Date(notBefore.getTime() + days * dayMs);
  const signature = new AlgorithmIdentifier({ algorithm: sha256WithRsa, parameters: noParameters });
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: positiveInteger(serialNumber),
    signature,
    issuer: name,
    validity: new Validity({ notBefore, notAfter }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey, SubjectPublicKeyInfo),
    extensions: new Extensions([
      critical(id_ce_keyUsage, new KeyUsage(usages[use])),
      critical(id_ce_basicConstraints, new BasicConstraints({ cA: false })),
    ]),
  });
  const signed = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), privateKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: signature,
    signatureValue: new Uint8Array(signed).buffer,
  });
  const lines = Buffer.from(AsnConvert.serialize(certificate)).toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** Makes a positive DER integer of fixed length from bytes: the top bit is set, and a zero byte in front makes it positive. */
function positiveInteger(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array([0, (bytes[0] ?? 0) | 0x80, ...bytes.subarray(1)]).buffer;
}

function critical(extnID: string, value: object): Extension {
  return new Extension({ extnID, critical: true, extnValue: new OctetString(AsnConvert.serialize(value)) });
}
