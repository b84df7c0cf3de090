// Private keys that operators import, as written by this machine's ssh-keygen and openssl.

import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsPassphrase, parsePrivateKey } from '../../../../src/areas/ssh/keys/private-key.ts';
import { hostKeys } from '../../../support/ssh.ts';

const passphrase = 'correct horse – battery';
const missing = ['ssh-keygen', 'openssl'].filter((name) => spawnSync(name, ['-?']).error !== undefined);

let directory: string;
let made = 0;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The key pair of each type, reused because generating one takes longer than writing it in another form. */
const pairs = new Map<string, string>();

function newPair(type: readonly string[]): string {
  made += 1;
  const file = join(directory, `pair${made}`);
  execFileSync('ssh-keygen', ['-q', '-t', ...type, '-N', '', '-C', 'me@office', '-f', file]);
  return file;
}

/** Writes a key with ssh-keygen in some form, with a single KDF round, because rounds take the time. */
function keygen(type: readonly string[], secret: string, format: readonly string[]): { key: string; line: string } {
  const pair = pairs.get(type.join()) ?? newPair(type);
  pairs.set(type.join(), pair);
  made += 1;
  const file = join(directory, `key${made}`);
  copyFileSync(pair, file);
  chmodSync(file, 0o600);
  execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', secret, '-a', '1', ...format, '-f', file], {
    stdio: 'ignore',
  });
  return { key: readFileSync(file, 'utf8'), line: lineOf(pair) };
}

function lineOf(file: string): string {
  return readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
}

/** Returns the reason why a key cannot be read. */
const refusal = (text: string, secret = '') =>
  parsePrivateKey(text, secret).then(
    () => 'none',
    ({ code, field, message }) => ({ code, field, message }),
  );
const invalid = (message: string) => ({ code: 'INVALID_INPUT', field: 'privateKey', message });
const damaged = invalid('must be a whole private key; this one is cut short or damaged. Send the file as it is.');
const wrong = invalid('cannot be decrypted: the passphrase is wrong, or the file is damaged.');
const wrongType = invalid('must be an Ed25519, RSA, or ECDSA key on P-256, P-384 or P-521. Make a new authority.');

