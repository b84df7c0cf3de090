// SSH certificate authorities and host certificates in the database.

import { LRUCache } from 'lru-cache';
import { SallyportError, unknownReference } from '../../domain/errors.ts';
import {
  type AuthorityKey,
  checkAuthorityOptions,
  exportAuthorityKey,
  openAuthorityKey,
} from '../../domain/ssh/certificate-authority.ts';
import {
  checkHostCertificate,
  nonceBytes,
  serialFromRandom,
  signHostCertificate,
} from '../../domain/ssh/host-certificate.ts';
import { createSigningQueue } from '../../domain/ssh/signing-queue.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import { collection, type Row } from '../../storage/collection.ts';
import { isMissingReference } from '../../storage/errors.ts';
import { generateInTurn } from '../../storage/key-generation.ts';
import type { InnerList } from '../../storage/plain-reads.ts';
import { ownerOf } from '../../storage/secrets.ts';

export const sshCertificateAuthorities = collection('SshCertificateAuthority');
export const sshHostCertificates = collection('SshHostCertificate');

/** The certificates that an authority has signed, newest first; only those that expire before a moment, if one is given. */
export function certificatesOfAuthority(expireBefore: Date | undefined): InnerList {
  return {
    model: 'SshHostCertificate',
    parent: 'sshCertificateAuthorityId',
    value: 'id',
    order: 'id',
    direction: 'DESC',
    before: expireBefore === undefined ? undefined : { column: 'validUntil', moment: expireBefore },
  };
}

/**
 * Makes a certificate authority with a new key pair. The private key is sealed before it reaches the database.
 *
 * @param signal ends the generation of a key that nobody waits for any more
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
  const { accountId, db, newId, now, secrets } = scope;
  const notes = notesForCreate(input);
  const kind = checkAuthorityOptions(input);
  const createdAt = now();
  const { pkcs8Der, publicKeyLine } = exportAuthorityKey(await generateInTurn(scope, kind, signal));
  const id = newId('SshCertificateAuthority');
  return db.sshCertificateAuthority.create({
    data: {
      id,
      accountId,
      ...notes,
      createdAt,
      keyType: kind.privateKeyType,
      publicKey: publicKeyLine,
      sealedPrivateKey: secrets.seal(pkcs8Der, ownerOf('SshCertificateAuthority', id)),
    },
  });
}

/**
 * Deletes a certificate authority, with its private key and its revocation list.
 *
 * @throws IN_USE while it has certificates, and as `collection.remove`
 */
export async function deleteSshCertificateAuthority(
  scope: AccountScope,
  id: string,
  expectedVersion?: number | null,
): Promise<void> {
  const { publicKey } = await sshCertificateAuthorities.get(scope, id, { select: { publicKey: true } });
  try {
    await sshCertificateAuthorities.remove(scope, id, expectedVersion);
    openKeys.delete(publicKey);
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    const where = { sshCertificateAuthorityId: id };
    const [count, [example]] = await Promise.all([
      sshHostCertificates.count(scope, where),
      scope.db.sshHostCertificate.findMany({ where, take: 1, orderBy: { id: 'desc' }, select: { id: true } }),
    ]);
    // The last one was deleted meanwhile.
    if (example === undefined) return deleteSshCertificateAuthority(scope, id, expectedVersion);
    const which =
      count === 1 ? `a host certificate, ${example.id}` : `${count} host certificates, such as ${example.id}`;
    throw new SallyportError('IN_USE', `The certificate authority has signed ${which}. Delete what it signed first.`);
  }
}

// Opening a sealed key costs more than signing with it. Under its public key a private key is found by nobody else.
const openKeys = new LRUCache<string, AuthorityKey>({ max: 1_000 });

function openKey({ secrets }: AccountScope, authority: Row<'SshCertificateAuthority'>): AuthorityKey {
  let key = openKeys.get(authority.publicKey);
  if (key === undefined) {
    const owner = ownerOf('SshCertificateAuthority', authority.id);
    key = openAuthorityKey(secrets.open(authority.sealedPrivateKey, owner));
    openKeys.set(authority.publicKey, key);
  }
  return key;
}

const signingQueue = createSigningQueue();

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
    validAfter?: string | null | undefined;
    validUntil?: string | null | undefined;
  },
  signal?: AbortSignal,
): Promise<Row<'SshHostCertificate'>> {
  const { accountId, db, newId, now, randomBytes } = scope;
  const createdAt = now();
  const checked = checkHostCertificate(input, createdAt);
  const notes = notesForCreate(input);
  const { sshCertificateAuthorityId } = input;
  const [authority] = await sshCertificateAuthorities.getMany(scope, [sshCertificateAuthorityId]);
  if (authority == null) throw unknownAuthority(sshCertificateAuthorityId);

  const id = newId('SshHostCertificate');
  const serial = serialFromRandom(randomBytes(8));
  const nonce = randomBytes(nonceBytes);
  const key = openKey(scope, authority);
  const sign = () => signHostCertificate({ ...checked, keyId: id, serial, nonce }, key);
  const certificate = await signingQueue.run(accountId, key, sign, signal);
  try {
    return await db.sshHostCertificate.create({
      data: {
        id,
        accountId,
        ...notes,
        createdAt,
        sshCertificateAuthorityId,
        publicKey: input.publicKey,
        keyType: checked.publicKey.keyType,
        principals: [...checked.principals],
        validAfter: checked.validAfter,
        validUntil: checked.validUntil,
        serial,
        certificate,
      },
    });
  } catch (error) {
    // The authority was deleted while the certificate was being signed. Nobody has seen the certificate.
    throw isMissingReference(error) ? unknownAuthority(sshCertificateAuthorityId) : error;
  }
}

/**
 * Deletes a host certificate and revokes it, in one batch. Its serial goes on the revocation list of its authority even when
 * it has expired: the clock may be wrong. `storage/revocations.ts` takes it off. Throws as `collection.remove`.
 */
export async function deleteSshHostCertificate(
  scope: AccountScope,
  id: string,
  expectedVersion?: number | null,
): Promise<void> {
  const { accountId, db, now } = scope;
  const { sshCertificateAuthorityId, serial, validUntil } = await sshHostCertificates.get(scope, id);
  await sshHostCertificates.remove(scope, id, expectedVersion, [
    db.sshRevocation.create({ data: { accountId, sshCertificateAuthorityId, serial, validUntil, revokedAt: now() } }),
    db.sshCertificateAuthority.update({
      where: { id: sshCertificateAuthorityId },
      data: { revocationCount: { increment: 1 } },
    }),
  ]);
}

function unknownAuthority(id: string): SallyportError {
  return unknownReference('sshCertificateAuthorityId', 'certificate authority', id);
}
