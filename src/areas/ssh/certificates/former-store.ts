// Finds the certificates that a host had before it enrolled again, so that nobody waits for their renewal.

import { readTextList } from '../../../domain/values/decode.ts';
import type { AccountScope } from '../../../storage/objects/account-scope.ts';
import { countedUp, type Write } from '../../../storage/objects/collection.ts';
import { sshHostCertificates } from '../collections-store.ts';
import { fingerprint, type PublicKey } from '../keys/public-key.ts';
import { certificatesNamed } from './certificate-names-store.ts';

/** Most certificates that one enrollment replaces: a host has one for each of its keys. */
const formerMax = 50;

/**
 * Returns a function that, given the id of the new certificate of a host, prepares the writes that point its former ones to it:
 * those of the same key; and those of another key of the same type for exactly the same names, because the host was built anew.
 * Certificates of an authority that is not in line with the given one stay: clients that trust the one may not trust the other.
 * Where two hosts have the same names, the one that is told to be replaced still renews, and is then its own latest again.
 */
export async function prepareReplacement(
  scope: AccountScope,
  authorityId: string,
  { keyType, blob }: PublicKey,
  names: readonly string[],
): Promise<(replacedById: string) => Write[]> {
  const { sshHostCertificate } = scope.db;
  const select = { id: true, version: true, principals: true };
  const [first = ''] = names;
  const ofLine = { replacedById: null, sshCertificateAuthorityId: { in: await lineOf(scope, authorityId) } };
  const [ofKey, ofName] = await Promise.all([
    sshHostCertificate.findMany({
      where: { ...ofLine, fingerprint: fingerprint(blob) },
      select,
      orderBy: { id: 'desc' },
      take: formerMax,
    }),
    sshHostCertificate.findMany({
      where: { ...ofLine, keyType, ...(await certificatesNamed(scope, first)) },
      select,
      orderBy: { id: 'desc' },
      take: formerMax,
    }),
  ]);
  const namesOf = (list: readonly string[]) => [...new Set(list)].sort().join();
  const wanted = namesOf(names);
  const former = [...ofKey, ...ofName.filter(({ principals }) => namesOf(readTextList(principals)) === wanted)];
  const versions = new Map(former.map(({ id, version }) => [id, version]));
  return (replacedById) =>
    [...versions].map(([id, version]) =>
      sshHostCertificates.prepareUpdate(scope, { id, version }, { replacedById, ...countedUp }),
    );
}

/** Most predecessors and successors of an authority that count. */
const lineMax = 20;

/** Returns the ids of an authority, of those that it takes over from, and of those that take over from it. */
async function lineOf({ db }: AccountScope, authorityId: string): Promise<string[]> {
  const { sshCertificateAuthority } = db;
  const line = [authorityId];
  const select = { id: true, successorId: true } as const;
  for (let id = authorityId; line.length < lineMax; ) {
    const found = await sshCertificateAuthority.findFirst({ where: { id }, select });
    if (found?.successorId == null) break;
    id = found.successorId;
    line.push(id);
  }
  for (let id = authorityId; line.length < 2 * lineMax; ) {
    const found = await sshCertificateAuthority.findFirst({ where: { successorId: id }, select });
    if (found === null) break;
    id = found.id;
    line.push(id);
  }
  return line;
}
