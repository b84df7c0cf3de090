// Public keys in OpenSSH's one-line form: which ones are accepted, how they are written, and their fingerprints. No I/O; may
// import only sshpk, node:crypto and its neighbours on this floor.

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import sshpk from 'sshpk';
import { invalid, type SallyportError } from '../../../domain/errors.ts';
import { remedies } from '../../../domain/remedies.ts';
import { classifyEd25519Point } from './ed25519.ts';
import { encodeString, WireReader } from './wire.ts';

/** Key types of hosts and authorities, in display order and as the API names them (spec, "SSH host certificate", `key_type`). */
export const keyTypes = ['ed25519', 'ecdsa', 'rsa'] as const;
export type KeyType = (typeof keyTypes)[number];

/** A public key that passed every check. */
export interface PublicKey {
  readonly keyType: KeyType;
  /** The name at the start of the line and of the blob, such as `ssh-ed25519`. */
  readonly algorithm: string;
  /** The key in wire form (RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4). */
  readonly blob: Buffer;
}

/** Longest accepted text. A 16,384-bit RSA key takes 2,800 characters; the rest is room for the comment. */
export const publicKeyCharactersMax = 16_384;
/** Shortest RSA modulus, by policy. OpenSSH itself accepts 1024; step-ca refuses keys below 2048, as we do. */
const rsaModulusBitsMin = 2048;
/** Longest RSA modulus: the longest that OpenSSH can read (`SSHBUF_MAX_BIGNUM` in its sshbuf.h). */
const rsaModulusBitsMax = 16_384;

// A Map rather than an object, so that names such as `constructor` find nothing.
const keyTypeByAlgorithm: ReadonlyMap<string, KeyType> = new Map([
  ['ssh-ed25519', 'ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa'],
  ['ecdsa-sha2-nistp384', 'ecdsa'],
  ['ecdsa-sha2-nistp521', 'ecdsa'],
  ['ssh-rsa', 'rsa'],
]);

const field = 'publicKey';
const acceptedAlgorithms = 'ssh-ed25519, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, ecdsa-sha2-nistp521 and ssh-rsa';

/**
 * Parses one public key in the form of a `.pub` file: algorithm, base64, optional comment. Surrounding white space is
 * ignored. Options, other formats and keys that OpenSSH clients would not accept are refused.
 *
 * @throws INVALID_INPUT on `publicKey`. The message names the mistake and never repeats any of the text, which may be
 *   a private key.
 */
export function parsePublicKey(text: string): PublicKey {
  refusePrivateKey(text);
  const { algorithm, keyType, base64 } = splitLine(text);
  const blob = decodeBlob(algorithm, base64);
  const key = checkEncoding(algorithm, blob);
  if (keyType === 'rsa') checkRsaNumbers(blob);
  if (keyType === 'ed25519') checkPoint(blob);
  checkWithOpenssl(key);
  return { keyType, algorithm, blob };
}

