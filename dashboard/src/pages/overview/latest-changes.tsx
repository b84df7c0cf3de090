// The latest changes of the account. What was deleted can be put back from here.

import { useState } from 'react';
import { kinds } from '../../client/kinds.ts';
import { allows, useViewer } from '../../client/rights.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { laterDialog } from '../../kit/dialog.tsx';
import { Panel } from '../../kit/page.tsx';
import { EventList } from '../../trail/event-list.tsx';
import type { EventLineFragment } from '../../trail/events.generated.ts';
import { useEvents } from '../../trail/events.ts';
import { latestChanges } from './questions.ts';

const PutBack = laterDialog(() => import('../../trail/put-back.tsx'));

/** The latest changes, as they happen. */
export function LatestChanges() {
  const events = useEvents(latestChanges);
  const { scopes } = useViewer();
  const [chosen, choose] = useState<EventLineFragment | null>(null);
  const mayPutBack = ({ action, kind, objectId }: EventLineFragment, index: number) => {
    const { area, isFinal = false } = kinds[kind] ?? {};
    // The list has all changes, the newest first: what comes before is newer.
    const isLatest = events.nodes?.findIndex((event) => event.objectId === objectId) === index;
    return action === 'delete' && isLatest && !isFinal && area !== undefined && allows(scopes, `${area}:write`);
  };
  return (
    <Panel title="Latest changes" flush actions={<ButtonLink href="/audit-trail">Audit trail</ButtonLink>}>
      <EventList
        events={events}
        actionsOf={(event, index) =>
          mayPutBack(event, index) && (
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
