// SSH host certificates in the database.

import { type Notes, notesForCreate } from '../../../domain/values/text.ts';
import { isMissingRow } from '../../../storage/errors.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import { getAddressed } from '../../../storage/objects/addressed.ts';
import type { Addressed, Row, Write, WriteOptions } from '../../../storage/objects/collection.ts';
import { unknownAuthority } from '../authorities/authority-store.ts';
import { openedAuthorityKeys, openKey } from '../authorities/opened-keys-store.ts';
import { prepareSigning, signingAuthority } from '../authorities/signing-store.ts';
import {
  certificateNames,
  prepareRevocation,
  sshCertificateAuthorities,
  sshHostCertificates,
} from '../collections-store.ts';
import { fingerprint } from '../keys/public-key.ts';
import { createSigningQueue } from '../keys/signing-queue.ts';
import { backdated } from '../renewal/renewal.ts';
import { checkHostCertificate, nonceBytes, serialFromRandom, signHostCertificate } from './host-certificate.ts';

const signingQueue = createSigningQueue();

/** What accompanies a certificate created by a renewal or an enrollment. */
export interface CertificateOrigin {
  /** The token that the host was enrolled with. */
  readonly sshEnrollmentTokenId?: string | null;
  /** Returns writes to store atomically with the new certificate, given its id. If one fails, the creation throws its error. */
  readonly alongside?: ((id: string) => readonly Write[]) | undefined;
  /** Whether the certificate begins a little before the start that is asked for, as `backdated`. */
  readonly isBackdated?: boolean;
}

/**
 * Signs a host key. All input is checked before signing, and the signed certificate is verified before anything is stored.
 *
 * @param signal drops the request if it fires before the key is signed
 * @throws INVALID_INPUT as `checkHostCertificate`, UNKNOWN_REFERENCE for an authority that does not belong to this account,
 *   UNAVAILABLE if this account already has too many keys waiting to be signed
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
  signal?: AbortSignal,
  wanted: CertificateOrigin = {},
): Promise<Row<'SshHostCertificate'>> {
  const { accountId, randomBytes } = scope;
  const { alongside, isBackdated = false, ...origin } = wanted;
  const object = sshHostCertificates.newObject(scope);
  const asked = checkHostCertificate(input, object.createdAt);
  const notes = notesForCreate(input);
  const authority = await signingAuthority(scope, input.sshCertificateAuthorityId);
  if (authority === null) throw unknownAuthority(input.sshCertificateAuthorityId);
  const sshCertificateAuthorityId = authority.id;
  const checked = isBackdated ? { ...asked, ...backdated(asked, authority.createdAt) } : asked;

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
    const following = certificateNames.prepareCreateAll(
      scope,
      [...new Set(checked.principals)].map((name) => ({ sshHostCertificateId: object.id, name })),
    );
    return await sshHostCertificates.create(scope, columns, { object, alongside: together, following });
  } catch (error) {
    // The authority was changed or deleted after it was read, or has handed over. Nobody has seen the certificate, so sign again.
    const isOvertaken = isMissingRow(error) && (await hasChanged(scope, authority));
    // A key opened only after such a change must not stay open; a key opened earlier is dropped by the change itself.
    if (isOvertaken || isNew) openedAuthorityKeys(scope).delete(sshCertificateAuthorityId);
    if (!isOvertaken) throw error;
    return createSshHostCertificate(scope, input, signal, wanted);
  }
}

async function hasChanged(scope: AccountScope, { id, version }: Row<'SshCertificateAuthority'>): Promise<boolean> {
  const [authority] = await sshCertificateAuthorities.getMany(scope, [id]);
  return authority?.version !== version;
}

/**
 * Deletes host certificates and revokes them, all or none. Their serials go on the revocation lists of their authorities even if they
 * have expired, because the clock may be wrong. `upkeep.ts` takes them off again. Throws as `getAddressed` and
 * `collection.removeTogether`.
 */
export async function deleteSshHostCertificates(
  scope: AccountScope,
  objects: readonly Addressed[],
  options: WriteOptions = {},
): Promise<void> {
  const certificates = await getAddressed(sshHostCertificates, scope, objects);
  const ofAuthorities = new Map<string, number>();
  for (const { sshCertificateAuthorityId: id } of certificates) {
    ofAuthorities.set(id, (ofAuthorities.get(id) ?? 0) + 1);
  }
  await sshHostCertificates.removeTogether(scope, objects, {
    ...options,
    // In order, so that two changes of the same authorities cannot wait for each other.
    alongside: [...ofAuthorities]
      .sort()
      .map(([id, revoked]) =>
        sshCertificateAuthorities.prepareUpdate(scope, { id }, { revocationCount: { increment: revoked } }),
      ),
    // After the removal, so that a concurrent second deletion fails on the missing certificate and not on a duplicate serial.
    following: certificates.map((certificate) => prepareRevocation(scope, certificate)),
  });
}
