// Undo: restores the previous state of an object from the audit trail.

import { useCallback } from 'react';
import { type Client, useClient } from 'urql';
import { useLive } from '../client/live.ts';
import { problemOf } from '../client/problem.ts';
import { allows, useViewer } from '../client/rights.ts';
import type { Draft, Values } from '../kit/draft.ts';
import { say } from '../kit/toast.tsx';
import { LatestEventsDocument, RestoreObjectDocument } from './restore.generated.ts';

/** An object that was just changed, with the version that was written; null if it was deleted. */
interface Written {
  readonly id: string;
  readonly version: number | null;
}

/** Restores the state of an object before a change. Returns null, or why it was not restored. */
async function undo(client: Client, written: Written): Promise<string | null> {
  const latest = await client
    .query(LatestEventsDocument, { objectId: written.id }, { requestPolicy: 'network-only' })
    .toPromise();
  if (latest.error) return `This was not undone. ${problemOf(latest.error).message}`;
  const [newest, before] = latest.data?.auditEvents?.nodes ?? [];
  const isGone = newest?.action === 'delete';
  if (newest && (written.version === null ? !isGone : newest.version !== written.version))
    return 'This was not undone: somebody else has changed it since. The audit trail holds both changes.';
  // Restores the state before the deletion, or the state after the second latest event.
  const event = isGone ? newest : before;
  if (!newest || !event) return 'This cannot be undone: the trail holds no earlier state.';
  const input = { eventId: event.id, expectedVersion: newest.version };
  const answer = await client.mutation(RestoreObjectDocument, { input }).toPromise();
  return answer.error ? `This was not undone. ${problemOf(answer.error).message}` : null;
}

/**
 * Returns a function that shows what was done, with "Undo" if the key may read the audit trail. Later changes by others are never
 * undone.
 *
 * @returns `done(text, written)`: `text` such as "Policy deleted."
 */
export function useDone(): (text: string, ...written: readonly Written[]) => void {
  const client = useClient();
  const live = useLive();
  const { scopes } = useViewer();
  return useCallback(
    (text, ...written) => {
      if (written.length === 0 || !allows(scopes, 'audit-events:read')) return say(text);
      say(text, async () => {
        const left: string[] = [];
        for (const one of written) {
          const why = await undo(client, one);
          if (why !== null) left.push(why);
        }
        live.changed(['*']);
        const [why = 'Undone.'] = left;
        say(
          left.length > 0 && written.length > 1
            ? `${left.length} of ${written.length} are left as they are. ${why}`
            : why,
        );
      });
    },
    [client, live, scopes],
  );
}

/** The object that a form has saved; null or undefined if that failed. */
type Saved = { readonly id: string; readonly version: number } | null | undefined;

/**
 * Returns a function to call after saving a form: it resets the form and shows what was done.
 *
 * @returns `saved(text, written)`: `text` such as "Policy saved."; returns whether the form was saved
 */
export function useSaved<V extends Values>(draft: Draft<V>): (text: string, written: Saved) => boolean {
  const done = useDone();
  return (text, written) => {
    if (!written) return false;
    draft.saved(written.version);
    done(text, written);
    return true;
  };
}
