// The IP policies.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { count } from '../../impact/words.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { Empty, ProblemNotice } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { CreateIpPolicyDocument, IpPoliciesDocument, type IpPoliciesQuery } from './ip-policies.generated.ts';

function NewPolicy({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const { run, running, problem } = useAction(CreateIpPolicyDocument, ['IpPolicy']);
  const [, navigate] = useLocation();
  const variables = { input: { description } };
  return (
    <Dialog title="New IP policy" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = (await run(variables))?.createIpPolicy;
          if (made) navigate(`/ip-policies/${made.ipPolicy.id}`);
        }}
      >
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="What people know it by, such as “Offices”."
          error={errorOf(problem, 'description')}
          autoFocus
        />
        <ProblemNotice problem={problem?.field === 'description' ? null : problem} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        <Call
          rest={{ method: 'POST', path: '/ip_policies', body: { description } }}
          document={CreateIpPolicyDocument}
          variables={variables}
        />
      </form>
    </Dialog>
  );
}

type Row = NonNullable<IpPoliciesQuery['ipPolicies']>['nodes'][number];

/** How many rules a policy has. One that is used, and has none, lets nobody in. */
function RuleCount({ policy: { rules, restrictions } }: { policy: Row }) {
  if (rules.totalCount > 0) return rules.totalCount.toLocaleString();
  return restrictions && restrictions.totalCount > 0 ? (
    <Badge tone="bad">No rules</Badge>
  ) : (
    <span className="muted">none</span>
  );
}

export default function IpPolicies() {
  const withUsers = useCan('ip-restrictions:read');
  const pages = usePages(IpPoliciesDocument, { withUsers }, (data) => data.ipPolicies, [
    'IpPolicy',
    'IpPolicyRule',
    'IpRestriction',
  ]);
  const [isNew, setNew] = useAddressParameter('new');
  const canWrite = useCan('ip-policies:write');
  const make = canWrite && (
    <Button look="primary" onPress={() => setNew('1')}>
      New policy
    </Button>
  );
  return (
    <Page
      title="IP policies"
      description="Named sets of addresses. A policy keeps nobody out until a restriction or an edge refers to it."
      actions={make}
    >
      <Panel title="IP policies" flush bare>
        <PagedTable
          label="IP policies"
          pages={pages}
          keyOf={(policy) => policy.id}
          hrefOf={(policy) => `/ip-policies/${policy.id}`}
          columns={[
            { title: 'Policy', cell: (policy) => policy.description || policy.id },
            { title: 'Rules', cell: (policy) => <RuleCount policy={policy} /> },
            ...(withUsers
              ? [
                  {
                    title: 'Used by',
                    wide: true,
                    cell: ({ restrictions }: Row) =>
                      restrictions && restrictions.totalCount > 0 ? (
                        count(restrictions.totalCount, 'restriction')
                      ) : (
                        <span className="muted">nothing</span>
                      ),
                  },
                ]
              : []),
            { title: 'Changed', wide: true, cell: (policy) => <Time value={policy.updatedAt} /> },
          ]}
          empty={
            <Empty title="No IP policies yet" actions={make}>
              Begin with one for the addresses that you come from, such as “Offices”, and add its ranges as rules.
            </Empty>
          }
        />
      </Panel>
      {isNew !== '' && canWrite && <NewPolicy close={() => setNew('')} />}
    </Page>
  );
}
