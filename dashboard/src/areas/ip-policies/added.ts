// Undo for rules that were just added. The audit trail has no earlier state to restore, so undoing deletes them.

import { useCallback } from 'react';
import { useClient } from 'urql';
import { useLive } from '../../client/live.ts';
import { indexIn, type Problem, problemOf } from '../../client/problem.ts';
import { say } from '../../kit/toast.tsx';
import { count } from '../../kit/words.ts';
import { DeleteIpPolicyRulesDocument } from './ip-policies.generated.ts';
import { changedKinds } from './rule-change.tsx';

/** Most objects that one call deletes (`deleteIpPolicyRules`). */
const togetherMax = 100;

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
        let deletable = rules.map(({ id, version }) => ({ id, expectedVersion: version }));
        let left = 0;
        let met: Problem | null = null;
        while (deletable.length > 0) {
          const objects = deletable.slice(0, togetherMax);
          const { error } = await client.mutation(DeleteIpPolicyRulesDocument, { input: { objects } }).toPromise();
          const problem = error ? problemOf(error) : null;
          const refused = problem && (objects.length === 1 ? 0 : indexIn(problem, 'objects'));
          const isChanged = problem?.code === 'VERSION_CONFLICT';
          if (problem === null) deletable = deletable.slice(objects.length);
          // Somebody else may have deleted it.
          else if (refused !== null && (isChanged || problem.code === 'NOT_FOUND')) {
            deletable = deletable.toSpliced(refused, 1);
          } else {
            left += deletable.length;
            deletable = [];
          }
          if (isChanged) left += 1;
          if (problem !== null && problem.code !== 'NOT_FOUND') met = problem;
        }
        live.changed(changedKinds);
        say(met === null ? 'Undone.' : `${count(left, 'rule')} of ${rules.length} not undone. ${met.message}`);
      }),
    [client, live],
  );
}
