import { useCallback } from 'react';
import { useClient } from 'urql';
import { allows, useViewer } from '../../client/rights.ts';
import type { IpRestrictionType } from '../../client/types.generated.ts';
import type { Looked } from './guarded.tsx';
import { RestrictionChangeDocument } from './ip-restrictions.generated.ts';

/** A restriction as it would be; its `id` is null where it does not exist yet. */
export interface RestrictionDraft {
  readonly id: string | null;
  readonly type: IpRestrictionType;
  readonly enforced: boolean;
  readonly ipPolicyIds: readonly string[];
}

/** Tells which parts of an evaluation the key may see. */
export function useMayLook(): { readonly withRestrictions: boolean; readonly withSeen: boolean } {
  const { scopes } = useViewer().apiKey;
  return {
    withRestrictions: allows(scopes, 'ip-restrictions:read'),
    withSeen: allows(scopes, 'audit-events:read') && allows(scopes, 'https-edges:read'),
  };
}

/** Gives a function that tells whom a restriction would keep out or let in. Without a policy that exists, that is everybody. */
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
