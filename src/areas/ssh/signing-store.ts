// Which authority signs: the one that was asked for, or the one that has taken over from it.

import { SallyportError } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import { countedUp, type Row, type Write } from '../../storage/collection.ts';
import { sshCertificateAuthorities } from '../../storage/collections.ts';

/**
 * Gives the authority that signs where one is asked for: itself, or the last of those to which it, and then its successors, have
 * handed over. Null where there is none of this id.
 */
export async function signingAuthority(
  scope: AccountScope,
  authorityId: string,
): Promise<Row<'SshCertificateAuthority'> | null> {
  for (let id = authorityId; ; ) {
    const [authority] = await sshCertificateAuthorities.getMany(scope, [id]);
    if (authority == null) return null;
    const { handedOverAt, successorId } = authority;
    // A successor is newer than what names it: this ends.
    if (handedOverAt === null || successorId === null) return authority;
    id = successorId;
  }
}

/**
 * Prepares what goes alongside a certificate that an authority has signed: it fails, as `isMissingRow` tells, where the authority
 * has changed since it was read. So none is stored of an authority that has handed over, and one that is to retire has no more
 * certificates than those that can be seen. It changes nothing, but locks the authority as whoever changes it does.
 */
export function prepareSigning(scope: AccountScope, { id, version }: Row<'SshCertificateAuthority'>): Write {
  return sshCertificateAuthorities.prepareUpdate(scope, { id, version }, { revocationCount: { increment: 0 } });
}

/**
 * Prepares what goes alongside the deletion of an authority: where it is announced as a successor, that is taken back.
 *
 * @throws IN_USE where it has taken over already: the authority that names it leads to it
 */
export async function prepareWithdrawal(scope: AccountScope, id: string): Promise<Write[]> {
  if (!isIdOf('SshCertificateAuthority', id)) return [];
  const [named] = await scope.db.sshCertificateAuthority.findMany({ where: { successorId: id }, take: 1 });
  if (named === undefined) return [];
  if (named.handedOverAt !== null) {
    const message = `The certificate authority ${named.id} has handed over to this one. Delete that one first.`;
    throw new SallyportError('IN_USE', message);
  }
  const where = { id: named.id, version: named.version };
  return [sshCertificateAuthorities.prepareUpdate(scope, where, { successorId: null, ...countedUp })];
}
