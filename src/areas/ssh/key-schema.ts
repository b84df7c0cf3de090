// GraphQL parts shared by the keys of hosts and of certificate authorities.

import { keptOnce } from '../../domain/kept-with.ts';
import type { KeyType } from '../../domain/ssh/public-key.ts';
import { blobOfLine, fingerprint } from '../../domain/ssh/public-key.ts';
import { builder } from '../../graphql/builder.ts';
import { enumValues } from '../../graphql/enum-values.ts';

export const SshKeyType = builder.enumType('SshKeyType', {
  description: 'The type of an SSH key.',
  values: enumValues<KeyType>({
    ed25519: 'Ed25519.',
    ecdsa: 'ECDSA on a NIST curve.',
    rsa: 'RSA.',
  }),
});

/** Returns the fingerprint of the public key of a row. */
export const fingerprintOf = keptOnce(({ publicKey }: { publicKey: string }) => fingerprint(blobOfLine(publicKey)));

export const fingerprintDescription = 'Fingerprint of the public key as OpenSSH shows it: `SHA256:...`.';