/** Returns the fingerprint that OpenSSH shows (`ssh-keygen -l`): the SHA-256 of the blob, in base64 without padding. */
export function fingerprint(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** Decodes the blob in a line that `parsePublicKey` has accepted. Throws `Error` for text that is not such a line. */
export function blobOfLine(line: string): Buffer {
  const base64 = line.trim().split(/[ \t]+/)[1];
  if (base64 === undefined) throw new Error('This is not a line with an SSH public key.');
  return Buffer.from(base64, 'base64');
}

/** Reads a line that `parsePublicKey` has accepted, without checking it again. Throws `Error` for text that is not such a line. */
export function readAcceptedKey(line: string): PublicKey {
  const [algorithm = ''] = line.trim().split(/[ \t]+/);
  const keyType = keyTypeByAlgorithm.get(algorithm);
  if (keyType === undefined) throw new Error('This is not a line with an SSH public key.');
  return { keyType, algorithm, blob: blobOfLine(line) };
}

/** Returns a key that `parsePublicKey` has accepted as a verifying key. Throws the library's error for any other key. */
export function openPublicKey({ algorithm, blob }: PublicKey): KeyObject {
  return createPublicKey(sshpk.parseKey(formatLine(algorithm, blob), 'ssh').toString('pkcs8'));
}

/** Formats a key or certificate as one line of an OpenSSH file. Without `comment`, the line ends after the base64. */
export function formatLine(algorithm: string, blob: Uint8Array, comment = ''): string {
  const line = `${algorithm} ${Buffer.from(blob).toString('base64')}`;
  return comment === '' ? line : `${line} ${comment}`;
}

// Only patterns that no public key line contains by chance. The repetition is bounded to keep matching linear.
const privateKeyMarks = [
  /(?:BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY/i, // PEM of every kind, OpenSSH, PGP and ssh.com
  /b3BlbnNzaC1rZXktdjE/, // base64 of "openssh-key-v1", the start of OpenSSH's private form, for text without the BEGIN line
  /PuTTY-User-Key-File-/i,
  /SSH PRIVATE KEY FILE FORMAT/, // SSH 1
  /"d"\s*:\s*"/, // JSON Web Key
];

/** Must run first: whatever else is wrong with the text, the sender must learn that a secret has left the machine. */
function refusePrivateKey(text: string): void {
  if (privateKeyMarks.some((mark) => mark.test(text)) || isBarePrivateKey(text)) {
    throw invalid(
      field,
      'must be a public key, but this is a private key. It was not stored; treat it as disclosed and generate a new ' +
        'pair. Send the content of the .pub file.',
    );
  }
}

/** Recognises the base64 of a PEM private key whose BEGIN and END lines were cut off. */
function isBarePrivateKey(text: string): boolean {
  if (text.length > publicKeyCharactersMax) return false;
  const base64 = text.replace(/\s+/g, '');
  if (!/^M[A-Za-z0-9+/]{40,}={0,2}$/.test(base64)) return false; // DER starts with a SEQUENCE tag, which is M in base64
  const key = Buffer.from(base64, 'base64');
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      return createPrivateKey({ key, format: 'der', type }).type === 'private';
    } catch {
      return false;
    }
  });
}

/** Splits the line. Throws INVALID_INPUT, naming the mistake, if the text is not one line with one key. */
function splitLine(text: string): { algorithm: string; keyType: KeyType; base64: string } {
  if (text.length > publicKeyCharactersMax) {
    throw invalid(
      field,
      `must be at most ${publicKeyCharactersMax} characters; it has ${text.length}. Shorten the comment after the key.`,
    );
  }
  const line = text.trim();
  if (line === '') {
    throw invalid(field, 'must not be empty. Send the content of a .pub file, such as ssh_host_ed25519_key.pub.');
  }
  if (/BEGIN [A-Z0-9 ]{0,40}CERTIFICATE/.test(line)) {
    throw invalid(field, 'must be an OpenSSH public key, but this is an X.509 certificate. Send the .pub file.');
  }
  if (/BEGIN [A-Z0-9 ]{0,40}PUBLIC KEY/.test(line)) {
    throw invalid(
      field,
      `must be in OpenSSH form, in one line. Convert this form with \`${remedies.convertPublicKey}\` ` +
        '(BEGIN PUBLIC KEY), `-m PEM` (BEGIN RSA PUBLIC KEY) or `-m RFC4716` (BEGIN SSH2 PUBLIC KEY).',
    );
  }
  if (/[\r\n]/.test(line)) {
    throw invalid(field, 'must be one line with one key. Send each key separately, and join a key that was wrapped.');
  }
  if (/[^\P{Cc}\t]/u.test(line) || /\p{Surrogate}/u.test(line)) {
    throw invalid(field, 'must not contain control characters or ill-formed Unicode. Copy the line again.');
  }
  const [algorithm = '', base64 = '', ...comment] = line.split(/[ \t]+/);
  const keyType = keyTypeByAlgorithm.get(algorithm);
  if (keyType === undefined) throw unknownAlgorithm(algorithm, [base64, ...comment]);
  if (base64 === '') {
    throw invalid(field, 'must contain the key in base64 after the algorithm name. Copy the whole line.');
  }
  return { algorithm, keyType, base64 };
}

