// The way back: what the trail holds of an object puts it back to what it was.

import { useCallback } from 'react';
import { useClient } from 'urql';
import { useLive } from '../client/live.ts';
import { problemOf } from '../client/problem.ts';
import { allows, useViewer } from '../client/rights.ts';
import { say } from '../kit/toast.tsx';
import { LatestEventsDocument, RestoreObjectDocument } from './restore.generated.ts';

/**
 * Gives a function that says what was done, with the way back where the key may take it.
 *
 * @returns `done(text, objectId)`: `text` such as "Policy deleted."
 */
export function useDone(): (text: string, objectId?: string) => void {
  const client = useClient();
  const live = useLive();
  const { scopes } = useViewer().apiKey;
  return useCallback(
    (text, objectId) => {
      if (objectId === undefined || !allows(scopes, 'audit-events:read')) return say(text);
      say(text, async () => {
        const latest = await client
          .query(LatestEventsDocument, { objectId }, { requestPolicy: 'network-only' })
          .toPromise();
        const [newest, before] = latest.data?.auditEvents?.nodes ?? [];
        // To what it was before its deletion, or after the change before the last one.
        const event = newest?.action === 'delete' ? newest : before;
        if (event === undefined) return say('This cannot be undone: the trail holds no earlier state.');
        const answer = await client.mutation(RestoreObjectDocument, { input: { eventId: event.id } }).toPromise();
        if (answer.error) return say(problemOf(answer.error).message);
        live.changed(['*']);
        say('Undone.');
      });
    },
    [client, live, scopes],
  );
}
