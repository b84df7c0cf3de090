// One IP policy.

import { useClient } from 'urql';
import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { useExpectationsTab } from '../../expectations/decided.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { later } from '../../kit/later.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { NoteForm } from '../../trail/note-form.tsx';
import { useLookAtRules } from './change.ts';
import {
  DeleteIpPolicyDocument,
  IpPolicyDocument,
  type IpPolicyQuery,
  PolicyRulesDocument,
  UpdateIpPolicyDocument,
} from './ip-policies.generated.ts';
import { Rules } from './rules.tsx';
import { TryPolicy } from './try.tsx';
import { UsedBy } from './used-by.tsx';

const Sources = later(() => import('./sources.tsx'));

type Policy = NonNullable<IpPolicyQuery['ipPolicy']>;

function About({ policy: { id, createdAt, updatedAt, updatedBy } }: { policy: Policy }) {
  return (
    <Panel title="About">
      <Details>
        <Detail name="Changed">
          <Time value={updatedAt} />
          {updatedBy && <span className="muted"> by {sayActor(updatedBy)}</span>}
        </Detail>
        <Detail name="Created">
          <Time value={createdAt} />
        </Detail>
        <Detail name="Identifier">
          <code>{id}</code> <CopyButton text={id} label="the identifier" />
        </Detail>
      </Details>
    </Panel>
  );
}

/** The panel that deletes a policy. Its effect is evaluated as that of removing all of its rules. */
function Delete({ policy }: { policy: Policy }) {
  const { id } = policy;
  const client = useClient();
  const look = useLookAtRules(id);
  /** Returns the identifiers of all rules of the policy; null if they could not all be read. */
  const ruleIds = async () => {
    const ids: string[] = [];
    for (let after: string | null = null; ; ) {
      const { data } = await client
        .query(PolicyRulesDocument, { ipPolicyId: id, after }, { requestPolicy: 'network-only' })
        .toPromise();
      const page: NonNullable<typeof data>['ipPolicyRules'] = data?.ipPolicyRules ?? null;
      if (page === null) return null;
      ids.push(...page.nodes.map((rule) => rule.id));
      if (!page.pageInfo.hasNextPage) return ids;
      after = page.pageInfo.endCursor ?? null;
    }
  };
  const lookAtAll = async () => {
    const remove = await ruleIds();
    return remove && look({ add: [], remove });
  };
  return (
    <DeletionPanel
      noun="policy"
      of={policy}
      kind="IpPolicy"
      document={DeleteIpPolicyDocument}
      input={(expectedVersion) => ({ id, expectedVersion })}
      path={`/ip_policies/${id}`}
      alsoChanged={['IpPolicyRule', 'IpRestriction']}
      next="/ip-policies"
      look={lookAtAll}
    >
      Its rules go with it, and come back with it. A restriction that refers to it takes it for one without rules.
    </DeletionPanel>
  );
}

function Shown({ policy }: { policy: Policy }) {
  const canWrite = useCan('ip-policies:write');
  const canReadTrail = useCan('audit-events:read');
  const expectations = useExpectationsTab(policy.id);
  return (
    <Page title={nameOf(policy)} crumbs={[{ title: 'IP policies', href: '/ip-policies' }]}>
      <Tabs
        label="Parts of this policy"
        parts={[
          {
            id: 'rules',
            title: 'Rules',
            children: (
              <div className="stack">
                <Rules ipPolicyId={policy.id} />
                <TryPolicy ipPolicyId={policy.id} />
              </div>
            ),
          },
          {
            id: 'sources',
            title: 'Sources',
            children: <Sources ipPolicyId={policy.id} />,
          },
          { id: 'used-by', title: 'Used by', children: <UsedBy id={policy.id} /> },
          ...expectations,
          ...(canReadTrail
            ? [
                {
                  id: 'history',
                  title: 'History',
                  children: <History objectId={policy.id} kind="IpPolicy" canWrite={canWrite} />,
                },
              ]
            : []),
          {
            id: 'settings',
            title: 'Settings',
            children: (
              <div className="stack">
                <NoteForm
                  of={policy}
                  kind="IpPolicy"
                  document={UpdateIpPolicyDocument}
                  writtenOf={(answer) => answer.updateIpPolicy?.ipPolicy}
                  path={`/ip_policies/${policy.id}`}
                  said="Policy saved."
                  canWrite={canWrite}
                />
                <About policy={policy} />
                {canWrite && <Delete policy={policy} />}
              </div>
            ),
          },
        ]}
      />
    </Page>
  );
}

export default function IpPolicyPage({ id }: { id: string }) {
  const reading = useData(IpPolicyDocument, { id }, ['IpPolicy']);
  return <Loaded reading={reading}>{({ ipPolicy }) => ipPolicy && <Shown policy={ipPolicy} />}</Loaded>;
}
