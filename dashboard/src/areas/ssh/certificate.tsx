// One host certificate: its validity, and what to install on the host and its clients.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { Expectations } from '../../expectations/decided.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Call, quoted } from '../../kit/call.tsx';
import { CopyBlock, CopyField } from '../../kit/copy.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { Fold } from '../../kit/fold.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Time, useNow } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { FinalDeletion } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { NoteForm } from '../../trail/note-form.tsx';
import {
  RenewSshCertificateDocument,
  RevokeSshCertificateDocument,
  SshCertificateDocument,
  type SshCertificateQuery,
  UpdateSshCertificateDocument,
} from './certificates.generated.ts';
import { Life } from './life.tsx';
import { keyTypes } from './names.ts';
import { OthersOfKey, type SameKey, useSameKey } from './same-key.tsx';
import { renewableFrom, standingOf } from './validity.ts';

type Certificate = NonNullable<SshCertificateQuery['sshHostCertificate']>;

/** Returns shell commands that install a certificate on its host, and reload sshd if its configuration is valid. */
function installLines({ certificateFileName, certificateFileContent, sshdConfigLine }: Certificate): string {
  const file = `/etc/ssh/${certificateFileName}`;
  return [
    `cat > ${file} <<'END_CERTIFICATE'`,
    certificateFileContent.trim(),
    'END_CERTIFICATE',
    `grep -qxF ${quoted(sshdConfigLine)} /etc/ssh/sshd_config || sed -i ${quoted(`1i ${sshdConfigLine}`)} /etc/ssh/sshd_config`,
    `sshd -t && systemctl reload ssh    # the service is called sshd on Fedora, RHEL and Arch`,
  ].join('\n');
}

function Install({ certificate }: { certificate: Certificate }) {
  const { certificateFileName, certificateFileContent, sshdConfigLine, knownHosts } = certificate;
  return (
    <>
      <Panel
        title="On the host"
        description="The certificate goes beside the key, and one line into the configuration of sshd."
      >
        <div className="stack">
          <CopyField label={`/etc/ssh/${certificateFileName}`} text={certificateFileContent.trim()} />
          <CopyField label="/etc/ssh/sshd_config" text={sshdConfigLine} />
          <Fold title="Both as commands">
            <CopyField label="On the host, as root" text={installLines(certificate)} />
          </Fold>
        </div>
      </Panel>
      <Panel title="On clients" description="Once for all hosts of the authority.">
        <CopyField label="/etc/ssh/ssh_known_hosts, or ~/.ssh/known_hosts" text={knownHosts.trim()} />
      </Panel>
    </>
  );
}

function Renew({ certificate, close }: { certificate: Certificate; close: () => void }) {
  const { run, running, problem } = useAction(RenewSshCertificateDocument, ['SshHostCertificate']);
  const [, navigate] = useLocation();
  const input = { id: certificate.id, force: true };
  return (
    <Dialog title="Renew this certificate?" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = (await run({ input }))?.renewSshHostCertificate;
          if (!made) return;
          say('Certificate renewed.');
          navigate(`/ssh/certificates/${made.sshHostCertificate.id}`);
        }}
      >
        <p>
          Makes a new certificate for the same key and the same names, for as long as this one. You bring it to the
          host; this one goes on until its end. A host with <code>sallyport-ssh-host</code> does all that by itself.
        </p>
        <ProblemNotice problem={problem} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Renew
          </Button>
        </DialogActions>
        <Call document={RenewSshCertificateDocument} variables={{ input }} />
      </form>
    </Dialog>
  );
}

function Revoke({ certificate, sameKey }: { certificate: Certificate; sameKey: SameKey }) {
  const { id } = certificate;
  return (
    <FinalDeletion
      label="Revoke"
      of={certificate}
      kind="SshHostCertificate"
      document={RevokeSshCertificateDocument}
      input={(expectedVersion) => ({ id, expectedVersion })}
      path={`/ssh_host_certificates/${id}`}
      deed="revokes"
      said="Certificate revoked."
      next={sameKey.others > 0 ? sameKey.href : '/ssh?tab=certificates'}
      question={{ title: `Revoke ${nameOf(certificate)}?`, action: 'Revoke certificate' }}
    >
      It is deleted, and goes on the revocation list: clients refuse the host with it after their next refresh.{' '}
      <strong>This cannot be undone.</strong> To take the host in again, issue another certificate, for a new key if
      this one may be known.
      {sameKey.others > 0 && (
        <Notice tone="caution" title="This does not keep the host out.">
          <OthersOfKey {...sameKey} />, and clients accept them until they are revoked as well.
        </Notice>
      )}
    </FinalDeletion>
  );
}

