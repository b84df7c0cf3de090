// SSH certificate authorities in the database.

import { type SallyportError, unknownReference } from '../../../domain/errors.ts';
import { type Notes, notesForCreate } from '../../../domain/values/text.ts';
import { generateInTurn } from '../../../storage/keys/key-generation.ts';
import { ownerOf } from '../../../storage/keys/secrets.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { type InnerList, newestFirst } from '../../../storage/objects/inner-lists.ts';
import { sshCertificateAuthorities } from '../collections-store.ts';
import type { KeyType } from '../keys/public-key.ts';
import { checkAuthorityOptions, exportAuthorityKey, type GeneratedAuthorityKey } from './authority-key.ts';

/** Describes the list of an authority's certificates, newest first; if a time is given, only those that expire before it. */
export function certificatesOfAuthority(expireBefore: Date | undefined): InnerList {
  const all = newestFirst('SshHostCertificate', 'sshCertificateAuthorityId', 'id');
  return expireBefore === undefined ? all : { ...all, where: { validUntil: { lt: expireBefore } } };
}

/**
 * Creates a certificate authority with a new key pair. The private key is sealed before it reaches the database.
 *
 * @param signal cancels key generation when nobody is waiting for it any more
 * @throws INVALID_INPUT for options that do not go together, and as `generateInTurn`
 */
export async function createSshCertificateAuthority(
  scope: AccountScope,
  input: Notes & {
    privateKeyType?: string | null | undefined;
    ellipticCurve?: string | null | undefined;
    keySize?: number | null | undefined;
  },
  signal?: AbortSignal,
): Promise<Row<'SshCertificateAuthority'>> {
  const notes = notesForCreate(input);
  const kind = checkAuthorityOptions(input);
  const key = exportAuthorityKey(await generateInTurn(scope, kind, signal));
  const { columns, object } = newAuthority(scope, notes, kind.privateKeyType, key);
  return sshCertificateAuthorities.create(scope, columns, { object });
}

/** Creates the error for an identifier that belongs to no authority of the account. */
export function unknownAuthority(id: string): SallyportError {
  return unknownReference('sshCertificateAuthorityId', 'certificate authority', id);
}

/** Returns the identity and the columns of a new authority with a key. The private key is sealed. */
export function newAuthority(
  scope: AccountScope,
  notes: ReturnType<typeof notesForCreate>,
  keyType: KeyType,
  { pkcs8Der, publicKeyLine }: GeneratedAuthorityKey,
) {
  const object = sshCertificateAuthorities.newObject(scope);
  const sealedPrivateKey = scope.secrets.seal(pkcs8Der, ownerOf('SshCertificateAuthority', object.id));
  return { object, columns: { ...notes, keyType, publicKey: publicKeyLine, sealedPrivateKey } };
}
