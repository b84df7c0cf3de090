// When an object was last changed, and by whom.

import { Time } from '../../kit/time.tsx';
import type { ActorPartsFragment } from './https-edges.generated.ts';

/** Says who somebody is: by what a key is called, or a user is named. */
export function nameOfActor(actor: ActorPartsFragment | null | undefined): string | undefined {
  if (!actor) return undefined;
  if (actor.description !== '') return `“${actor.description}”`;
  return actor.id ?? (actor.type === 'cli' ? 'the command line' : actor.type.replaceAll('_', ' '));
}

/** The last change of an object. */
export function LastChange({
  of,
}: {
  of: { readonly updatedAt: string; readonly updatedBy: ActorPartsFragment | null };
}) {
  const who = nameOfActor(of.updatedBy);
  return (
    <>
      Changed <Time value={of.updatedAt} />
      {who !== undefined && <> by {who}</>}
    </>
  );
}
