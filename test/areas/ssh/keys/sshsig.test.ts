import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLine, parsePublicKey } from '../../../../src/areas/ssh/keys/public-key.ts';
import { sshSignatureCharactersMax, verifySshSignature } from '../../../../src/areas/ssh/keys/sshsig.ts';
import { encodeString, encodeUint32 } from '../../../../src/areas/ssh/keys/wire.ts';
import { runs } from '../../../support/runs.ts';
import { signedText, sshSignatures } from './ssh-signatures.ts';

const namespace = 'sallyport-renew';

function armoured(base64: string): string {
  const lines = base64.match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
}

/** Returns the message about a bad signature, or null for a good one. */
async function verdict(text: string, publicKey: string, message = signedText): Promise<string | null> {
  try {
    await verifySshSignature(text, { publicKey: parsePublicKey(publicKey), namespace, message });
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'PROOF_INVALID', field: 'signature' });
    return error instanceof Error ? error.message : '';
  }
}

const { ed25519: sample = { publicKey: '', sha256: '', sha512: '' } } = sshSignatures;
const rows = Object.entries(sshSignatures).flatMap(([type, { publicKey, sha256, sha512 }]) => [
  [`${type} with sha256`, publicKey, sha256] as const,
  [`${type} with sha512`, publicKey, sha512] as const,
]);

describe.each(rows)('a signature that ssh-keygen made by %s', (_name, publicKey, base64) => {
  it('is that of its key over its text', async () => {
    expect(await verdict(armoured(base64), publicKey)).toBeNull();
  });

  it('is refused for any other text', async () => {
    const other = 'does not verify: it is made over another text. Sign the challenge exactly, without a line end.';
    expect(await verdict(armoured(base64), publicKey, `${signedText}\n`)).toBe(other);
    expect(await verdict(armoured(base64), publicKey, '')).toBe(other);
  });

  it('is refused with any byte changed', async () => {
    const blob = Buffer.from(base64, 'base64');
    await fc.assert(
      fc.asyncProperty(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const changed = Buffer.from(blob);
        changed[place] = (changed[place] ?? 0) ^ change;
        expect(await verdict(armoured(changed.toString('base64')), publicKey)).not.toBeNull();
      }),
      { numRuns: runs(60) },
    );
  });

  it('is refused cut short anywhere, and with bytes that follow', async () => {
    const blob = Buffer.from(base64, 'base64');
    const cut = 'is cut short or damaged. Send the whole text that `ssh-keygen -Y sign` prints.';
    for (const length of [6, 9, 10, 40, blob.length - 1]) {
      expect(await verdict(armoured(blob.subarray(0, length).toString('base64')), publicKey)).toBe(cut);
    }
    const longer = Buffer.concat([blob, Buffer.alloc(1)]).toString('base64');
    expect(await verdict(armoured(longer), publicKey)).toBe(cut);
  });
});

describe('the text of a signature', () => {
  const text = armoured(sample.sha512);
  it.each([
    ['as ssh-keygen prints it', text],
    ['with the line ends of Windows', text.replaceAll('\n', '\r\n')],
    ['with spaces for line ends, as a shell joins lines', text.trim().replaceAll('\n', ' ')],
    ['within white space', `\n\n  ${text}\n`],
  ])('is read %s', async (_name, given) => {
    expect(await verdict(given, sample.publicKey)).toBeNull();
  });

  const form =
    'must be an SSH signature, from -----BEGIN SSH SIGNATURE----- to -----END SSH SIGNATURE-----, as ' +
    '`ssh-keygen -Y sign` prints it.';
  const damaged = 'is cut short or damaged. Send the whole text that `ssh-keygen -Y sign` prints.';
  it.each([
    ['empty', '', form],
    ['without its frame', sample.sha512, form],
    ['without its last line', text.split('-----END')[0] ?? '', form],
    ['in the frame of something else', text.replaceAll('SIGNATURE', 'PRIVATE KEY'), form],
    ['twice', text + text, form],
    ['with text before it', `signature: ${text}`, form],
    ['with a character that base64 does not have', text.replace('U1NI', 'U1N_'), form],
    ['with base64 that ends wrongly', armoured(`${sample.sha512}=`), damaged],
    ['with nothing in its frame', armoured('===='), damaged],
    [
      'too long',
      armoured('A'.repeat(8_192)),
      expect.stringMatching(/^must be at most 8192 characters; it has 8\d{3}\.$/),
    ],
  ])('is refused %s', async (_name, given, message) => {
    expect(await verdict(given, sample.publicKey)).toEqual(message);
  });

  it('may be as long as the longest key of RSA needs', () => {
    const longest = 6 + 4 + (4 + 7 + 8 + 4 + 2049 + 4) + (4 + 16) + 4 + 10 + (4 + 4 + 12 + 4 + 2048);
    expect(armoured(Buffer.alloc(longest).toString('base64')).length).toBeLessThan(sshSignatureCharactersMax);
  });
});

