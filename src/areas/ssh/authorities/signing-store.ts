// Determines which authority signs: the requested one, or the one that has taken over from it.

import { SallyportError } from '../../../domain/errors.ts';
import { isIdOf } from '../../../domain/values/ids.ts';
import { called } from '../../../domain/wording.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import { countedUp, type Row, type Write } from '../../../storage/objects/collection.ts';
import { sshCertificateAuthorities } from '../collections-store.ts';

/**
 * Returns the authority that signs when one is requested: that authority, or the last in the chain of successors that it has handed
 * over to. Null if there is no authority with this id.
 */
export async function signingAuthority(
  scope: AccountScope,
  authorityId: string,
): Promise<Row<'SshCertificateAuthority'> | null> {
  for (let id = authorityId; ; ) {
    const [authority] = await sshCertificateAuthorities.getMany(scope, [id]);
    if (authority == null) return null;
    const { handedOverAt, successorId } = authority;
    // A successor is always newer than its predecessor, so the loop ends.
    if (handedOverAt === null || successorId === null) return authority;
    id = successorId;
  }
}

/**
 * Prepares the write that goes alongside a new certificate. It fails (`isMissingRow`) if the authority has changed since it was
 * read. So no certificate is stored for an authority that has handed over, and an authority about to retire has no certificates
 * beyond those already visible. The write changes nothing, but locks the authority as a change would.
 */
export function prepareSigning(scope: AccountScope, { id, version }: Row<'SshCertificateAuthority'>): Write {
  return sshCertificateAuthorities.prepareUpdate(scope, { id, version }, { revocationCount: { increment: 0 } });
}

/**
 * Prepares the writes that go alongside the deletion of an authority: if it is announced as a successor, they withdraw that.
 *
 * @throws IN_USE if it has already taken over, because requests to its predecessor lead to it
 */
export async function prepareWithdrawal(scope: AccountScope, id: string): Promise<Write[]> {
  if (!isIdOf('SshCertificateAuthority', id)) return [];
  const [named] = await scope.db.sshCertificateAuthority.findMany({ where: { successorId: id }, take: 1 });
  if (named === undefined) return [];
  if (named.handedOverAt !== null) {
    const message = `The certificate authority ${called(named)} has handed over to this one. Delete that one first.`;
    throw new SallyportError('IN_USE', message);
  }
  const where = { id: named.id, version: named.version };
  return [sshCertificateAuthorities.prepareUpdate(scope, where, { successorId: null, ...countedUp })];
}
