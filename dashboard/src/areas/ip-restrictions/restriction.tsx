// One IP restriction.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { useExpectationsTab } from '../../expectations/decided.tsx';
import { Mode } from '../../impact/mode.tsx';
import { typeAbout, typeTitle } from '../../impact/words.ts';
import { Badge } from '../../kit/badge.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { Loaded, Notice } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { sayActor } from '../../trail/changes.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { useLookAtRestriction } from './change.ts';
import { Enforcement, LetsIn } from './enforcement.tsx';
import { DeleteIpRestrictionDocument, IpRestrictionDocument } from './ip-restrictions.generated.ts';
import { decidingNow, goneOf, type Restriction } from './references.ts';
import { Settings } from './settings.tsx';
import { TryAddress } from './try.tsx';

function About({ restriction }: { restriction: Restriction }) {
  const { id, type, createdAt, updatedAt, updatedBy } = restriction;
  return (
    <Panel title="About">
      <Details>
        <Detail name="Type">
          {typeTitle(type)} <span className="muted">{typeAbout(type)}</span>
        </Detail>
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

/** The panel that deletes a restriction. An enforced one is deleted only after showing whom that lets in. */
function Delete({ restriction }: { restriction: Restriction }) {
  const { id, type, enforced } = restriction;
  const look = useLookAtRestriction();
  /** Deleting a restriction lets in the same addresses as no longer enforcing it. */
  const lookAtEnd = async () => {
    const looked = await look({ id, type, enforced: false, ipPolicyIds: decidingNow(restriction) });
    return looked === null || looked === 'everybody' ? looked : looked.map((impact) => ({ ...impact, enforced }));
  };
  return (
    <DeletionPanel
      noun="restriction"
      of={restriction}
      kind="IpRestriction"
      document={DeleteIpRestrictionDocument}
      input={(expectedVersion) => ({ id, expectedVersion })}
      path={`/ip_restrictions/${id}`}
      next="/ip-restrictions"
      asks={enforced}
      look={enforced ? lookAtEnd : undefined}
      type={type}
    >
      {enforced ? <LetsIn type={type} /> : 'It refuses nobody, so nobody is affected.'} Its policies remain.
    </DeletionPanel>
  );
}

function Shown({ restriction }: { restriction: Restriction }) {
  const canWrite = useCan('ip-restrictions:write');
  const canReadPolicies = useCan('ip-policies:read');
  const canReadTrail = useCan('audit-events:read');
  const { id, type, enforced } = restriction;
  const expectations = useExpectationsTab(id);
  const gone = goneOf(restriction);
  const isAllGone = gone.length > 0 && gone.length === restriction.ipPolicyRefs.length;
  return (
    <Page
      title={nameOf(restriction)}
      description={typeAbout(type)}
      crumbs={[{ title: 'IP restrictions', href: '/ip-restrictions' }]}
      actions={
        <>
          <Badge>{typeTitle(type)}</Badge>
          <Mode enforced={enforced} />
        </>
      }
    >
      {gone.length > 0 && (
        <Notice tone="bad" title={`${count(gone.length, 'policy was', 'policies were')} deleted.`}>
          {isAllGone
            ? `No policy is left, so ${enforced ? 'everybody is refused' : 'everybody would be refused if it were enforced'}.`
            : 'A deleted policy allows nobody. Remove the reference, or put the policy back from the audit trail.'}
        </Notice>
      )}
      <Tabs
        label="Parts of this restriction"
        parts={[
          {
            id: 'restriction',
            title: 'Restriction',
            children: (
              <div className="stack">
                <Enforcement restriction={restriction} />
                <Settings restriction={restriction} />
                {canReadPolicies && <TryAddress type={type} here={id} />}
                {canWrite && <Delete restriction={restriction} />}
              </div>
            ),
          },
          ...expectations,
          ...(canReadTrail
            ? [
                {
                  id: 'history',
                  title: 'History',
                  children: <History objectId={id} kind="IpRestriction" canWrite={canWrite} />,
                },
              ]
            : []),
          { id: 'about', title: 'About', children: <About restriction={restriction} /> },
        ]}
      />
    </Page>
  );
}

export default function IpRestrictionPage({ id }: { id: string }) {
  const withPolicies = useCan('ip-policies:read');
  const reading = useData(IpRestrictionDocument, { id, withPolicies }, ['IpRestriction', 'IpPolicy']);
  return (
    <Loaded reading={reading}>{({ ipRestriction }) => ipRestriction && <Shown restriction={ipRestriction} />}</Loaded>
  );
}