describe('a signature made by hand', () => {
  const { privateKey, publicKey: opened } = generateKeyPairSync('ed25519');
  const point = Buffer.from(opened.export({ format: 'jwk' }).x ?? '', 'base64url');
  const keyBlob = Buffer.concat([encodeString('ssh-ed25519'), encodeString(point)]);
  const publicKey = formatLine('ssh-ed25519', keyBlob);
  const { privateKey: rsaKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

  interface Parts {
    magic?: string;
    version?: number;
    key?: Buffer;
    namespace?: string;
    reserved?: string;
    hash?: string;
    scheme?: string;
    signedNamespace?: string;
    signedReserved?: string;
    rawSignature?: Buffer;
  }
  function made(parts: Parts = {}): string {
    const { magic = 'SSHSIG', version = 1, key = keyBlob, reserved = '', hash = 'sha512' } = parts;
    const digest = createHash(hash === 'sha256' ? 'sha256' : 'sha512')
      .update(signedText)
      .digest();
    const signed = Buffer.concat([
      Buffer.from('SSHSIG'),
      ...[parts.signedNamespace ?? parts.namespace ?? namespace, parts.signedReserved ?? '', hash].map(encodeString),
      encodeString(digest),
    ]);
    const raw = parts.rawSignature ?? sign(null, signed, privateKey);
    const blob = Buffer.concat([
      Buffer.from(magic),
      encodeUint32(version),
      encodeString(key),
      ...[parts.namespace ?? namespace, reserved, hash].map(encodeString),
      encodeString(Buffer.concat([encodeString(parts.scheme ?? 'ssh-ed25519'), encodeString(raw)])),
    ]);
    return armoured(blob.toString('base64'));
  }

  it('counts like one of ssh-keygen', async () => {
    expect(await verdict(made(), publicKey)).toBeNull();
  });

  it('counts whatever is reserved says, which is empty in what is signed: as in OpenSSH', async () => {
    expect(await verdict(made({ reserved: 'x' }), publicKey)).toBeNull();
    expect(await verdict(made({ reserved: 'x', signedReserved: 'x' }), publicKey)).toMatch(/^does not verify/);
  });

  const certified = encodeString('ssh-ed25519-cert-v01@openssh.com');
  it.each<[string, Parts, RegExp]>([
    ['with another first word', { magic: 'SSHSIH' }, /^is cut short or damaged/],
    ['of version 0', { version: 0 }, /^must be of version 1 of the form\.$/],
    ['of version 2', { version: 2 }, /^must be of version 1 of the form\.$/],
    [
      'for another namespace',
      { namespace: 'file' },
      /^is made for another namespace\. Sign with .* -n sallyport-renew`\.$/,
    ],
    ['for enrollment', { namespace: 'sallyport-enroll' }, /^is made for another namespace/],
    ['for no namespace', { namespace: '' }, /^is made for another namespace/],
    ['for a namespace that it only says', { signedNamespace: 'file' }, /^does not verify/],
    ['with the hash SHA-1', { hash: 'sha1' }, /^must use the hash sha256 or sha512\.$/],
    ['with no hash', { hash: '' }, /^must use the hash/],
    ['with a hash in upper case', { hash: 'SHA512' }, /^must use the hash/],
    ['by a certificate', { key: Buffer.concat([certified, keyBlob]) }, /^names a certificate as its key/],
    ['by a security key', { key: encodeString('sk-ssh-ed25519@openssh.com') }, /^is made by a security key/],
    ['by no key', { key: Buffer.alloc(0) }, /^is made by another key/],
    ['with the name of another scheme', { scheme: 'rsa-sha2-512' }, /^does not verify/],
    ['of 63 bytes', { rawSignature: Buffer.alloc(63) }, /^does not verify/],
    ['of zeros', { rawSignature: Buffer.alloc(64) }, /^does not verify/],
  ])('is refused %s', async (_name, parts, message) => {
    expect(await verdict(made(parts), publicKey)).toMatch(message);
  });

  it('is refused by another key than the one expected', async () => {
    expect(await verdict(made(), sample.publicKey)).toBe(
      'is made by another key than the one to be certified. Sign with the private key of the host.',
    );
  });

  describe('by RSA', () => {
    const number = (text = '') => {
      const bytes = Buffer.from(text, 'base64url');
      return encodeString((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);
    };
    const blobOf = (key: KeyObject) => {
      const { n, e } = key.export({ format: 'jwk' });
      return Buffer.concat([encodeString('ssh-rsa'), number(e), number(n)]);
    };
    const rsaBlob = blobOf(rsaKey);
    const signedBy = (scheme: string, hash: string) => {
      const digest = createHash('sha512').update(signedText).digest();
      const signed = Buffer.concat([
        Buffer.from('SSHSIG'),
        ...[namespace, '', 'sha512'].map(encodeString),
        encodeString(digest),
      ]);
      return made({ key: rsaBlob, scheme, rawSignature: sign(hash, signed, rsaKey) });
    };

    it.each(['256', '512'])('counts with rsa-sha2-%s, which agents choose', async (bits) => {
      expect(await verdict(signedBy(`rsa-sha2-${bits}`, `sha${bits}`), formatLine('ssh-rsa', rsaBlob))).toBeNull();
    });

    it('is refused with SHA-1, whatever it is called', async () => {
      const verdicts = await Promise.all(
        ['ssh-rsa', 'rsa-sha2-256', 'rsa-sha2-512'].map((scheme) =>
          verdict(signedBy(scheme, 'sha1'), formatLine('ssh-rsa', rsaBlob)),
        ),
      );
      expect(verdicts[0]).toBe('must not use SHA-1. RSA keys sign with rsa-sha2-512 or rsa-sha2-256.');
      expect(verdicts.slice(1)).toEqual([
        expect.stringMatching(/^does not verify/),
        expect.stringMatching(/^does not verify/),
      ]);
    });
  });
});
