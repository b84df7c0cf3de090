// The question before a change to access that keeps somebody out.

import { commands } from '../client/commands.ts';
import type { Problem } from '../client/problem.ts';
import { useCan, useViewer } from '../client/rights.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { Confirm } from '../kit/dialog.tsx';
import { later } from '../kit/later.tsx';
import { Notice } from '../kit/notice.tsx';
import { isForceable, type Looked, type Question } from './guarded.tsx';
import { Impacts } from './impact.tsx';
import { lockoutDeed } from './words.ts';

/** Loaded on demand: users at an allowed address never need it. */
const AllowYou = later(() => import('./allow-you.tsx'));

interface AskProps extends Question {
  readonly impacts: Looked;
  readonly type?: IpRestrictionType | undefined;
  /** Whether the change refuses the client that makes it. */
  readonly locksOut: boolean;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** Evaluates the change again. */
  readonly lookAgain: () => Promise<void>;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Shows whom a change keeps out, and asks for confirmation. */
export default function Ask({
  text,
  impacts,
  type,
  locksOut,
  typed,
  ipPolicyIds = [],
  wayBack = commands.suspendRestrictions,
  overtaken,
  problem,
  lookAgain,
  ...question
}: AskProps) {
  const mayAllow = useCan('ip-policies:write');
  const { account } = useViewer();
  const refusal = isForceable(problem) ? problem?.message.split(' Nothing was changed.')[0] : undefined;
  const breaks = problem?.code === 'EXPECTATION_FAILED';
  const lockedOutBy = breaks ? undefined : refusal;
  return (
    <Confirm
      // Remounts the dialog when the change turns out to be a lockout, so that the confirmation must be typed again.
      key={locksOut ? lockoutDeed : ''}
      {...question}
      wide={impacts === null || impacts.length > 0}
      typed={locksOut ? lockoutDeed : typed}
      isReady={!overtaken}
      // The notice below says it in more detail.
      problem={isForceable(problem) ? null : problem}
    >
      <div className="stack">
        {overtaken}
        {text !== undefined && <div>{text}</div>}
        {locksOut && (
          <Notice tone="bad" title="This locks you out.">
            <div className="stack">
              <p>
                {lockedOutBy ?? 'The address that you come from would not be allowed any more.'} You could not undo it
                from here, only on the server: <code>{wayBack(account.id)}</code>
              </p>
              {mayAllow && ipPolicyIds.length > 0 && <AllowYou ipPolicyIds={ipPolicyIds} allowed={lookAgain} />}
            </div>
          </Notice>
        )}
        {breaks && (
          <Notice tone="bad" title="This breaks an expectation.">
            {refusal} If you go on, it is made all the same.
          </Notice>
        )}
        {impacts === null && (
          <Notice tone="caution" title="It could not be told whom this keeps out or lets in.">
            There may be too many rules and restrictions to compare, or the server did not answer.
          </Notice>
        )}
        {impacts === 'everybody' && (
          <Notice tone="bad" title="This keeps everybody out.">
            None of its policies exists any more, so it allows no address at all.
          </Notice>
        )}
        {impacts !== null && impacts !== 'everybody' && impacts.length > 0 && <Impacts impacts={impacts} type={type} />}
      </div>
    </Confirm>
  );
}
