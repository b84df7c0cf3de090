// The dialogs for the steps of replacing an authority.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import type { SshCertificateAuthorityState, SshKeyType } from '../../client/types.generated.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm, Dialog, DialogActions } from '../../kit/dialog.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { say } from '../../kit/toast.tsx';
import {
  AnnounceSshSuccessorDocument,
  HandOverSshAuthorityDocument,
  RetireSshAuthorityDocument,
} from './authorities.generated.ts';

/** An authority that is being replaced, or can be. */
export interface Replaced {
  readonly id: string;
  readonly description: string;
  readonly version: number;
  readonly state: SshCertificateAuthorityState;
  readonly successorId: string | null;
  readonly handedOverAt: string | null;
  readonly retiredAt: string | null;
}

const keyOptions: readonly { value: SshKeyType | ''; title: string }[] = [
  { value: '', title: 'The same as now' },
  { value: 'ed25519', title: 'Ed25519' },
  { value: 'ecdsa', title: 'ECDSA on P-256' },
  { value: 'rsa', title: 'RSA with 4096 bits' },
];

/** The dialog that announces a successor. */
export function Announce({ authority, close }: { authority: Replaced; close: () => void }) {
  const [description, setDescription] = useState(authority.description);
  const [type, setType] = useState<SshKeyType | ''>('');
  const { run, running, problem } = useAction(AnnounceSshSuccessorDocument, ['SshCertificateAuthority']);
  const { id, version } = authority;
  const variables = {
    input: { id, expectedVersion: version, description, ...(type !== '' && { privateKeyType: type }) },
  };
  return (
    <Dialog title="Announce a successor" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (!(await run(variables))) return;
          say('Successor announced.');
          close();
        }}
      >
        <p>
          Makes another authority. It signs nothing until you hand over, and deleting it until then takes this back.
        </p>
        <TextField
          label="Description of the successor"
          value={description}
          onChange={setDescription}
          error={errorOf(problem, 'description')}
          autoFocus
        />
        <SelectField label="Type of its key" value={type} onChange={setType} options={keyOptions} />
        <ProblemNotice problem={beyond(problem, ['description'])} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Announce
          </Button>
        </DialogActions>
        <Call document={AnnounceSshSuccessorDocument} variables={variables} />
      </form>
    </Dialog>
  );
}

/** Asks for confirmation before an authority hands over. */
export function HandOver({ authority, to, close }: { authority: Replaced; to: string; close: () => void }) {
  const { run, running, problem } = useAction(HandOverSshAuthorityDocument, ['SshCertificateAuthority']);
  const input = { id: authority.id, expectedVersion: authority.version };
  return (
    <Confirm
      title={`Hand over to ${to}?`}
      action="Hand over"
      running={running}
      problem={problem}
      close={close}
      call={<Call document={HandOverSshAuthorityDocument} variables={{ input }} />}
      confirm={async () => {
        if (!(await run({ input }))) return;
        say('Handed over.');
        close();
      }}
    >
      From now on {to} signs all that is asked of {nameOf(authority)}. A client that has not learned its line refuses
      the hosts that renew. <strong>This cannot be undone.</strong>
    </Confirm>
  );
}

/** Asks for confirmation before the key of an authority is erased. */
export function Retire({ authority, close }: { authority: Replaced; close: () => void }) {
  const { run, running, problem } = useAction(RetireSshAuthorityDocument, ['SshCertificateAuthority']);
  const input = { id: authority.id, expectedVersion: authority.version };
  return (
    <Confirm
      title={`Retire ${nameOf(authority)}?`}
      action="Erase its key"
      typed={nameOf(authority)}
      running={running}
      problem={problem}
      close={close}
      call={<Call document={RetireSshAuthorityDocument} variables={{ input }} />}
      confirm={async () => {
        if (!(await run({ input }))) return;
        say('Authority retired.');
        close();
      }}
    >
      Its private key is erased, and clients that fetch the known_hosts file lose its line. This cannot be undone.
    </Confirm>
  );
}
