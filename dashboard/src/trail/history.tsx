// The history of an object: who changed what, with buttons to restore earlier states.

import { useState } from 'react';
import { useCan } from '../client/rights.ts';
import { Button, ButtonLink } from '../kit/button.tsx';
import { laterDialog } from '../kit/dialog.tsx';
import { Empty } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import { EventList } from './event-list.tsx';
import type { EventLineFragment } from './events.generated.ts';
import { useEvents } from './events.ts';

const PutBack = laterDialog(() => import('./put-back.tsx'));

/**
 * The history of an object. Empty if the key may not read the trail.
 *
 * @param kind the GraphQL type name, such as `IpPolicy`
 * @param canWrite whether the key may change the object
 */
export function History({ objectId, kind, canWrite }: { objectId: string; kind: string; canWrite: boolean }) {
  return useCan('audit-events:read') ? <Events objectId={objectId} kind={kind} canWrite={canWrite} /> : null;
}

function Events({ objectId, kind, canWrite }: { objectId: string; kind: string; canWrite: boolean }) {
  const events = useEvents({ objectId, kind, first: 10 });
  const [chosen, choose] = useState<EventLineFragment | null>(null);
  return (
    <Panel
      title="History"
      flush
      actions={<ButtonLink href={`/audit-trail?object=${objectId}`}>In the audit trail</ButtonLink>}
    >
      <EventList
        events={events}
        ofPage
        more
        empty={<Empty title="Nothing in the trail">Its changes are older than what the trail keeps.</Empty>}
        actionsOf={(event, index) =>
          canWrite &&
          index > 0 &&
          event.action !== 'delete' && (
            <Button look="plain" onPress={() => choose(event)}>
              Put back
            </Button>
          )
        }
      />
      {chosen && <PutBack event={chosen} close={() => choose(null)} />}
    </Panel>
  );
}
