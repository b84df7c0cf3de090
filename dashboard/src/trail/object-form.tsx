// The form of an object: what was changed is sent with the version that it is based on, and can be undone.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { ReactNode } from 'react';
import { useAction } from '../client/data.ts';
import type { Problem } from '../client/problem.ts';
import { Call } from '../kit/call.tsx';
import { type Draft, useDraft, type Values } from '../kit/draft.ts';
import { EditForm } from '../kit/form.tsx';
import { sayActor } from './changes.tsx';
import type { EventLineFragment } from './events.generated.ts';
import { useSaved } from './undo.ts';

/** An object that a form changes. */
export interface Changeable {
  readonly id: string;
  readonly version: number;
  readonly updatedBy: EventLineFragment['actor'] | null;
}

/** What the fields of a form are drawn with. */
interface Fields<V extends Values> {
  readonly draft: Draft<V>;
  readonly problem: Problem | null;
  readonly canWrite: boolean;
}

interface ObjectFormProps<V extends Values, D, C extends object> {
  readonly of: Changeable;
  readonly values: V;
  readonly titles: Readonly<Record<string, string>>;
  /** The kinds of objects that the change may concern. */
  readonly kinds: readonly string[];
  readonly document: TypedDocumentNode<D, { input: { id: string; expectedVersion: number } & C }>;
  /** Returns what of the input has changed, from the values of the form that have. */
  readonly changeOf: (changes: Partial<V>) => C;
  /** Returns the object in the answer. */
  readonly writtenOf: (answer: D) => { readonly id: string; readonly version: number } | undefined;
  /** The REST path. */
  readonly path: string;
  /** The change as REST takes it; by default, with the names of its fields in REST. */
  readonly restOf?: (change: C) => object;
  /** Text of the toast, such as "Policy saved." */
  readonly said: string;
  readonly canWrite: boolean;
  /** Returns whether there is a value that cannot be sent, which its field says. */
  readonly isWrong?: (values: V) => boolean;
  readonly children: (fields: Fields<V>) => ReactNode;
}

/** Returns an object with the names that REST has for its fields: `clientId` is `client_id`. */
export const inRest = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** The form of an object, within a panel. */
export function ObjectForm<V extends Values, D, C extends object>({
  of,
  values,
  titles,
  kinds,
  document,
  changeOf,
  writtenOf,
  path,
  restOf = inRest,
  said,
  canWrite,
  isWrong = () => false,
  children,
}: ObjectFormProps<V, D, C>) {
  const { run, running, problem } = useAction(document, kinds);
  const draft = useDraft(values, of.version, running);
  const saved = useSaved(draft);
  const change = changeOf(draft.changes);
  const input = { id: of.id, expectedVersion: draft.version, ...change };
  return (
    <EditForm
      draft={draft}
      titles={titles}
      by={of.updatedBy ? sayActor(of.updatedBy) : undefined}
      running={running}
      problem={problem}
      canWrite={canWrite}
      call={
        <Call
          rest={{ method: 'PATCH', path, body: restOf(change), ifMatch: draft.version }}
          document={document}
          variables={{ input }}
        />
      }
      save={async () => {
        if (isWrong(draft.values)) return;
        const answer = await run({ input });
        saved(said, answer ? writtenOf(answer) : null);
      }}
    >
      {children({ draft, problem, canWrite })}
    </EditForm>
  );
}
