// What others have done to an object since somebody looked at it: both are shown before it is deleted.

import { useCan } from '../client/rights.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/notice.tsx';
import { Changes, sayActor } from './changes.tsx';
import { useEvents } from './events.ts';

/** An object, and the version of it that somebody has seen. */
interface Seen {
  readonly objectId: string;
  /** The name of its type, such as `IpPolicy`. */
  readonly kind: string;
  readonly version: number;
}

/** Changes that are shown: whoever has missed more looks into the trail. */
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

/** Says that an object has changed since somebody looked at it, and how. `goOn` is called by whoever has read it. */
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
