// Switches a restriction between enforcing and only warning.

import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { IpRestrictionType } from '../../client/types.generated.ts';
import { type Guarded, useGuarded } from '../../impact/guarded.tsx';
import type { RestrictionDraft } from '../../impact/preview.tsx';
import { typeTitle } from '../../impact/words.ts';
import { Call } from '../../kit/call.tsx';
import { Switch } from '../../kit/fields.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { Overtaken } from '../../trail/overtaken.tsx';
import { useDone } from '../../trail/undo.ts';
import { useLookAtRestriction } from './change.ts';
import { UpdateIpRestrictionDocument } from './ip-restrictions.generated.ts';
import { decidingNow, type Restriction } from './references.ts';

/** Says whom a restriction lets in once it is no longer enforced. */
export const LetsIn = ({ type }: { type: IpRestrictionType }) => (
  <>Whom no other enforced restriction of the type {typeTitle(type)} refuses is let in at once.</>
);

/** A change to the restriction, with the version that the user has seen. */
type Change = RestrictionDraft & { readonly version: number };

/** Whether a restriction is enforced, with a switch to change that. */
export function Enforcement({ restriction }: { restriction: Restriction }) {
  const { id, type, enforced, warnings } = restriction;
  const canWrite = useCan('ip-restrictions:write');
  const update = useAction(UpdateIpRestrictionDocument, ['IpRestriction']);
  const look = useLookAtRestriction();
  const done = useDone();
  const changeTo = (after: boolean): Change => ({
    id,
    type,
    enforced: after,
    ipPolicyIds: decidingNow(restriction),
    version: restriction.version,
  });
  const callOf = ({ enforced: after, version }: Change) => (
    <Call
      rest={{ method: 'PATCH', path: `/ip_restrictions/${id}`, body: { enforced: after }, ifMatch: version }}
      document={UpdateIpRestrictionDocument}
      variables={{ input: { id, enforced: after, expectedVersion: version } }}
    />
  );
  const overtakenSince = ({ enforced: after, version }: Change) =>
    restriction.version > version ? (
      <Overtaken
        objectId={id}
        kind="IpRestriction"
        version={version}
        goOn={() => void guarded.attempt(changeTo(after))}
      />
    ) : null;
  const guarded: Guarded<Change> = useGuarded<Change>({
    look,
    send: async ({ enforced: after, version }, force) => {
      const input = { id, enforced: after, expectedVersion: version };
      const made = await update.run({ input: force ? { ...input, force } : input });
      const written = made?.updateIpRestriction?.ipRestriction;
      if (written) done(after ? 'The restriction is enforced.' : 'The restriction only warns.', written);
      return made !== null;
    },
    running: update.running,
    problem: update.problem,
    clear: update.clear,
    words: (change) => ({
      ...(change.enforced
        ? { title: 'Enforce this restriction?', action: 'Enforce it', ipPolicyIds: change.ipPolicyIds }
        : { title: 'Only warn from now on?', action: 'Only warn', text: <LetsIn type={type} /> }),
      call: callOf(change),
      overtaken: overtakenSince(change),
    }),
    type,
    alwaysAsks: () => true,
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
              onChange={(after) => void guarded.attempt(changeTo(after))}
              hint="You see whom it keeps out before it does."
            />
            {callOf(changeTo(!enforced))}
          </>
        )}
      </div>
      {guarded.question}
    </Panel>
  );
}