describe.skipIf(missing.length > 0)(
  `keys of ssh-keygen${missing.length > 0 ? ` (no ${missing.join(', ')})` : ''}`,
  () => {
    const types = [
      ['ed25519', ['ed25519']],
      ['ecdsa', ['ecdsa', '-b', '256']],
      ['ecdsa', ['ecdsa', '-b', '384']],
      ['ecdsa', ['ecdsa', '-b', '521']],
      ['rsa', ['rsa', '-b', '2048']],
    ] as const;
    const formats = [[], ['-m', 'PEM'], ['-m', 'PKCS8']];
    test.each(types.flatMap(([keyType, type]) => formats.map((format) => ({ keyType, type, format }))))(
      'of $type in the form $format have the public key that stands beside them',
      async ({ keyType, type, format }) => {
        for (const secret of ['', passphrase]) {
          const { key, line } = keygen(type, secret, format);
          expect(needsPassphrase(key)).toBe(secret !== '');
          const read = await parsePrivateKey(key, secret);
          expect([read.keyType, read.publicKeyLine]).toEqual([keyType, line]);
          if (secret !== '') {
            for (const other of ['', 'wrong']) expect(await refusal(key, other)).toEqual(wrong);
            continue;
          }
          // A passphrase that is not needed does no harm, nor do Windows line ends and text around the key.
          const around = `From the safe:\r\n\r\n${key.replaceAll('\n', '\r\n')}\r\n`;
          expect((await parsePrivateKey(around, 'any')).publicKeyLine).toBe(line);
        }
      },
    );

    test.each([
      'aes256-ctr',
      'aes192-ctr',
      'aes128-ctr',
      'aes256-cbc',
      'aes192-cbc',
      'aes128-cbc',
      'aes256-gcm@openssh.com',
      'aes128-gcm@openssh.com',
      'chacha20-poly1305@openssh.com',
    ])('encrypted with %s are read', async (cipher) => {
      const { key, line } = keygen(['ed25519'], passphrase, ['-Z', cipher]);
      expect((await parsePrivateKey(key, passphrase)).publicKeyLine).toBe(line);
      expect(await refusal(key, 'another')).toEqual(wrong);
    });

    test('of RSA have all of their numbers: OpenSSL finds nothing wrong with them', async () => {
      const { key } = keygen(['rsa', '-b', '2048'], '', []);
      const { pkcs8Der } = await parsePrivateKey(key, '');
      const pem = createPrivateKey({ key: pkcs8Der, format: 'der', type: 'pkcs8' }).export({
        type: 'pkcs8',
        format: 'pem',
      });
      const check = spawnSync('openssl', ['pkey', '-check', '-noout'], { input: pem, encoding: 'utf8' });
      expect(check.stdout + check.stderr).toContain('Key is valid');
    });

    test.each([
      [1024, 'must have 2048 to 8192 bits if it is an RSA key; this one has 1024. Make a new authority.'],
      [2047, 'must have 2048 to 8192 bits if it is an RSA key; this one has 2047. Make a new authority.'],
    ])('of RSA with %d bits are too short', async (bits, message) => {
      expect(await refusal(keygen(['rsa', '-b', String(bits)], '', []).key)).toEqual(invalid(message));
      expect(await refusal(keygen(['rsa', '-b', String(bits)], '', ['-m', 'PEM']).key)).toEqual(invalid(message));
    });

    test('that are damaged are refused, wherever a byte of them is another', async () => {
      const { key, line } = keygen(['ed25519'], '', []);
      const [first = '', ...rest] = key.trim().split('\n');
      const [last = '', ...inner] = rest.toReversed();
      const bytes = Buffer.from(inner.toReversed().join(''), 'base64');
      const framed = (content: Buffer) => `${first}\n${content.toString('base64')}\n${last}\n`;
      expect((await parsePrivateKey(framed(bytes), '')).publicKeyLine).toBe(line);
      for (let index = 0; index < bytes.length; index += 1) {
        const other = Buffer.from(bytes);
        other[index] = (other[index] ?? 0) ^ 0x15;
        const found = await parsePrivateKey(framed(other), '').then(
          ({ publicKeyLine }) => publicKeyLine,
          ({ field }) => field,
        );
        // The comment and values that are stored twice may differ: the key is still the same.
        expect([line, 'privateKey']).toContain(found);
      }
      for (const length of [0, 14, 15, 40, 100, bytes.length - 1]) {
        expect(await refusal(framed(bytes.subarray(0, length)))).toEqual(damaged);
      }
    });

    test('whose halves do not belong together are refused', async () => {
      const [one, two] = [newPair(['ed25519']), newPair(['ed25519'])];
      const blobOf = (file: string) => Buffer.from(lineOf(file).split(' ')[1] ?? '', 'base64');
      const bytes = Buffer.from(readFileSync(one, 'utf8').trim().split('\n').slice(1, -1).join(''), 'base64');
      blobOf(two).copy(bytes, bytes.indexOf(blobOf(one)));
      const mixed = `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
      expect(await refusal(mixed)).toEqual(damaged);
    });

    test('that are several, or ask for days of work, are refused', async () => {
      const { key } = keygen(['ed25519'], '', []);
      expect(await refusal(key + key)).toEqual(
        invalid('must be one private key; these are several. Import each by itself.'),
      );
      const encrypted = keygen(['ed25519'], passphrase, []).key.trim().split('\n');
      const bytes = Buffer.from(encrypted.slice(1, -1).join(''), 'base64');
      // The rounds follow the magic, two names, and the salt of 16 bytes with its lengths.
      bytes.writeUInt32BE(2 ** 31, 15 + 4 + 10 + 4 + 6 + 4 + 4 + 16);
      const slow = [encrypted[0], bytes.toString('base64'), encrypted.at(-1)].join('\n');
      expect(await refusal(slow, passphrase)).toMatchObject(
        invalid(expect.stringContaining('its passphrase takes 2147483648 rounds, of at most 32000')),
      );
    });
  },
);

describe.skipIf(missing.length > 0)('keys of openssl', () => {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

  test('are read, with the parameters before them and encrypted', async () => {
    const ec = openssl('ecparam', '-name', 'prime256v1', '-genkey');
    expect(ec).toContain('BEGIN EC PARAMETERS');
    expect((await parsePrivateKey(ec, '')).keyType).toBe('ecdsa');
    const rsa = openssl(
      'genpkey',
      '-algorithm',
      'RSA',
      '-pkeyopt',
      'rsa_keygen_bits:2048',
      '-aes256',
      '-pass',
      'pass:abc',
    );
    expect([needsPassphrase(rsa), (await parsePrivateKey(rsa, 'abc')).keyType]).toEqual([true, 'rsa']);
    expect(await refusal(rsa, 'abd')).toEqual(wrong);
  });

  test.each([
    ['a curve that SSH does not have', ['ecparam', '-name', 'secp256k1', '-genkey']],
    ['Ed448', ['genpkey', '-algorithm', 'ED448']],
    ['key exchange', ['genpkey', '-algorithm', 'X25519']],
    ['RSA-PSS', ['genpkey', '-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048']],
  ])('of %s are refused', async (_, args) => {
    expect(await refusal(openssl(...args))).toEqual(wrongType);
  });
});

test.each([
  ['nothing', ' \n', 'must not be empty. Send the file of a private key to standard input.'],
  ['a public key', hostKeys.ed25519, 'must be a private key, but this is a public key. Send the file without .pub.'],
  [
    'a public key as PEM',
    generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'must be a private key, but this is a public key. Send the file without .pub.',
  ],
  [
    'a certificate',
    'ssh-ed25519-cert-v01@openssh.com AAAA root@a',
    'must be a private key, but this is a certificate. Send the file of the private key.',
  ],
  [
    'a key of PuTTY',
    'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n',
    'must not be in the form of PuTTY. Convert it: `puttygen FILE -O private-openssh-new -o NEW`.',
  ],
  ['text', 'secret', 'must be a private key as ssh-keygen or openssl writes it, from its BEGIN to its END line.'],
  ['too much', 'a'.repeat(65_537), 'must be at most 65536 characters; a file with one key is shorter.'],
  ['a DSA key', '-----BEGIN DSA PRIVATE KEY-----\nAAAA\n-----END DSA PRIVATE KEY-----', wrongType.message],
  ['half a frame', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA', damaged.message],
  ['an empty frame', '-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----', damaged.message],
])('%s is refused as what it is', async (_, text, message) => {
  expect(await refusal(text)).toEqual(invalid(message));
});

test('the handle of a security key is refused: the key is in the device', async () => {
  const string = (value: string | Buffer) => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const blob = Buffer.concat([string('sk-ssh-ed25519@openssh.com'), string(Buffer.alloc(32, 1)), string('ssh:')]);
  const one = Buffer.from([0, 0, 0, 1]);
  const bytes = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[string('none'), string('none'), string(''), one, string(blob), string(Buffer.alloc(8))],
  ]);
  const text = `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
  expect(await refusal(text)).toEqual(
    invalid('must not be of a security key (sk-...), which does not give it away. Make a new authority.'),
  );
});
