// Text pasted into `public_key` by mistake: each kind is refused for its own reason, and no part of it is stored or
// repeated.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import sshpk from 'sshpk';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf, invalidField } from '../../support/answers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';

let service: TestService;
let authority: string;
beforeAll(async () => {
  service = await startService();
  authority = (await service.rest('POST', '/ssh_certificate_authorities')).body.id;
});

const post = (public_key: unknown) =>
  service.rest('POST', '/ssh_host_certificates', { ssh_certificate_authority_id: authority, public_key });

// Keys are assembled from their numbers here, without the code under test.
function string(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
const line = (name: string, ...parts: Buffer[]) =>
  `${name} ${Buffer.concat([string(name), ...parts.map((part) => string(part))]).toString('base64')}`;
const numberOf = (base64url: string | undefined) => Buffer.from(base64url ?? '', 'base64url');

const rsaPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const modulus = Buffer.concat([Buffer.of(0), numberOf(rsaPair.publicKey.export({ format: 'jwk' }).n)]);
const exponent = Buffer.of(1, 0, 1);
const rsa = (e: Buffer, n: Buffer) => line('ssh-rsa', e, n);
/** Returns a positive odd number with the given number of bits. */
const modulusOf = (bits: number) => Buffer.concat([Buffer.of(0, 0x80), Buffer.alloc(bits / 8 - 1, 0xff)]);

const ecPair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x, y } = ecPair.publicKey.export({ format: 'jwk' });
const point = Buffer.concat([Buffer.of(4), numberOf(x), numberOf(y)]);
const ec = (q: Buffer) => line('ecdsa-sha2-nistp256', Buffer.from('nistp256'), q);
const offCurve = Buffer.concat([point.subarray(0, -1), Buffer.of((point.at(-1) ?? 0) ^ 1)]);

const edPair = generateKeyPairSync('ed25519');
const ed = (length: number) => line('ssh-ed25519', Buffer.alloc(length, 1));
const good = hostKeys.ed25519;
const [name = '', base64 = ''] = good.split(' ');

const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'spki') => key.export({ type, format: 'pem' }).toString();
const openssh = sshpk
  .parsePrivateKey(pem(createPrivateKey(pem(ecPair.privateKey, 'pkcs8')), 'pkcs8'), 'pem')
  .toString('openssh');

const accepted = 'ssh-ed25519, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521 and ssh-rsa';
const tooShort = (bits: number) =>
  `must have at least 2048 bits if it is an RSA key; this one has ${bits}. Generate a longer one.`;
const tooLong = (bits: number) =>
  `must have at most 16384 bits, the longest RSA key that OpenSSH reads; this one has ${bits}.`;
const malformed = 'must be a valid key; this one is cut short or damaged. Copy the whole line again.';
const token = `must not be a security key (sk-...), whose kind Sallyport does not certify. Use one of ${accepted}.`;
const unsupported = `must be a key in OpenSSH form that starts with one of ${accepted}.`;
const incomplete = 'must contain complete base64 after the algorithm name. Copy the whole line again.';
const prefix =
  'must start with the name of its algorithm. Remove what stands before it, such as the options of an authorized_keys ' +
  'line or the host names of a known_hosts line.';
const oneLine = 'must be one line with one key. Send each key separately, and join a key that was wrapped.';
const privateKey =
  'must be a public key, but this is a private key. It was not stored; treat it as disclosed and generate a new pair. Send ' +
  'the content of the .pub file.';
const otherForm =
  'must be in OpenSSH form, in one line. Convert this form with `ssh-keygen -i -m PKCS8 -f FILE` (BEGIN PUBLIC KEY), ' +
  '`-m PEM` (BEGIN RSA PUBLIC KEY) or `-m RFC4716` (BEGIN SSH2 PUBLIC KEY).';

