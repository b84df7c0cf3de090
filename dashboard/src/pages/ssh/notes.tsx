// What people write about an object: all that can be changed of those of SSH.

import type { ReactNode } from 'react';
import type { Problem } from '../../client/problem.ts';
import { type Draft, useDraft } from '../../kit/draft.ts';
import { EditForm } from '../../kit/form.tsx';
import { DescriptionField, MetadataField, type NoteValues } from '../../kit/notes.tsx';
import { Panel } from '../../kit/page.tsx';

/** A form for what people write about an object. */
export function Notes({
  of,
  canWrite,
  running,
  problem,
  call,
  save,
}: {
  of: NoteValues & { readonly version: number };
  canWrite: boolean;
  running: boolean;
  problem: Problem | null;
  call: (draft: Draft<NoteValues>) => ReactNode;
  save: (draft: Draft<NoteValues>) => void;
}) {
  const draft = useDraft<NoteValues>({ description: of.description, metadata: of.metadata }, of.version);
  return (
    <Panel title="Notes">
      <EditForm
        draft={draft}
        titles={{ description: 'Description', metadata: 'Metadata' }}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={call(draft)}
        save={() => save(draft)}
      >
        <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
        <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
      </EditForm>
    </Panel>
  );
}
