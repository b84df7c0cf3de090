// A host that proves the possession of its key, as `ssh-keygen -Y sign` does.

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { formatLine } from '../../src/areas/ssh/keys/public-key.ts';
import { encodeString, encodeUint32 } from '../../src/areas/ssh/keys/wire.ts';

/** A host with its own key. */
export interface ProvingHost {
  /** The line of its `.pub` file. */
  readonly publicKey: string;
  /** Signs text as `ssh-keygen -Y sign -n NAMESPACE`. */
  sign(namespace: string, message: string): string;
}

/** Creates a host with a new ed25519 key. */
export function createProvingHost(): ProvingHost {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const blob = Buffer.concat([encodeString('ssh-ed25519'), encodeString(point)]);
  return {
    publicKey: formatLine('ssh-ed25519', blob),
    sign(namespace, message) {
      const digest = createHash('sha512').update(message).digest();
      const parts = [namespace, '', 'sha512'].map(encodeString);
      const raw = sign(null, Buffer.concat([Buffer.from('SSHSIG'), ...parts, encodeString(digest)]), privateKey);
      const signature = Buffer.concat([encodeString('ssh-ed25519'), encodeString(raw)]);
      const head = [Buffer.from('SSHSIG'), encodeUint32(1), encodeString(blob), ...parts];
      const base64 = Buffer.concat([...head, encodeString(signature)]).toString('base64');
      const lines = base64.match(/.{1,70}/g) ?? [];
      return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n');
    },
  };
}
