// One IP restriction.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { Mode } from '../../impact/mode.tsx';
import { count, typeAbout, typeTitle } from '../../impact/words.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { useDraft } from '../../kit/draft.ts';
import { Switch } from '../../kit/fields.tsx';
import { EditForm, errorOf } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Detail, Details, Page, Panel } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { History } from '../../trail/history.tsx';
import { useDone } from '../../trail/undo.ts';
import { type RestrictionDraft, useLookAtRestriction } from './change.ts';
import {
  DeleteIpRestrictionDocument,
  IpRestrictionDocument,
  type IpRestrictionQuery,
  UpdateIpRestrictionDocument,
} from './ip-restrictions.generated.ts';
import { PoliciesField } from './policies-field.tsx';
import { Preview } from './preview.tsx';
import { TryAddress } from './try.tsx';

type Restriction = NonNullable<IpRestrictionQuery['ipRestriction']>;

const changed = ['IpRestriction'];

/** References to policies that were deleted; they count as policies without rules. */
const goneOf = ({ ipPolicies, ipPolicyRefs }: Restriction): readonly string[] =>
  ipPolicies === undefined
    ? []
    : ipPolicyRefs.map(({ id }) => id).filter((id) => !ipPolicies.some((policy) => policy.id === id));

/** Gives those of some policies that are there: deleted ones allow nobody, and cannot be asked about. */
const deciding = (restriction: Restriction, ids: readonly string[]): readonly string[] => {
  const gone = goneOf(restriction);
  return ids.filter((id) => !gone.includes(id));
};

/** Whether it refuses or only warns, and the switch. */
function Enforcement({ restriction }: { restriction: Restriction }) {
  const { id, type, enforced, warnings } = restriction;
  const canWrite = useCan('ip-restrictions:write');
  const update = useAction(UpdateIpRestrictionDocument, changed);
  const look = useLookAtRestriction();
  const done = useDone();
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
        ? { title: 'Enforce this restriction?', action: 'Enforce it' }
        : { title: 'Only warn from now on?', action: 'Only warn' },
    type,
    alwaysAsks: true,
  });
  const ipPolicyIds = deciding(
    restriction,
    restriction.ipPolicyRefs.map((ref) => ref.id),
  );
  const change = { id, enforced: !enforced, expectedVersion: restriction.version };
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
              onChange={(after) => void guarded.attempt({ id, type, enforced: after, ipPolicyIds })}
              isDisabled={guarded.pending !== null}
              hint="You see whom it keeps out before it does."
            />
            <Call
              rest={{
                method: 'PATCH',
                path: `/ip_restrictions/${id}`,
                body: { enforced: !enforced },
                ifMatch: restriction.version,
              }}
              document={UpdateIpRestrictionDocument}
              variables={{ input: change }}
            />
          </>
        )}
      </div>
      {guarded.question}
    </Panel>
  );
}

const titles = { description: 'Description', metadata: 'Metadata', ipPolicyIds: 'Policies' };

function Settings({ restriction }: { restriction: Restriction }) {
  const { id, type, enforced, description, metadata, version } = restriction;
  const canWrite = useCan('ip-restrictions:write');
  const ids = restriction.ipPolicyRefs.map((ref) => ref.id);
  const draft = useDraft<{ ipPolicyIds: readonly string[]; description: string; metadata: string }>(
    { ipPolicyIds: ids, description, metadata },
    version,
  );
  const update = useAction(UpdateIpRestrictionDocument, changed);
  const look = useLookAtRestriction();
  const done = useDone();
  const { ipPolicyIds: newIds, ...texts } = draft.changes;
  const input = {
    id,
    expectedVersion: draft.version,
    ...texts,
    ...(newIds !== undefined && { ipPolicyIds: [...newIds] }),
  };
  const asked: RestrictionDraft = { id, type, enforced, ipPolicyIds: deciding(restriction, draft.values.ipPolicyIds) };
  const guarded = useGuarded<RestrictionDraft>({
    look: async (change) => (newIds === undefined ? [] : look(change)),
    send: async (_, force) => {
      const made = await update.run({ input: force ? { ...input, force } : input });
      const written = made?.updateIpRestriction?.ipRestriction;
      if (written) done('Restriction saved.', written);
      return made !== null;
    },
    running: update.running,
    problem: update.problem,
    clear: update.clear,
    words: () => ({ title: 'Keep these addresses out?', action: 'Save' }),
    type,
  });
  const { problem } = guarded;
  const isEmpty = draft.values.ipPolicyIds.length === 0;
  return (
    <Panel title="Policies and settings">
      <EditForm
        draft={draft}
        titles={titles}
        by={restriction.updatedBy ? sayActor(restriction.updatedBy) : undefined}
        running={guarded.pending !== null}
        problem={problem?.field?.startsWith('ipPolicyIds') ? null : problem}
        canWrite={canWrite}
        call={
          <Call
            rest={{
              method: 'PATCH',
              path: `/ip_restrictions/${id}`,
              body: { ...texts, ...(newIds !== undefined && { ip_policy_ids: newIds }) },
              ifMatch: draft.version,
            }}
            document={UpdateIpRestrictionDocument}
            variables={{ input }}
          />
        }
        save={() => {
          if (!isEmpty) void guarded.attempt(asked);
        }}
      >
        <PoliciesField
          value={draft.values.ipPolicyIds}
          onChange={(ipPolicyIds) => draft.set({ ipPolicyIds })}
          known={restriction.ipPolicies}
          error={isEmpty ? 'A restriction needs at least one policy.' : errorOf(problem, 'ipPolicyIds')}
          isDisabled={!canWrite}
        />
        {newIds !== undefined && <Preview draft={asked} />}
        <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
        <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
      </EditForm>
      {guarded.question}
    </Panel>
  );
}

