// The revocations: certificates that were deleted before they expired.

import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Export } from '../../kit/export.tsx';
import { Filter } from '../../kit/filter.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { useOrder } from '../../kit/question.ts';
import { SearchField } from '../../kit/search-field.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { useAccountFiles, useAuthorities } from './names.ts';
import { SshRevocationsDocument, type SshRevocationsQuery } from './revocations.generated.ts';
import styles from './ssh.module.css';
import { sayEnd } from './validity.ts';

const orders = ['revoked_at_desc', 'revoked_at_asc', 'valid_until_desc', 'valid_until_asc'] as const;

type Revocation = NonNullable<SshRevocationsQuery['sshRevocations']>['nodes'][number];

/** Returns what tells a revocation from all others. */
const idOf = ({ sshCertificateAuthorityId, serial }: Revocation) => `${sshCertificateAuthorityId} ${serial}`;

/** The list of revocations. */
export default function Revocations() {
  const [authority, setAuthority] = useAddressParameter('authority');
  const [called, setCalled] = useAddressParameter('called');
  const sorting = useOrder('revocationOrder', orders);
  const authorities = useAuthorities();
  const files = useAccountFiles();
  const pages = usePages(
    SshRevocationsDocument,
    { sshCertificateAuthorityId: authority || null, orderBy: sorting.order, search: called || null },
    ({ sshRevocations: list }) => list && { ...list, nodes: list.nodes.map((node) => ({ id: idOf(node), ...node })) },
    ['SshHostCertificate', 'SshCertificateAuthority'],
  );
  return (
    <Panel
      title="Revocations"
      description="Certificates that were deleted before their end. Clients that fetch the list refuse them."
      flush
    >
      <div className={styles.filters}>
        {files && <CopyField label="Revocation list (KRL) for RevokedHostKeys" text={files.revocationListUrl} />}
        <Filter
          label="Authority"
          value={authority}
          onChange={setAuthority}
          options={[
            { value: '', title: 'All' },
            ...(authorities ?? []).map((each) => ({ value: each.id, title: nameOf(each) })),
          ]}
        />
        <SearchField
          label="Serial number or identifier"
          value={called}
          onChange={setCalled}
          placeholder="The whole number, or shcrt_…"
          mono
        />
        <Export label="Revocations" of={pages} />
      </div>
      <PagedTable
        label="Revocations"
        pages={pages}
        sorting={sorting}
        endless
        keyOf={({ id }) => id}
        columns={[
          { title: 'Serial number', cell: ({ serial }) => <span className="mono">{serial}</span> },
          {
            title: 'Certificate',
            wide: true,
            cell: ({ sshHostCertificateId: id }) =>
              id === null ? <span className="muted">not known</span> : <span className="mono">{id}</span>,
          },
          {
            title: 'Authority',
            wide: true,
            cell: ({ sshCertificateAuthorityId: id }) => {
              const found = authorities?.find((each) => each.id === id);
              return found ? nameOf(found) : <span className="muted">deleted</span>;
            },
          },
          {
            title: 'Revoked',
            sorts: [{ by: 'Revoked', asc: 'revoked_at_asc', desc: 'revoked_at_desc', first: 'desc' }],
            cell: ({ revokedAt }) => <Time value={revokedAt} />,
          },
          {
            title: 'Would have ended',
            wide: true,
            sorts: [{ by: 'Would have ended', asc: 'valid_until_asc', desc: 'valid_until_desc', first: 'asc' }],
            cell: ({ validUntil }) => <Time value={validUntil} say={sayEnd} />,
          },
        ]}
        empty={
          called === '' ? (
            <Empty
              title="Nothing is revoked"
              actions={<ButtonLink href="/ssh?tab=certificates">To the certificates</ButtonLink>}
            >
              To revoke a certificate, open it and choose “Revoke”. It stays here until it would have ended.
            </Empty>
          ) : (
            <Empty title="Not revoked" actions={<Button onPress={() => setCalled('')}>Show all</Button>}>
              No certificate with this serial number or identifier is on the list. Both are compared whole.
            </Empty>
          )
        }
      />
    </Panel>
  );
}
