// Signatures that `ssh-keygen -Y sign` makes over any text (OpenSSH, PROTOCOL.sshsig): reading and verifying them. No I/O; may
// import only node:crypto and its neighbours on this floor.

import { createHash } from 'node:crypto';
import { SallyportError } from '../errors.ts';
import { openPublicKey, type PublicKey } from './public-key.ts';
import { schemeNamedIn, verifyMessage } from './signature.ts';
import { encodeString, WireReader } from './wire.ts';

/** Longest text of a signature. One by an RSA key of 16,384 bits has 5,700 characters. */
export const sshSignatureCharactersMax = 8_192;

const magic = Buffer.from('SSHSIG');
const version = 1;
/** The hashes that the form knows. */
const hashNames: ReadonlySet<string> = new Set(['sha256', 'sha512']);
// OpenSSH passes over white space within the base64 as well, and scripts put spaces where the lines ended.
const armour = /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)\s-----END SSH SIGNATURE-----$/;

/** What a signature must be of. */
export interface ExpectedSignature {
  /** The key that must have made it; the signature names the same. */
  readonly publicKey: PublicKey;
  /** What it must have been made for (`ssh-keygen -Y sign -n NAMESPACE`). */
  readonly namespace: string;
  readonly message: string;
}

/**
 * Verifies a signature.
 *
 * @param text what `ssh-keygen -Y sign` prints
 * @throws PROOF_INVALID on `signature` for whatever else it may be: another form, version, namespace, hash, key or message. The
 *   message says what is wrong
 */
export async function verifySshSignature(text: string, expected: ExpectedSignature): Promise<void> {
  const { publicKey, namespace, message } = expected;
  const said = readBlob(decodeArmour(text));
  if (!said.publicKeyBlob.equals(publicKey.blob)) throw anotherKey(said.publicKeyBlob);
  if (said.namespace !== namespace) {
    throw refused(`is made for another namespace. Sign with \`ssh-keygen -Y sign -n ${namespace}\`.`);
  }
  if (!hashNames.has(said.hashName)) throw refused('must use the hash sha256 or sha512.');
  if (publicKey.algorithm === 'ssh-rsa' && schemeNamedIn(said.signature) === 'ssh-rsa') {
    throw refused('must not use SHA-1. RSA keys sign with rsa-sha2-512 or rsa-sha2-256.');
  }
  // What is reserved is empty in what is signed, and not looked at where it stands, as in OpenSSH.
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

/** The parts of a signature that count. */
interface SaidBySignature {
  readonly publicKeyBlob: Buffer;
  readonly namespace: string;
  readonly hashName: string;
  /** In wire form. */
  readonly signature: Buffer;
}

/** Takes the base64 out of its frame, strictly: Node skips what does not belong, so the result has to encode to the same text. */
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

/** Says what kind of other key a signature names, by its algorithm. */
function anotherKey(blob: Buffer): SallyportError {
  const algorithm = schemeNamedIn(blob) ?? '';
  if (algorithm.endsWith('-cert-v01@openssh.com')) {
    return refused('names a certificate as its key. Sign with the private key of the host alone: `-f` and its path.');
  }
  if (/^sk-(ssh|ecdsa)-/.test(algorithm)) return refused('is made by a security key, which cannot be a host key.');
  return refused('is made by another key than the one to be certified. Sign with the private key of the host.');
}

function damaged(): SallyportError {
  return refused('is cut short or damaged. Send the whole text that `ssh-keygen -Y sign` prints.');
}

function refused(message: string): SallyportError {
  return new SallyportError('PROOF_INVALID', message, { field: 'signature' });
}
