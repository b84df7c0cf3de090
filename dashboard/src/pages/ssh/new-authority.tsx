// A new authority.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../client/data.ts';
import type { SshKeyType } from '../../client/types.generated.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { CreateSshAuthorityDocument } from './authorities.generated.ts';

const keyOptions: readonly { value: SshKeyType; title: string }[] = [
  { value: 'ed25519', title: 'Ed25519 (recommended)' },
  { value: 'ecdsa', title: 'ECDSA on P-256' },
  { value: 'rsa', title: 'RSA with 4096 bits' },
];

/** A dialog that makes an authority. */
export default function NewAuthority({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [privateKeyType, setType] = useState<SshKeyType>('ed25519');
  const { run, running, problem } = useAction(CreateSshAuthorityDocument, ['SshCertificateAuthority']);
  const [, navigate] = useLocation();
  const variables = { input: { description, privateKeyType } };
  return (
    <Dialog title="New authority" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = (await run(variables))?.createSshCertificateAuthority;
          if (made) navigate(`/ssh/authorities/${made.sshCertificateAuthority.id}`);
        }}
      >
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="Whose hosts it vouches for, such as “Production”."
          error={errorOf(problem, 'description')}
          autoFocus
        />
        <SelectField
          label="Type of its key"
          value={privateKeyType}
          onChange={setType}
          options={keyOptions}
          hint="Every OpenSSH of the last ten years accepts Ed25519. The private key is made on the server, and never leaves it."
          error={errorOf(problem, 'privateKeyType')}
        />
        <ProblemNotice problem={beyond(problem, ['description'])} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        <Call
          rest={{
            method: 'POST',
            path: '/ssh_certificate_authorities',
            body: { description, private_key_type: privateKeyType },
          }}
          document={CreateSshAuthorityDocument}
          variables={variables}
        />
      </form>
    </Dialog>
  );
}
