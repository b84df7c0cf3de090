// A host that proves to have its key, without ssh-keygen: for tests that need many proofs, and for examples.

import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { formatLine } from '../../src/domain/ssh/public-key.ts';
import { encodeString, encodeUint32 } from '../../src/domain/ssh/wire.ts';

/** A host with an Ed25519 key. */
export interface SshHost {
  /** Its public key, as the line of a `.pub` file without a comment. */
  readonly publicKey: string;
  /** Signs text as `ssh-keygen -Y sign -n NAMESPACE` does. */
  sign(namespace: string, text: string): string;
}

// PKCS#8 of an Ed25519 key, before its 32 bytes (RFC 8410, section 7).
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Makes a host whose key is always the same for the same name. */
export function makeSshHost(name: string): SshHost {
  const seed = createHash('sha256').update(name).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  const point = Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url');
  const keyBlob = Buffer.concat([encodeString('ssh-ed25519'), encodeString(point)]);
  return {
    publicKey: formatLine('ssh-ed25519', keyBlob),
    sign(namespace, text) {
      const fields = [namespace, '', 'sha512'].map(encodeString);
      const digest = createHash('sha512').update(text).digest();
      const magic = Buffer.from('SSHSIG');
      const signature = sign(null, Buffer.concat([magic, ...fields, encodeString(digest)]), privateKey);
      const inWireForm = Buffer.concat([encodeString('ssh-ed25519'), encodeString(signature)]);
      const blob = Buffer.concat([magic, encodeUint32(1), encodeString(keyBlob), ...fields, encodeString(inWireForm)]);
      const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
      return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
    },
  };
}
