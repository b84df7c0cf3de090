// Imports certificate authorities with an existing private key.

import { SallyportError } from '../../../domain/errors.ts';
import { type Notes, notesForCreate } from '../../../domain/values/text.ts';
import { called } from '../../../domain/wording.ts';
import { isDuplicate } from '../../../storage/errors.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { sshCertificateAuthorities } from '../collections-store.ts';
import { parsePrivateKey } from '../keys/private-key.ts';
import { fingerprint } from '../keys/public-key.ts';
import { newAuthority } from './authority-store.ts';

/**
 * Creates a certificate authority with an existing private key, so that clients keep trusting the same authority.
 *
 * @param passphrase ignored if the key has none
 * @throws INVALID_INPUT as `parsePrivateKey`, DUPLICATE if the account already has an authority with this key
 */
export async function importSshCertificateAuthority(
  scope: AccountScope,
  input: Notes & { privateKey: string; passphrase: string },
): Promise<Row<'SshCertificateAuthority'>> {
  const notes = notesForCreate(input);
  const key = await parsePrivateKey(input.privateKey, input.passphrase);
  const { columns, object } = newAuthority(scope, notes, key.keyType, key);
  try {
    return await sshCertificateAuthorities.create(scope, columns, { object });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const [same] = await scope.db.sshCertificateAuthority.findMany({
      where: { publicKey: key.publicKeyLine },
      take: 1,
    });
    // The other authority was deleted in the meantime.
    if (same === undefined) return importSshCertificateAuthority(scope, input);
    const message = `is the key of the certificate authority ${called(same)} already (${fingerprint(key.publicKeyBlob)}). Go on with that authority.`;
    throw new SallyportError('DUPLICATE', message, { field: 'privateKey' });
  }
}
