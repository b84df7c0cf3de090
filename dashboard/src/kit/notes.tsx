// What people write about an object: every kind has it.

import type { Problem } from '../client/problem.ts';
import { TextField } from './fields.tsx';
import { errorOf } from './form.tsx';

/** What is written about an object. A type, because interfaces have no index signature. */
export type NoteValues = { readonly description: string; readonly metadata: string };

interface NoteFieldProps {
  /** The form, which may have more than notes. */
  readonly draft: { readonly values: NoteValues } & { set(changes: Partial<NoteValues>): void };
  readonly problem: Problem | null;
  readonly canWrite: boolean;
}

/** A field for what people call an object. */
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

/** A field for what programs keep with an object. */
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
