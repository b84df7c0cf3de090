// When an object was last changed, and by whom.

import { Time } from '../../kit/time.tsx';
import { sayActor } from '../../trail/changes.tsx';
import type { ActorPartsFragment } from './https-edges.generated.ts';

/** The last change of an object. */
export function LastChange({
  of,
}: {
  of: { readonly updatedAt: string; readonly updatedBy: ActorPartsFragment | null };
}) {
  return (
    <>
      Changed <Time value={of.updatedAt} />
      {of.updatedBy && <> by “{sayActor(of.updatedBy)}”</>}
    </>
  );
}
