// What `host-certificate.ts` promises, compared as whole values with fixed time and randomness. openssh.test.ts
// tests whether OpenSSH reads them.

import { sign } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAuthorityKey } from '../../../../src/areas/ssh/authorities/authority-key.ts';
import {
  buildCertificate,
  checkHostCertificate,
  checkValidity,
  type HostCertificate,
  serialFromRandom,
  signHostCertificate,
  verifyHostCertificate,
} from '../../../../src/areas/ssh/certificates/host-certificate.ts';
import { formatLine } from '../../../../src/areas/ssh/keys/public-key.ts';
import { encodeString } from '../../../../src/areas/ssh/keys/wire.ts';
import { generateAuthorityKey } from '../../../support/keys.ts';

const now = new Date('2026-11-20T12:34:56.789Z');

/** Returns an ed25519 key whose seed is one byte 32 times. Ed25519 signs without randomness, so whole lines can be compared. */
function fixedKey(byte: number) {
  const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex'); // RFC 8410, section 10.3
  return openAuthorityKey(Buffer.concat([pkcs8Prefix, Buffer.alloc(32, byte)]));
}

const authority = fixedKey(7);
const hostKey = fixedKey(9);
const hostLine = formatLine('ssh-ed25519', hostKey.publicKeyBlob);
const certificate: HostCertificate = {
  ...checkHostCertificate({ publicKey: hostLine, principals: ['host.example.com', '2001:db8::1'] }, now),
  keyId: 'shcrt_01jd4v3k5xe8rbq1ymz6s0t9wa',
  serial: 0x0123456789abcdefn,
  nonce: Buffer.alloc(32, 0xaa),
};

