// Other certificates of the key of one: a renewal leaves what it has replaced good until its end, and whoever revokes the latest alone has
// not kept the host out.

import { useState } from 'react';
import { useData } from '../../client/data.ts';
import { Link } from '../../kit/link.tsx';
import { count } from '../../kit/words.ts';
import { type SshCertificateQuery, SshCertificatesOfKeyDocument } from './certificates.generated.ts';

/** What else there is of the key of a certificate. */
export interface SameKey {
  /** How many other certificates of it have not ended. */
  readonly others: number;
  /** Whether what has replaced this one was revoked. */
  readonly isSuccessorGone: boolean;
  /** Where all of its certificates are listed. */
  readonly href: string;
}

/** Looks for what else there is of the key of a certificate: nothing, until that is known. */
export function useSameKey({
  fingerprint,
  validUntil,
  replacedById,
}: NonNullable<SshCertificateQuery['sshHostCertificate']>): SameKey {
  // That of the first look: a question that moves would be asked all the time.
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

/** Leads to the other certificates of a key. */
export function OthersOfKey({ others, href }: SameKey) {
  return (
    <Link href={href}>
      {count(others, 'other certificate')} of this key {others === 1 ? 'has' : 'have'} not ended
    </Link>
  );
}
