// One authority: what clients need from it, what it has signed, and how it is replaced.

import { useState } from 'react';
import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { Expectations } from '../../expectations/decided.tsx';
import { Badge } from '../../kit/badge.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { CopyBlock, CopyField } from '../../kit/copy.tsx';
import { TextField } from '../../kit/fields.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { sayNumber } from '../../kit/words.ts';
import { FinalDeletion } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { NoteForm } from '../../trail/note-form.tsx';
import {
  DeleteSshAuthorityDocument,
  SshAuthorityDocument,
  type SshAuthorityQuery,
  UpdateSshAuthorityDocument,
} from './authorities.generated.ts';
import { countWithin, ends } from './ends.ts';
import { keyTypes, signs, states } from './names.ts';
import styles from './ssh.module.css';
import { Succession } from './succession.tsx';

type Authority = NonNullable<SshAuthorityQuery['sshCertificateAuthority']>;

function Ending({ authority }: { authority: Authority }) {
  const counts = authority.hostCertificateCounts;
  const href = (id: string) =>
    `/ssh?${new URLSearchParams({ tab: 'certificates', authority: authority.id, ...(id !== '' && { ends: id }) })}`;
  return (
    <ul className={styles.figures}>
      {ends.map(({ id, title }) => {
        const count = countWithin(counts, id) ?? 0;
        const tone = count === 0 || id === '' || id === '30d' ? 'usual' : id === '7d' ? 'caution' : 'bad';
        return (
          <li key={id} data-tone={tone}>
            <Link href={href(id)}>
              <strong>{sayNumber(count)}</strong>{' '}
              {id === ''
                ? 'in use'
                : id === 'ended'
                  ? 'ended'
                  : `ending ${title.toLowerCase().replace(/^(\d)/, 'within $1')}`}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function ForClients({ authority }: { authority: Authority }) {
  const [hosts, setHosts] = useState('*');
  const line = authority.knownHostsLine.replace('*', hosts.replace(/\s/g, '') || '*');
  return (
    <Panel title="For clients" description="One line makes a client trust every host that this authority has signed.">
      <div className="stack">
        <TextField
          label="Hosts that it may vouch for"
          value={hosts}
          onChange={setHosts}
          hint="Patterns of the names that people type, separated by commas, such as *.example.com,10.0.0.*"
          mono
        />
        <CopyField label="Line for known_hosts" text={line} />
        <CopyField label="Revocation list (KRL) of this authority" text={authority.revocationListUrl} />
        <p className="muted">
          A missing or broken revocation list makes ssh refuse every host: fetch it beside the old one, have{' '}
          <code>ssh-keygen -Q -l -f</code> read it, and put it in place in one step. The script for clients on the{' '}
          <Link href="/ssh">list of authorities</Link> does so.
        </p>
      </div>
    </Panel>
  );
}

function DeleteAuthority({ authority, count }: { authority: Authority; count: number }) {
  const { id } = authority;
  const revokeCertificates = count > 0;
  return (
    <FinalDeletion
      label="Delete"
      isDanger={false}
      of={authority}
      kind="SshCertificateAuthority"
      document={DeleteSshAuthorityDocument}
      input={(expectedVersion) => ({ id, expectedVersion, revokeCertificates })}
      path={`/ssh_certificate_authorities/${id}${revokeCertificates ? '?revoke_certificates=true' : ''}`}
      alsoChanged={['SshHostCertificate']}
      said="Authority deleted."
      next="/ssh"
      question={{
        title: `Delete ${nameOf(authority)}?`,
        action: revokeCertificates ? `Revoke ${sayNumber(count)} and delete` : 'Delete authority',
        typed: nameOf(authority),
      }}
    >
      <div className="stack">
        <p>
          Its private key is erased and its enrollment tokens end. This cannot be undone
          {revokeCertificates && (
            <>
              , and{' '}
              <strong>{count === 1 ? 'its certificate is' : `its ${sayNumber(count)} certificates are`} revoked</strong>
              : clients refuse {count === 1 ? 'that host' : 'those hosts'} after their next refresh
            </>
          )}
          .
        </p>
        {signs(authority) && <p>To replace it without a gap, announce a successor instead.</p>}
      </div>
    </FinalDeletion>
  );
}

function Shown({ authority, count }: { authority: Authority; count: number }) {
  const canWrite = useCan('ssh:write');
  const { title, tone } = states[authority.state];
  return (
    <Page
      title={nameOf(authority)}
      crumbs={[{ title: 'SSH', href: '/ssh' }]}
      actions={
        <>
          <Badge tone={tone}>{title}</Badge>
          {canWrite && signs(authority) && (
            <ButtonLink href={`/ssh?tab=certificates&new=1&by=${authority.id}`}>Issue certificate</ButtonLink>
          )}
          {canWrite && <DeleteAuthority authority={authority} count={count} />}
        </>
      }
    >
      <Panel title="Certificates" bare>
        <Ending authority={authority} />
      </Panel>
      <ForClients authority={authority} />
      <Succession authority={authority} />
      <Panel title="Key">
        <Details>
          <Detail name="Type">{keyTypes[authority.keyType]}</Detail>
          <Detail name="Private key">
            {authority.signingAgent === null ? 'in the database, sealed' : <>in the agent “{authority.signingAgent}”</>}
          </Detail>
          <Detail name="Fingerprint">
            <span className="mono">{authority.fingerprint}</span>
          </Detail>
          <Detail name="Public key">
            <CopyBlock label="public key" text={authority.publicKey} long />
          </Detail>
          <Detail name="Identifier">
            <span className="mono">{authority.id}</span>
          </Detail>
          <Detail name="Created">
            <Time value={authority.createdAt} />
          </Detail>
        </Details>
      </Panel>
      <NoteForm
        of={authority}
        kind="SshCertificateAuthority"
        document={UpdateSshAuthorityDocument}
        writtenOf={(answer) => answer.updateSshCertificateAuthority?.sshCertificateAuthority}
        path={`/ssh_certificate_authorities/${authority.id}`}
        said="Authority saved."
        canWrite={canWrite}
      />
      <History objectId={authority.id} kind="SshCertificateAuthority" canWrite={canWrite} />
      <Expectations id={authority.id} />
    </Page>
  );
}

export default function SshAuthorityPage({ id }: { id: string }) {
  const reading = useData(SshAuthorityDocument, { id }, ['SshCertificateAuthority', 'SshHostCertificate']);
  return (
    <Loaded reading={reading}>
      {({ sshCertificateAuthority, all }) =>
        sshCertificateAuthority && <Shown authority={sshCertificateAuthority} count={all?.totalCount ?? 0} />
      }
    </Loaded>
  );
}
