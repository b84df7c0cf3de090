// What `public-key.ts` promises: which keys are read, and that every other text is refused for its own reason.

import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fingerprint,
  formatLine,
  parsePublicKey,
  publicKeyCharactersMax,
} from '../../../../src/areas/ssh/keys/public-key.ts';
import { encodeMpint, encodeString, encodeUint32 } from '../../../../src/areas/ssh/keys/wire.ts';
import { SallyportError } from '../../../../src/domain/errors.ts';
import { growth } from '../../../support/processor.ts';
import { runs } from '../../../support/runs.ts';

// A key of each kind, assembled here from OpenSSL's numbers, without the parser under test.
const number = (base64url: string | undefined) => Buffer.from(base64url ?? '', 'base64url');
const ed25519Pair = generateKeyPairSync('ed25519');
const ed25519Point = number(ed25519Pair.publicKey.export({ format: 'jwk' }).x);
const ed25519Blob = Buffer.concat([encodeString('ssh-ed25519'), encodeString(ed25519Point)]);
const ed25519 = formatLine('ssh-ed25519', ed25519Blob);

const rsaPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const modulus = number(rsaPair.publicKey.export({ format: 'jwk' }).n);
const exponent = Buffer.of(1, 0, 1);
const rsaBlob = (e: Buffer, n: Buffer) => Buffer.concat([encodeString('ssh-rsa'), e, n]);
const rsaLine = (e: Buffer, n: Buffer) => formatLine('ssh-rsa', rsaBlob(e, n));
const rsa = rsaLine(encodeMpint(exponent), encodeMpint(modulus));

const ecPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecJwk = ecPair.publicKey.export({ format: 'jwk' });
const point = Buffer.concat([Buffer.of(4), number(ecJwk.x), number(ecJwk.y)]);
const ecBlob = (name: string, curve: string, q: Buffer) =>
  Buffer.concat([encodeString(`ecdsa-sha2-${name}`), encodeString(curve), encodeString(q)]);
const ecLine = (q: Buffer, curve = 'nistp256') => formatLine('ecdsa-sha2-nistp256', ecBlob('nistp256', curve, q));
const ecdsa = ecLine(point);

const base64Of = (line: string) => line.split(' ')[1] ?? '';

/** Returns an odd number with the given number of bits. */
function oddModulus(bits: number): Buffer {
  const bytes = Buffer.alloc(bits / 8, 0xff);
  bytes[0] = 0x80;
  return bytes;
}

describe('parsePublicKey accepts', () => {
  it.each([
    ['ed25519', ed25519, { keyType: 'ed25519', algorithm: 'ssh-ed25519', blob: ed25519Blob }],
    ['rsa', rsa, { keyType: 'rsa', algorithm: 'ssh-rsa', blob: rsaBlob(encodeMpint(exponent), encodeMpint(modulus)) }],
    [
      'ecdsa',
      ecdsa,
      { keyType: 'ecdsa', algorithm: 'ecdsa-sha2-nistp256', blob: ecBlob('nistp256', 'nistp256', point) },
    ],
  ])('ok/%s', (_, line, key) => {
    expect(parsePublicKey(line)).toEqual(key);
  });

  it.each([
    ['a comment', `${ed25519} root@host`],
    ['a comment of several words and scripts', `${ed25519} Büro  东京\t#2`],
    ['a comment that names an algorithm', `${ed25519} my ssh-rsa replacement`],
    ['a comment that speaks of a private key', `${ed25519} PRIVATE KEY is in the safe`],
    ['a line feed at the end', `${ed25519}\n`],
    ['CRLF at the end', `${ed25519} root@host\r\n`],
    ['blank lines around it', `\n\n${ed25519}\n\n`],
    ['a byte order mark', `\uFEFF${ed25519}`],
    ['several spaces and tabs', `ssh-ed25519 \t ${base64Of(ed25519)}`],
    ['the longest text', ed25519.padEnd(publicKeyCharactersMax - 1).concat('x')],
  ])('ok/%s', (_, line) => {
    expect(parsePublicKey(line).blob).toEqual(ed25519Blob);
  });

  it.each([2048, 3072, 16_384])('ok/an RSA modulus of %d bits', (bits) => {
    expect(parsePublicKey(rsaLine(encodeMpint(exponent), encodeMpint(oddModulus(bits)))).keyType).toBe('rsa');
  });
});

