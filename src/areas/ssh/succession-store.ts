// Certificate authorities that are replaced, step by step. A step is a change of the version that was looked at: of two at once, the
// second looks again, and is refused if it is out of order then.

import {
  type AuthorityOptions,
  checkAuthorityOptions,
  exportAuthorityKey,
  optionsLike,
} from '../../domain/ssh/certificate-authority.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import type { AccountScope, AccountView } from '../../storage/account-scope.ts';
import { countedUp, type ExpectedVersion, type Row, type Selection } from '../../storage/collection.ts';
import { sshCertificateAuthorities } from '../../storage/collections.ts';
import { isMissingRow } from '../../storage/errors.ts';
import { generateInTurn } from '../../storage/key-generation.ts';
import { isVersionConflict, versionConflict } from '../../storage/version-conflict.ts';
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
 * Makes the successor of an authority, with a new key: of the same kind unless options are given. The authority goes on signing.
 *
 * @param signal ends the generation of a key that nobody waits for any more
 * @returns the successor
 * @throws OUT_OF_ORDER where there is a successor, INVALID_INPUT for options that do not go together, NOT_FOUND, VERSION_CONFLICT,
 *   and as `generateInTurn`
 */
export async function announceSuccessor(
  scope: AccountScope,
  input: Step & Notes & AuthorityOptions,
  selection?: Selection,
  signal?: AbortSignal,
): Promise<Authority> {
  const notes = notesForCreate(input);
  // Before a key is made for nothing.
  const authority = await sshCertificateAuthorities.get(scope, input.id);
  refuseSecondSuccessor(authority);
  const kind = checkAuthorityOptions(optionsLike(authority.publicKey, input));
  const key = exportAuthorityKey(await generateInTurn(scope, kind, signal));
  const { columns, object } = newAuthority(scope, notes, kind.privateKeyType, key);
  return takeStep(scope, input, async (current) => {
    refuseSecondSuccessor(current);
    const where = { id: current.id, version: current.version };
    const named = sshCertificateAuthorities.prepareUpdate(scope, where, { successorId: object.id, ...countedUp });
    return sshCertificateAuthorities.create(scope, columns, { selection, object, alongside: [named] });
  });
}

/**
 * Has the successor of an authority take over: from now on, the authority signs nothing. Throws OUT_OF_ORDER without a successor
 * and where it has handed over, NOT_FOUND, VERSION_CONFLICT.
 */
export function handOver(scope: AccountScope, step: Step, selection?: Selection): Promise<Authority> {
  return takeStep(scope, step, async (authority) => {
    refuseHandOver(authority);
    return close(scope, authority, { handedOverAt: scope.now() }, selection);
  });
}

/**
 * Erases the private key of an authority that has handed over. Throws IN_USE before the last certificate that it has signed has
 * ended, deleted ones aside: they are revoked; OUT_OF_ORDER before it has handed over, and where it has retired; NOT_FOUND,
 * VERSION_CONFLICT.
 */
export function retire(scope: AccountScope, step: Step, selection?: Selection): Promise<Authority> {
  return takeStep(scope, step, async (authority) => {
    const { id } = authority;
    // After it has handed over, no more can come (see `prepareSigning`).
    const unended = (await unendedCertificates(scope, id)).get(id);
    refuseRetirement(authority, unended ?? { count: 0, until: null });
    return close(scope, authority, { retiredAt: scope.now(), sealedPrivateKey: new Uint8Array(0) }, selection);
  });
}

/**
 * Tells by authority what certificates there are that have not ended. Those of which there are none are left out.
 *
 * @param id only of this one
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

/** Changes an authority that signs no more, and forgets its opened key. */
function close(
  scope: AccountScope,
  { id, version }: Authority,
  columns: { handedOverAt: Date } | { retiredAt: Date; sealedPrivateKey: Uint8Array<ArrayBuffer> },
  selection: Selection | undefined,
): Promise<Authority> {
  const acknowledged = () => openedAuthorityKeys(scope).delete(id);
  return sshCertificateAuthorities.update(scope, id, columns, version, { selection, acknowledged });
}

/** Looks at an authority and changes it; again where it has changed in between, unless a version was expected. */
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
