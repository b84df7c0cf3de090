// Preview of whom a restriction would keep out or let in, while it is still being edited.

import { useData } from '../client/data.ts';
import { problemOf } from '../client/problem.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { Notice, ProblemNotice } from '../kit/notice.tsx';
import { useSettled } from '../kit/settled.ts';
import { RestrictionChangeDocument } from './impact.generated.ts';
import { Impacts } from './impact.tsx';
import { useMayLook } from './may-look.ts';
import styles from './preview.module.css';

/** A restriction as it would be after a change; `id` is null if it does not exist yet. */
export interface RestrictionDraft {
  readonly id: string | null;
  readonly type: IpRestrictionType;
  readonly enforced: boolean;
  readonly ipPolicyIds: readonly string[];
  /** The policies that decide now, where no restriction does; null if nothing does. */
  readonly comparedWith?: string[] | null;
}

/** Shows the effect of a restriction that has not been saved. */
export function Preview({ draft }: { draft: RestrictionDraft }) {
  const { withSeen } = useMayLook();
  const asked = useSettled(draft);
  const variables = { ...asked, ipPolicyIds: [...asked.ipPolicyIds], withSeen };
  const isEmpty = asked.ipPolicyIds.length === 0;
  const { data, error } = useData(RestrictionChangeDocument, variables, ['IpPolicyRule', 'IpRestriction'], isEmpty);
  const impact = data?.evaluateIpRestrictionChange;
  if (isEmpty) return null;
  if (error) return <ProblemNotice problem={problemOf(error)} />;
  if (!impact) return null;
  return (
    <section className={styles.preview} aria-label="What this does">
      <h3>What this does</h3>
      {impact.refusesYou && (
        <Notice tone="bad" title="This locks you out.">
          The address that you come from is not among those that it allows.
        </Notice>
      )}
      <Impacts impacts={[impact]} type={draft.type} />
    </section>
  );
}
