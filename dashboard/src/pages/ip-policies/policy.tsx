// One IP policy.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { useDraft } from '../../kit/draft.ts';
import { TextField } from '../../kit/fields.tsx';
import { EditForm, errorOf } from '../../kit/form.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { useDone } from '../../trail/undo.ts';
import {
  DeleteIpPolicyDocument,
  IpPolicyDocument,
  type IpPolicyQuery,
  UpdateIpPolicyDocument,
} from './ip-policies.generated.ts';

type Policy = NonNullable<IpPolicyQuery['ipPolicy']>;

function Settings({ policy }: { policy: Policy }) {
  const canWrite = useCan('ip-policies:write');
  const draft = useDraft({ description: policy.description, metadata: policy.metadata }, policy.version);
  const { run, running, problem } = useAction(UpdateIpPolicyDocument, ['IpPolicy']);
  const done = useDone();
  const input = { id: policy.id, expectedVersion: draft.version, ...draft.changes };
  return (
    <Panel title="Settings">
      <EditForm
        draft={draft}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={
          <Call
            rest={{ method: 'PATCH', path: `/ip_policies/${policy.id}`, body: draft.changes }}
            document={UpdateIpPolicyDocument}
            variables={{ input }}
          />
        }
        save={async () => {
          if (await run({ input })) done('Policy saved.', policy.id);
        }}
      >
        <TextField
          label="Description"
          value={draft.values.description}
          onChange={(description) => draft.set({ description })}
          error={errorOf(problem, 'description')}
          isDisabled={!canWrite}
        />
      </EditForm>
    </Panel>
  );
}

function Shown({ policy }: { policy: Policy }) {
  const canWrite = useCan('ip-policies:write');
  const [isDeleting, setDeleting] = useState(false);
  const deletion = useAction(DeleteIpPolicyDocument, ['IpPolicy']);
  const [, navigate] = useLocation();
  const done = useDone();
  return (
    <Page
      title={policy.description || policy.id}
      crumbs={[{ title: 'IP policies', href: '/ip-policies' }]}
      actions={canWrite && <Button onPress={() => setDeleting(true)}>Delete</Button>}
    >
      <Settings policy={policy} />
      {isDeleting && (
        <Confirm
          title="Delete this policy?"
          action="Delete policy"
          running={deletion.running}
          problem={deletion.problem}
          close={() => setDeleting(false)}
          confirm={async () => {
            if (!(await deletion.run({ input: { id: policy.id } }))) return;
            done('Policy deleted.', policy.id);
            navigate('/ip-policies');
          }}
        >
          Whatever refers to it treats it as a policy without rules, which allows nobody.
        </Confirm>
      )}
    </Page>
  );
}

export default function IpPolicyPage({ id }: { id: string }) {
  const reading = useData(IpPolicyDocument, { id }, ['IpPolicy', 'IpPolicyRule']);
  return <Loaded reading={reading}>{({ ipPolicy }) => ipPolicy && <Shown policy={ipPolicy} />}</Loaded>;
}
