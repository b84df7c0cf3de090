// The latest changes of the account.

import { ButtonLink } from '../../kit/button.tsx';
import { Panel } from '../../kit/page.tsx';
import { EventList } from '../../trail/event-list.tsx';
import { useEvents } from '../../trail/events.ts';
import { latestChanges } from './questions.ts';

/** The latest changes, as they happen. */
export function LatestChanges() {
  const events = useEvents(latestChanges);
  return (
    <Panel title="Latest changes" flush actions={<ButtonLink href="/audit-trail">Audit trail</ButtonLink>}>
      <EventList events={events} />
    </Panel>
  );
}
