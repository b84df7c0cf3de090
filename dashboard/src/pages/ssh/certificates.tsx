// The host certificates, on a time line to their ends.

import { useEffect, useMemo, useRef, useState } from 'react';
import { useData, usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import {
  SshAuthorityCountsDocument,
  SshCertificateCountsDocument,
  SshCertificatesDocument,
} from './certificates.generated.ts';
import { boundsOf, countWithin, ends } from './ends.ts';
import { certificateName, nameOf, signs, useAuthorities } from './names.ts';
import { Segments } from './segments.tsx';
import styles from './ssh.module.css';
import { sayEnd } from './validity.ts';
import { Legend, Scale, ValidityBar } from './validity-bar.tsx';

/** Milliseconds after the last key before what was typed is looked for. */
const typingMs = 300;

/** Gives the filter for what somebody looks for: a fingerprint, or a name that is written so in the certificate. */
function whatIsSought(text: string): { fingerprint?: string; principal?: string } {
  if (text === '') return {};
  return /^(SHA256:)?[A-Za-z0-9+/]{43}=?$/.test(text)
    ? { fingerprint: text.replace(/^(?!SHA256:)/, 'SHA256:').replace(/=$/, '') }
    : { principal: text };
}

/** A field whose text goes into the address once somebody has typed it. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // Not what was typed here: somebody has followed a link, or gone back.
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text.trim() === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text.trim();
      onChange(text.trim());
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <TextField
      label="Name, address or fingerprint"
      type="search"
      value={text}
      onChange={setText}
      placeholder="web-1.example.com"
    />
  );
}

/** The counts that stand at the choices of ends: those of one authority, or of all; none where a search has others. */
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
const orderOptions = [
  { value: '', title: 'What ends first' },
  { value: 'newest', title: 'Newest first' },
] as const;

/** The host certificates. */
export default function Certificates({ make }: { make: (what: string) => void }) {
  const [within, setWithin] = useAddressParameter('ends');
  const [sought, seek] = useAddressParameter('find');
  const [authority, setAuthority] = useAddressParameter('authority');
  const [replaced, setReplaced] = useAddressParameter('replaced');
  const [order, setOrder] = useAddressParameter('order');
  const authorities = useAuthorities();
  const canWrite = useCan('ssh:write');
  const counts = useCounts(authority, sought !== '' || replaced !== '');
  // The time of the choice: a list whose bounds move would begin again all the time.
  const bounds = useMemo(() => boundsOf(within, Date.now()), [within]);
  const pages = usePages(
    SshCertificatesDocument,
    {
      ...bounds,
      ...whatIsSought(sought),
      ...(authority !== '' && { sshCertificateAuthorityId: authority }),
      ...(replaced !== 'too' && { replaced: replaced === 'only' }),
      orderBy: order === 'newest' ? 'created_at' : 'valid_until',
    },
    (data) => data.sshHostCertificates,
    ['SshHostCertificate'],
  );
  const isFiltered = within !== '' || sought !== '' || authority !== '' || replaced !== '';
  const canIssue = canWrite && authorities?.some(signs) === true;
  const issue = canIssue && (
    <Button look="primary" onPress={() => make('certificate')}>
      Issue certificate
    </Button>
  );
  return (
    <Panel
      title="Host certificates"
      description={pages.totalCount === undefined ? undefined : `${pages.totalCount.toLocaleString()} shown`}
      actions={issue}
      flush
    >
      <div className={styles.filters}>
        <Segments
          label="Ends"
          value={within}
          onChange={setWithin}
          segments={ends.map(({ id, title }) => ({
            id,
            title,
            count: countWithin(counts, id),
            isBad: id === 'ended' || id === '24h',
          }))}
        />
        <div className={styles.fields}>
          <SearchField value={sought} onChange={seek} />
          <SelectField
            label="Authority"
            value={authority}
            onChange={setAuthority}
            options={[
              { value: '', title: 'All' },
              ...(authorities ?? []).map((each) => ({ value: each.id, title: nameOf(each) })),
            ]}
          />
          <SelectField
            label="Certificates"
            value={replacedOptions.find(({ value }) => value === replaced)?.value ?? ''}
            onChange={setReplaced}
            options={replacedOptions}
          />
          <SelectField
            label="Order"
            value={order === 'newest' ? 'newest' : ''}
            onChange={setOrder}
            options={orderOptions}
          />
        </div>
      </div>
      <PagedTable
        label="Host certificates"
        pages={pages}
        endless
        keyOf={(certificate) => certificate.id}
        hrefOf={(certificate) => `/ssh/certificates/${certificate.id}`}
        columns={[
          {
            title: 'Certificate',
            cell: (certificate) => (
              <>
                {certificateName(certificate)}{' '}
                {certificate.principals.length === 0 && <Badge tone="bad">all hosts</Badge>}
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
            cell: ({ validUntil }) => (
              <span className={styles.nowrap}>
                <Time value={validUntil} say={sayEnd} />
              </span>
            ),
          },
        ]}
        empty={
          isFiltered ? (
            <Empty title="No certificate like that">
              {sought === ''
                ? 'Choose another end, or all certificates.'
                : 'A name or address is found if it stands in the certificate exactly so; a fingerprint, if it is whole.'}
            </Empty>
          ) : (
            <Empty title="No host certificates yet" actions={issue}>
              {authorities?.length === 0
                ? 'Begin with an authority, which signs them.'
                : 'Paste the public key of a host to have it signed, or give hosts a token to enroll by themselves.'}
            </Empty>
          )
        }
      />
      <div className={styles.foot}>
        <Legend />
      </div>
    </Panel>
  );
}
