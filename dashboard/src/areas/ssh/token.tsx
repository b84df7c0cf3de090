// One enrollment token.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { Expectations } from '../../expectations/decided.tsx';
import { quoted } from '../../kit/call.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { sayNumber } from '../../kit/words.ts';
import { FinalDeletion } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { NoteForm } from '../../trail/note-form.tsx';
import { PlainHttp, scriptLines } from './client-lines.tsx';
import { keyTypes, useAccountFiles } from './names.ts';
import {
  EndSshTokenDocument,
  SshTokenDocument,
  type SshTokenQuery,
  UpdateSshTokenDocument,
} from './tokens.generated.ts';
import { TokenState } from './tokens.tsx';

type Token = NonNullable<SshTokenQuery['sshEnrollmentToken']>;

const daySeconds = 86_400;

function End({ token }: { token: Token }) {
  const { id, usable } = token;
  return (
    <FinalDeletion
      label={usable ? 'End token' : 'Delete'}
      isDanger={usable}
      of={token}
      kind="SshEnrollmentToken"
      document={EndSshTokenDocument}
      input={() => ({ id })}
      path={`/ssh_enrollment_tokens/${id}`}
      // Every use changes the token, so a version check could keep a token in use from being ended.
      whateverChanged
      deed={usable ? 'ends' : 'deletes'}
      said={usable ? 'Token ended.' : 'Token deleted.'}
      next="/ssh?tab=tokens"
      question={{
        title: `${usable ? 'End' : 'Delete'} ${nameOf(token)}?`,
        action: usable ? 'End token' : 'Delete token',
      }}
    >
      {usable && 'No host can be enrolled with it any more. '}Certificates of hosts that were stay valid, and are
      renewed. This cannot be undone.
    </FinalDeletion>
  );
}

function Shown({ token }: { token: Token }) {
  const canEnroll = useCan('ssh:enroll');
  const service = useAccountFiles()?.service;
  const { sshCertificateAuthority: authority } = token;
  return (
    <Page
      title={nameOf(token)}
      crumbs={[
        { title: 'SSH', href: '/ssh' },
        { title: 'Enrollment tokens', href: '/ssh?tab=tokens' },
      ]}
      actions={
        <>
          <TokenState of={token} />
          {canEnroll && <End token={token} />}
        </>
      }
    >
      <Panel title="Token">
        <Details>
          <Detail name="Names allowed">
            <span className="mono">{token.principals.join(', ')}</span>
          </Detail>
          <Detail name="Uses">
            {sayNumber(token.uses)} of {sayNumber(token.maxUses)}
          </Detail>
          <Detail name="Ends">
            <Time value={token.expiresAt} />
          </Detail>
          <Detail name="Certificates valid for">
            at most{' '}
            {token.maxValidity >= daySeconds
              ? `${sayNumber(Math.round(token.maxValidity / daySeconds))} days`
              : `${sayNumber(token.maxValidity)} seconds`}
          </Detail>
          <Detail name="Types of keys">{token.keyTypes.map((type) => keyTypes[type]).join(', ')}</Detail>
          <Detail name="Authority">
            <Link href={`/ssh/authorities/${authority.id}`}>{nameOf(authority)}</Link>
          </Detail>
          <Detail name="Identifier">
            <span className="mono">{token.id}</span>
          </Detail>
          <Detail name="Created">
            <Time value={token.createdAt} />
          </Detail>
        </Details>
      </Panel>
      {token.usable && service !== undefined && (
        <Panel
          title="On each host"
          description="As root. It asks for the token, which was shown when it was made, and never again."
        >
          <div className="stack">
            <PlainHttp service={service} />
            <CopyField
              label="Enroll, and renew from then on"
              text={scriptLines(service, 'host', hostScriptSha256, [`enroll --url ${quoted(service)}`, 'install'])}
            />
          </div>
        </Panel>
      )}
      <NoteForm
        of={token}
        kind="SshEnrollmentToken"
        document={UpdateSshTokenDocument}
        writtenOf={(answer) => answer.updateSshEnrollmentToken?.sshEnrollmentToken}
        path={`/ssh_enrollment_tokens/${token.id}`}
        said="Token saved."
        canWrite={canEnroll}
      />
      <History objectId={token.id} kind="SshEnrollmentToken" canWrite={canEnroll} />
      <Expectations id={token.id} />
    </Page>
  );
}

export default function SshTokenPage({ id }: { id: string }) {
  const reading = useData(SshTokenDocument, { id }, ['SshEnrollmentToken', 'SshHostCertificate']);
  return (
    <Loaded reading={reading}>
      {({ sshEnrollmentToken }) => sshEnrollmentToken && <Shown token={sshEnrollmentToken} />}
    </Loaded>
  );
}
