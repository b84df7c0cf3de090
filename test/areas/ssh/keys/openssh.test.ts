// Outside judge: OpenSSH's own ssh-keygen reads the keys, certificates and revocation lists that we write.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthorityKey, openAuthorityKey } from '../../../../src/areas/ssh/authorities/authority-key.ts';
import {
  checkHostCertificate,
  type HostCertificateRequest,
  signHostCertificate,
} from '../../../../src/areas/ssh/certificates/host-certificate.ts';
import { fingerprint, formatLine, parsePublicKey } from '../../../../src/areas/ssh/keys/public-key.ts';
import { writeKeyRevocationList } from '../../../../src/areas/ssh/revocation/key-revocation-list.ts';
import type { KeyKind } from '../../../../src/domain/access/key-kind.ts';
import { generateAuthorityKey } from '../../../support/keys.ts';
import { runs } from '../../../support/runs.ts';

const hasSshKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined;

const now = new Date('2026-11-20T12:34:56.789Z');
const kinds: Record<string, KeyKind> = {
  ed25519: { privateKeyType: 'ed25519' },
  p256: { privateKeyType: 'ecdsa', ellipticCurve: 'p256' },
  p384: { privateKeyType: 'ecdsa', ellipticCurve: 'p384' },
  p521: { privateKeyType: 'ecdsa', ellipticCurve: 'p521' },
  'rsa 2048': { privateKeyType: 'rsa', keySize: 2048 },
  'rsa 3072': { privateKeyType: 'rsa', keySize: 3072 },
  'rsa 4096': { privateKeyType: 'rsa', keySize: 4096 },
};
/** The options of ssh-keygen for each host key; the larger RSA keys come from `kinds`, so that they are created only once. */
const hostKeyArguments: Record<string, string[]> = {
  ed25519: ['-t', 'ed25519'],
  p256: ['-t', 'ecdsa', '-b', '256'],
  p384: ['-t', 'ecdsa', '-b', '384'],
  p521: ['-t', 'ecdsa', '-b', '521'],
  'rsa 2048': ['-t', 'rsa', '-b', '2048'],
};
const signatureNames: Record<string, string> = {
  ed25519: 'ssh-ed25519',
  p256: 'ecdsa-sha2-nistp256',
  p384: 'ecdsa-sha2-nistp384',
  p521: 'ecdsa-sha2-nistp521',
  'rsa 2048': 'rsa-sha2-512',
  'rsa 3072': 'rsa-sha2-512',
  'rsa 4096': 'rsa-sha2-512',
};