describe('parsePublicKey refuses', () => {
  const accepted = 'ssh-ed25519, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521 and ssh-rsa';
  const malformed = 'must be a valid key; this one is cut short or damaged. Copy the whole line again.';
  const notOpenssh =
    'must be in OpenSSH form, in one line. Convert this form with `ssh-keygen -i -m PKCS8 -f FILE` ' +
    '(BEGIN PUBLIC KEY), `-m PEM` (BEGIN RSA PUBLIC KEY) or `-m RFC4716` (BEGIN SSH2 PUBLIC KEY).';
  const oneLine = 'must be one line with one key. Send each key separately, and join a key that was wrapped.';
  const privateKey =
    'must be a public key, but this is a private key. It was not stored; treat it as disclosed and generate a new pair. ' +
    'Send the content of the .pub file.';
  const prefix =
    'must start with the name of its algorithm. Remove what stands before it, such as the options of an ' +
    'authorized_keys line or the host names of a known_hosts line.';
  const incomplete = 'must contain complete base64 after the algorithm name. Copy the whole line again.';
  const otherName = 'must name the algorithm that the key itself names. Copy the whole line again.';
  const unsupported = `must be a key in OpenSSH form that starts with one of ${accepted}.`;
  const control = 'must not contain control characters or ill-formed Unicode. Copy the line again.';
  const empty = 'must not be empty. Send the content of a .pub file, such as ssh_host_ed25519_key.pub.';
  const sk = `must not be a security key (sk-...), whose kind Sallyport does not certify. Use one of ${accepted}.`;

  const pem = (key: typeof rsaPair.privateKey, type: 'pkcs1' | 'pkcs8' | 'sec1') =>
    key.export({ type, format: 'pem' }).toString();
  const withoutFrame = (text: string) => text.replace(/-----.*-----/g, '');
  const opensshPrivate = Buffer.concat([Buffer.from('openssh-key-v1\0'), encodeString('none')]).toString('base64');
  const x509 = '-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----';
  const body = base64Of(ed25519);
  const certName = 'ssh-ed25519-cert-v01@openssh.com';
  const tooShort = (bits: number) =>
    `must have at least 2048 bits if it is an RSA key; this one has ${bits}. Generate a longer one.`;
  const tooLong = (bits: number) =>
    `must have at most 16384 bits, the longest RSA key that OpenSSH reads; this one has ${bits}.`;
  const evenModulus = Buffer.concat([modulus.subarray(0, -1), Buffer.of(2)]);

  const refusals: [row: string, text: string, message: string][] = [
    // Secrets pasted by mistake
    ['an OpenSSH private key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${opensshPrivate}\n`, privateKey],
    ['an OpenSSH private key without its frame', opensshPrivate, privateKey],
    ['an OpenSSH private key after the name of an algorithm', `ssh-ed25519 ${opensshPrivate}`, privateKey],
    ['a PKCS#1 private key', pem(rsaPair.privateKey, 'pkcs1'), privateKey],
    ['a SEC1 private key', pem(ecPair.privateKey, 'sec1'), privateKey],
    ['a PKCS#8 private key', pem(ed25519Pair.privateKey, 'pkcs8'), privateKey],
    ['a PKCS#8 private key without its frame', withoutFrame(pem(ed25519Pair.privateKey, 'pkcs8')), privateKey],
    ['a PKCS#1 private key without its frame', withoutFrame(pem(rsaPair.privateKey, 'pkcs1')), privateKey],
    ['a SEC1 private key without its frame', withoutFrame(pem(ecPair.privateKey, 'sec1')), privateKey],
    ['a private key on one line', pem(rsaPair.privateKey, 'pkcs8').replaceAll('\n', ' '), privateKey],
    ['an encrypted private key', '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIC\n', privateKey],
    ['a private key of ssh.com', '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAAA\n', privateKey],
    ['a PuTTY private key', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n', privateKey],
    ['an SSH 1 private key', 'SSH PRIVATE KEY FILE FORMAT 1.1\n', privateKey],
    ['a private JSON Web Key', JSON.stringify(ed25519Pair.privateKey.export({ format: 'jwk' })), privateKey],
    ['a private key after a public one', `${ed25519}\n${pem(ed25519Pair.privateKey, 'pkcs8')}`, privateKey],
    ['a private key in a text that is too long', `${'x'.repeat(20_000)}-----BEGIN RSA PRIVATE KEY-----`, privateKey],
    // Other formats
    ['a public key in PEM', rsaPair.publicKey.export({ type: 'spki', format: 'pem' }).toString(), notOpenssh],
    ['a PKCS#1 public key', rsaPair.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(), notOpenssh],
    ['an RFC 4716 key', `---- BEGIN SSH2 PUBLIC KEY ----\n${body}\n---- END SSH2 PUBLIC KEY ----`, notOpenssh],
    [
      'an X.509 certificate',
      x509,
      'must be an OpenSSH public key, but this is an X.509 certificate. Send the .pub file.',
    ],
    [
      'a certificate line',
      formatLine(certName, Buffer.concat([encodeString(certName), encodeString('nonce')])),
      'must be a plain public key, but this is a certificate. Send the .pub file it was made from.',
    ],
    ['a public JSON Web Key', JSON.stringify(ed25519Pair.publicKey.export({ format: 'jwk' })), unsupported],
    // Other algorithms
    [
      'a DSA key',
      formatLine('ssh-dss', encodeString('ssh-dss')),
      `must not be a DSA key, which OpenSSH no longer accepts. Use one of ${accepted}.`,
    ],
    ['an ed25519 key of a security token', `sk-ssh-ed25519@openssh.com ${body}`, sk],
    ['an ecdsa key of a security token', `sk-ecdsa-sha2-nistp256@openssh.com ${body}`, sk],
    ['curve25519', formatLine('ssh-curve25519', encodeString('ssh-curve25519')), unsupported],
    ['a curve that is a property of objects', `ecdsa-sha2-constructor ${body}`, unsupported],
    ['a property of objects', `__proto__ ${body}`, unsupported],
    ['ed448', `ssh-ed448 ${body}`, unsupported],
    [
      'the name of an RSA signature',
      `rsa-sha2-512 ${base64Of(rsa)}`,
      'must start with ssh-rsa for an RSA key: rsa-sha2-... names signatures, not keys.',
    ],
    // The line
    ['nothing', '', empty],
    ['white space', ' \r\n\t', empty],
    [
      'text that is too long',
      ed25519.padEnd(20_000, 'x'),
      'must be at most 16384 characters; it has 20000. Shorten the comment after the key.',
    ],
    ['two keys', `${ed25519}\n${ed25519}`, oneLine],
    ['a wrapped key', `${ed25519.slice(0, 40)}\n${ed25519.slice(40)}`, oneLine],
    ['a wrapped key with old line ends', `${ed25519.slice(0, 40)}\r${ed25519.slice(40)}`, oneLine],
    ['a comment line before the key', `# host key\n${ed25519}`, oneLine],
    ['an option before the key', `no-pty ${ed25519}`, prefix],
    ['an option with a quoted value', `command="echo hello" ${ed25519}`, prefix],
    ['a line of known_hosts', `host.example.com,10.0.0.5 ${ed25519}`, prefix],
    ['a line of known_hosts with a mark', `@cert-authority * ${ed25519}`, prefix],
    [
      'an upper-case name',
      ed25519.replace('ssh-ed25519', 'SSH-ED25519'),
      'must have the algorithm name in lower case: ssh-ed25519.',
    ],
    ['base64 alone', body, `must start with the name of its algorithm, one of ${accepted}. Copy the whole line.`],
    ['the name alone', 'ssh-ed25519', 'must contain the key in base64 after the algorithm name. Copy the whole line.'],
    ['words', 'hello world', unsupported],
    ['NUL in the comment', `${ed25519} a\u0000b`, control],
    ['an escape sequence in the comment', `${ed25519} \u001b[31mred`, control],
    ['half of a surrogate pair in the comment', `${ed25519} \ud800`, control],
    // The base64
    ['base64 that is cut inside a group', ed25519.slice(0, -1), incomplete],
    ['base64 that is cut between groups', ed25519.slice(0, -4), malformed],
    ['base64 with a space', `ssh-ed25519 ${body.slice(0, 40)} ${body.slice(40)}`, malformed],
    ['base64 with a backslash', `ssh-ed25519 ${body.slice(0, 40)}\\${body.slice(40)}`, incomplete],
    ['base64 with padding that is too long', `${ed25519}==`, incomplete],
    [
      'base64 for URLs',
      `ssh-ed25519 ${Buffer.concat([ed25519Blob, Buffer.alloc(3, 0xff)]).toString('base64url')}`,
      incomplete,
    ],
    ['base64 that is not canonical', ecdsa.replace(/=$/, ''), incomplete],
    ['another algorithm inside', `ssh-rsa ${body}`, otherName],
    ['a name that is the start of the one inside', formatLine('ssh-rsa', encodeString('ssh-rsa2')), otherName],
    ['an empty blob', 'ssh-ed25519 AAAA', otherName],
    // The numbers
    ['a blob with the name alone', formatLine('ssh-ed25519', encodeString('ssh-ed25519')), malformed],
    ['extra bytes after the key', formatLine('ssh-ed25519', Buffer.concat([ed25519Blob, Buffer.of(0)])), malformed],
    [
      'a length beyond the end',
      formatLine('ssh-ed25519', Buffer.concat([encodeString('ssh-ed25519'), encodeUint32(2 ** 32 - 1)])),
      malformed,
    ],
    ...[5, 31, 33].map((length): [string, string, string] => [
      `an ed25519 point of ${length} bytes`,
      formatLine('ssh-ed25519', Buffer.concat([encodeString('ssh-ed25519'), encodeString(Buffer.alloc(length, 1))])),
      malformed,
    ]),
    [
      'an ECDSA point off its curve',
      ecLine(Buffer.concat([point.subarray(0, -1), Buffer.of((point.at(-1) ?? 0) ^ 1)])),
      malformed,
    ],
    ['a compressed ECDSA point', ecLine(Buffer.concat([Buffer.of(2), point.subarray(1, 33)])), malformed],
    ['the ECDSA point at infinity', ecLine(Buffer.of(0)), malformed],
    ['an empty ECDSA point', ecLine(Buffer.alloc(0)), malformed],
    ['an ECDSA key of another curve inside', ecLine(point, 'nistp384'), malformed],
    ['an ECDSA key of a curve that is a property of objects', ecLine(point, 'constructor'), malformed],
    ['RSA of 512 bits', rsaLine(encodeMpint(exponent), encodeMpint(oddModulus(512))), tooShort(512)],
    ['RSA of 1024 bits', rsaLine(encodeMpint(exponent), encodeMpint(oddModulus(1024))), tooShort(1024)],
    ['RSA of 2040 bits', rsaLine(encodeMpint(exponent), encodeMpint(oddModulus(2040))), tooShort(2040)],
    ['RSA of 16392 bits', rsaLine(encodeMpint(exponent), encodeMpint(oddModulus(16_392))), tooLong(16_392)],
    ['RSA of 32768 bits', rsaLine(encodeMpint(exponent), encodeMpint(oddModulus(32_768))), tooLong(32_768)],
    ['RSA with exponent 1', rsaLine(encodeMpint(Buffer.of(1)), encodeMpint(modulus)), malformed],
    ['RSA with an even exponent', rsaLine(encodeMpint(Buffer.of(4)), encodeMpint(modulus)), malformed],
    ['RSA with exponent 0', rsaLine(encodeString(''), encodeMpint(modulus)), malformed],
    ['RSA with an even modulus', rsaLine(encodeMpint(exponent), encodeMpint(evenModulus)), malformed],
    ['RSA with a negative modulus', rsaLine(encodeMpint(exponent), encodeString(modulus)), malformed],
    [
      'RSA with a padded modulus',
      rsaLine(encodeMpint(exponent), encodeString(Buffer.concat([Buffer.alloc(2), modulus]))),
      malformed,
    ],
    ['RSA with modulus 0', rsaLine(encodeMpint(exponent), encodeString('')), malformed],
    ['RSA with its numbers swapped', rsaLine(encodeMpint(modulus), encodeMpint(exponent)), malformed],
    [
      'RSA without a modulus',
      formatLine('ssh-rsa', Buffer.concat([encodeString('ssh-rsa'), encodeMpint(exponent)])),
      malformed,
    ],
  ];

  it.each(refusals)('%s', (_, text, message) => {
    expect(() => parsePublicKey(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'publicKey', message }),
    );
  });

  it('never repeats the text, nor keeps it as a cause', () => {
    for (const [row, text] of refusals) {
      const error = refusalOf(text);
      const words = text.split(/\s+/).filter((word) => word.length > 20 && word !== certName);
      expect({ row, cause: error?.cause, repeated: words.filter((word) => error?.message.includes(word)) }).toEqual({
        ...{ row, cause: undefined, repeated: [] },
      });
    }
  });

  it('any damage to a key with an expected refusal, and nothing else', () => {
    const lines = fc.constantFrom(ed25519, ecdsa, rsa);
    fc.assert(
      fc.property(lines, fc.nat(), fc.string({ unit: 'grapheme', maxLength: 3 }), fc.nat(9), (line, at, put, cut) => {
        const position = at % line.length;
        const damaged = line.slice(0, position) + put + line.slice(position + cut);
        const error = refusalOf(damaged);
        if (error !== null) expect(error.code).toBe('INVALID_INPUT');
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['many marks', 'BEGIN '.repeat(170_000)],
    ['many words', 'x '.repeat(500_000)],
    ['one word', 'A'.repeat(1_000_000)],
  ])('a hostile text of 1 MB in well under a second: %s', async (_, text) => {
    const refuse = (part: string) => () => expect(refusalOf(part)?.code).toBe('INVALID_INPUT');
    // Quadratic work would take 64 times as long, and minutes.
    expect(await growth(refuse(text.slice(0, text.length / 8)), refuse(text))).toBeLessThan(32);
  });
});

function refusalOf(text: string): SallyportError | null {
  try {
    parsePublicKey(text);
    return null;
  } catch (error) {
    if (error instanceof SallyportError) return error;
    throw error;
  }
}

describe('fingerprint', () => {
  it('is the SHA-256 of the blob in base64 without padding', () => {
    // A key whose seed is 32 zero bytes, so that the expected value can be written out.
    const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
    const key = createPrivateKey({ key: Buffer.concat([seedPrefix, Buffer.alloc(32)]), format: 'der', type: 'pkcs8' });
    const x = number(createPublicKey(key).export({ format: 'jwk' }).x);
    const blob = Buffer.concat([encodeString('ssh-ed25519'), encodeString(x)]);
    expect(fingerprint(blob)).toBe('SHA256:tAXFyTXI8xtDaujAEcwJslAYc9/6FKcUkd2Lw0xDhPo');
  });
});
