// Ends the chosen dashboard sessions.

import type { Chosen } from '../../kit/selection.tsx';
import { count } from '../../kit/words.ts';
import { EndChosen } from '../../trail/end-chosen.tsx';
import { EndSignInsDocument } from './api-keys.generated.ts';

/** The button that ends the chosen dashboard sessions, with its question. */
export default function EndSignIns(rows: Chosen<{ readonly id: string }>) {
  return (
    <EndChosen
      {...rows}
      label="End"
      document={EndSignInsDocument}
      kinds={['DashboardSession']}
      variables={(sessions) => ({ input: { ids: sessions.map(({ id }) => id) } })}
      question={(sessions) => ({
        title: `End ${count(sessions.length, 'sign-in')}?`,
        action: 'End them',
        text: 'These browsers are signed out at once, and lose what is being entered there. Whoever has a key, or is let in by the provider, can sign in again: to keep somebody out, revoke the key or block the person.',
      })}
      said={(_, answer) => `${count(answer.endDashboardSessions?.endedCount ?? 0, 'sign-in')} ended.`}
    />
  );
}
