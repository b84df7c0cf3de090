// What is revoked: certificates that were deleted before their end.

import { usePages } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { CopyField } from '../../kit/copy.tsx';
import { SelectField } from '../../kit/fields.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { useAccountFiles, useAuthorities } from './names.ts';
import { SshRevocationsDocument } from './revocations.generated.ts';
import styles from './ssh.module.css';
import { sayEnd } from './validity.ts';

/** What is revoked. */
export function Revocations() {
  const [authority, setAuthority] = useAddressParameter('authority');
  const authorities = useAuthorities();
  const files = useAccountFiles();
  const pages = usePages(
    SshRevocationsDocument,
    authority === '' ? {} : { sshCertificateAuthorityId: authority },
    (data) => data.sshRevocations,
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
        <SelectField
          label="Authority"
          value={authority}
          onChange={setAuthority}
          options={[
            { value: '', title: 'All' },
            ...(authorities ?? []).map((each) => ({ value: each.id, title: nameOf(each) })),
          ]}
        />
      </div>
      <PagedTable
        label="Revocations"
        pages={pages}
        endless
        keyOf={({ sshCertificateAuthorityId, serial }) => `${sshCertificateAuthorityId} ${serial}`}
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
          { title: 'Revoked', cell: ({ revokedAt }) => <Time value={revokedAt} /> },
          { title: 'Would have ended', wide: true, cell: ({ validUntil }) => <Time value={validUntil} say={sayEnd} /> },
        ]}
        empty={
          <Empty title="Nothing is revoked">
            To revoke a certificate, open it and choose “Revoke”. It stays here until it would have ended.
          </Empty>
        }
      />
    </Panel>
  );
}
