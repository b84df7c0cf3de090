// Changes the key that all secrets of a database are sealed under.

import type { Changes } from './changes.ts';
import type { PrismaClient } from './generated/client/client.ts';
import { secretCheckFact } from './secret-key.ts';
import { ownerOf, type Secrets } from './secrets.ts';

/**
 * Seals every secret of a database anew, in one batch: a change that fails or is killed leaves all of them as they were.
 * Nobody else may write to the database meanwhile.
 *
 * @param sealedCheck what later tells the new key from others
 * @returns how many secrets there are
 * @throws Error when a secret does not open under the old key
 */
export async function resealAll(
  client: PrismaClient,
  changes: Changes,
  from: Secrets,
  to: Secrets,
  sealedCheck: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const reseal = (sealed: Uint8Array, owner: string) => to.seal(from.open(sealed, owner), owner);
  const authorities = await client.sshCertificateAuthority.findMany({ select: { id: true, sealedPrivateKey: true } });
  const modules = await client.samlModule.findMany({ select: { routeId: true, sealedPrivateKey: true } });
  const writes = [
    ...authorities.map(({ id, sealedPrivateKey }) =>
      client.sshCertificateAuthority.update({
        where: { id },
        data: { sealedPrivateKey: reseal(sealedPrivateKey, ownerOf('SshCertificateAuthority', id)) },
        select: { id: true },
      }),
    ),
    ...modules.map(({ routeId, sealedPrivateKey }) =>
      client.samlModule.update({
        where: { routeId },
        data: { sealedPrivateKey: reseal(sealedPrivateKey, ownerOf('SamlModule', routeId)) },
        select: { routeId: true },
      }),
    ),
  ];
  const check = client.serverFact.update({ where: { name: secretCheckFact }, data: { value: sealedCheck } });
  await changes.apply({ write: check, before: writes });
  return writes.length;
}
