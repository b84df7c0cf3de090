// Whether a restriction refuses or only warns.

import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { IpRestrictionType } from '../../client/types.generated.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { count, typeTitle } from '../../impact/words.ts';
import { Call } from '../../kit/call.tsx';
import { Switch } from '../../kit/fields.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { useDone } from '../../trail/undo.ts';
import { type RestrictionDraft, useLookAtRestriction } from './change.ts';
import { UpdateIpRestrictionDocument } from './ip-restrictions.generated.ts';
import { decidingNow, type Restriction } from './references.ts';

/** Says whom a restriction lets in that does not refuse any more. */
export const LetsIn = ({ type }: { type: IpRestrictionType }) => (
  <>Whom no other enforced restriction of the type {typeTitle(type)} refuses is let in at once.</>
);

/** Whether it refuses or only warns, and the switch. */
export function Enforcement({ restriction }: { restriction: Restriction }) {
  const { id, type, enforced, warnings } = restriction;
  const canWrite = useCan('ip-restrictions:write');
  const update = useAction(UpdateIpRestrictionDocument, ['IpRestriction']);
  const look = useLookAtRestriction();
  const done = useDone();
  const call = (
    <Call
      rest={{
        method: 'PATCH',
        path: `/ip_restrictions/${id}`,
        body: { enforced: !enforced },
        ifMatch: restriction.version,
      }}
      document={UpdateIpRestrictionDocument}
      variables={{ input: { id, enforced: !enforced, expectedVersion: restriction.version } }}
    />
  );
  const guarded = useGuarded<RestrictionDraft>({
    look,
    send: async ({ enforced: after }, force) => {
      const input = { id, enforced: after, expectedVersion: restriction.version };
      const made = await update.run({ input: force ? { ...input, force } : input });
      const written = made?.updateIpRestriction?.ipRestriction;
      if (written) done(after ? 'The restriction is enforced.' : 'The restriction only warns.', written);
      return made !== null;
    },
    running: update.running,
    problem: update.problem,
    clear: update.clear,
    words: ({ enforced: after }) =>
      after
        ? { title: 'Enforce this restriction?', action: 'Enforce it', call }
        : { title: 'Only warn from now on?', action: 'Only warn', text: <LetsIn type={type} />, call },
    type,
    alwaysAsks: true,
  });
  return (
    <Panel title="Enforcement">
      <div className="stack">
        <p>
          {enforced
            ? 'Whoever its policies do not allow is refused.'
            : 'Nobody is refused. Whoever its policies do not allow causes a warning in the log.'}{' '}
          <span className="muted">
            {warnings.count > 0 ? (
              <>
                In the last hour, {count(warnings.count, 'request')} would have been refused, the last{' '}
                <Time value={warnings.lastAt} />.
              </>
            ) : (
              !enforced && 'In the last hour, it would have refused nothing.'
            )}
          </span>
        </p>
        <ProblemNotice problem={guarded.problem} />
        {canWrite && (
          <>
            <Switch
              label="Enforce it"
              value={enforced}
              onChange={(after) =>
                void guarded.attempt({ id, type, enforced: after, ipPolicyIds: decidingNow(restriction) })
              }
              isDisabled={guarded.pending !== null}
              hint="You see whom it keeps out before it does."
            />
            {call}
          </>
        )}
      </div>
      {guarded.question}
    </Panel>
  );
}
