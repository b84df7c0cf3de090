// What `domain/saml/signing-key.ts` promises, with OpenSSL as the judge.

import { execFileSync } from 'node:child_process';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CertifiedKey, certifyKey, serviceProviderKeyKind } from '../../../src/domain/saml/signing-key.ts';
import { generatePrivateKey } from '../../../src/storage/keys/key-generation.ts';

const routeId = 'edghtsrt_01m7xc4kkmepqbszdrczy3hnma';
const serialNumber = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

let key: CertifiedKey;
let privateKey: KeyObject;
let printed: string;
beforeAll(async () => {
  privateKey = await generatePrivateKey(serviceProviderKeyKind);
  key = certifyKey('signing', privateKey, routeId, serialNumber, new Date('2026-11-20T21:00:00.900Z'));
  printed = execFileSync('openssl', ['x509', '-noout', '-text'], { input: key.certificatePem, encoding: 'utf8' });
});

describe('certifyKey', () => {
  it('gives a certificate of X.509 v3 with a serial number of 128 bits', () => {
    expect(printed).toContain('Version: 3 (0x2)');
    expect(new X509Certificate(key.certificatePem).serialNumber).toBe('80112233445566778899AABBCCDDEEFF');
  });

  it('gives a certificate that names the route as subject and as issuer', () => {
    const { subject, issuer } = new X509Certificate(key.certificatePem);
    expect([subject, issuer]).toEqual([`O=Sallyport\nCN=${routeId}`, `O=Sallyport\nCN=${routeId}`]);
  });

  it('gives a certificate that is valid from this second on for five years of 365 days', () => {
    expect(printed).toContain('Not Before: Nov 20 21:00:00 2026 GMT');
    expect(printed).toContain('Not After : Nov 19 21:00:00 2031 GMT');
  });

  it('gives a certificate for one use alone', () => {
    expect(printed.replace(/\s+/g, ' ')).toContain(
      'X509v3 extensions: X509v3 Key Usage: critical Digital Signature X509v3 Basic Constraints: critical CA:FALSE Sig',
    );
    const { certificatePem } = certifyKey('encryption', privateKey, routeId, serialNumber, new Date());
    const other = execFileSync('openssl', ['x509', '-noout', '-text'], { input: certificatePem, encoding: 'utf8' });
    expect(other.replace(/\s+/g, ' ')).toContain('Key Usage: critical Key Encipherment X509v3 Basic');
  });

  it('signs the certificate with its own key, which has 2,048 bits', () => {
    const certificate = new X509Certificate(key.certificatePem);
    const stored = createPrivateKey({ key: key.pkcs8Der, format: 'der', type: 'pkcs8' });
    expect(stored.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65537n });
    expect(certificate.checkPrivateKey(stored)).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(printed.match(/Signature Algorithm: sha256WithRSAEncryption/g)).toHaveLength(2);
  });

  it('writes PEM as OpenSSL does', () => {
    const rewritten = execFileSync('openssl', ['x509'], { input: key.certificatePem, encoding: 'utf8' });
    expect(key.certificatePem).toBe(rewritten);
  });
});
