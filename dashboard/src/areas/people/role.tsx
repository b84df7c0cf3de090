// One role.

import { useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { LinesField, sentLines } from '../../kit/fields.tsx';
import { lineErrorOf } from '../../kit/form.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { ObjectForm } from '../../trail/object-form.tsx';
import { DeleteRoleDocument, RoleDocument, type RoleQuery, UpdateRoleDocument } from './people.generated.ts';
import { scopesHint } from './roles.tsx';

type Role = NonNullable<RoleQuery['role']>;

function Settings({ role }: { role: Role }) {
  const canWrite = useCan('people:write');
  const { description, metadata } = role;
  const scopes: readonly string[] = role.scopes;
  return (
    <Panel title="Settings" description="A change counts at once for everybody who has the role.">
      <ObjectForm
        of={role}
        values={{ description, scopes, metadata }}
        titles={{ description: 'Description', scopes: 'Scopes', metadata: 'Metadata' }}
        kinds={['Role', 'Person']}
        document={UpdateRoleDocument}
        changeOf={({ scopes: lines, ...others }) => ({ ...others, ...(lines && { scopes: sentLines(lines) }) })}
        writtenOf={(answer) => answer.updateRole?.role}
        path={`/roles/${role.id}`}
        said="Role saved."
        canWrite={canWrite}
      >
        {({ draft, problem }) => (
          <>
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
          </>
        )}
      </ObjectForm>
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