describe('checkHostCertificate', () => {
  it('fills in no names, from now on, for one year', () => {
    expect(checkHostCertificate({ publicKey: `${hostLine} root@host\n` }, now)).toEqual({
      publicKey: { keyType: 'ed25519', algorithm: 'ssh-ed25519', blob: hostKey.publicKeyBlob },
      principals: [],
      validAfter: new Date('2026-11-20T12:34:56Z'),
      validUntil: new Date('2027-11-20T12:34:56Z'),
    });
  });

  it('takes null for what is not given', () => {
    const nulls = { principals: null, validAfter: null, validUntil: null };
    expect(checkHostCertificate({ publicKey: hostLine, ...nulls }, now)).toEqual(
      checkHostCertificate({ publicKey: hostLine }, now),
    );
  });

  it.each([
    ['publicKey', { publicKey: 'x', principals: [''], validAfter: 'x' }],
    ['principals[0]', { publicKey: hostLine, principals: [''], validAfter: 'x' }],
    ['validAfter', { publicKey: hostLine, principals: ['a'], validAfter: 'x', validUntil: 'x' }],
    ['validUntil', { publicKey: hostLine, principals: ['a'], validUntil: 'x' }],
  ])('blames the first wrong field: %s', (field, request) => {
    expect(() => checkHostCertificate(request, now)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', field }));
  });
});

describe('checkValidity', () => {
  it.each([
    ['nothing given', {}, '2026-11-20T12:34:56Z', '2027-11-20T12:34:56Z'],
    ['an offset', { validAfter: '2026-11-20T12:00:00+02:00' }, '2026-11-20T10:00:00Z', '2027-11-20T12:34:56Z'],
    [
      'fractions, rounded down',
      { validAfter: '2026-11-20T00:00:00.999Z', validUntil: '2026-11-20T00:00:01.999Z' },
      '2026-11-20T00:00:00Z',
      '2026-11-20T00:00:01Z',
    ],
    [
      'instants',
      { validAfter: new Date('2027-01-01T00:00:00.5Z'), validUntil: new Date('2027-01-02T00:00:00Z') },
      '2027-01-01T00:00:00Z',
      '2027-01-02T00:00:00Z',
    ],
    [
      'a span in the past',
      { validAfter: '1970-01-01T00:00:00Z', validUntil: '1970-01-01T00:00:01Z' },
      '1970-01-01T00:00:00Z',
      '1970-01-01T00:00:01Z',
    ],
    ['the last second', { validUntil: '9999-12-31T23:59:59.9Z' }, '2026-11-20T12:34:56Z', '9999-12-31T23:59:59Z'],
    ['an end alone', { validUntil: '2026-11-20T12:34:57Z' }, '2026-11-20T12:34:56Z', '2026-11-20T12:34:57Z'],
    [
      'a start in a year less a second',
      { validAfter: '2027-11-20T12:34:55Z' },
      '2027-11-20T12:34:55Z',
      '2027-11-20T12:34:56Z',
    ],
  ])('ok/%s', (_, given, validAfter, validUntil) => {
    expect(checkValidity(given, now)).toEqual({ validAfter: new Date(validAfter), validUntil: new Date(validUntil) });
  });

  it('ends on 28 February where it was created on 29 February', () => {
    expect(checkValidity({}, new Date('2028-02-29T23:59:59Z')).validUntil).toEqual(new Date('2029-02-28T23:59:59Z'));
  });

  const outside = 'must be in the years 1970 to 9999 in UTC; a certificate cannot hold any other time.';
  const notAfter =
    'must be at least one second after the start of validity, which is the time of creation if not given.';
  const noDefault =
    'must be given if the start is a year or more ahead: the default, one year after creation, is not after it.';
  it.each([
    ['a start before 1970', { validAfter: '1969-12-31T23:59:59.999Z' }, 'validAfter', outside],
    ['a start before 1970 in UTC', { validAfter: '1970-01-01T00:00:00+00:01' }, 'validAfter', outside],
    ['an end after 9999 in UTC', { validUntil: '9999-12-31T23:59:59-00:01' }, 'validUntil', outside],
    ['an end before 1970', { validUntil: '0001-01-01T00:00:00Z' }, 'validUntil', outside],
    ['an invalid instant', { validAfter: new Date(Number.NaN) }, 'validAfter', outside],
    ['an end before now', { validUntil: '2026-11-20T12:34:55Z' }, 'validUntil', notAfter],
    ['an end at the start', { validUntil: '2026-11-20T12:34:56Z' }, 'validUntil', notAfter],
    [
      'an end after the start by less than a second',
      { validAfter: '2026-11-20T00:00:00.1Z', validUntil: '2026-11-20T00:00:00.9Z' },
      'validUntil',
      notAfter,
    ],
    ['a start in a year, without an end', { validAfter: '2027-11-20T12:34:56Z' }, 'validUntil', noDefault],
  ])('refuses %s', (_, given, field, message) => {
    expect(() => checkValidity(given, now)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', field, message }));
  });
});

describe('serialFromRandom', () => {
  it.each([
    ['ffffffffffffffff', 2n ** 63n - 1n],
    ['7fffffffffffffff', 2n ** 63n - 1n],
    ['0123456789abcdef', 0x0123456789abcdefn],
    ['8000000000000002', 2n],
    ['0000000000000000', 1n],
    ['8000000000000000', 1n],
  ])('makes 63 bits of %s, and never 0', (random, serial) => {
    expect(serialFromRandom(Buffer.from(random, 'hex'))).toBe(serial);
  });
});

describe('signHostCertificate', () => {
  const hex = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('hex');
  const body = [
    ...['00000020', hex('ssh-ed25519-cert-v01@openssh.com')],
    ...['00000020', 'aa'.repeat(32)], // nonce
    ...['00000020', 'fd1724385aa0c75b64fb78cd602fa1d991fdebf76b13c58ed702eac835e9f618'], // public key
    '0123456789abcdef', // serial
    '00000002', // host
    ...['00000020', hex('shcrt_01jd4v3k5xe8rbq1ymz6s0t9wa')], // key id
    ...['00000023', '00000010', hex('host.example.com'), '0000000b', hex('2001:db8::1')],
    '000000006b003e70', // valid after
    '000000006ce171f0', // valid until
    ...['00000000', '00000000', '00000000'], // critical options, extensions, reserved
    ...['00000033', '0000000b', hex('ssh-ed25519')], // authority
    ...['00000020', 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c'],
  ].join('');

  it('signs these bytes', () => {
    expect(buildCertificate(certificate, authority.publicKeyBlob).toString('hex')).toBe(body);
  });

  it('gives the line of a -cert.pub file, with the key id as its comment', async () => {
    const signed = Buffer.from(body, 'hex');
    const signature = Buffer.concat([encodeString('ssh-ed25519'), encodeString(sign(null, signed, authority.signer))]);
    const blob = Buffer.concat([signed, encodeString(signature)]);
    expect(await signHostCertificate(certificate, authority)).toBe(
      `ssh-ed25519-cert-v01@openssh.com ${blob.toString('base64')} shcrt_01jd4v3k5xe8rbq1ymz6s0t9wa`,
    );
  });

  it('gives nothing out that does not verify', async () => {
    const mismatched = { ...authority, signer: hostKey.signer };
    await expect(signHostCertificate(certificate, mismatched)).rejects.toThrow('does not verify');
  });

  it('writes an empty section for no names', () => {
    const none = buildCertificate({ ...certificate, principals: [] }, authority.publicKeyBlob);
    const some = buildCertificate(certificate, authority.publicKeyBlob);
    // Two lengths and the names themselves; the section's own length field is always there.
    expect(some.length - none.length).toBe(4 + 'host.example.com'.length + 4 + '2001:db8::1'.length);
  });

  it.each([
    ['a serial of 0', { serial: 0n }],
    ['a serial of 64 bits', { serial: 2n ** 63n }],
    ['a short nonce', { nonce: Buffer.alloc(16) }],
    ['an empty key id', { keyId: '' }],
    ['a key id that would break the line', { keyId: 'a\nb' }],
    ['a key id that would end at a space', { keyId: 'a b' }],
  ])('throws for %s, which is a fault of ours', async (_, change) => {
    const error = await signHostCertificate({ ...certificate, ...change }, authority).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('code');
  });
});

describe('verifyHostCertificate', () => {
  let blob: Buffer;
  beforeAll(async () => {
    const line = await signHostCertificate(certificate, authority);
    blob = Buffer.from(line.split(' ')[1] ?? '', 'base64');
  });

  it('accepts what was signed', async () => {
    await expect(verifyHostCertificate(blob, certificate, authority)).resolves.toBeUndefined();
  });

  it('finds every flipped byte, missing ones and added ones', async () => {
    const damaged = [blob.subarray(0, -1), Buffer.concat([blob, Buffer.of(0)])];
    for (let index = 0; index < blob.length; index++) {
      const copy = Buffer.from(blob);
      copy[index] = (copy[index] ?? 0) ^ 1;
      damaged.push(copy);
    }
    for (const bytes of damaged) await expect(verifyHostCertificate(bytes, certificate, authority)).rejects.toThrow();
  });

  it.each<[string, Partial<HostCertificate>]>([
    ['another serial', { serial: 1n }],
    ['another key id', { keyId: 'shcrt_other' }],
    ['another nonce', { nonce: Buffer.alloc(32) }],
    ['fewer names', { principals: ['host.example.com'] }],
    ['another order of names', { principals: ['2001:db8::1', 'host.example.com'] }],
    ['another start', { validAfter: new Date('2026-11-20T12:34:57Z') }],
    ['another end', { validUntil: new Date('2027-11-20T12:34:57Z') }],
    ['another key', { publicKey: { ...certificate.publicKey, blob: authority.publicKeyBlob } }],
  ])('finds %s', async (_, change) => {
    await expect(verifyHostCertificate(blob, { ...certificate, ...change }, authority)).rejects.toThrow('differs');
  });

  it('finds another authority', async () => {
    await expect(verifyHostCertificate(blob, certificate, hostKey)).rejects.toThrow('differs');
    const { pkcs8Der } = await generateAuthorityKey({ privateKeyType: 'ed25519' });
    const impostor = { ...openAuthorityKey(pkcs8Der), publicKeyBlob: authority.publicKeyBlob };
    await expect(verifyHostCertificate(blob, certificate, impostor)).rejects.toThrow('does not verify');
  });
});
