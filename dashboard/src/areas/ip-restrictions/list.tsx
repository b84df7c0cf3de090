// The IP restrictions.

import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { Mode } from '../../impact/mode.tsx';
import { readType, restrictionTypes, typeTitle } from '../../impact/words.ts';
import { Badge } from '../../kit/badge.tsx';
import { useCreation } from '../../kit/create.tsx';
import { laterDialog } from '../../kit/dialog.tsx';
import { Filter } from '../../kit/filter.tsx';
import { Link } from '../../kit/link.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { Time } from '../../kit/time.tsx';
import { count, sayNumber } from '../../kit/words.ts';
import { IpRestrictionsDocument, type IpRestrictionsQuery } from './ip-restrictions.generated.ts';
import styles from './list.module.css';
import { TryAddress } from './try.tsx';

/** The dialog starts with the field that adds a policy, so both are loaded in parallel. */
const NewRestriction = laterDialog(async () => {
  const [part] = await Promise.all([import('./new.tsx'), import('../../policies/add-policy.tsx')]);
  return part;
});

type Row = NonNullable<IpRestrictionsQuery['ipRestrictions']>['nodes'][number];

const typeOptions = [{ value: '', title: 'All types' }, ...restrictionTypes];
const modeOptions = [
  { value: '', title: 'All modes', enforced: null },
  { value: 'enforced', title: 'Enforced', enforced: true },
  { value: 'warning', title: 'Only warning', enforced: false },
] as const;

function Policies({ row }: { row: Row }) {
  const { ipPolicies, ipPolicyRefs } = row;
  if (ipPolicies === undefined) return <span>{count(ipPolicyRefs.length, 'policy', 'policies')}</span>;
  const gone = ipPolicyRefs.length - ipPolicies.length;
  const shown = ipPolicies.slice(0, 3);
  const rest = ipPolicies.length - shown.length;
  return (
    <span className={styles.policies}>
      {shown.map((policy) => (
        <Link key={policy.id} href={`/ip-policies/${policy.id}`}>
          {nameOf(policy)}
        </Link>
      ))}
      {rest > 0 && <span className="muted">and {rest} more</span>}
      {gone > 0 && <Badge tone="bad">{gone} deleted</Badge>}
    </span>
  );
}

function Warnings({ row: { enforced, warnings } }: { row: Row }) {
  if (enforced && warnings.count === 0) return <span className="muted">—</span>;
  if (warnings.count === 0) return <span className="muted">none</span>;
  return (
    <span>
      {sayNumber(warnings.count)}, last <Time value={warnings.lastAt} />
    </span>
  );
}

export default function IpRestrictions() {
  const question = useQuestion(listOrders, 'type', 'mode');
  const type = readType(question.filters.type);
  const mode = modeOptions.find(({ value }) => value === question.filters.mode) ?? modeOptions[0];
  const withPolicies = useCan('ip-policies:read');
  const pages = usePages(
    IpRestrictionsDocument,
    { ...question.variables, type: type ?? null, enforced: mode.enforced, withPolicies },
    (data) => data.ipRestrictions,
    ['IpRestriction', 'IpPolicy'],
  );
  const creation = useCreation('ip-restrictions:write', 'New restriction', (close) => (
    <NewRestriction type={type} close={close} />
  ));
  return (
    <ListPage
      title="IP restrictions"
      description="Which addresses may come to your endpoints, the API and this dashboard. Every enforced restriction of a type must allow an address."
      creation={creation}
      question={question}
      searched="description, metadata or id"
      filters={
        <>
          <Filter
            label="Type"
            value={type ?? ''}
            onChange={(value) => question.set('type', value)}
            options={typeOptions}
          />
          <Filter
            label="Mode"
            value={mode.value}
            onChange={(value) => question.set('mode', value)}
            options={modeOptions}
          />
        </>
      }
      pages={pages}
      hrefOf={(row) => `/ip-restrictions/${row.id}`}
      columns={[
        { title: 'Restriction', cell: (row) => nameOf(row) },
        { title: 'Type', cell: (row) => <span className={styles.type}>{typeTitle(row.type)}</span> },
        { title: 'Mode', cell: (row) => <Mode enforced={row.enforced} /> },
        { title: 'Policies', wide: true, cell: (row) => <Policies row={row} /> },
        { title: 'Warnings, last hour', wide: true, cell: (row) => <Warnings row={row} /> },
        timeColumn(question, 'very'),
      ]}
      empty={{
        title: 'No IP restrictions yet',
        text: 'Without one, everybody is let in. A restriction names the policies whose addresses are allowed. It begins by only warning, so that you see whom it would keep out before it does.',
      }}
    >
      {withPolicies && <TryAddress />}
    </ListPage>
  );
}
