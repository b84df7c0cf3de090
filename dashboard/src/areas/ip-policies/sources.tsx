// The sources of a policy: names and lists that others keep.

import { useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { IpPolicyRuleAction, IpPolicySourceKind } from '../../client/types.generated.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { Loaded, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import {
  ConfirmIpPolicySourceDocument,
  CreateIpPolicySourceDocument,
  DeleteIpPolicySourceDocument,
  PolicySourcesDocument,
  type PolicySourcesQuery,
  RefreshIpPolicySourceDocument,
} from './ip-policies.generated.ts';
import { ruleActions } from './rule-change.tsx';
import styles from './rules.module.css';

type Source = NonNullable<PolicySourcesQuery['ipPolicySources']>['nodes'][number];

const changedKinds = ['IpPolicySource', 'IpPolicy'];
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
  const add = async () => {
    const path = kind === 'json' ? { jsonPath } : {};
    if (await creation.run({ input: { ipPolicyId, kind, address: address.trim(), action, ...path } })) setAddress('');
  };
  return (
    <form
      className={styles.add}
      aria-label="Add a source"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
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
        <Button type="submit" isDisabled={address.trim() === ''} isPending={creation.running}>
          Add source
        </Button>
      </div>
      {address.trim() !== '' && (
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
          variables={{
            input: { ipPolicyId, kind, address: address.trim(), action, ...(kind === 'json' && { jsonPath }) },
          }}
        />
      )}
      {creation.problem && <ProblemNotice problem={creation.problem} />}
    </form>
  );
}

/** One source: its state, and what can be done with it. */
function Shown({ source, canWrite }: { source: Source; canWrite: boolean }) {
  const refresh = useAction(RefreshIpPolicySourceDocument, changedKinds);
  const confirm = useAction(ConfirmIpPolicySourceDocument, changedKinds);
  const deletion = useAction(DeleteIpPolicySourceDocument, changedKinds);
  const { id, version, address, description, action, rangeCount, pendingCount, readAt, failure } = source;
  const input = { id, expectedVersion: version };
  const problem = refresh.problem ?? confirm.problem ?? deletion.problem;
  return (
    <li className="stack">
      <div className="row">
        <code>{address}</code>
        {description !== '' && <span>{description}</span>}
        <Badge>{action}</Badge>
        <span>{count(rangeCount, 'range')}</span>
        <span className="muted">
          {readAt === null ? (
            'never read'
          ) : (
            <>
              read <Time value={readAt} />
            </>
          )}
        </span>
      </div>
      {failure !== null && (
        <Notice tone="caution" title="It cannot be read.">
          {failure}
        </Notice>
      )}
      {pendingCount !== null && (
        <Notice tone="caution" title={`It has shrunk to ${count(pendingCount, 'range')}, which wait to be confirmed.`}>
          {canWrite && (
            <Button isPending={confirm.running} onPress={() => void confirm.run({ input })}>
              Take the shorter list
            </Button>
          )}
        </Notice>
      )}
      {canWrite && (
        <div className="row">
          <Button
            label={`Refresh now: ${address}`}
            isPending={refresh.running}
            onPress={() => void refresh.run({ input: { id } })}
          >
            Refresh now
          </Button>
          <Button
            look="danger"
            label={`Delete the source ${address}`}
            isPending={deletion.running}
            onPress={() => void deletion.run({ input })}
          >
            Delete
          </Button>
        </div>
      )}
      {problem && <ProblemNotice problem={problem} />}
      {canWrite && (
        <div className="row">
          <Call document={RefreshIpPolicySourceDocument} variables={{ input: { id } }} />
          {pendingCount !== null && <Call document={ConfirmIpPolicySourceDocument} variables={{ input }} />}
          <Call
            rest={{ method: 'DELETE', path: `/ip_policy_sources/${id}` }}
            document={DeleteIpPolicySourceDocument}
            variables={{ input }}
          />
        </div>
      )}
    </li>
  );
}

/** The panel with the sources of a policy. */
export default function Sources({ ipPolicyId }: { ipPolicyId: string }) {
  const canWrite = useCan('ip-policies:write');
  const reading = useData(PolicySourcesDocument, { ipPolicyId }, ['IpPolicySource']);
  return (
    <Panel
      title="Sources"
      description="Names and lists that others keep. Their ranges count as rules do, and are read again by themselves."
    >
      {canWrite && <AddSource ipPolicyId={ipPolicyId} />}
      <Loaded reading={reading}>
        {({ ipPolicySources }) =>
          ipPolicySources === null || ipPolicySources.nodes.length === 0 ? (
            <p className="muted">This policy has no sources.</p>
          ) : (
            <ul className="stack" aria-label="Sources">
              {ipPolicySources.nodes.map((source) => (
                <Shown key={source.id} source={source} canWrite={canWrite} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
