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
import { type AccountScope, perDatabase } from '../../storage/account-scope.ts';
import type { Columns, ExpectedVersion, Row, Selection } from '../../storage/collection.ts';
import { sshCertificateAuthorities, sshHostCertificates } from '../../storage/collections.ts';
import { isMissingReference } from '../../storage/errors.ts';
import { generateInTurn } from '../../storage/key-generation.ts';
import type { InnerList } from '../../storage/plain-reads.ts';
import { ownerOf } from '../../storage/secrets.ts';

export { sshCertificateAuthorities, sshHostCertificates };

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
  selection?: Selection,
  signal?: AbortSignal,
): Promise<Row<'SshCertificateAuthority'>> {
  const notes = notesForCreate(input);
  const kind = checkAuthorityOptions(input);
  const { pkcs8Der, publicKeyLine } = exportAuthorityKey(await generateInTurn(scope, kind, signal));
  const object = sshCertificateAuthorities.newObject(scope);
  const columns = {
    ...notes,
    keyType: kind.privateKeyType,
    publicKey: publicKeyLine,
    sealedPrivateKey: scope.secrets.seal(pkcs8Der, ownerOf('SshCertificateAuthority', object.id)),
  };
  return sshCertificateAuthorities.create(scope, columns, { selection, object });
}

/**
 * Deletes a certificate authority, with its private key and its revocation list.
 *
 * @throws IN_USE while it has certificates, and as `collection.remove`
 */
export async function deleteSshCertificateAuthority(
  scope: AccountScope,
  id: string,
  expectedVersion?: ExpectedVersion,
): Promise<void> {
  try {
    const acknowledged = () => openedAuthorityKeys(scope).delete(id);
    await sshCertificateAuthorities.remove(scope, id, expectedVersion, { acknowledged });
  } catch (error) {
    if (!isMissingReference(error)) throw error;
    const where = { sshCertificateAuthorityId: id };
    const [count, [example]] = await Promise.all([
      sshHostCertificates.count(scope, where),
      scope.db.sshHostCertificate.findMany({ where, take: 1, orderBy: { id: 'desc' }, select: { id: true } }),
    ]);
    // The last one was deleted meanwhile, maybe between the two look-ups.
    if (example === undefined || count === 0) return deleteSshCertificateAuthority(scope, id, expectedVersion);
    const which =
      count === 1 ? `a host certificate, ${example.id}` : `${count} host certificates, such as ${example.id}`;
    throw new SallyportError('IN_USE', `The certificate authority has signed ${which}. Delete its certificates first.`);
  }
}

/** Longest time that a key stays open, in milliseconds: another server may have deleted its authority. */
const openedKeyMs = 60_000;
/**
 * The private keys of the authorities that signed last, opened, because that costs more than to sign. A key is dropped after a
 * minute or when its authority is deleted here, and all are when the secret key changes or the database closes.
 */
const openedAuthorityKeys = perDatabase(
  () => new LRUCache<string, AuthorityKey>({ max: 1_000, ttl: openedKeyMs, ttlAutopurge: true }),
  (keys) => keys.clear(),
);

/** Gives the key of an authority, and whether it was opened only now. */
function openKey(
  scope: AccountScope,
  authority: Row<'SshCertificateAuthority'>,
): { key: AuthorityKey; isNew: boolean } {
  const opened = openedAuthorityKeys(scope);
  const known = opened.get(authority.id);
  if (known !== undefined) return { key: known, isNew: false };
  const owner = ownerOf('SshCertificateAuthority', authority.id);
  const key = openAuthorityKey(scope.secrets.open(authority.sealedPrivateKey, owner));
  opened.set(authority.id, key);
  return { key, isNew: true };
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
  selection?: Selection,
  signal?: AbortSignal,
): Promise<Row<'SshHostCertificate'>> {
  const { accountId, randomBytes } = scope;
  const object = sshHostCertificates.newObject(scope);
  const checked = checkHostCertificate(input, object.createdAt);
  const notes = notesForCreate(input);
  const { sshCertificateAuthorityId } = input;
  const [authority] = await sshCertificateAuthorities.getMany(scope, [sshCertificateAuthorityId]);
  if (authority == null) throw unknownAuthority(sshCertificateAuthorityId);

  const serial = serialFromRandom(randomBytes(8));
  const nonce = randomBytes(nonceBytes);
  const { key, isNew } = openKey(scope, authority);
  const sign = () => signHostCertificate({ ...checked, keyId: object.id, serial, nonce }, key);
  try {
    const certificate = await signingQueue.run(accountId, key, sign, signal);
    const columns = {
      ...notes,
      sshCertificateAuthorityId,
      publicKey: input.publicKey,
      keyType: checked.publicKey.keyType,
      principals: [...checked.principals],
      validAfter: checked.validAfter,
      validUntil: checked.validUntil,
      serial,
      certificate,
    };
    return await sshHostCertificates.create(scope, columns, { selection, object });
  } catch (error) {
    const isGone = isMissingReference(error);
    // The authority may have been deleted after it was read, and its key opened only then: it must not stay. A key that was
    // open before goes with its authority.
    if (isGone || isNew) openedAuthorityKeys(scope).delete(sshCertificateAuthorityId);
    // Then nobody has seen the certificate.
    throw isGone ? unknownAuthority(sshCertificateAuthorityId) : error;
  }
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
  const { sshCertificateAuthorityId, serial, validUntil } = await sshHostCertificates.get(scope, id);
  const prepare = (columns: Columns<'SshCertificateAuthority'>) =>
    sshCertificateAuthorities.prepareUpdate(scope, { id: sshCertificateAuthorityId }, columns);
  await sshHostCertificates.remove(scope, id, expectedVersion, {
    alongside: [prepare({ revocationCount: { increment: 1 } })],
    // Whoever deletes the same certificate a moment later finds it gone before the serial that it would write twice.
    following: [prepare({ revocations: { create: { serial, validUntil, revokedAt: scope.now() } } })],
  });
}

function unknownAuthority(id: string): SallyportError {
  return unknownReference('sshCertificateAuthorityId', 'certificate authority', id);
}
