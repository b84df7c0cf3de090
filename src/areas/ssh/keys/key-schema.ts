// GraphQL parts shared by the keys of hosts and of certificate authorities.

import { keptOnce } from '../../../domain/concurrency/kept-with.ts';
import { enumOf } from '../../../graphql/kit/enum-values.ts';
import type { KeyType } from './public-key.ts';
import { blobOfLine, fingerprint } from './public-key.ts';

export const SshKeyType = enumOf<KeyType>('SshKeyType', 'The type of an SSH key.', {
  ed25519: 'Ed25519.',
  ecdsa: 'ECDSA on a NIST curve.',
  rsa: 'RSA.',
});

export const fingerprintOf = keptOnce(({ publicKey }: { publicKey: string }) => fingerprint(blobOfLine(publicKey)));

export const fingerprintDescription = 'Fingerprint of the public key as OpenSSH shows it: `SHA256:...`.';
