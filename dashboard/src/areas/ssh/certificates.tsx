// The host certificates, with a timeline of their expiry.

import { useMemo } from 'react';
import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { useCreation } from '../../kit/create.tsx';
import { laterDialog } from '../../kit/dialog.tsx';
import { Filter } from '../../kit/filter.tsx';
import { later } from '../../kit/later.tsx';
import { List, timeColumn } from '../../kit/list.tsx';
import { Panel } from '../../kit/page.tsx';
import { useQuestion } from '../../kit/question.ts';
import { Time } from '../../kit/time.tsx';
import { sayNumber } from '../../kit/words.ts';
import {
  SshAuthorityCountsDocument,
  SshCertificateCountsDocument,
  SshCertificatesDocument,
  SshReplacedCertificateCountDocument,
} from './certificates.generated.ts';
import { boundsOf, countWithin, ends } from './ends.ts';
import { signs, useAuthorities } from './names.ts';
import { Segments } from './segments.tsx';
import styles from './ssh.module.css';
import { sayEnd } from './validity.ts';
import { Legend, Scale, ValidityBar } from './validity-bar.tsx';

const IssueCertificate = laterDialog(() => import('./issue-certificate.tsx'));
const RevokeChosen = later(() => import('./revoke-chosen.tsx'));

/** Returns the counts for the expiry filter, of one authority or of all. Undefined during a search, to which they do not apply. */
function useCounts(authority: string, isSearching: boolean) {
  const kinds = ['SshHostCertificate', 'SshCertificateAuthority'];
  const ofAll = useData(SshCertificateCountsDocument, {}, kinds, authority !== '' || isSearching);
  const ofOne = useData(SshAuthorityCountsDocument, { id: authority }, kinds, authority === '' || isSearching);
  if (isSearching) return undefined;
  return authority === ''
    ? ofAll.data?.sshHostCertificateCounts
    : ofOne.data?.sshCertificateAuthority?.hostCertificateCounts;
}

const replacedOptions = [
  { value: '', title: 'Latest of each host' },
  { value: 'only', title: 'Replaced by a renewal' },
  { value: 'too', title: 'All' },
] as const;
/** The orders of the list. What expires first comes first, because it needs attention first. */
const orders = [
  'valid_until_asc',
  'valid_until_desc',
  'created_at_desc',
  'created_at_asc',
  'updated_at_desc',
  'updated_at_asc',
] as const;

/** The host certificates. */
export default function Certificates() {
  const question = useQuestion(orders, 'ends', 'authority', 'replaced');
  const { ends: within, authority, replaced } = question.filters;
  const authorities = useAuthorities();
  const canWrite = useCan('ssh:write');
  const creation = useCreation('ssh:write', 'Issue certificate', (close) => <IssueCertificate close={close} />);
  const issue = authorities?.some(signs) && creation.button;
  const counts = useCounts(authority, question.search !== '' || replaced !== '');
  // The time of the choice. If the bounds moved with the clock, the list would be read again all the time.
  const bounds = useMemo(() => boundsOf(within, Date.now()), [within]);
  const pages = usePages(
    SshCertificatesDocument,
    {
      ...bounds,
      ...question.variables,
      ...(authority !== '' && { sshCertificateAuthorityId: authority }),
      ...(replaced !== 'too' && { replaced: replaced === 'only' }),
    },
    (data) => data.sshHostCertificates,
    ['SshHostCertificate'],
  );
  // The latest certificate of each host may have been revoked while earlier ones are still valid.
  const earlier = useData(SshReplacedCertificateCountDocument, {}, ['SshHostCertificate'], pages.totalCount !== 0);
  const isAnyEarlier = (earlier.data?.sshHostCertificates?.totalCount ?? 0) > 0;
  return (
    <Panel
      title="Host certificates"
      description={
        pages.totalCount === undefined ? undefined : (
          <>
            {sayNumber(pages.totalCount)} shown {pages.totalCount > 0 && <Legend />}
          </>
        )
      }
      actions={issue}
      flush
    >
      <List
        label="Host certificates"
        make={issue}
        question={question}
        searched="description, metadata, id, name or fingerprint"
        filters={
          <>
            <Filter
              label="Authority"
              value={authority}
              onChange={(value) => question.set('authority', value)}
              options={[
                { value: '', title: 'All authorities' },
                ...(authorities ?? []).map((each) => ({ value: each.id, title: nameOf(each) })),
              ]}
            />
            <Filter
              label="Certificates"
              value={replacedOptions.find(({ value }) => value === replaced)?.value ?? ''}
              onChange={(value) => question.set('replaced', value)}
              options={replacedOptions}
            />
            <Segments
              label="Ends"
              value={within}
              onChange={(value) => question.set('ends', value)}
              segments={ends.map(({ id, title }) => ({
                id,
                title,
                count: countWithin(counts, id),
                isBad: id === 'ended' || id === '24h',
              }))}
            />
          </>
        }
        pages={pages}
        endless
        bulk={canWrite ? { nameOf, actions: (rows) => <RevokeChosen {...rows} /> } : undefined}
        hrefOf={(certificate) => `/ssh/certificates/${certificate.id}`}
        columns={[
          {
            title: 'Certificate',
            cell: (certificate) => (
              <>
                {nameOf(certificate)} {certificate.principals.length === 0 && <Badge tone="bad">all hosts</Badge>}
              </>
            ),
          },
          {
            title: 'Names',
            wide: true,
            cell: ({ principals }) => (
              <span className={styles.names}>
                {principals.slice(0, 2).map((name) => (
                  <span key={name}>{name}</span>
                ))}
                {principals.length > 2 && (
                  <span title={principals.slice(2).join('\n')}>and {principals.length - 2} more</span>
                )}
              </span>
            ),
          },
          { title: 'Time left', wide: true, head: <Scale />, cell: (certificate) => <ValidityBar of={certificate} /> },
          {
            title: 'Ends',
            sorts: [{ by: 'Ends', asc: 'valid_until_asc', desc: 'valid_until_desc', first: 'asc' }],
            cell: ({ validUntil }) => <Time value={validUntil} say={sayEnd} />,
          },
          timeColumn(question, 'very'),
        ]}
        empty={
          isAnyEarlier
            ? {
                title: 'Only earlier certificates are left',
                text: 'The renewals that replaced them were revoked. Clients accept an earlier one until it ends, or is revoked as well.',
                action: <Button onPress={() => question.set('replaced', 'only')}>Show them</Button>,
              }
            : {
                title: 'No host certificates yet',
                text:
                  authorities?.length === 0
                    ? 'Begin with an authority, which signs them.'
                    : 'Paste the public key of a host to have it signed, or give hosts a token to enroll by themselves.',
              }
        }
      />
      {creation.dialog}
    </Panel>
  );
}
