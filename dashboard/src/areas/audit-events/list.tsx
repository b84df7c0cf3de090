// The audit trail: who has changed what, and what was refused, as it happens.

import { useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import { kinds } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import type { AuditAction } from '../../client/types.generated.ts';
import { useAddressParameter, useAddressParameters } from '../../kit/address.ts';
import { Button } from '../../kit/button.tsx';
import { ChoiceField } from '../../kit/choice-field.tsx';
import { Export } from '../../kit/export.tsx';
import { Filter } from '../../kit/filter.tsx';
import { laterAbove } from '../../kit/later.tsx';
import { Empty, Notice } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { EventList } from '../../trail/event-list.tsx';
import { useEvents, useObjectName } from '../../trail/events.ts';
import styles from './audit-trail.module.css';
import { keyless } from './chooser.ts';
import { DateField } from './date-field.tsx';
import { instantOf } from './instants.ts';

// Loaded on demand: each weighs as much as the page, and few users need it.
const ChooseActor = laterAbove(() => import('./choose-actor.tsx'));
const ChooseObject = laterAbove(() => import('./choose-object.tsx'));

const kindOptions = [
  { value: '', title: 'All kinds' },
  ...Object.entries(kinds).map(([value, { plural }]) => ({
    value,
    title: plural.charAt(0).toUpperCase() + plural.slice(1),
  })),
  { value: 'Request', title: 'Refused requests' },
];

const actionOptions: readonly { readonly value: AuditAction | ''; readonly title: string }[] = [
  { value: '', title: 'Everything' },
  { value: 'create', title: 'Created' },
  { value: 'update', title: 'Changed' },
  { value: 'delete', title: 'Deleted' },
  { value: 'refuse', title: 'Refused' },
];

/** Returns the name of the actor in the page address. */
function useActorName(actor: string): string {
  const name = useObjectName(actor);
  return keyless.find(({ id }) => id === actor)?.title ?? name;
}

function Trail() {
  const [, setParameters] = useSearchParams();
  const [, setSome] = useAddressParameters();
  const [cleared, setCleared] = useState(0);
  const [kind, setKind] = useAddressParameter('kind');
  const [actionText, setAction] = useAddressParameter('action');
  const [actor, setActor] = useAddressParameter('actor');
  const [objectId, setObject] = useAddressParameter('object');
  const [from, setFrom] = useAddressParameter('from');
  const [to, setTo] = useAddressParameter('to');
  const action = actionOptions.find(({ value }) => value === actionText)?.value ?? '';
  // A span is counted back from when it was chosen. If it moved with the clock, the list would be read again all the time.
  const span = useMemo(() => ({ from: instantOf(from, Date.now()), to: instantOf(to, Date.now()) }), [from, to]);
  const actorName = useActorName(actor);
  const objectName = useObjectName(objectId);
  const events = useEvents({
    kind: kind || null,
    action: action || null,
    actor: actor || null,
    objectId: objectId || null,
    ...span,
    first: 50,
  });
  const isFiltered = [kind, action, actor, objectId, from, to].some((each) => each !== '');
  const clear = isFiltered && (
    <Button
      onPress={() => {
        setParameters(new URLSearchParams());
        setCleared(cleared + 1);
      }}
    >
      Show everything
    </Button>
  );
  return (
    <>
      {/* Remounted when "Show everything" disappears after it was pressed, so that one of the filters takes the focus. */}
      <search key={cleared} className={styles.filters} aria-label="Filters of the trail">
        <Filter label="Kind" value={kind} onChange={setKind} options={kindOptions} />
        <Filter label="What was done" value={action} onChange={setAction} options={actionOptions} />
        <ChoiceField
          label="By"
          any="Anybody"
          value={actor}
          name={actorName}
          onChange={setActor}
          Choose={ChooseActor}
          autoFocus={cleared > 0}
          isChip
        />
        <ChoiceField
          label="Object"
          any="Every object"
          value={objectId}
          name={objectName}
          onChange={setObject}
          Choose={ChooseObject}
          isChip
        />
        <DateField
          label="From"
          value={span.from}
          onChange={setFrom}
          onSpan={(since) => setSome({ from: since, to: '' })}
        />
        <DateField label="To" value={span.to} onChange={setTo} />
      </search>
      <Panel
        title="Events"
        flush
        actions={
          <>
            {clear}
            <Export label="Events" of={events} />
          </>
        }
      >
        <EventList
          events={events}
          more
          empty={
            isFiltered ? (
              <Empty title="Nothing fits" actions={clear}>
                There are no events of this kind within what the trail keeps.
              </Empty>
            ) : (
              <Empty title="Nothing has happened yet">
                Every change of an object is here, with who made it and what was before; so is every request that was
                refused because of its key or its address.
              </Empty>
            )
          }
        />
      </Panel>
    </>
  );
}

export default function AuditTrail() {
  const canRead = useCan('audit-events:read');
  return (
    <Page
      title="Audit trail"
      description="Who has changed what, and from where; and what was refused. New events appear by themselves."
    >
      {canRead ? (
        <Trail />
      ) : (
        <Notice tone="caution">This key may not read the trail: it lacks audit-events:read.</Notice>
      )}
    </Page>
  );
}
