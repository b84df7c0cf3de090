// One event of the audit trail: who did what, before and after, and how to revert it.

import { useState } from 'react';
import { useData } from '../../client/data.ts';
import { kinds, titleOf } from '../../client/kinds.ts';
import { allows, useCan, useViewer } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { laterDialog } from '../../kit/dialog.tsx';
import { Link } from '../../kit/link.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { sayExactly, Time } from '../../kit/time.tsx';
import { Changes, sayAction, sayActor } from '../../trail/changes.tsx';
import { ObjectLink, Refusal } from '../../trail/event-list.tsx';
import { AuditEventDocument, type AuditEventQuery, type EventLineFragment } from '../../trail/events.generated.ts';
import { useEvents, useObjectNames } from '../../trail/events.ts';
import styles from './event.module.css';

const PutBack = laterDialog(() => import('../../trail/put-back.tsx'));
const UndoRequest = laterDialog(() => import('../../trail/undo-request.tsx'));

type Event = NonNullable<AuditEventQuery['auditEvent']>;

/** A way to revert: the label of its button, and the event whose state is restored. */
interface WayBack {
  readonly title: string;
  readonly to: EventLineFragment;
}

/** Returns how a change can be reverted; null if there is nothing to revert. */
function useWayBack(event: Event): WayBack | null {
  const { nodes: [latest, before] = [] } = useEvents({ objectId: event.objectId, kind: event.kind, first: 2 });
  if (latest === undefined || (latest.action === 'delete' && kinds[event.kind]?.isFinal)) return null;
  // A deletion is reverted to the state before it, and only if it is the latest event.
  if (event.action === 'delete') return latest.id === event.id ? { title: 'Put back', to: event } : null;
  if (latest.id !== event.id) return { title: 'Put back', to: event };
  return event.action === 'update' && before !== undefined ? { title: 'Undo this change', to: before } : null;
}

function About({ event }: { event: Event }) {
  const nameOf = useObjectNames([event]);
  const { actor } = event;
  const canReadKeys = useCan('api-keys:read');
  return (
    <Panel title="Event">
      <div className={styles.about}>
        <Details>
          <Detail name="When">
            {sayExactly(new Date(event.createdAt))}, <Time value={event.createdAt} />
          </Detail>
          <Detail name="Who">
            {actor.type === 'api_key' && actor.id !== null && canReadKeys ? (
              <Link href={`/api-keys/${actor.id}`}>{sayActor(actor)}</Link>
            ) : (
              sayActor(actor)
            )}{' '}
            {actor.id !== null && (
              <span className="muted">
                (<Link href={`/audit-trail?actor=${actor.id}`}>all of its changes</Link>)
              </span>
            )}
          </Detail>
          {event.action === 'refuse' ? (
            <Detail name="What">
              <Refusal event={event} />
            </Detail>
          ) : (
            <>
              <Detail name="Object">
                {titleOf(event.kind)} <ObjectLink event={event} nameOf={nameOf} />{' '}
                <span className="muted">
                  (<Link href={`/audit-trail?object=${event.objectId}`}>its history</Link>)
                </span>
              </Detail>
              <Detail name="Version">{event.version}</Detail>
            </>
          )}
          <Detail name="By way of">{event.surface}</Detail>
          {event.clientAddress !== null && <Detail name="From">{event.clientAddress}</Detail>}
          {event.requestId !== null && (
            <Detail name="Request">
              <code>{event.requestId}</code>
            </Detail>
          )}
        </Details>
      </div>
    </Panel>
  );
}

/** The button that reverts a change, if it can be reverted. */
function Revert({ event }: { event: Event }) {
  const back = useWayBack(event);
  const [isAsking, setAsking] = useState(false);
  if (back === null) return null;
  return (
    <>
      <Button onPress={() => setAsking(true)}>{back.title}</Button>
      {isAsking && <PutBack event={back.to} close={() => setAsking(false)} />}
    </>
  );
}

/** The button that undoes all that the request of a change has changed. */
function RevertRequest({ requestId }: { requestId: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button onPress={() => setAsking(true)}>Undo its request</Button>
      {isAsking && <UndoRequest requestId={requestId} close={() => setAsking(false)} />}
    </>
  );
}

function Shown({ event }: { event: Event }) {
  const { scopes } = useViewer();
  const area = kinds[event.kind]?.area;
  const isChange = event.action !== 'refuse';
  /** Whether what it deleted does not come back: the whole request cannot be undone, either. */
  const isForGood = event.action === 'delete' && kinds[event.kind]?.isFinal === true;
  const canWrite = area !== undefined && allows(scopes, `${area}:write`);
  const title = titleOf(event.kind);
  const heading = isChange ? `${title} ${sayAction(event)}` : 'Request refused';
  return (
    <Page
      title={heading.charAt(0).toUpperCase() + heading.slice(1)}
      crumbs={[{ title: 'Audit trail', href: '/audit-trail' }]}
      actions={
        isChange &&
        canWrite && (
          <>
            <Revert event={event} />
            {event.requestId !== null && !isForGood && <RevertRequest requestId={event.requestId} />}
          </>
        )
      }
    >
      <About event={event} />
      {isChange && (
        <Panel title="What changed">
          <Changes changes={event.changes} />
        </Panel>
      )}
      <Panel title={event.action === 'delete' ? 'As it was before' : 'As it was then'}>
        <CopyField label="State, without secrets" text={JSON.stringify(event.state, null, 2)} />
      </Panel>
    </Page>
  );
}

export default function AuditEventPage({ id }: { id: string }) {
  const reading = useData(AuditEventDocument, { id }, []);
  return <Loaded reading={reading}>{({ auditEvent }) => auditEvent && <Shown event={auditEvent} />}</Loaded>;
}
