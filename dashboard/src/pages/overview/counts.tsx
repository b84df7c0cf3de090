// How many there are of each kind, as a way to them.

import { Link } from 'react-aria-components/Link';
import { useData } from '../../client/data.ts';
import { kinds } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { Unreadable } from '../../kit/notice.tsx';
import { CountsDocument, type CountsQuery } from './overview.generated.ts';
import styles from './overview.module.css';

const tiles: readonly { field: Exclude<keyof CountsQuery, '__typename'>; title: string; href: string }[] = [
  { field: 'ipPolicies', title: 'IP policies', href: '/ip-policies' },
  { field: 'ipRestrictions', title: 'IP restrictions', href: '/ip-restrictions' },
  { field: 'sshCertificateAuthorities', title: 'SSH authorities', href: '/ssh' },
  { field: 'sshHostCertificates', title: 'Host certificates', href: '/ssh?tab=certificates' },
  { field: 'httpsEdges', title: 'HTTPS edges', href: '/https-edges' },
  { field: 'tlsEdges', title: 'TLS edges', href: '/tls-edges' },
  { field: 'tunnelGroupBackends', title: 'Backends', href: '/backends' },
  { field: 'apiKeys', title: 'API keys', href: '/api-keys' },
];

/** The number of objects of each kind that the key may read. */
export function Counts() {
  const readable = {
    ipPolicies: useCan('ip-policies:read'),
    ipRestrictions: useCan('ip-restrictions:read'),
    ssh: useCan('ssh:read'),
    httpsEdges: useCan('https-edges:read'),
    tlsEdges: useCan('tls-edges:read'),
    backends: useCan('backends:read'),
    apiKeys: useCan('api-keys:read'),
  };
  const isNone = !Object.values(readable).includes(true);
  const { data, error, reload } = useData(CountsDocument, readable, Object.keys(kinds), isNone);
  if (isNone) return null;
  const shown = data === undefined ? tiles : tiles.filter(({ field }) => data[field]);
  return (
    <nav aria-label="Counts">
      {error && <Unreadable error={error} retry={reload} />}
      <ul className={styles.counts}>
        {shown.map(({ field, title, href }) => (
          <li key={field}>
            <Link href={href} className={styles.count}>
              <span>{title}</span> <b>{data?.[field]?.totalCount.toLocaleString() ?? '–'}</b>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
