// The IP policies.

import { useState } from 'react';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { CreateDialog, useCreation } from '../../kit/create.tsx';
import { TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import type { Column } from '../../kit/table.tsx';
import { count, sayNumber } from '../../kit/words.ts';
import { CreateIpPolicyDocument, IpPoliciesDocument, type IpPoliciesQuery } from './ip-policies.generated.ts';

type Policy = NonNullable<IpPoliciesQuery['ipPolicies']>['nodes'][number];

function NewPolicy({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  return (
    <CreateDialog
      title="New IP policy"
      close={close}
      kind="IpPolicy"
      document={CreateIpPolicyDocument}
      input={{ description }}
      rest={{ path: '/ip_policies' }}
      made={({ createIpPolicy }) => createIpPolicy?.ipPolicy}
    >
      {(problem) => (
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="What people know it by, such as “Offices”."
          error={errorOf(problem, 'description')}
          autoFocus
        />
      )}
    </CreateDialog>
  );
}

/** The number of rules of a policy. A policy that is in use but has no rules lets nobody in. */
function RuleCount({ policy: { rules, restrictions } }: { policy: Policy }) {
  if (rules.totalCount > 0) return sayNumber(rules.totalCount);
  return restrictions && restrictions.totalCount > 0 ? (
    <Badge tone="bad">No rules</Badge>
  ) : (
    <span className="muted">none</span>
  );
}

const usedBy: Column<Policy> = {
  title: 'Used by',
  wide: true,
  cell: ({ restrictions }) =>
    restrictions && restrictions.totalCount > 0 ? (
      <span className="whole">{count(restrictions.totalCount, 'restriction')}</span>
    ) : (
      <span className="muted">nothing</span>
    ),
};

export default function IpPolicies() {
  const withUsers = useCan('ip-restrictions:read');
  const question = useQuestion(listOrders);
  const pages = usePages(IpPoliciesDocument, { ...question.variables, withUsers }, (data) => data.ipPolicies, [
    'IpPolicy',
    'IpPolicyRule',
    'IpRestriction',
  ]);
  const creation = useCreation('ip-policies:write', 'New policy', (close) => <NewPolicy close={close} />);
  return (
    <ListPage
      title="IP policies"
      description="Named sets of addresses. A policy keeps nobody out until a restriction or an edge refers to it."
      creation={creation}
      question={question}
      searched="description, metadata or id"
      pages={pages}
      hrefOf={(policy) => `/ip-policies/${policy.id}`}
      columns={[
        { title: 'Policy', cell: (policy) => nameOf(policy) },
        { title: 'Rules', cell: (policy) => <RuleCount policy={policy} /> },
        ...(withUsers ? [usedBy] : []),
        timeColumn(question),
      ]}
      empty={{
        title: 'No IP policies yet',
        text: 'Begin with one for the addresses that you come from, such as “Offices”, and add its ranges as rules.',
      }}
    />
  );
}
