// A list of audit events: who did what, and what changed.

import type { ReactNode } from 'react';
import { titleOf } from '../client/kinds.ts';
import type { Pages } from '../client/pages.ts';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { Link } from '../kit/link.tsx';
import { Empty, Loading, Unreadable } from '../kit/notice.tsx';
import { Time } from '../kit/time.tsx';
import { sayNumber } from '../kit/words.ts';
import styles from './changes.module.css';
import { Changes, sayAction, sayActor } from './changes.tsx';
import type { EventLineFragment } from './events.generated.ts';
import { type NameOf, useObjectNames } from './events.ts';

/** Fields that objects are named by, in the order of `nameOf`. Rules are always named by their range. */
const namedBy = ['cidr', 'description', 'hostports', 'principals', 'match'];

/** Returns the name of a deleted object according to this event; null if the event does not contain it. */
function nameThen({ changes }: EventLineFragment): string | null {
  for (const named of namedBy) {
    const { before, after } = changes?.find(({ field }) => field === named) ?? {};
    const value = after ?? before;
    const name = Array.isArray(value) ? value[0] : value;
    if (typeof name === 'string' && name !== '') return `“${name}”`;
  }
  return null;
}

/** The object of an event, as a link if it still exists and has a page. Empty for objects without a name, such as a sign-in. */
export function ObjectLink({ event, nameOf }: { event: EventLineFragment; nameOf: NameOf }) {
  const { objectId } = event;
  const found = nameOf(objectId);
  if (found === undefined) return nameThen(event) ?? <code>{objectId}</code>;
  if (found.page === null) return found.name === objectId ? null : <span>{found.name}</span>;
  return <Link href={found.page}>{found.name}</Link>;
}

/** What was refused, and why. */
export function Refusal({ event }: { event: EventLineFragment }) {
  const { refusal } = event;
  if (refusal === null) return null;
  return (
    <>
      was refused {refusal.asked === null ? 'a request' : <code>{refusal.asked}</code>}{' '}
      <Badge tone="caution">{refusal.code}</Badge>
      {refusal.reason !== null && <span className="muted"> {refusal.reason}</span>}
      {refusal.leftOut > 0 && <span className="muted"> and {sayNumber(refusal.leftOut)} times more before</span>}
    </>
  );
}

/** Maximum number of fields named in the summary; the details show all of them. */
const namedMax = 5;

/** Returns the summary of an event's changes. */
function sayChanges({ action, changes }: EventLineFragment): string {
  if (action === 'create') return 'What it began with';
  if (action === 'delete') return 'What it was';
  if (changes === null) return 'What changed';
  if (changes.length === 0) return 'Its parts changed';
  const fields = changes.slice(0, namedMax).map(({ field }) => field);
  const more = changes.length - fields.length;
  return more > 0 ? `${fields.join(', ')} and ${more} more` : fields.join(', ');
}

interface LineProps {
  readonly event: EventLineFragment;
  /** What was acted on: its kind with a link, or just "it" on the page of the object. */
  readonly object: ReactNode;
  readonly actions?: ReactNode;
}

/** Phrases for events where "created" or "deleted" with the object would sound wrong. */
const ownDeeds: Readonly<Record<string, string>> = {
  'create DashboardSession': 'signed in',
  'delete DashboardSession': 'ended a sign-in',
  'create Account': 'made this account',
};

function EventLine({ event, object, actions }: LineProps) {
  return (
    <li>
      <p>
        <b>{sayActor(event.actor)}</b>{' '}
        {event.action === 'refuse' ? (
          <Refusal event={event} />
        ) : (
          (ownDeeds[`${event.action} ${event.kind}`] ?? (
            <>
              {sayAction(event)} {object}
            </>
          ))
        )}
        {event.clientAddress !== null && <small> from {event.clientAddress}</small>}
      </p>
      <span className={styles.end}>
        {actions}
        <Link href={`/audit-trail/${event.id}`}>
          <span className="hidden">Event of </span>
          <Time value={event.createdAt} />
        </Link>
      </span>
      {event.action !== 'refuse' && (
        <details>
          <summary>{sayChanges(event)}</summary>
          <Changes changes={event.changes} />
        </details>
      )}
    </li>
  );
}

interface EventListProps {
  readonly events: Pages<EventLineFragment>;
  /** Shown if there are no events. */
  readonly empty?: ReactNode;
  /** Whether all events are about the object of this page. */
  readonly ofPage?: boolean;
  /** Whether older events can be loaded here. */
  readonly more?: boolean;
  readonly actionsOf?: (event: EventLineFragment, index: number) => ReactNode;
}

/** A list of events, the newest first. */
export function EventList({ events, empty, ofPage = false, more = false, actionsOf }: EventListProps) {
  const { nodes, error, hasMore } = events;
  const nameOf = useObjectNames(ofPage ? [] : (nodes ?? []));
  return (
    <>
      {error && <Unreadable error={error} retry={events.reload} />}
      {nodes === undefined && !error && <Loading />}
      {nodes?.length === 0 &&
        (empty ?? <Empty title="Nothing in the trail">Changes are here as soon as there are some.</Empty>)}
      <ol className={styles.events}>
        {nodes?.map((event, index) => (
          <EventLine
            key={event.id}
            event={event}
            object={
              ofPage ? (
                'it'
              ) : (
                <>
                  {titleOf(event.kind)} <ObjectLink event={event} nameOf={nameOf} />
                </>
              )
            }
            actions={actionsOf?.(event, index)}
          />
        ))}
      </ol>
      {more && hasMore && (
        <div className={styles.more}>
          <Button onPress={events.more} isPending={events.readingMore}>
            Show older ones
          </Button>
        </div>
      )}
    </>
  );
}
