// Undo for rules that were just added. The audit trail has no earlier state to restore, so undoing deletes them.

import { useCallback } from 'react';
import { useClient } from 'urql';
import { useLive } from '../../client/live.ts';
import type { Problem } from '../../client/problem.ts';
import { say } from '../../kit/toast.tsx';
import { count } from '../../kit/words.ts';
import { DeleteIpPolicyRuleDocument } from './ip-policies.generated.ts';
import { endsAll, patiently } from './patiently.ts';

/** A rule that was added, with its version at that time. */
export interface Added {
  readonly id: string;
  readonly version: number;
}

/** Returns a function that says that rules were added and offers to undo it. Rules that have changed since are not deleted. */
export function useSayAdded(): (text: string, rules: readonly Added[]) => void {
  const client = useClient();
  const live = useLive();
  return useCallback(
    (text, rules) =>
      say(text, async () => {
        let left = rules.length;
        let met: Problem | null = null;
        for (const { id, version } of rules) {
          const input = { id, expectedVersion: version };
          const { problem } = await patiently(() => client.mutation(DeleteIpPolicyRuleDocument, { input }).toPromise());
          // Somebody else may have deleted it.
          if (problem === null || problem.code === 'NOT_FOUND') left -= 1;
          else met = problem;
          if (problem !== null && endsAll(problem)) break;
        }
        live.changed(['IpPolicyRule', 'IpPolicy']);
        say(met === null ? 'Undone.' : `${count(left, 'rule')} of ${rules.length} not undone. ${met.message}`);
      }),
    [client, live],
  );
}