describe.skipIf(!hasSshKeygen)('ssh-keygen (skipped where OpenSSH is not installed)', () => {
  let directory: string;
  const authorities = new Map<string, AuthorityKey>();
  const hostKeyLines = new Map<string, string>();

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ssh-'));
    for (const [kind, options] of Object.entries(hostKeyArguments)) {
      const file = join(directory, `host-${kind}`);
      execFileSync('ssh-keygen', ['-q', ...options, '-N', '', '-C', 'root@host', '-f', file]);
      hostKeyLines.set(kind, readFileSync(`${file}.pub`, 'utf8'));
    }
    const made = Object.entries(kinds).map(async ([kind, options]) => {
      const generated = await generateAuthorityKey(options);
      authorities.set(kind, openAuthorityKey(generated.pkcs8Der));
      if (!hostKeyLines.has(kind)) hostKeyLines.set(kind, generated.publicKeyLine);
    });
    await Promise.all(made);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  let serial = 0n;
  /** Signs a certificate with a fixed time, a nonce of zeros and the next serial. */
  function issue(authority: AuthorityKey, request: HostCertificateRequest): Promise<string> {
    serial += 1n;
    const keyId = `shcrt_${serial}`;
    return signHostCertificate(
      { ...checkHostCertificate(request, now), keyId, serial, nonce: Buffer.alloc(32) },
      authority,
    );
  }

  /** Prints certificates with `ssh-keygen -L`, which verifies their signatures; throws if it complains. */
  function print(lines: string[]): string {
    const file = join(directory, 'printed-cert.pub');
    writeFileSync(file, `${lines.join('\n')}\n`);
    const { status, stdout, stderr } = spawnSync('ssh-keygen', ['-L', '-f', file], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
      maxBuffer: 2 ** 24,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.replace(/^.*printed-cert\.pub:(\d+:)?\n/gm, '');
  }

  const named = <T>(map: Map<string, T>, name: string): T => {
    const value = map.get(name);
    if (value === undefined) throw new Error(`no key named ${name}`);
    return value;
  };

  // What is signed does not depend on what signs it: each kind is tried with one of the others.
  const pairs = [
    ...Object.keys(kinds).map((kind) => [kind, 'ed25519']),
    ...Object.keys(kinds).map((kind) => ['ed25519', kind]),
  ];
  it.each(pairs.slice(1))(
    'reads the certificate that an authority of %s signs for a host key of %s',
    async (authorityKind = '', hostKind = '') => {
      const authority = named(authorities, authorityKind);
      const publicKey = named(hostKeyLines, hostKind);
      const { algorithm, blob } = parsePublicKey(publicKey);
      const principals = ['host.example.com', '10.0.0.5', '2001:db8::1'];
      const line = await issue(authority, { publicKey, principals });
      const label = (name: string) => (name.startsWith('rsa') ? 'RSA' : name === 'ed25519' ? 'ED25519' : 'ECDSA');
      expect(print([line]).trimEnd().split(/\n\s*/)).toEqual([
        `        Type: ${algorithm}-cert-v01@openssh.com host certificate`,
        `Public key: ${label(hostKind)}-CERT ${fingerprint(blob)}`,
        `Signing CA: ${label(authorityKind)} ${fingerprint(authority.publicKeyBlob)} (using ${signatureNames[authorityKind]})`,
        `Key ID: "shcrt_${serial}"`,
        `Serial: ${serial}`,
        'Valid: from 2026-11-20T12:34:56 to 2027-11-20T12:34:56',
        'Principals: ',
        ...principals,
        'Critical Options: (none)',
        'Extensions: (none)',
      ]);
    },
  );

  it('reads a certificate without names, with the most names, and one until the last second', async () => {
    const authority = named(authorities, 'ed25519');
    const publicKey = named(hostKeyLines, 'ed25519');
    expect(print([await issue(authority, { publicKey })])).toContain('Principals: (none)');
    const principals = Array.from({ length: 256 }, (_, index) => `host-${index}.example.com`);
    expect(print([await issue(authority, { publicKey, principals })])).toContain('host-255.example.com');
    const validity = { validAfter: '1970-01-01T00:00:00Z', validUntil: '9999-12-31T23:59:59Z' };
    expect(print([await issue(authority, { publicKey, ...validity })])).toContain('Valid: before 9999-12-31T23:59:59');
  });

  // Half of the certificates of a P-521 authority contain a number with leading zeros, which encoders get wrong; with
  // the smaller curves it is one in 128, and for RSA the leading zero must stay.
  it.each([
    ['p521', 300],
    ['p384', 150],
    ['p256', 300],
    ['ed25519', 50],
    ['rsa 2048', 300],
  ])(
    'reads every one of many certificates of an authority of %s',
    async (kind, count) => {
      const authority = named(authorities, kind);
      const request = { publicKey: named(hostKeyLines, 'ed25519'), principals: ['host.example.com'] };
      const lines = await Promise.all(Array.from({ length: runs(count) }, () => issue(authority, request)));
      expect(print(lines).match(/Type: ssh-ed25519-cert-v01@openssh\.com host certificate/g)).toHaveLength(runs(count));
    },
    30_000,
  );

  it('complains about a certificate with a flipped byte, so its silence above means something', async () => {
    const line = await issue(named(authorities, 'p521'), { publicKey: named(hostKeyLines, 'ed25519') });
    const [name = '', base64 = ''] = line.split(' ');
    const blob = Buffer.from(base64, 'base64');
    blob[60] = (blob[60] ?? 0) ^ 1; // in the nonce
    expect(() => print([formatLine(name, blob)])).toThrow();
  });

  it.each(Object.keys(kinds))('gives a key of %s the same fingerprint', (kind) => {
    const file = join(directory, 'key.pub');
    const { blob } = parsePublicKey(named(hostKeyLines, kind));
    for (const key of [blob, named(authorities, kind).publicKeyBlob]) {
      const algorithm = named(authorities, kind).algorithm;
      writeFileSync(file, `${formatLine(algorithm, key)}\n`);
      expect(execFileSync('ssh-keygen', ['-l', '-f', file], { encoding: 'utf8' })).toContain(` ${fingerprint(key)} `);
    }
  });

  describe('with a revocation list', () => {
    const listFile = () => join(directory, 'revoked');
    /** Returns for each certificate whether `ssh-keygen -Q` calls it revoked. */
    function revoked(certificates: string[]): boolean[] {
      return certificates.map((line) => {
        const file = join(directory, 'queried-cert.pub');
        writeFileSync(file, `${line}\n`);
        const { status, stdout, stderr } = spawnSync('ssh-keygen', ['-Q', '-f', listFile(), file], {
          encoding: 'utf8',
        });
        expect(stderr).toBe('');
        expect(stdout).toMatch(status === 0 ? /: ok\n$/ : /: REVOKED\n$/);
        return status === 1;
      });
    }
    function writeList(authorityKind: string, serials: bigint[]): void {
      const { publicKeyBlob: authorityBlob } = named(authorities, authorityKind);
      writeFileSync(
        listFile(),
        writeKeyRevocationList({ sections: [{ authorityBlob, serials }], version: 3n, generatedAt: now }),
      );
    }

    it.each(['ed25519', 'p256', 'p521', 'rsa 2048'])(
      'refuses the listed serials of %s and nothing else',
      async (kind) => {
        const publicKey = named(hostKeyLines, 'ed25519');
        const first = await issue(named(authorities, kind), { publicKey });
        const firstSerial = serial;
        const second = await issue(named(authorities, kind), { publicKey });
        const third = await issue(named(authorities, kind), { publicKey });
        const thirdSerial = serial;
        serial = firstSerial - 1n;
        const sameSerial = await issue(named(authorities, 'p384'), { publicKey });
        serial = thirdSerial;
        writeList(kind, [2n ** 63n - 1n, thirdSerial, firstSerial, firstSerial]);
        expect(revoked([first, second, third, sameSerial, publicKey.trim()])).toEqual([
          true,
          false,
          true,
          false,
          false,
        ]);
      },
    );

    it('refuses nothing without serials', async () => {
      writeList('ed25519', []);
      const publicKey = named(hostKeyLines, 'ed25519');
      expect(revoked([await issue(named(authorities, 'ed25519'), { publicKey })])).toEqual([false]);
    });

    it('reads version, authority and serials', () => {
      writeList('ed25519', [9n, 2n ** 63n - 1n, 1n]);
      const text = execFileSync('ssh-keygen', ['-Q', '-l', '-f', listFile()], {
        encoding: 'utf8',
        env: { ...process.env, TZ: 'UTC' },
      });
      expect(text.trim().split(/\n+/)).toEqual([
        '# KRL version 3',
        '# Generated at 20261120T123456',
        `# CA key ssh-ed25519 ${fingerprint(named(authorities, 'ed25519').publicKeyBlob)}`,
        'serial: 1',
        'serial: 9',
        'serial: 9223372036854775807',
      ]);
    });

    it('reads a list of 20,000 serials', async () => {
      const publicKey = named(hostKeyLines, 'ed25519');
      const listed = await issue(named(authorities, 'ed25519'), { publicKey });
      const others = Array.from({ length: 20_000 }, (_, index) => BigInt(index) * 922_337_203_685_477n + 1_000_000n);
      writeList('ed25519', [...others, serial]);
      expect(revoked([listed, await issue(named(authorities, 'ed25519'), { publicKey })])).toEqual([true, false]);
    });
  });
});
