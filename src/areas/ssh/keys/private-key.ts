// Private keys that operators import: which formats are read, and which keys an authority can have. No I/O; may import only
// node:crypto and its neighbours on this floor. No error contains anything of the key, the passphrase or OpenSSL's messages.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { invalid, type SallyportError } from '../../../domain/errors.ts';
import { remedies } from '../../../domain/remedies.ts';
import { exportAuthorityKey, type GeneratedAuthorityKey, openAuthorityKey } from '../authorities/authority-key.ts';
import { isEncryptedOpenSshKey, parseOpenSshPrivateKey, UnreadableKeyError } from './openssh-private-key.ts';
import type { KeyType } from './public-key.ts';
import { signMessage, verifyMessage } from './signature.ts';

/** Longest text that is examined. A 16,384-bit RSA key takes 13,000 characters. */
export const privateKeyCharactersMax = 65_536;
/** Shortest and longest RSA modulus, in bits. The maximum is also short enough for a database index. */
const rsaBits = { min: 2048, max: 8192 } as const;

const field = 'privateKey';

/** A private key found in a text, as PEM or in OpenSSH's format, which has the same kind of frame. */
interface FramedKey {
  readonly text: string;
  readonly isOpenSsh: boolean;
  readonly isEncrypted: boolean;
}

/** Returns whether reading a private key requires its passphrase. Throws INVALID_INPUT as `parsePrivateKey`. */
export function needsPassphrase(text: string): boolean {
  return findKey(text).isEncrypted;
}

/** An imported private key, in its stored forms. */
export interface ImportedAuthorityKey extends GeneratedAuthorityKey {
  readonly keyType: KeyType;
}

/**
 * Parses the private key of an authority: in OpenSSH's format, PKCS#8, PKCS#1 or SEC 1, encrypted or not. Before returning, it
 * signs a message with the key and verifies the signature with the public key.
 *
 * @param passphrase ignored if the key is not encrypted
 * @throws INVALID_INPUT on `privateKey` for anything else, a wrong passphrase, or a kind of key that authorities cannot have
 */
export async function parsePrivateKey(text: string, passphrase: string): Promise<ImportedAuthorityKey> {
  const found = findKey(text);
  const { privateKey, publicBlob } = found.isOpenSsh ? readOpenSsh(found, passphrase) : readPem(found, passphrase);
  const keyType = keyTypeOf(privateKey);
  const exported = exportAuthorityKey(privateKey);
  // A damaged file may still yield a valid private key, but one with a different public key.
  if (publicBlob !== null && !publicBlob.equals(exported.publicKeyBlob)) throw damaged();
  const key = openAuthorityKey(exported.pkcs8Der);
  const message = Buffer.from('What this key signs, its public key verifies.');
  const isWhole = await signMessage(key, message)
    .then((signature) => verifyMessage(key, message, signature))
    .catch(() => false);
  if (!isWhole) throw damaged();
  return { ...exported, keyType };
}

/** Finds the one key in a text. Throws INVALID_INPUT, naming the mistake, if there is not exactly one. */
function findKey(text: string): FramedKey {
  if (text.length > privateKeyCharactersMax) {
    throw invalid(field, `must be at most ${privateKeyCharactersMax} characters; a file with one key is shorter.`);
  }
  const [frame, another] = text.matchAll(
    /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----(?:(?!-----)[\s\S])*-----END \1-----/g,
  );
  if (frame === undefined) throw notPrivate(text);
  if (another !== undefined) throw invalid(field, 'must be one private key; these are several. Import each by itself.');
  const [framed, label = ''] = frame;
  switch (label) {
    case 'OPENSSH PRIVATE KEY':
      return { text: framed, isOpenSsh: true, isEncrypted: unreadable(() => isEncryptedOpenSshKey(bytesOf(framed))) };
    case 'ENCRYPTED PRIVATE KEY':
      return { text: framed, isOpenSsh: false, isEncrypted: true };
    case 'PRIVATE KEY':
    case 'RSA PRIVATE KEY':
    case 'EC PRIVATE KEY':
      return { text: framed, isOpenSsh: false, isEncrypted: /^Proc-Type:.*ENCRYPTED/m.test(framed) };
    default:
      throw wrongType();
  }
}

