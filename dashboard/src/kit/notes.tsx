// The notes of an object (description and metadata), which every kind has.

import type { Problem } from '../client/problem.ts';
import { TextField } from './fields.tsx';
import { errorOf } from './form.tsx';

/** The notes of an object. A type rather than an interface, because interfaces have no implicit index signature. */
export type NoteValues = { readonly description: string; readonly metadata: string };

interface NoteFieldProps {
  /** The form, which may have further fields. */
  readonly draft: { readonly values: NoteValues } & { set(changes: Partial<NoteValues>): void };
  readonly problem: Problem | null;
  readonly canWrite: boolean;
}

/** The field for the description of an object. */
export function DescriptionField({ draft, problem, canWrite }: NoteFieldProps) {
  return (
    <TextField
      label="Description"
      value={draft.values.description}
      onChange={(description) => draft.set({ description })}
      error={errorOf(problem, 'description')}
      isDisabled={!canWrite}
    />
  );
}

/** The field for metadata, which programs store with an object. */
export function MetadataField({ draft, problem, canWrite }: NoteFieldProps) {
  return (
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
  );
}
