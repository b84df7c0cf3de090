// The form for objects whose only changeable fields are their notes.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useAction } from '../client/data.ts';
import { Call } from '../kit/call.tsx';
import { useDraft } from '../kit/draft.ts';
import { EditForm } from '../kit/form.tsx';
import { DescriptionField, MetadataField, type NoteValues } from '../kit/notes.tsx';
import { Panel } from '../kit/page.tsx';
import { sayActor } from './changes.tsx';
import type { EventLineFragment } from './events.generated.ts';
import { useSaved } from './undo.ts';

/** Input that changes the notes of an object. */
interface NoteInput {
  id: string;
  expectedVersion: number;
  description?: string;
  metadata?: string;
}

interface NoteFormProps<D> {
  readonly of: NoteValues & {
    readonly id: string;
    readonly version: number;
    readonly updatedBy: EventLineFragment['actor'] | null;
  };
  /** The GraphQL type name, such as `IpPolicy`. */
  readonly kind: string;
  readonly document: TypedDocumentNode<D, { input: NoteInput }>;
  /** Returns the object in the answer. */
  readonly writtenOf: (answer: D) => { readonly id: string; readonly version: number } | undefined;
  /** The REST path. */
  readonly path: string;
  /** Text of the toast, such as "Policy saved." */
  readonly said: string;
  readonly canWrite: boolean;
}

/** A panel that edits the notes of an object. */
export function NoteForm<D>({ of, kind, document, writtenOf, path, said, canWrite }: NoteFormProps<D>) {
  const { run, running, problem } = useAction(document, [kind]);
  const draft = useDraft<NoteValues>({ description: of.description, metadata: of.metadata }, of.version, running);
  const saved = useSaved(draft);
  const input = { id: of.id, expectedVersion: draft.version, ...draft.changes };
  return (
    <Panel title="Notes">
      <EditForm
        draft={draft}
        titles={{ description: 'Description', metadata: 'Metadata' }}
        by={of.updatedBy ? sayActor(of.updatedBy) : undefined}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={
          <Call
            rest={{ method: 'PATCH', path, body: draft.changes, ifMatch: draft.version }}
            document={document}
            variables={{ input }}
          />
        }
        save={async () => {
          const answer = await run({ input });
          saved(said, answer && writtenOf(answer));
        }}
      >
        <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
        <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
      </EditForm>
    </Panel>
  );
}