function Shown({ certificate }: { certificate: Certificate }) {
  const canWrite = useCan('ssh:write');
  const [isRenewing, setRenewing] = useState(false);
  const now = useNow();
  const { title, tone } = standingOf(certificate, now);
  const { principals, replacedById, sshCertificateAuthority: authority } = certificate;
  const isReplaced = replacedById !== null;
  const sameKey = useSameKey(certificate);
  const isDue = !isReplaced && renewableFrom(certificate) <= now;
  return (
    <Page
      title={nameOf(certificate)}
      crumbs={[
        { title: 'SSH', href: '/ssh' },
        { title: 'Certificates', href: '/ssh?tab=certificates' },
      ]}
      actions={
        <>
          <Badge tone={tone}>{title}</Badge>
          {canWrite && !isReplaced && (
            <Button look={isDue ? 'primary' : 'usual'} onPress={() => setRenewing(true)}>
              Renew
            </Button>
          )}
          {canWrite && <Revoke certificate={certificate} sameKey={sameKey} />}
        </>
      }
    >
      {principals.length === 0 && (
        <Notice tone="bad" title="Good for all hosts.">
          {certificate.principalsWarning}
        </Notice>
      )}
      {sameKey.isSuccessorGone && (
        <Notice tone="caution">
          The host had renewed it, and the new one was revoked. Until its end, clients accept this one: revoke it as
          well to keep the host out.
        </Notice>
      )}
      {isReplaced && !sameKey.isSuccessorGone && (
        <Notice actions={<ButtonLink href={`/ssh/certificates/${replacedById}`}>Show the latest</ButtonLink>}>
          The host has renewed it. Until its end, this one is as good as the new one.
        </Notice>
      )}
      <Panel title="Validity">
        <Life of={certificate} />
      </Panel>
      {!isReplaced && <Install certificate={certificate} />}
      <Panel title="Certificate">
        <Details>
          <Detail name="Names">
            {principals.length === 0 ? (
              <Badge tone="bad">all hosts</Badge>
            ) : (
              <span className="mono">{principals.join(', ')}</span>
            )}
          </Detail>
          <Detail name="Authority">
            <Link href={`/ssh/authorities/${authority.id}`}>{nameOf(authority)}</Link>
          </Detail>
          <Detail name="Key">{keyTypes[certificate.keyType]}</Detail>
          <Detail name="Fingerprint">
            <span className="mono">{certificate.fingerprint}</span>
          </Detail>
          {sameKey.others > 0 && (
            <Detail name="Of the same key">
              <OthersOfKey {...sameKey} />
            </Detail>
          )}
          <Detail name="Public key">
            <CopyBlock label="public key" text={certificate.publicKey} long />
          </Detail>
          <Detail name="Serial number">
            <span className="mono">{certificate.serial}</span>
          </Detail>
          <Detail name="Identifier">
            <span className="mono">{certificate.id}</span>
          </Detail>
          <Detail name="Issued">
            <Time value={certificate.createdAt} />
          </Detail>
        </Details>
      </Panel>
      <NoteForm
        of={certificate}
        kind="SshHostCertificate"
        document={UpdateSshCertificateDocument}
        writtenOf={(answer) => answer.updateSshHostCertificate?.sshHostCertificate}
        path={`/ssh_host_certificates/${certificate.id}`}
        said="Certificate saved."
        canWrite={canWrite}
      />
      <History objectId={certificate.id} kind="SshHostCertificate" canWrite={canWrite} />
      <Expectations id={certificate.id} />
      {isRenewing && <Renew certificate={certificate} close={() => setRenewing(false)} />}
    </Page>
  );
}

export default function SshCertificatePage({ id }: { id: string }) {
  const reading = useData(SshCertificateDocument, { id }, ['SshHostCertificate', 'SshCertificateAuthority']);
  return (
    <Loaded reading={reading}>
      {({ sshHostCertificate }) => sshHostCertificate && <Shown certificate={sshHostCertificate} />}
    </Loaded>
  );
}
