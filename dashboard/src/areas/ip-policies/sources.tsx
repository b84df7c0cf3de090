// The sources of a policy: names and lists that others keep.

import { useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { IpPolicyRuleAction, IpPolicySourceKind } from '../../client/types.generated.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Export } from '../../kit/export.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { Loaded, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { CreateIpPolicySourceDocument, PolicySourcesDocument } from './ip-policies.generated.ts';
import { ruleActions } from './rule-change.tsx';
import { ShownSource } from './source.tsx';
import { changedKinds } from './source-form.tsx';
import styles from './sources.module.css';

const kinds: { value: IpPolicySourceKind; title: string }[] = [
  { value: 'dns', title: 'DNS name' },
  { value: 'text', title: 'List (text)' },
  { value: 'json', title: 'List (JSON)' },
];

/** The form that adds a source. */
function AddSource({ ipPolicyId }: { ipPolicyId: string }) {
  const creation = useAction(CreateIpPolicySourceDocument, changedKinds);
  const [kind, setKind] = useState<IpPolicySourceKind>('dns');
  const [address, setAddress] = useState('');
  const [jsonPath, setJsonPath] = useState('');
  const [action, setAction] = useState<IpPolicyRuleAction>('allow');
  const input = { ipPolicyId, kind, address: address.trim(), action, ...(kind === 'json' && { jsonPath }) };
  const call = (
    <Call
      rest={{
        method: 'POST',
        path: '/ip_policy_sources',
        body: {
          ip_policy_id: ipPolicyId,
          kind,
          address: address.trim(),
          action,
          ...(kind === 'json' && { json_path: jsonPath }),
        },
      }}
      document={CreateIpPolicySourceDocument}
      variables={{ input }}
    />
  );
  const guarded = useGuarded<typeof input>({
    // What it has is known only once it has been read: the server refuses what locks out or breaks an expectation.
    look: async () => [],
    send: async (sent, force) => {
      const isMade = (await creation.run({ input: force ? { ...sent, force } : sent })) !== null;
      if (isMade) setAddress('');
      return isMade;
    },
    running: creation.running,
    problem: creation.problem,
    clear: creation.clear,
    words: (sent) => ({ title: `Add the source ${sent.address}?`, action: 'Add source', call }),
  });
  return (
    <>
      <form
        className={styles.form}
        aria-label="Add a source"
        onSubmit={(event) => {
          event.preventDefault();
          void guarded.attempt(input);
        }}
      >
        <div className={styles.line}>
          <SelectField label="Kind" value={kind} onChange={setKind} options={kinds} />
          <TextField
            label={kind === 'dns' ? 'Name' : 'URL'}
            value={address}
            onChange={setAddress}
            placeholder={kind === 'dns' ? 'office.example.com' : ''}
            mono
          />
          {kind === 'json' && (
            <TextField
              label="Where its ranges are"
              value={jsonPath}
              onChange={setJsonPath}
              placeholder="prefixes[].ip_prefix"
              mono
            />
          )}
          <SelectField label="Action" value={action} onChange={setAction} options={ruleActions} />
          <Button type="submit" isDisabled={address.trim() === ''} isPending={guarded.pending !== null}>
            Add source
          </Button>
        </div>
        {address.trim() !== '' && call}
        <ProblemNotice problem={guarded.problem} />
      </form>
      {guarded.question}
    </>
  );
}

/** The panel with the sources of a policy. */
export default function Sources({ ipPolicyId }: { ipPolicyId: string }) {
  const canWrite = useCan('ip-policies:write');
  const reading = useData(PolicySourcesDocument, { ipPolicyId }, ['IpPolicySource']);
  const sources = reading.data?.ipPolicySources?.nodes ?? [];
  return (
    <Panel
      title="Sources"
      description="Names and lists that others keep. Their ranges count as rules do, and are read again by themselves."
      actions={sources.length > 0 && <Export label="Sources" of={sources} />}
    >
      {canWrite && <AddSource ipPolicyId={ipPolicyId} />}
      <Loaded reading={reading}>
        {() =>
          sources.length === 0 ? (
            <p className="muted">This policy has no sources.</p>
          ) : (
            <ul className="stack" aria-label="Sources">
              {sources.map((source) => (
                <ShownSource key={source.id} source={source} canWrite={canWrite} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
