// The form for objects whose only changeable fields are their notes.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { DescriptionField, MetadataField, type NoteValues } from '../kit/notes.tsx';
import { Panel } from '../kit/page.tsx';
import { type Changeable, ObjectForm } from './object-form.tsx';

/** Input that changes the notes of an object. */
interface NoteInput {
  id: string;
  expectedVersion: number;
  description?: string;
  metadata?: string;
}

interface NoteFormProps<D> {
  readonly of: NoteValues & Changeable;
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
export function NoteForm<D>({ of, kind, ...form }: NoteFormProps<D>) {
  return (
    <Panel title="Notes">
      <ObjectForm<NoteValues, D, Partial<NoteValues>>
        of={of}
        values={{ description: of.description, metadata: of.metadata }}
        titles={{ description: 'Description', metadata: 'Metadata' }}
        kinds={[kind]}
        changeOf={(changes) => changes}
        {...form}
      >
        {(fields) => (
          <>
            <DescriptionField {...fields} />
            <MetadataField {...fields} />
          </>
        )}
      </ObjectForm>
    </Panel>
  );
}
