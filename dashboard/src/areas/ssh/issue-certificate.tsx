// Issues a certificate for a public key that the user has at hand.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../client/data.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { Checkbox, LinesField, SelectField, sentLines, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { LastingField } from '../../kit/lasting-field.tsx';
import { Empty, Loaded, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import { IssueSshCertificateDocument } from './certificates.generated.ts';
import { KeyField, useKeyCheck } from './key-field.tsx';
import { certificateLasting } from './lasting.ts';
import { type Signer, useSigners } from './names.ts';

const ownFields = ['publicKey', 'principals', 'validUntil', 'description', 'sshCertificateAuthorityId'];

/** Returns the name of the host that the comment of its key ends with, as in `root@web-1.example.com`, if it is a whole one. */
function namesIn(comment: string | null | undefined): readonly string[] {
  const name = /@([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i.exec(comment ?? '')?.[1];
  return name === undefined ? [] : [name];
}

function IssueForm({ authorities, close }: { authorities: readonly Signer[]; close: () => void }) {
  const [asked] = useAddressParameter('by');
  const [publicKey, setPublicKey] = useState('');
  const [entered, setEntered] = useState<readonly string[]>();
  const [isForAll, setForAll] = useState(false);
  const [validUntil, setValidUntil] = useState<string | null | undefined>();
  const [description, setDescription] = useState('');
  const first = authorities.find(({ value }) => value === asked) ?? authorities[0];
  const [authority, setAuthority] = useState(first?.value ?? '');
  const check = useKeyCheck(publicKey);
  const { run, running, problem } = useAction(IssueSshCertificateDocument, ['SshHostCertificate']);
  const [, navigate] = useLocation();
  // Until something else is entered.
  const principals = entered ?? namesIn(check.found?.comment);
  const names = sentLines(principals);
  const isNamed = names.length > 0 || isForAll;
  const input = {
    sshCertificateAuthorityId: authority,
    publicKey: check.line,
    principals: names,
    validUntil,
    description,
  };
  const isReady = check.found?.error === null && isNamed && validUntil != null;
  return (
    <form
      className="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        const made = (await run({ input }))?.createSshHostCertificate;
        if (!made) return;
        say('Certificate issued.');
        // So that "back" leads from the new page to the list, not to a form that issues another certificate.
        close();
        navigate(`/ssh/certificates/${made.sshHostCertificate.id}`);
      }}
    >
      <KeyField check={check} value={publicKey} onChange={setPublicKey} error={errorOf(problem, 'publicKey')} />
      <LinesField
        label="Names and addresses"
        value={principals}
        onChange={setEntered}
        hint="All that people type to reach the host, one in each line, without ports. Clients refuse it under any other name."
        placeholder={'web-1.example.com\n10.0.0.1'}
        error={errorOf(problem, 'principals')}
        mono
      />
      {names.length === 0 && check.found?.error === null && (
        <Notice tone="bad" title="Without names, it is good for all hosts.">
          Its host could then pass for any other, and OpenSSH 10.3 and later refuse it.
          <div>
            <Checkbox label="I want it to be good for all hosts" value={isForAll} onChange={setForAll} />
          </div>
        </Notice>
      )}
      <SelectField
        label="Authority"
        value={authority}
        onChange={setAuthority}
        options={authorities}
        error={errorOf(problem, 'sshCertificateAuthorityId')}
      />
      <LastingField
        label="Valid for"
        choices={certificateLasting}
        usual="365"
        hint="The host can renew it by itself in the last third."
        error={errorOf(problem, 'validUntil')}
        onChange={setValidUntil}
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        placeholder={check.found?.comment ?? ''}
        hint="What people know the host by."
        error={errorOf(problem, 'description')}
      />
      <ProblemNotice problem={beyond(problem, ownFields)} />
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={!isReady} isPending={running}>
          Issue certificate
        </Button>
      </DialogActions>
      <Call
        rest={{
          method: 'POST',
          path: '/ssh_host_certificates',
          body: {
            ssh_certificate_authority_id: authority,
            public_key: check.line,
            principals: names,
            valid_until: validUntil,
            description,
          },
        }}
        document={IssueSshCertificateDocument}
        variables={{ input }}
      />
    </form>
  );
}

/** A dialog that issues a certificate. */
export default function IssueCertificate({ close }: { close: () => void }) {
  const reading = useSigners();
  return (
    <Dialog title="Issue a host certificate" close={close} wide>
      <Loaded reading={reading}>
        {(authorities) =>
          authorities.length === 0 ? (
            <Empty title="No authority signs yet" actions={<ButtonLink href="/ssh?new=1">New authority</ButtonLink>}>
              Make one first: it is what clients will trust.
            </Empty>
          ) : (
            <IssueForm authorities={authorities} close={close} />
          )
        }
      </Loaded>
    </Dialog>
  );
}