const refusals: [what: string, publicKey: string, reason: string][] = [
  ['an RSA key of 512 bits', rsa(exponent, modulusOf(512)), tooShort(512)],
  ['an RSA key of 1024 bits', rsa(exponent, modulusOf(1024)), tooShort(1024)],
  ['an RSA key of 16392 bits', rsa(exponent, modulusOf(16_392)), tooLong(16_392)],
  ['an RSA key with exponent 1', rsa(Buffer.of(1), modulus), malformed],
  ['an RSA key with an even exponent', rsa(Buffer.of(4), modulus), malformed],
  ['an RSA key with an even modulus', rsa(exponent, Buffer.concat([modulus.subarray(0, -1), Buffer.of(2)])), malformed],
  ['an RSA key with a negative modulus', rsa(exponent, modulus.subarray(1)), malformed],
  ['an RSA key with modulus 0', rsa(exponent, Buffer.alloc(0)), malformed],
  ['an RSA key with a padded modulus', rsa(exponent, Buffer.concat([Buffer.of(0), modulus])), malformed],
  ['an RSA key with its numbers swapped', rsa(modulus, exponent), malformed],
  [
    'a DSA key',
    line('ssh-dss', modulus, exponent, exponent, modulus),
    `must not be a DSA key, which OpenSSH no longer accepts. Use one of ${accepted}.`,
  ],
  [
    'an ed25519 key of a security token',
    line('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 1), Buffer.from('ssh:')),
    token,
  ],
  ['an ecdsa key of a security token', line('sk-ecdsa-sha2-nistp256@openssh.com', point, Buffer.from('ssh:')), token],
  ['a curve25519 key', line('ssh-curve25519', Buffer.alloc(32, 1)), unsupported],
  [
    'a curve that is a property of objects',
    line('ecdsa-sha2-constructor', Buffer.from('constructor'), point),
    unsupported,
  ],
  ['an ed25519 key of 5 bytes', ed(5), malformed],
  ['an ed25519 key of 33 bytes', ed(33), malformed],
  ['an ECDSA point off its curve', ec(offCurve), malformed],
  ['a compressed ECDSA point', ec(Buffer.concat([Buffer.of(2), point.subarray(1, 33)])), malformed],
  ['the ECDSA point at infinity', ec(Buffer.of(0)), malformed],
  ['an empty ECDSA point', ec(Buffer.alloc(0)), malformed],
  ['extra bytes after the key', line(name, Buffer.alloc(32, 1), Buffer.alloc(1)), malformed],
  ['base64 with a space', `${name} ${base64.slice(0, 40)} ${base64.slice(40)}`, malformed],
  ['base64 with a line feed', `${name} ${base64.slice(0, 40)}\n${base64.slice(40)}`, oneLine],
  ['base64 with a backslash', `${name} ${base64.slice(0, 40)}\\${base64.slice(40)}`, incomplete],
  ['base64 with another =', `${good}=`, incomplete],
  ['an option before the key', `no-pty ${good}`, prefix],
  ['a command before the key', `command="echo hello" ${good}`, prefix],
  ['a line of known_hosts', `host.example.com,10.0.0.5 ${good}`, prefix],
  ['two keys', `${good}\n${good}`, oneLine],
  ['a wrapped key', `${good.slice(0, 50)}\r\n${good.slice(50)}`, oneLine],
  ['an OpenSSH private key', openssh, privateKey],
  ['a PKCS#1 private key', pem(rsaPair.privateKey, 'pkcs1'), privateKey],
  ['a PKCS#8 private key', pem(edPair.privateKey, 'pkcs8'), privateKey],
  ['a PuTTY private key', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: root@host\n', privateKey],
  ['a public key in PEM', pem(rsaPair.publicKey, 'spki'), otherForm],
  ['an RFC 4716 key', `---- BEGIN SSH2 PUBLIC KEY ----\n${base64}\n---- END SSH2 PUBLIC KEY ----`, otherForm],
  [
    'an X.509 certificate',
    '-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END CERTIFICATE-----',
    'must be an OpenSSH public key, but this is an X.509 certificate. Send the .pub file.',
  ],
  [
    'a certificate',
    line('ssh-ed25519-cert-v01@openssh.com', Buffer.alloc(32), Buffer.alloc(32, 1)),
    'must be a plain public key, but this is a certificate. Send the .pub file it was made from.',
  ],
  ['base64 that is cut inside of a group', good.slice(0, -1), incomplete],
  ['base64 that is cut between groups', good.slice(0, -4), malformed],
  [
    'the name of another algorithm',
    `ssh-rsa ${base64}`,
    'must name the algorithm that the key itself names. Copy the whole line again.',
  ],
  [
    'an upper-case name',
    good.replace(name, name.toUpperCase()),
    'must have the algorithm name in lower case: ssh-ed25519.',
  ],
  ['nothing', '', 'must not be empty. Send the content of a .pub file, such as ssh_host_ed25519_key.pub.'],
  ['white space', ' \r\n', 'must not be empty. Send the content of a .pub file, such as ssh_host_ed25519_key.pub.'],
];

describe('POST /ssh_host_certificates', () => {
  test.each(refusals)('refuses %s', async (_, publicKey, reason) => {
    expect(failureOf(await post(publicKey))).toEqual(invalidField('public_key', reason));
  });

  test.each([5, true, {}, [good]])('refuses %j, which is no text', async (value) => {
    expect(failureOf(await post(value))).toEqual(invalidField('public_key', 'must be a string.'));
  });

  test('refuses the same over GraphQL, and repeats nothing of it', async () => {
    const document = `mutation ($key: String!, $authority: ID!) {
      createSshHostCertificate(input: { publicKey: $key, sshCertificateAuthorityId: $authority }) { __typename }
    }`;
    for (const [what, key, reason] of refusals) {
      const answer = await service.graphql(document, { key, authority });
      const long = key.split(/\s+/).filter((word) => word.length > 20);
      const said = JSON.stringify(answer);
      expect({ what, errors: answer.errors, repeated: long.filter((word) => said.includes(word)) }).toEqual({
        what,
        errors: [
          expect.objectContaining({
            message: `publicKey: ${reason}`,
            extensions: { code: 'INVALID_INPUT', field: 'publicKey' },
          }),
        ],
        repeated: [],
      });
    }
  });

  test('has stored nothing of all this, nor asked the database for it', async () => {
    expect((await service.rest('GET', '/ssh_host_certificates')).body.ssh_host_certificates).toEqual([]);
    const asked = inspect(service.statements, { maxArrayLength: null, maxStringLength: null });
    const words = refusals.flatMap(([, key]) => key.split(/\s+/)).filter((word) => word.length > 20);
    expect(words.filter((word) => asked.includes(word))).toEqual([]);
    expect(asked).toContain(authority);
  });
});
