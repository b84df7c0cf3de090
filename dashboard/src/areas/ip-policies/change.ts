import { useCallback } from 'react';
import { useClient } from 'urql';
import { type Reading, useData } from '../../client/data.ts';
import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { type Impact, impactsAtDoors } from '../../impact/impact.tsx';
import { useMayLook } from '../../impact/may-look.ts';
import { useSettled } from '../../kit/settled.ts';
import { PolicyChangeDocument, type PolicyChangeQuery } from './ip-policies.generated.ts';

/** A rule that may be added. */
export interface RuleDraft {
  readonly cidr: string;
  readonly action: IpPolicyRuleAction;
  /** When it ends, as an API timestamp; null for never. */
  readonly expiresAt?: string | null;
}

/** Rules to add to a policy, and identifiers of rules to remove from it. */
export interface RulesChange {
  readonly add: readonly RuleDraft[];
  readonly remove: readonly string[];
}

const variablesOf = (ipPolicyId: string, { add, remove }: RulesChange) => ({
  ipPolicyId,
  add: [...add],
  remove: [...remove],
});

type Evaluation = NonNullable<PolicyChangeQuery['evaluateIpPolicyChange']>;

/** Returns what an evaluation says of restrictions and doors, as far as the key may read them. */
export function impactsOf(evaluation: Omit<Evaluation, 'problems'>): Impact[] {
  const { restrictions, httpsEdgeRoutes, tlsEdges } = evaluation;
  return [...(restrictions ?? []), ...impactsAtDoors(httpsEdgeRoutes ?? [], tlsEdges ?? [])];
}

/**
 * Returns a function that evaluates what a change to the rules of a policy does at each restriction and door. The result is empty if
 * the key may read none of them, and null if the evaluation failed.
 */
export function useLookAtRules(ipPolicyId: string): (change: RulesChange) => Promise<readonly Impact[] | null> {
  const client = useClient();
  const { withRestrictions, withRoutes, withTlsEdges, withSeen } = useMayLook();
  return useCallback(
    async (change) => {
      if (!withRestrictions && !withRoutes && !withTlsEdges) return [];
      const answer = await client
        .query(
          PolicyChangeDocument,
          { ...variablesOf(ipPolicyId, change), withRestrictions, withRoutes, withTlsEdges, withSeen },
          { requestPolicy: 'network-only' },
        )
        .toPromise();
      const evaluation = answer.error ? null : answer.data?.evaluateIpPolicyChange;
      return evaluation ? impactsOf(evaluation) : null;
    },
    [client, ipPolicyId, withRestrictions, withRoutes, withTlsEdges, withSeen],
  );
}

/** The evaluation of a change that is still being entered. */
export interface Checked extends Reading<PolicyChangeQuery> {
  /** The change that was evaluated, which may be an older one. */
  readonly asked: RulesChange;
  /** Whether the current change was evaluated. */
  readonly isCurrent: boolean;
}

/** Evaluates a change while it is being entered. An empty change is not sent to the server. */
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
