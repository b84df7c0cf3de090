// Ends the chosen sessions of a route.

import type { Chosen } from '../../kit/selection.tsx';
import { count } from '../../kit/words.ts';
import { EndChosen } from '../../trail/end-chosen.tsx';
import { EndLoginSessionsDocument } from './route.generated.ts';

/** The button that ends the chosen sessions, with its question. */
export default function EndSessions({
  routeId,
  ...rows
}: Chosen<{ readonly id: string }> & { readonly routeId: string }) {
  return (
    <EndChosen
      {...rows}
      label="End"
      document={EndLoginSessionsDocument}
      kinds={['LoginSession']}
      variables={(sessions) => ({ routeId, ids: sessions.map(({ id }) => id) })}
      question={(sessions) => ({
        title: `End ${count(sessions.length, 'session')}?`,
        action: 'End them',
        text: 'These users have to log in again with the next request. Whoever is still logged in at the identity provider may be let in again without being asked.',
      })}
      said={(_, answer) => `${count(answer.endLoginSessions?.endedCount ?? 0, 'session')} ended.`}
    />
  );
}
