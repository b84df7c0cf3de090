// What others have changed in an object since the user looked at it, shown before the user's own change or deletion goes ahead.

import { useCan } from '../client/rights.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/notice.tsx';
import { Changes, sayActor } from './changes.tsx';
import { useEvents } from './events.ts';

/** An object, and the version of it that the user has seen. */
interface Seen {
  readonly objectId: string;
  /** The GraphQL type name, such as `IpPolicy`. */
  readonly kind: string;
  readonly version: number;
}

/** Maximum number of changes shown. The audit trail has the others. */
const shownMax = 5;

function Since({ objectId, kind, version }: Seen) {
  const { nodes } = useEvents({ objectId, kind, first: shownMax });
  const later = nodes?.filter((event) => event.version > version) ?? [];
  return (
    <>
      {later.map((event) => (
        <div key={event.id}>
          <p>{sayActor(event.actor)}:</p>
          <Changes changes={event.changes} />
        </div>
      ))}
    </>
  );
}

/** Says how an object has changed since the user looked at it. `goOn` is called when the user decides to go ahead. */
export function Overtaken({ goOn, ...seen }: Seen & { goOn: () => void }) {
  const canReadTrail = useCan('audit-events:read');
  return (
    <Notice tone="caution" title="This was changed since you looked at it.">
      <div className="stack">
        {canReadTrail ? <Since {...seen} /> : 'The page shows it as it is now.'}
        <div>
          <Button onPress={goOn}>Go on</Button>
        </div>
      </div>
    </Notice>
  );
}
