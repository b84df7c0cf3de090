// Other certificates for the same key. A certificate stays valid after it was renewed, so revoking only the latest one does not
// keep the host out.

import { useState } from 'react';
import { useData } from '../../client/data.ts';
import { Link } from '../../kit/link.tsx';
import { count } from '../../kit/words.ts';
import { type SshCertificateQuery, SshCertificatesOfKeyDocument } from './certificates.generated.ts';

/** The other certificates for the key of a certificate. */
export interface SameKey {
  /** Number of other certificates that have not expired. */
  readonly others: number;
  /** Whether the certificate that replaced this one was revoked. */
  readonly isSuccessorGone: boolean;
  /** The page that lists all certificates for the key. */
  readonly href: string;
}

/** Finds the other certificates for a certificate's key. Reports none until they have been read. */
export function useSameKey({
  fingerprint,
  validUntil,
  replacedById,
}: NonNullable<SshCertificateQuery['sshHostCertificate']>): SameKey {
  // The time of the first render. If it moved with the clock, the query would be sent again all the time.
  const [now] = useState(() => new Date().toISOString());
  const successor = replacedById === null ? [] : [replacedById];
  const { data } = useData(SshCertificatesOfKeyDocument, { fingerprint, now, successor }, ['SshHostCertificate']);
  const own = Date.parse(validUntil) > Date.parse(now) ? 1 : 0;
  return {
    others: (data?.sshHostCertificates?.totalCount ?? own) - own,
    isSuccessorGone: data?.nodes?.[0] === null,
    href: `/ssh?${new URLSearchParams({ tab: 'certificates', replaced: 'too', search: fingerprint })}`,
  };
}

/** A link to the other certificates for a key. */
export function OthersOfKey({ others, href }: SameKey) {
  return (
    <Link href={href}>
      {count(others, 'other certificate')} of this key {others === 1 ? 'has' : 'have'} not ended
    </Link>
  );
}
