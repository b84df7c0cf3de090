// What people write about an object: all that can be changed of those of SSH.

import type { ReactNode } from 'react';
import type { Problem } from '../../client/problem.ts';
import { type Draft, useDraft } from '../../kit/draft.ts';
import { TextField } from '../../kit/fields.tsx';
import { EditForm, errorOf } from '../../kit/form.tsx';
import { Panel } from '../../kit/page.tsx';

/** What is written about an object. A type, because interfaces have no index signature. */
type NoteValues = { readonly description: string; readonly metadata: string };

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
        <TextField
          label="Description"
          value={draft.values.description}
          onChange={(description) => draft.set({ description })}
          error={errorOf(problem, 'description')}
          isDisabled={!canWrite}
        />
        <TextField
          label="Metadata"
          value={draft.values.metadata}
          onChange={(metadata) => draft.set({ metadata })}
          hint="Your own data for programs, which Sallyport never interprets."
          error={errorOf(problem, 'metadata')}
          isDisabled={!canWrite}
          lines={2}
          mono
        />
      </EditForm>
    </Panel>
  );
}
