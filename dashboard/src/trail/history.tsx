// The history of an object: who changed what, and the way back.

import { useState } from 'react';
import { useAction, usePages } from '../client/data.ts';
import { titleOf } from '../client/kinds.ts';
import { useCan } from '../client/rights.ts';
import { Button } from '../kit/button.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { Empty, Loading, Unreadable } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { say } from '../kit/toast.tsx';
import styles from './changes.module.css';
import { Changes, sayAction, sayActor } from './changes.tsx';
import { type EventLineFragment, HistoryDocument } from './history.generated.ts';
import { RestoreObjectDocument } from './restore.generated.ts';

/** Asks before an object is put back to what it was after an event, or before its deletion. */
export function PutBack({ event, close }: { event: EventLineFragment; close: () => void }) {
  const { run, running, problem } = useAction(RestoreObjectDocument, ['*']);
  return (
    <Confirm
      title="Put it back?"
      action="Put back"
      running={running}
      problem={problem}
      close={close}
      confirm={async () => {
        if (!(await run({ eventId: event.id }))) return;
        close();
        say('Put back. The trail has it as a change of its own.');
      }}
    >
      <p>
        The {titleOf(event.kind)} becomes what it was{' '}
        {event.action === 'delete' ? 'before it was deleted' : 'after this change'}. What was changed since is
        overwritten, and stays in the trail.
      </p>
    </Confirm>
  );
}

/**
 * The history of an object; nothing for a key that may not read the trail.
 *
 * @param kind the name of its type, such as `IpPolicy`
 * @param canWrite whether the key may change the object
 */
export function History({ objectId, kind, canWrite }: { objectId: string; kind: string; canWrite: boolean }) {
  return useCan('audit-events:read') ? <Events objectId={objectId} kind={kind} canWrite={canWrite} /> : null;
}

function Events({ objectId, kind, canWrite }: { objectId: string; kind: string; canWrite: boolean }) {
  const { nodes, error, hasMore, reading, more, reload } = usePages(
    HistoryDocument,
    { objectId },
    (data) => data.auditEvents,
    [kind],
  );
  const [chosen, choose] = useState<EventLineFragment | null>(null);
  return (
    <Panel
      title="History"
      flush
      actions={
        hasMore && (
          <Button look="plain" onPress={more} isPending={reading}>
            Show more
          </Button>
        )
      }
    >
      {error && <Unreadable error={error} retry={reload} />}
      {nodes === undefined && !error && <Loading />}
      {nodes?.length === 0 && (
        <Empty title="Nothing in the trail">Its changes are older than what the trail keeps.</Empty>
      )}
      <ol className={styles.events}>
        {nodes?.map((event, index) => (
          <li key={event.id}>
            <span>
              <b>{sayActor(event.actor)}</b> {sayAction(event.action)} it
              {event.clientAddress !== null && <span className="muted"> from {event.clientAddress}</span>}
            </span>
            <span className={styles.end}>
              <Time value={event.createdAt} />
              {canWrite && index > 0 && event.action !== 'delete' && (
                <Button look="plain" onPress={() => choose(event)}>
                  Put back
                </Button>
              )}
            </span>
            <details>
              <summary>What changed</summary>
              <Changes changes={event.changes} />
            </details>
          </li>
        ))}
      </ol>
      {chosen && <PutBack event={chosen} close={() => choose(null)} />}
    </Panel>
  );
}
