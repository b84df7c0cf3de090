// Which authority signs where one is asked for.

import type { AccountScope } from '../../storage/account-scope.ts';
import type { Row } from '../../storage/collection.ts';
import { sshCertificateAuthorities } from '../../storage/collections.ts';

/** Gives the authority that signs where one is asked for. Null where there is none of this id. */
export async function signingAuthority(
  scope: AccountScope,
  authorityId: string,
): Promise<Row<'SshCertificateAuthority'> | null> {
  const [authority] = await sshCertificateAuthorities.getMany(scope, [authorityId]);
  return authority ?? null;
}