/** Returns the error for a text without a private key, by what the text looks like. */
function notPrivate(text: string): SallyportError {
  const line = text.trim();
  if (/^PuTTY-User-Key-File-/m.test(line)) {
    return invalid(
      field,
      'must not be in the form of PuTTY. Convert it: `puttygen FILE -O private-openssh-new -o NEW`.',
    );
  }
  if (/^[\w@.-]+-cert-v01@openssh\.com /m.test(line) || /BEGIN [A-Z0-9 ]{0,40}CERTIFICATE/.test(line)) {
    return invalid(field, 'must be a private key, but this is a certificate. Send the file of the private key.');
  }
  if (/^(ssh|ecdsa|sk)-[\w@.-]+ AAAA/m.test(line) || /BEGIN [A-Z0-9 ]{0,40}PUBLIC KEY/.test(line)) {
    return invalid(field, 'must be a private key, but this is a public key. Send the file without .pub.');
  }
  if (line === '') return invalid(field, 'must not be empty. Send the file of a private key to standard input.');
  if (/BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(line)) return damaged();
  return invalid(field, 'must be a private key as ssh-keygen or openssl writes it, from its BEGIN to its END line.');
}

/** Decodes the base64 between the first and the last line. */
function bytesOf(framed: string): Buffer {
  return Buffer.from(framed.split('\n').slice(1, -1).join(''), 'base64');
}

function readOpenSsh({ text }: FramedKey, passphrase: string) {
  return unreadable(() => parseOpenSshPrivateKey(bytesOf(text), passphrase));
}

function readPem({ text, isEncrypted }: FramedKey, passphrase: string) {
  try {
    return { privateKey: createPrivateKey({ key: text, format: 'pem', passphrase }), publicBlob: null };
  } catch {
    // Decrypting with a wrong passphrase yields noise, and OpenSSL cannot always tell that noise from a damaged key.
    throw isEncrypted ? wrongPassphrase() : damaged();
  }
}

function keyTypeOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): KeyType {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails;
  switch (asymmetricKeyType) {
    case 'ed25519':
      return 'ed25519';
    case 'ec':
      if (!['prime256v1', 'secp384r1', 'secp521r1'].includes(namedCurve)) throw wrongType();
      return 'ecdsa';
    case 'rsa':
      if (modulusLength < rsaBits.min || modulusLength > rsaBits.max) {
        const range = `${rsaBits.min} to ${rsaBits.max} bits`;
        throw invalid(
          field,
          `must have ${range} if it is an RSA key; this one has ${modulusLength}. Make a new authority.`,
        );
      }
      return 'rsa';
    default:
      throw wrongType();
  }
}

/** Runs `read`, and turns an `UnreadableKeyError` into INVALID_INPUT that says why the key cannot be read. */
function unreadable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableKeyError)) throw error;
    switch (error.reason) {
      case 'damaged':
        throw damaged();
      case 'wrong passphrase':
        throw wrongPassphrase();
      case 'security key':
        throw invalid(
          field,
          'must not be of a security key (sk-...), which does not give it away. Make a new authority.',
        );
      case 'unsupported':
        throw invalid(
          field,
          `cannot be read: ${error.message}. Write a copy in another form with \`${remedies.rewritePrivateKey}\`.`,
        );
    }
  }
}

function damaged(): SallyportError {
  return invalid(field, 'must be a whole private key; this one is cut short or damaged. Send the file as it is.');
}

function wrongPassphrase(): SallyportError {
  return invalid(field, 'cannot be decrypted: the passphrase is wrong, or the file is damaged.');
}

function wrongType(): SallyportError {
  return invalid(field, 'must be an Ed25519, RSA, or ECDSA key on P-256, P-384 or P-521. Make a new authority.');
}
