import { useCallback } from 'react';
import { useClient } from 'urql';
import { type Reading, useData } from '../../client/data.ts';
import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import type { Impact } from '../../impact/impact.tsx';
import { useMayLook } from '../../impact/may-look.ts';
import { useSettled } from '../../kit/settled.ts';
import { PolicyChangeDocument, type PolicyChangeQuery } from './ip-policies.generated.ts';

/** A rule that somebody considers to add. */
export interface RuleDraft {
  readonly cidr: string;
  readonly action: IpPolicyRuleAction;
}

/** Rules to add to a policy, and those to remove, by their identifiers. */
export interface RulesChange {
  readonly add: readonly RuleDraft[];
  readonly remove: readonly string[];
}

const variablesOf = (ipPolicyId: string, { add, remove }: RulesChange) => ({
  ipPolicyId,
  add: [...add],
  remove: [...remove],
});

/**
 * Gives a function that tells what a change of the rules of a policy does: nothing to a key that may not read restrictions, and null
 * where it could not be told.
 */
export function useLookAtRules(ipPolicyId: string): (change: RulesChange) => Promise<readonly Impact[] | null> {
  const client = useClient();
  const { withRestrictions, withSeen } = useMayLook();
  return useCallback(
    async (change) => {
      if (!withRestrictions) return [];
      const answer = await client
        .query(
          PolicyChangeDocument,
          { ...variablesOf(ipPolicyId, change), withRestrictions, withSeen },
          { requestPolicy: 'network-only' },
        )
        .toPromise();
      return answer.data?.evaluateIpPolicyChange?.restrictions ?? null;
    },
    [client, ipPolicyId, withRestrictions, withSeen],
  );
}

/** What is known of a change that somebody is still entering. */
export interface Checked extends Reading<PolicyChangeQuery> {
  /** The change that it is about, which may be an older one. */
  readonly asked: RulesChange;
  /** Whether it is about the change as it is now. */
  readonly isCurrent: boolean;
}

/** Looks at a change as it is entered. Nothing is asked about an empty one. */
export function useChecked(ipPolicyId: string, change: RulesChange): Checked {
  const look = useMayLook();
  const asked = useSettled(change);
  const isEmpty = asked.add.length === 0 && asked.remove.length === 0;
  const reading = useData(
    PolicyChangeDocument,
    { ...variablesOf(ipPolicyId, asked), ...look },
    ['IpPolicyRule', 'IpRestriction'],
    isEmpty,
  );
  const isSame = JSON.stringify(asked) === JSON.stringify(change);
  return {
    ...reading,
    data: isEmpty ? undefined : reading.data,
    error: isEmpty ? undefined : reading.error,
    asked,
    isCurrent: isSame && !reading.reading,
  };
}
