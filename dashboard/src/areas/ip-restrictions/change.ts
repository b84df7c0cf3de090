import { useCallback } from 'react';
import { useClient } from 'urql';
import type { IpRestrictionType } from '../../client/types.generated.ts';
import type { Looked } from '../../impact/guarded.tsx';
import { useMayLook } from '../../impact/may-look.ts';
import { RestrictionChangeDocument } from './ip-restrictions.generated.ts';

/** A restriction as it would be after a change; `id` is null if it does not exist yet. */
export interface RestrictionDraft {
  readonly id: string | null;
  readonly type: IpRestrictionType;
  readonly enforced: boolean;
  readonly ipPolicyIds: readonly string[];
}

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
