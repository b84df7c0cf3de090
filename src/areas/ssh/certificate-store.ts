// SSH host certificates in the database.

import {
  checkHostCertificate,
  nonceBytes,
  serialFromRandom,
  signHostCertificate,
} from '../../domain/ssh/host-certificate.ts';
import { fingerprint } from '../../domain/ssh/public-key.ts';
import { createSigningQueue } from '../../domain/ssh/signing-queue.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { ExpectedVersion, Row, Selection, Write } from '../../storage/collection.ts';
import {
  prepareSshHostCertificateNames,
  prepareSshRevocation,
  sshCertificateAuthorities,
  sshHostCertificates,
} from '../../storage/collections.ts';
import { isMissingRow } from '../../storage/errors.ts';
import { unknownAuthority } from './authority-store.ts';
import { openedAuthorityKeys, openKey } from './opened-keys-store.ts';
import { prepareSigning, signingAuthority } from './signing-store.ts';

export { sshHostCertificates };

const signingQueue = createSigningQueue();

/** What goes with a certificate that is made because of something else: a renewal, or an enrollment. */
export interface CertificateOrigin {
  /** The token that the host was enrolled with. */
  readonly sshEnrollmentTokenId?: string | null;
  /** Writes that are stored with the new certificate or not at all, by its id. Where one fails, its error is that of the creation. */
  readonly alongside?: ((id: string) => readonly Write[]) | undefined;
}

/**
 * Signs a host key. Everything is checked before, and what was signed is verified, before anything is stored.
 *
 * @param signal drops the request if it fires before it is signed
 * @throws INVALID_INPUT as `checkHostCertificate`, UNKNOWN_REFERENCE for an authority that is not of this account,
 *   UNAVAILABLE when too much of this account waits to be signed
 */
export async function createSshHostCertificate(
  scope: AccountScope,
  input: Notes & {
    sshCertificateAuthorityId: string;
    publicKey: string;
    principals?: readonly string[] | null | undefined;
    validAfter?: string | Date | null | undefined;
    validUntil?: string | Date | null | undefined;
  },
  selection?: Selection,
  signal?: AbortSignal,
  { alongside, ...origin }: CertificateOrigin = {},
): Promise<Row<'SshHostCertificate'>> {
  const { accountId, randomBytes } = scope;
  const object = sshHostCertificates.newObject(scope);
  const checked = checkHostCertificate(input, object.createdAt);
  const notes = notesForCreate(input);
  const authority = await signingAuthority(scope, input.sshCertificateAuthorityId);
  if (authority === null) throw unknownAuthority(input.sshCertificateAuthorityId);
  const sshCertificateAuthorityId = authority.id;

  const serial = serialFromRandom(randomBytes(8));
  const nonce = randomBytes(nonceBytes);
  const { key, isNew } = openKey(scope, authority);
  const sign = () => signHostCertificate({ ...checked, keyId: object.id, serial, nonce }, key);
  try {
    const certificate = await signingQueue.run(accountId, key, sign, signal);
    const columns = {
      ...notes,
      ...origin,
      sshCertificateAuthorityId,
      publicKey: input.publicKey,
      keyType: checked.publicKey.keyType,
      principals: [...checked.principals],
      validAfter: checked.validAfter,
      validUntil: checked.validUntil,
      serial,
      certificate,
      fingerprint: fingerprint(checked.publicKey.blob),
    };
    const together = [prepareSigning(scope, authority), ...(alongside?.(object.id) ?? [])];
    const following = prepareSshHostCertificateNames(scope, object.id, checked.principals);
    return await sshHostCertificates.create(scope, columns, { selection, object, alongside: together, following });
  } catch (error) {
    // The authority was changed or deleted after it was read, or has handed over. Nobody has seen the certificate.
    const isOvertaken = isMissingRow(error) && (await hasChanged(scope, authority));
    // A key that was opened only after that must not stay; one that was open before goes with its authority.
    if (isOvertaken || isNew) openedAuthorityKeys(scope).delete(sshCertificateAuthorityId);
    if (!isOvertaken) throw error;
    return createSshHostCertificate(scope, input, selection, signal, { alongside, ...origin });
  }
}

async function hasChanged(scope: AccountScope, { id, version }: Row<'SshCertificateAuthority'>): Promise<boolean> {
  const [authority] = await sshCertificateAuthorities.getMany(scope, [id]);
  return authority?.version !== version;
}

/**
 * Deletes a host certificate and revokes it, in one batch. Its serial goes on the revocation list of its authority even when
 * it has expired: the clock may be wrong. `upkeep.ts` takes it off. Throws as `collection.remove`.
 */
export async function deleteSshHostCertificate(
  scope: AccountScope,
  id: string,
  expectedVersion?: ExpectedVersion,
): Promise<void> {
  const certificate = await sshHostCertificates.get(scope, id);
  const counted = { revocationCount: { increment: 1 } };
  await sshHostCertificates.remove(scope, id, expectedVersion, {
    alongside: [sshCertificateAuthorities.prepareUpdate(scope, { id: certificate.sshCertificateAuthorityId }, counted)],
    // Whoever deletes the same certificate a moment later finds it gone before the serial that it would write twice.
    following: [prepareSshRevocation(scope, certificate)],
  });
}
