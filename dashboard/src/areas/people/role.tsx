// One role.

import { useAction, useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { LinesField, sentLines } from '../../kit/fields.tsx';
import { EditForm, lineErrorOf } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { useSaved } from '../../trail/undo.ts';
import { DeleteRoleDocument, RoleDocument, type RoleQuery, UpdateRoleDocument } from './people.generated.ts';
import { scopesHint } from './roles.tsx';

type Role = NonNullable<RoleQuery['role']>;

function Settings({ role }: { role: Role }) {
  const canWrite = useCan('people:write');
  const { description, metadata } = role;
  const scopes: readonly string[] = role.scopes;
  const { run, running, problem } = useAction(UpdateRoleDocument, ['Role', 'Person']);
  const draft = useDraft({ description, scopes, metadata }, role.version, running);
  const saved = useSaved(draft);
  const { scopes: lines, ...others } = draft.changes;
  const body = { ...others, ...(lines !== undefined && { scopes: sentLines(lines) }) };
  const input = { id: role.id, expectedVersion: draft.version, ...body };
  return (
    <Panel title="Settings" description="A change counts at once for everybody who has the role.">
      <EditForm
        draft={draft}
        titles={{ description: 'Description', scopes: 'Scopes', metadata: 'Metadata' }}
        by={role.updatedBy ? sayActor(role.updatedBy) : undefined}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={
          <Call
            rest={{ method: 'PATCH', path: `/roles/${role.id}`, body, ifMatch: draft.version }}
            document={UpdateRoleDocument}
            variables={{ input }}
          />
        }
        save={async () => saved('Role saved.', (await run({ input }))?.updateRole?.role)}
      >
        <LinesField
          label="Scopes"
          mono
          value={draft.values.scopes}
          onChange={(value) => draft.set({ scopes: value })}
          hint={scopesHint}
          error={lineErrorOf(problem, 'scopes', draft.values.scopes)}
          isDisabled={!canWrite}
        />
        <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
        <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
      </EditForm>
    </Panel>
  );
}

function Shown({ role }: { role: Role }) {
  const canWrite = useCan('people:write');
  return (
    <Page title={role.name} crumbs={[{ title: 'Roles', href: '/roles' }]} description={<LastChange of={role} />}>
      <Settings role={role} />
      {canWrite && (
        <DeletionPanel
          noun="role"
          of={role}
          kind="Role"
          document={DeleteRoleDocument}
          input={(expectedVersion) => ({ id: role.id, expectedVersion })}
          path={`/roles/${role.id}`}
          next="/roles"
        >
          It can only be deleted while no sign-in provider gives it.
        </DeletionPanel>
      )}
      <History objectId={role.id} kind="Role" canWrite={canWrite} />
    </Page>
  );
}

export default function RolePage({ id }: { id: string }) {
  const reading = useData(RoleDocument, { id }, ['Role']);
  return <Loaded reading={reading}>{({ role }) => role && <Shown role={role} />}</Loaded>;
}
