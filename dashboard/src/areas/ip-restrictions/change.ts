import { useCallback } from 'react';
import { useClient } from 'urql';
import type { Looked } from '../../impact/guarded.tsx';
import { RestrictionChangeDocument } from '../../impact/impact.generated.ts';
import { useMayLook } from '../../impact/may-look.ts';
import type { RestrictionDraft } from '../../impact/preview.tsx';

/** Returns a function that evaluates whom a restriction would keep out or let in. Without an existing policy, that is everybody. */
export function useLookAtRestriction(): (draft: RestrictionDraft) => Promise<Looked> {
  const client = useClient();
  const { withSeen } = useMayLook();
  return useCallback(
    async (draft) => {
      if (draft.ipPolicyIds.length === 0) return draft.enforced ? 'everybody' : [];
      const answer = await client
        .query(
          RestrictionChangeDocument,
          { ...draft, ipPolicyIds: [...draft.ipPolicyIds], withSeen },
          { requestPolicy: 'network-only' },
        )
        .toPromise();
      const impact = answer.data?.evaluateIpRestrictionChange;
      return impact ? [impact] : null;
    },
    [client, withSeen],
  );
}
