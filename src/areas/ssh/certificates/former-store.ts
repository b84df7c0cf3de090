// Finds the certificates that a host had before it enrolled again, so that nobody waits for their renewal.

import { readTextList } from '../../../domain/decode.ts';
import type { AccountScope } from '../../../storage/account-scope.ts';
import { countedUp, type Write } from '../../../storage/collection.ts';
import { sshHostCertificates } from '../collections-store.ts';
import { fingerprint, type PublicKey } from '../keys/public-key.ts';
import { certificatesNamed } from './certificate-names-store.ts';

/** Most certificates that one enrollment replaces: a host has one for each of its keys. */
const formerMax = 50;

/**
 * Returns a function that, given the id of the new certificate of a host, prepares the writes that point its former ones to it:
 * those of the same key; and those of another key of the same type for exactly the same names, because the host was built anew.
 * Where two hosts have the same names, the one that is told to be replaced still renews, and is then its own latest again.
 */
export async function prepareReplacement(
  scope: AccountScope,
  { keyType, blob }: PublicKey,
  names: readonly string[],
): Promise<(replacedById: string) => Write[]> {
  const { sshHostCertificate } = scope.db;
  const select = { id: true, version: true, principals: true };
  const [first = ''] = names;
  const [ofKey, ofName] = await Promise.all([
    sshHostCertificate.findMany({
      where: { replacedById: null, fingerprint: fingerprint(blob) },
      select,
      orderBy: { id: 'desc' },
      take: formerMax,
    }),
    sshHostCertificate.findMany({
      where: { replacedById: null, keyType, ...(await certificatesNamed(scope, first)) },
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