function About({ restriction }: { restriction: Restriction }) {
  const { id, type, createdAt, updatedAt, updatedBy } = restriction;
  return (
    <Panel title="About">
      <Details>
        <Detail name="Type">
          {typeTitle(type)} <span className="muted">{typeAbout(type)}</span>
        </Detail>
        <Detail name="Changed">
          <Time value={updatedAt} />
          {updatedBy && <span className="muted"> by {sayActor(updatedBy)}</span>}
        </Detail>
        <Detail name="Created">
          <Time value={createdAt} />
        </Detail>
        <Detail name="Identifier">
          <code>{id}</code> <CopyButton text={id} label="the identifier" />
        </Detail>
      </Details>
    </Panel>
  );
}

/** The button that deletes a restriction: at once where it only warns, after a question where it refuses. */
function Delete({ restriction }: { restriction: Restriction }) {
  const { id, type, enforced, version } = restriction;
  const [isAsking, setAsking] = useState(false);
  const { run, running, problem, clear } = useAction(DeleteIpRestrictionDocument, changed);
  const [, navigate] = useLocation();
  const done = useDone();
  const remove = async () => {
    if ((await run({ input: { id, expectedVersion: version } })) === null) return;
    done('Restriction deleted.', { id, version: null });
    navigate('/ip-restrictions');
  };
  return (
    <>
      <ProblemNotice problem={isAsking ? null : problem} />
      <Button
        isPending={running}
        onPress={() => {
          if (enforced) setAsking(true);
          else void remove();
        }}
      >
        Delete
      </Button>
      {isAsking && (
        <Confirm
          title="Delete this restriction?"
          action="Delete restriction"
          running={running}
          problem={problem}
          close={() => {
            setAsking(false);
            clear();
          }}
          confirm={() => void remove()}
        >
          Whom no other enforced restriction of the type {typeTitle(type)} refuses is let in at once.
        </Confirm>
      )}
    </>
  );
}

function Shown({ restriction }: { restriction: Restriction }) {
  const canWrite = useCan('ip-restrictions:write');
  const canReadPolicies = useCan('ip-policies:read');
  const canReadTrail = useCan('audit-events:read');
  const { id, type, enforced } = restriction;
  const gone = goneOf(restriction);
  const isAllGone = gone.length > 0 && gone.length === restriction.ipPolicyRefs.length;
  return (
    <Page
      title={restriction.description || id}
      description={typeAbout(type)}
      crumbs={[{ title: 'IP restrictions', href: '/ip-restrictions' }]}
      actions={
        <>
          <Badge>{typeTitle(type)}</Badge>
          <Mode enforced={enforced} />
          {canWrite && <Delete restriction={restriction} />}
        </>
      }
    >
      {gone.length > 0 && (
        <Notice tone="bad" title={`${count(gone.length, 'policy was', 'policies were')} deleted.`}>
          {isAllGone
            ? `No policy is left, so ${enforced ? 'everybody is refused' : 'everybody would be refused if it were enforced'}.`
            : 'A deleted policy allows nobody. Remove the reference, or put the policy back from the audit trail.'}
        </Notice>
      )}
      <Tabs
        label="Parts of this restriction"
        parts={[
          {
            id: 'restriction',
            title: 'Restriction',
            children: (
              <div className="stack">
                <Enforcement restriction={restriction} />
                <Settings restriction={restriction} />
                {canReadPolicies && <TryAddress type={type} here={id} />}
              </div>
            ),
          },
          ...(canReadTrail
            ? [
                {
                  id: 'history',
                  title: 'History',
                  children: <History objectId={id} kind="IpRestriction" canWrite={canWrite} />,
                },
              ]
            : []),
          { id: 'about', title: 'About', children: <About restriction={restriction} /> },
        ]}
      />
    </Page>
  );
}

export default function IpRestrictionPage({ id }: { id: string }) {
  const withPolicies = useCan('ip-policies:read');
  const reading = useData(IpRestrictionDocument, { id, withPolicies }, ['IpRestriction', 'IpPolicy']);
  return (
    <Loaded reading={reading}>{({ ipRestriction }) => ipRestriction && <Shown restriction={ipRestriction} />}</Loaded>
  );
}
