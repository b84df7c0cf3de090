// Creates an enrollment token, which is shown once, with the commands that use it.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Call, quoted } from '../../kit/call.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { LinesField, SelectField, sentLines, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { LastingField } from '../../kit/lasting-field.tsx';
import { Empty, Loaded, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { PlainHttp, scriptLines } from './client-lines.tsx';
import { tokenLasting } from './lasting.ts';
import { type Signer, useAccountFiles, useSigners } from './names.ts';
import { CreateSshTokenDocument } from './tokens.generated.ts';

const daySeconds = 86_400;
const validityOptions = [
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
  { value: '365', title: 'One year' },
] as const;
const ownFields = ['principals', 'maxUses', 'expiresAt', 'maxValidity', 'description', 'sshCertificateAuthorityId'];

function NewTokenForm({
  authorities,
  close,
  made,
}: {
  authorities: readonly Signer[];
  close: () => void;
  made: (token: string) => void;
}) {
  const [authority, setAuthority] = useState(authorities[0]?.value ?? '');
  const [principals, setPrincipals] = useState<readonly string[]>([]);
  const [uses, setUses] = useState('1');
  const [days, setDays] = useState<'30' | '90' | '365'>('90');
  const [expiresAt, setExpiresAt] = useState<string | null | undefined>();
  const [description, setDescription] = useState('');
  const { run, running, problem } = useAction(CreateSshTokenDocument, ['SshEnrollmentToken']);
  const names = sentLines(principals);
  const maxUses = Number(uses);
  const input = {
    sshCertificateAuthorityId: authority,
    principals: names,
    maxUses,
    expiresAt,
    maxValidity: Number(days) * daySeconds,
    description,
  };
  const isReady = names.length > 0 && Number.isInteger(maxUses) && maxUses > 0 && expiresAt != null;
  return (
    <form
      className="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        const token = (await run({ input }))?.createSshEnrollmentToken?.sshEnrollmentToken;
        if (token?.token) made(token.token);
      }}
    >
      <LinesField
        label="Names that hosts may ask for"
        value={principals}
        onChange={setPrincipals}
        hint="One in each line. *.example.com allows all names below, 10.1.0.0/16 a range of addresses."
        placeholder={'web-1.example.com\n10.1.0.0/16'}
        error={errorOf(problem, 'principals')}
        mono
        autoFocus
      />
      <TextField
        label="Uses"
        type="number"
        value={uses}
        onChange={setUses}
        hint="How many certificates it is good for: one for each host."
        error={errorOf(problem, 'maxUses')}
      />
      <LastingField
        label="The token ends after"
        choices={tokenLasting}
        usual="day"
        error={errorOf(problem, 'expiresAt')}
        onChange={setExpiresAt}
      />
      <SelectField
        label="Certificates are valid for"
        value={days}
        onChange={setDays}
        options={validityOptions}
        hint="At most. Hosts renew them by themselves."
        error={errorOf(problem, 'maxValidity')}
      />
      <SelectField
        label="Authority"
        value={authority}
        onChange={setAuthority}
        options={authorities}
        error={errorOf(problem, 'sshCertificateAuthorityId')}
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        placeholder="Rollout of rack 7"
        error={errorOf(problem, 'description')}
      />
      <ProblemNotice problem={beyond(problem, ownFields)} />
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!isReady} isPending={running}>
          Create
        </Button>
      </DialogActions>
      <Call
        rest={{
          method: 'POST',
          path: '/ssh_enrollment_tokens',
          body: {
            ssh_certificate_authority_id: authority,
            principals: names,
            max_uses: maxUses,
            expires_at: expiresAt,
            max_validity: Number(days) * daySeconds,
            description,
          },
        }}
        document={CreateSshTokenDocument}
        variables={{ input }}
      />
    </form>
  );
}

function Secret({ secret, close }: { secret: string; close: () => void }) {
  const service = useAccountFiles()?.service;
  return (
    <div className="stack">
      <Notice tone="caution" title="The token is shown only now.">
        Copy it before you close this. Whoever has it can get a certificate for any of its names.
      </Notice>
      <CopyField label="Token" text={secret} />
      {service !== undefined && (
        <>
          <PlainHttp service={service} />
          <CopyField
            label="On each host, as root: it asks for the token, gets the certificate, and renews it from then on"
            text={scriptLines(service, 'host', hostScriptSha256, [`enroll --url ${quoted(service)}`, 'install'])}
          />
        </>
      )}
      <DialogActions>
        <Button look="primary" onPress={close}>
          I have kept it
        </Button>
      </DialogActions>
    </div>
  );
}

/** A dialog that creates an enrollment token. */
export default function NewToken({ close }: { close: () => void }) {
  const reading = useSigners();
  const [made, setMade] = useState<string | null>(null);
  return (
    <Dialog title={made ? 'The enrollment token' : 'New enrollment token'} close={close} wide holds={made !== null}>
      {made !== null ? (
        <Secret secret={made} close={close} />
      ) : (
        <Loaded reading={reading}>
          {(authorities) =>
            authorities.length === 0 ? (
              <Empty title="No authority signs yet" actions={<ButtonLink href="/ssh?new=1">New authority</ButtonLink>}>
                Make one first: it signs what hosts ask for with the token.
              </Empty>
            ) : (
              <NewTokenForm authorities={authorities} close={close} made={setMade} />
            )
          }
        </Loaded>
      )}
    </Dialog>
  );
}
