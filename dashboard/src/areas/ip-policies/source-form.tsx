// The form that changes a source of a policy.

import { useAction } from '../../client/data.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { EditForm, errorOf } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { useSaved } from '../../trail/undo.ts';
import { type PolicySourcesQuery, UpdateIpPolicySourceDocument } from './ip-policies.generated.ts';
import { ruleActions } from './rule-change.tsx';

/** A source as the page of its policy shows it. */
export type Source = NonNullable<PolicySourcesQuery['ipPolicySources']>['nodes'][number];

/** Kinds of objects that are read again after sources have changed. */
export const changedKinds = ['IpPolicySource', 'IpPolicy'];

const titles = {
  address: 'DNS name or URL',
  jsonPath: 'Where its ranges are',
  action: 'Action',
  intervalSeconds: 'Read again after',
  description: 'Description',
  metadata: 'Metadata',
};

/** The form that changes a source, for a key that may. */
export function SourceForm({ source }: { source: Source }) {
  const { id, version, kind, address, jsonPath, action, description, metadata } = source;
  const update = useAction(UpdateIpPolicySourceDocument, changedKinds);
  // Text, as the field has it.
  const intervalSeconds = String(source.intervalSeconds);
  const draft = useDraft(
    { address, jsonPath, action, intervalSeconds, description, metadata },
    version,
    update.running,
  );
  const saved = useSaved(draft);
  const { values, changes, set } = draft;
  const { intervalSeconds: interval, ...others } = changes;
  const input = {
    id,
    expectedVersion: draft.version,
    ...others,
    ...(interval !== undefined && { intervalSeconds: Number(interval) }),
  };
  const { jsonPath: path, ...rest } = others;
  const body = {
    ...rest,
    ...(path !== undefined && { json_path: path }),
    ...(interval !== undefined && { interval_seconds: Number(interval) }),
  };
  const call = (
    <Call
      title={`The call that changes ${address}`}
      rest={{ method: 'PATCH', path: `/ip_policy_sources/${id}`, body, ifMatch: draft.version }}
      document={UpdateIpPolicySourceDocument}
      variables={{ input }}
    />
  );
  const send = async (sent: typeof input, force: boolean) => {
    const made = await update.run({ input: force ? { ...sent, force } : sent });
    return saved('Source saved.', made?.updateIpPolicySource?.ipPolicySource);
  };
  const guarded = useGuarded<typeof input>({
    // What another address has is known only once it has been read: the server refuses what locks out or breaks an expectation.
    look: async () => [],
    send,
    running: update.running,
    problem: update.problem,
    clear: update.clear,
    words: () => ({ title: `Change the source ${address}?`, action: 'Save', call }),
  });
  const { problem } = guarded;
  const isUnread = problem?.code === 'OUTGOING_FAILED' || problem?.code === 'OUTGOING_REFUSED';
  const shown = isUnread ? null : problem;
  return (
    <>
      <EditForm
        draft={draft}
        titles={titles}
        by={source.updatedBy ? sayActor(source.updatedBy) : undefined}
        running={guarded.pending !== null || update.running}
        problem={shown}
        canWrite
        call={call}
        save={() => void guarded.attempt(input)}
      >
        <TextField
          label={kind === 'dns' ? 'DNS name' : 'URL of the list'}
          value={values.address}
          onChange={(text) => set({ address: text })}
          error={errorOf(shown, 'address')}
          mono
        />
        {kind === 'json' && (
          <TextField
            label={titles.jsonPath}
            value={values.jsonPath}
            onChange={(text) => set({ jsonPath: text })}
            error={errorOf(shown, 'jsonPath')}
            mono
          />
        )}
        <SelectField
          label={titles.action}
          value={values.action}
          onChange={(chosen) => set({ action: chosen })}
          options={ruleActions}
        />
        <TextField
          label={titles.intervalSeconds}
          type="number"
          value={values.intervalSeconds}
          onChange={(text) => set({ intervalSeconds: text })}
          hint={`Seconds: at least ${kind === 'dns' ? 60 : 300}, at most 86,400.`}
          error={errorOf(shown, 'intervalSeconds')}
        />
        <DescriptionField draft={draft} problem={shown} canWrite />
        <MetadataField draft={draft} problem={shown} canWrite />
        {isUnread && (
          <>
            <ProblemNotice problem={problem} />
            <p>Saved all the same, it has no ranges until it can be read, and nobody checks whom that keeps out.</p>
            <div>
              <Button isPending={update.running} onPress={() => void send(input, true)}>
                Save all the same
              </Button>
            </div>
          </>
        )}
      </EditForm>
      {guarded.question}
    </>
  );
}
