// When an object was last changed, and by whom.

import { Time } from '../kit/time.tsx';
import { sayActor } from './changes.tsx';
import type { EventLineFragment } from './events.generated.ts';

/** Says when an object was last changed, and by whom. */
export function LastChange({
  of,
}: {
  of: { readonly updatedAt: string; readonly updatedBy: EventLineFragment['actor'] | null };
}) {
  return (
    <>
      Changed <Time value={of.updatedAt} />
      {of.updatedBy && <> by “{sayActor(of.updatedBy)}”</>}
    </>
  );
}
