// What can be changed in a restriction besides its enforcement: its policies and notes.

import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import type { RestrictionDraft } from '../../impact/preview.tsx';
import { Preview } from '../../impact/preview.tsx';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { EditForm, errorOf } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Panel } from '../../kit/page.tsx';
import { PoliciesField } from '../../policies/policies-field.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { useSaved } from '../../trail/undo.ts';
import { useLookAtRestriction } from './change.ts';
import { UpdateIpRestrictionDocument } from './ip-restrictions.generated.ts';
import { deciding, type Restriction } from './references.ts';

const titles = { description: 'Description', metadata: 'Metadata', ipPolicyIds: 'Policies' };

/** The form for the policies and notes of a restriction. */
export function Settings({ restriction }: { restriction: Restriction }) {
  const { id, type, enforced, description, metadata, version } = restriction;
  const canWrite = useCan('ip-restrictions:write');
  const ids = restriction.ipPolicyRefs.map((ref) => ref.id);
  const update = useAction(UpdateIpRestrictionDocument, ['IpRestriction']);
  const draft = useDraft<{ ipPolicyIds: readonly string[]; description: string; metadata: string }>(
    { ipPolicyIds: ids, description, metadata },
    version,
    update.running,
  );
  const look = useLookAtRestriction();
  const saved = useSaved(draft);
  const { ipPolicyIds: newIds, ...texts } = draft.changes;
  const input = {
    id,
    expectedVersion: draft.version,
    ...texts,
    ...(newIds !== undefined && { ipPolicyIds: [...newIds] }),
  };
  const asked: RestrictionDraft = { id, type, enforced, ipPolicyIds: deciding(restriction, draft.values.ipPolicyIds) };
  const call = (
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
  );
  const guarded = useGuarded<RestrictionDraft>({
    look: async (change) => (newIds === undefined ? [] : look(change)),
    send: async (_, force) => {
      const made = await update.run({ input: force ? { ...input, force } : input });
      return saved('Restriction saved.', made?.updateIpRestriction?.ipRestriction);
    },
    running: update.running,
    problem: update.problem,
    clear: update.clear,
    words: ({ ipPolicyIds }) => ({ title: 'Keep these addresses out?', action: 'Save', ipPolicyIds, call }),
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
        call={call}
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
