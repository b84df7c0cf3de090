// The IP restrictions.

import { Link } from 'react-aria-components/Link';
import { usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Mode } from '../../impact/mode.tsx';
import { count, readType, restrictionTypes, typeTitle } from '../../impact/words.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { SelectField } from '../../kit/fields.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { IpRestrictionsDocument, type IpRestrictionsQuery } from './ip-restrictions.generated.ts';
import styles from './list.module.css';
import { NewRestriction } from './new.tsx';
import { TryAddress } from './try.tsx';

type Row = NonNullable<IpRestrictionsQuery['ipRestrictions']>['nodes'][number];

const typeOptions = [{ value: '', title: 'All types' }, ...restrictionTypes];

function Policies({ row }: { row: Row }) {
  const { ipPolicies, ipPolicyRefs } = row;
  if (ipPolicies === undefined) return <span>{count(ipPolicyRefs.length, 'policy', 'policies')}</span>;
  const gone = ipPolicyRefs.length - ipPolicies.length;
  const shown = ipPolicies.slice(0, 3);
  const rest = ipPolicies.length - shown.length;
  return (
    <span className={styles.policies}>
      {shown.map(({ id, description }) => (
        <Link key={id} href={`/ip-policies/${id}`}>
          {description || id}
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
      {warnings.count.toLocaleString()}, last <Time value={warnings.lastAt} />
    </span>
  );
}

export default function IpRestrictions() {
  const [typeText, setType] = useAddressParameter('type');
  const [isNew, setNew] = useAddressParameter('new');
  const type = readType(typeText);
  const canWrite = useCan('ip-restrictions:write');
  const withPolicies = useCan('ip-policies:read');
  const pages = usePages(IpRestrictionsDocument, { type: type ?? null, withPolicies }, (data) => data.ipRestrictions, [
    'IpRestriction',
    'IpPolicy',
  ]);
  const make = canWrite && (
    <Button look="primary" onPress={() => setNew('1')}>
      New restriction
    </Button>
  );
  return (
    <Page
      title="IP restrictions"
      description="Which addresses may come to your endpoints, the API and this dashboard. Every enforced restriction of a type must allow an address."
      actions={make}
    >
      <Panel
        title="Restrictions"
        flush
        actions={
          <div className={styles.filter}>
            <SelectField label="Type" value={type ?? ''} onChange={setType} options={typeOptions} />
          </div>
        }
      >
        <PagedTable
          label="IP restrictions"
          pages={pages}
          keyOf={(row) => row.id}
          hrefOf={(row) => `/ip-restrictions/${row.id}`}
          columns={[
            { title: 'Restriction', cell: (row) => row.description || row.id },
            { title: 'Type', cell: (row) => <span className={styles.type}>{typeTitle(row.type)}</span> },
            { title: 'Mode', cell: (row) => <Mode enforced={row.enforced} /> },
            { title: 'Policies', wide: true, cell: (row) => <Policies row={row} /> },
            { title: 'Warnings, last hour', wide: true, cell: (row) => <Warnings row={row} /> },
          ]}
          empty={
            type ? (
              <Empty title={`No restriction of the type ${typeTitle(type)}`} actions={make}>
                Without one, everybody is let in.
              </Empty>
            ) : (
              <Empty title="No IP restrictions yet" actions={make}>
                Without one, everybody is let in. A restriction names the policies whose addresses are allowed. It
                begins by only warning, so that you see whom it would keep out before it does.
              </Empty>
            )
          }
        />
      </Panel>
      {withPolicies && <TryAddress />}
      {isNew !== '' && canWrite && <NewRestriction type={type} close={() => setNew('')} />}
    </Page>
  );
}
