// Parses and verifies the signatures that `ssh-keygen -Y sign` makes over any text (OpenSSH, PROTOCOL.sshsig). No I/O; may import
// only node:crypto and its neighbours on this floor.

import { createHash } from 'node:crypto';
import { SallyportError } from '../../../domain/errors.ts';
import { remedies } from '../../../domain/remedies.ts';
import { openPublicKey, type PublicKey } from './public-key.ts';
import { schemeNamedIn, verifyMessage } from './signature.ts';
import { encodeString, WireReader } from './wire.ts';

/** Longest signature text. A signature by a 16,384-bit RSA key has 5,700 characters. */
export const sshSignatureCharactersMax = 8_192;

const magic = Buffer.from('SSHSIG');
const version = 1;
/** The hashes that the format allows. */
const hashNames: ReadonlySet<string> = new Set(['sha256', 'sha512']);
// OpenSSH also skips white space within the base64, and scripts turn its line ends into spaces.
const armour = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)\s-----END SSH SIGNATURE-----$/;

/** What a signature must match. */
export interface ExpectedSignature {
  /** The key that must have made the signature, and that the signature must name. */
  readonly publicKey: PublicKey;
  /** The namespace that it must have been made for (`ssh-keygen -Y sign -n NAMESPACE`). */
  readonly namespace: string;
  readonly message: string;
}

/**
 * Verifies a signature.
 *
 * @param text what `ssh-keygen -Y sign` prints
 * @throws PROOF_INVALID on `signature` for any other format, version, namespace, hash, key or message; the error says what is
 *   wrong
 */
export async function verifySshSignature(text: string, expected: ExpectedSignature): Promise<void> {
  const { publicKey, namespace, message } = expected;
  const said = readBlob(decodeArmour(text));
  if (!said.publicKeyBlob.equals(publicKey.blob)) throw anotherKey(said.publicKeyBlob);
  if (said.namespace !== namespace) {
    throw refused(`is made for another namespace. Sign with \`${remedies.signAs(namespace)}\`.`);
  }
  if (!hashNames.has(said.hashName)) throw refused('must use the hash sha256 or sha512.');
  if (publicKey.algorithm === 'ssh-rsa' && schemeNamedIn(said.signature) === 'ssh-rsa') {
    throw refused('must not use SHA-1. RSA keys sign with rsa-sha2-512 or rsa-sha2-256.');
  }
  // As in OpenSSH, the reserved field is empty in the signed data, and ignored in the signature itself.
  const signed = Buffer.concat([
    magic,
    encodeString(namespace),
    encodeString(''),
    encodeString(said.hashName),
    encodeString(createHash(said.hashName).update(message).digest()),
  ]);
  const key = { publicKey: openPublicKey(publicKey), algorithm: publicKey.algorithm };
  if (!(await verifyMessage(key, signed, said.signature))) {
    throw refused('does not verify: it is made over another text. Sign the challenge exactly, without a line end.');
  }
}

/** The parts of a signature that are checked. */
interface SaidBySignature {
  readonly publicKeyBlob: Buffer;
  readonly namespace: string;
  readonly hashName: string;
  /** In wire form. */
  readonly signature: Buffer;
}

/** Decodes the base64 between the armour lines strictly: Node skips invalid characters, so the result must encode back to it. */
function decodeArmour(text: string): Buffer {
  if (text.length > sshSignatureCharactersMax) {
    throw refused(`must be at most ${sshSignatureCharactersMax} characters; it has ${text.length}.`);
  }
  const base64 = armour.exec(text.trim())?.[1]?.replace(/\s+/g, '');
  if (base64 === undefined) {
    throw refused(
      'must be an SSH signature, from -----BEGIN SSH SIGNATURE----- to -----END SSH SIGNATURE-----, as ' +
        '`ssh-keygen -Y sign` prints it.',
    );
  }
  const blob = Buffer.from(base64, 'base64');
  if (blob.toString('base64') !== base64) throw damaged();
  return blob;
}

function readBlob(blob: Buffer): SaidBySignature {
  if (!blob.subarray(0, magic.length).equals(magic)) throw damaged();
  try {
    const reader = new WireReader(blob.subarray(magic.length));
    if (reader.readUint32() !== version) throw refused(`must be of version ${version} of the form.`);
    const publicKeyBlob = reader.readString();
    const namespace = reader.readString().toString('latin1');
    reader.readString(); // reserved
    const hashName = reader.readString().toString('latin1');
    const signature = reader.readString();
    reader.expectEnd();
    return { publicKeyBlob, namespace, hashName, signature };
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error;
  }
}

/** Returns the error for a signature by another key, which depends on that key's algorithm. */
function anotherKey(blob: Buffer): SallyportError {
  const algorithm = schemeNamedIn(blob) ?? '';
  if (algorithm.endsWith('-cert-v01@openssh.com')) {
    return refused('names a certificate as its key. Sign with the private key of the host alone: `-f` and its path.');
  }
  if (/^sk-(ssh|ecdsa)-/.test(algorithm))
    return refused('is made by a security key, whose kind Sallyport does not certify.');
  return refused('is made by another key than the one to be certified. Sign with the private key of the host.');
}

function damaged(): SallyportError {
  return refused('is cut short or damaged. Send the whole text that `ssh-keygen -Y sign` prints.');
}

function refused(message: string): SallyportError {
  return new SallyportError('PROOF_INVALID', message, { field: 'signature' });
}
