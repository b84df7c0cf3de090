// Creates an authority.

import { useState } from 'react';
import type { SshKeyType } from '../../client/types.generated.ts';
import { CreateDialog } from '../../kit/create.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { CreateSshAuthorityDocument } from './authorities.generated.ts';

const keyOptions: readonly { value: SshKeyType; title: string }[] = [
  { value: 'ed25519', title: 'Ed25519 (recommended)' },
  { value: 'ecdsa', title: 'ECDSA on P-256' },
  { value: 'rsa', title: 'RSA with 4096 bits' },
];

/** A dialog that creates an authority. */
export default function NewAuthority({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [privateKeyType, setType] = useState<SshKeyType>('ed25519');
  return (
    <CreateDialog
      title="New authority"
      close={close}
      kind="SshCertificateAuthority"
      document={CreateSshAuthorityDocument}
      input={{ description, privateKeyType }}
      rest={{ path: '/ssh_certificate_authorities', body: { description, private_key_type: privateKeyType } }}
      made={({ createSshCertificateAuthority }) => createSshCertificateAuthority?.sshCertificateAuthority}
    >
      {(problem) => (
        <>
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
        </>
      )}
    </CreateDialog>
  );
}