/** Returns the error for a line whose first word is not an accepted algorithm, by what that word looks like. */
function unknownAlgorithm(word: string, rest: string[]): SallyportError {
  if (word.endsWith('-cert-v01@openssh.com')) {
    return invalid(
      field,
      'must be a plain public key, but this is a certificate. Send the .pub file it was made from.',
    );
  }
  if (word === 'ssh-dss') {
    return invalid(field, `must not be a DSA key, which OpenSSH no longer accepts. Use one of ${acceptedAlgorithms}.`);
  }
  if (/^sk-(ssh|ecdsa)-/.test(word)) {
    return invalid(
      field,
      `must not be a security key (sk-...), whose kind Sallyport does not certify. Use one of ${acceptedAlgorithms}.`,
    );
  }
  if (/^rsa-sha2-(256|512)$/.test(word)) {
    return invalid(field, 'must start with ssh-rsa for an RSA key: rsa-sha2-... names signatures, not keys.');
  }
  if (keyTypeByAlgorithm.has(word.toLowerCase())) {
    return invalid(field, `must have the algorithm name in lower case: ${word.toLowerCase()}.`);
  }
  if (rest.some((later) => keyTypeByAlgorithm.has(later))) {
    return invalid(
      field,
      'must start with the name of its algorithm. Remove what stands before it, such as the options of an ' +
        'authorized_keys line or the host names of a known_hosts line.',
    );
  }
  if (word.startsWith('AAAA')) {
    return invalid(
      field,
      `must start with the name of its algorithm, one of ${acceptedAlgorithms}. Copy the whole line.`,
    );
  }
  return invalid(field, `must be a key in OpenSSH form that starts with one of ${acceptedAlgorithms}.`);
}

/** Decodes base64 strictly: Node skips invalid characters, so the result must encode back to the same text. */
function decodeBlob(algorithm: string, base64: string): Buffer {
  const blob = Buffer.from(base64, 'base64');
  if (blob.toString('base64') !== base64) {
    throw invalid(field, 'must contain complete base64 after the algorithm name. Copy the whole line again.');
  }
  if (!blob.subarray(0, 4 + algorithm.length).equals(encodeString(algorithm))) {
    throw invalid(field, 'must name the algorithm that the key itself names. Copy the whole line again.');
  }
  return blob;
}

/**
 * Has sshpk parse the key and write it again. When parsing, sshpk tolerates padding, extra bytes, wrong lengths and the name of
 * another curve (measured). None of these survives writing, so comparing the bytes refuses them all.
 */
function checkEncoding(algorithm: string, blob: Buffer): sshpk.Key {
  let key: sshpk.Key;
  let rewritten: Buffer;
  try {
    // Never 'auto', which silently turns a private key into its public key.
    key = sshpk.parseKey(formatLine(algorithm, blob), 'ssh');
    rewritten = key.toBuffer('rfc4253');
  } catch {
    throw malformed(); // sshpk's messages expose parser internals
  }
  if (!rewritten.equals(blob)) throw malformed();
  return key;
}

/** Checks what neither sshpk nor OpenSSL checks: the size, that exponent and modulus are odd, and that they are not swapped. */
function checkRsaNumbers(blob: Buffer): void {
  const reader = new WireReader(blob);
  reader.readString(); // algorithm
  const exponent = unsigned(reader.readString());
  const modulus = unsigned(reader.readString());
  if (exponent < 3n || exponent % 2n === 0n || modulus % 2n === 0n || exponent >= modulus) throw malformed();
  const bits = modulus.toString(2).length;
  if (bits < rsaModulusBitsMin) {
    throw invalid(
      field,
      `must have at least ${rsaModulusBitsMin} bits if it is an RSA key; this one has ${bits}. Generate a longer one.`,
    );
  }
  if (bits > rsaModulusBitsMax) {
    throw invalid(
      field,
      `must have at most ${rsaModulusBitsMax} bits, the longest RSA key that OpenSSH reads; this one has ${bits}.`,
    );
  }
}

/** Checks the point of an ed25519 key, which OpenSSL does not check. */
function checkPoint(blob: Buffer): void {
  const reader = new WireReader(blob);
  reader.readString(); // algorithm
  const point = classifyEd25519Point(reader.readString());
  if (point === 'no point') throw malformed();
  if (point === 'small order') {
    throw invalid(
      field,
      'must be a key that only its owner can sign with; anybody can sign with this one. Generate a new pair.',
    );
  }
}

function unsigned(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`);
}

/** Has OpenSSL load the key, which checks that the point of an ECDSA key is on its curve. */
function checkWithOpenssl(key: sshpk.Key): void {
  try {
    createPublicKey(key.toString('pkcs8'));
  } catch {
    throw malformed();
  }
}

function malformed(): SallyportError {
  return invalid(field, 'must be a valid key; this one is cut short or damaged. Copy the whole line again.');
}
