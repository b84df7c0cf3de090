// Replaces certificate authorities step by step. A step changes only the version it has read: of two concurrent steps, the second
// reads again, and is refused if it is then out of order.

import { type Notes, notesForCreate } from '../../../domain/text.ts';
import { called } from '../../../domain/wording.ts';
import type { AccountScope, AccountView } from '../../../storage/account-scope.ts';
import { countedUp, type ExpectedVersion, type Row, type Selection } from '../../../storage/collection.ts';
import { isMissingRow } from '../../../storage/errors.ts';
import { generateInTurn } from '../../../storage/key-generation.ts';
import { isVersionConflict, versionConflict } from '../../../storage/version-conflict.ts';
import { sshCertificateAuthorities } from '../collections-store.ts';
import { revokeCertificates } from './authority-deletion-store.ts';
import { type AuthorityOptions, checkAuthorityOptions, exportAuthorityKey, optionsLike } from './authority-key.ts';
import { newAuthority } from './authority-store.ts';
import { openedAuthorityKeys } from './opened-keys-store.ts';
import { refuseHandOver, refuseRetirement, refuseSecondSuccessor, type Unended } from './succession-rules.ts';

/** Which authority to take a step with. */
interface Step {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
}

type Authority = Row<'SshCertificateAuthority'>;

/**
 * Creates the successor of an authority, with a new key of the same kind unless options are given. The authority keeps signing.
 *
 * @param signal cancels key generation when nobody is waiting for it any more
 * @returns the successor
 * @throws OUT_OF_ORDER if there already is a successor, INVALID_INPUT for options that do not go together, NOT_FOUND,
 *   VERSION_CONFLICT, and as `generateInTurn`
 */
export async function announceSuccessor(
  scope: AccountScope,
  input: Step & Notes & AuthorityOptions,
  selection?: Selection,
  signal?: AbortSignal,
): Promise<Authority> {
  const notes = notesForCreate(input);
  // Check first, before a key is generated for nothing.
  const authority = await sshCertificateAuthorities.get(scope, input.id);
  refuseSecondSuccessor(authority, await successorOf(scope, authority));
  const kind = checkAuthorityOptions(optionsLike(authority.publicKey, input));
  const key = exportAuthorityKey(await generateInTurn(scope, kind, signal));
  const { columns, object } = newAuthority(scope, notes, kind.privateKeyType, key);
  return takeStep(scope, input, async (current) => {
    refuseSecondSuccessor(current, await successorOf(scope, current));
    const where = { id: current.id, version: current.version };
    const named = sshCertificateAuthorities.prepareUpdate(scope, where, { successorId: object.id, ...countedUp });
    return sshCertificateAuthorities.create(scope, columns, { selection, object, alongside: [named] });
  });
}

/**
 * Makes the successor of an authority take over: the authority itself signs nothing from then on. Throws OUT_OF_ORDER if it has no
 * successor or has already handed over, NOT_FOUND, VERSION_CONFLICT.
 */
export function handOver(scope: AccountScope, step: Step, selection?: Selection): Promise<Authority> {
  return takeStep(scope, step, async (authority) => {
    refuseHandOver(authority, await successorOf(scope, authority));
    return close(scope, authority, { handedOverAt: scope.now() }, selection);
  });
}

/**
 * Erases the private key of an authority that has handed over. Throws IN_USE until the last certificate that it has signed has
 * expired (deleted certificates do not count, because they are revoked), OUT_OF_ORDER if it has not handed over or has already
 * retired, NOT_FOUND, VERSION_CONFLICT.
 *
 * @param options.revokesCertificates whether to revoke and delete the certificates that have not expired first, in batches, as in an
 *   emergency. If that is interrupted, repeating the call does the rest.
 */
export function retire(
  scope: AccountScope,
  step: Step,
  selection?: Selection,
  { revokesCertificates = false }: { readonly revokesCertificates?: boolean } = {},
): Promise<Authority> {
  return takeStep(scope, step, async (found) => {
    const { id } = found;
    let authority = found;
    const successor = await successorOf(scope, found);
    if (revokesCertificates) {
      refuseRetirement(authority, successor, { count: 0, until: null });
      await revokeCertificates(scope, id, scope.now());
      authority = await sshCertificateAuthorities.get(scope, id);
    }
    // After the handover, no more certificates can be added (see `prepareSigning`).
    const unended = (await unendedCertificates(scope, id)).get(id);
    refuseRetirement(authority, successor, unended ?? { count: 0, until: null });
    return close(scope, authority, { retiredAt: scope.now(), sealedPrivateKey: new Uint8Array(0) }, selection);
  });
}

/**
 * Returns the certificates that have not expired, by authority. Authorities without any are left out.
 *
 * @param id restricts the result to this authority
 */
export async function unendedCertificates(scope: AccountView, id?: string): Promise<ReadonlyMap<string, Unended>> {
  const found = await scope.db.sshHostCertificate.groupBy({
    by: ['sshCertificateAuthorityId'],
    where: { validUntil: { gt: scope.now() }, ...(id === undefined ? {} : { sshCertificateAuthorityId: id }) },
    _count: { _all: true },
    _max: { validUntil: true },
  });
  return new Map(
    found.map(({ sshCertificateAuthorityId, _count, _max }) => [
      sshCertificateAuthorityId,
      { count: _count._all, until: _max.validUntil },
    ]),
  );
}

/** Returns what messages call the successor of an authority; nothing if it has none. */
export async function successorOf(
  { db }: AccountView,
  { successorId }: Pick<Authority, 'successorId'>,
): Promise<string> {
  if (successorId === null) return '';
  const where = { id: successorId };
  const [successor] = await db.sshCertificateAuthority.findMany({ where, select: { id: true, description: true } });
  return called(successor ?? { id: successorId, description: '' });
}

/** Changes an authority that no longer signs, and drops its opened key. */
function close(
  scope: AccountScope,
  { id, version }: Authority,
  columns: { handedOverAt: Date } | { retiredAt: Date; sealedPrivateKey: Uint8Array<ArrayBuffer> },
  selection: Selection | undefined,
): Promise<Authority> {
  const acknowledged = () => openedAuthorityKeys(scope).delete(id);
  return sshCertificateAuthorities.update(scope, id, columns, version, { selection, acknowledged });
}

/** Reads an authority and changes it. Retries if it has changed in between; if a version was expected, that then throws. */
async function takeStep(
  scope: AccountScope,
  { id, expectedVersion }: Step,
  change: (authority: Authority) => Promise<Authority>,
): Promise<Authority> {
  for (;;) {
    const authority = await sshCertificateAuthorities.get(scope, id);
    const { version } = authority;
    if (expectedVersion != null && expectedVersion !== version) throw versionConflict(version);
    try {
      return await change(authority);
    } catch (error) {
      if (!isMissingRow(error) && !isVersionConflict(error)) throw error;
    }
  }
}
