// Deletions. What the audit trail can restore is deleted at once, and a toast offers "Undo". Anything else needs a confirmation.
// Either way, the page says what will happen, and shows the API call that does the same.
//
// A deletion names the version that the user has seen, so that later changes by others are shown before they are lost.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../client/data.ts';
import { useLive } from '../client/live.ts';
import type { Problem } from '../client/problem.ts';
import { useCan } from '../client/rights.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { type Guarded, type Looked, type Question, useGuarded } from '../impact/guarded.tsx';
import { Button } from '../kit/button.tsx';
import { Call } from '../kit/call.tsx';
import { ProblemNotice } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import { Overtaken } from './overtaken.tsx';
import { useDone } from './undo.ts';

/** What to delete, and how. */
interface DeletionOptions<I, D = unknown> {
  /** The object as the page shows it; for a part of an object, the whole object. */
  readonly of: { readonly id: string; readonly version: number };
  /** The GraphQL type name, such as `IpPolicy`. */
  readonly kind: string;
  readonly document: TypedDocumentNode<D, { input: I }>;
  /** Returns the input for the version that the user has seen. */
  readonly input: (expectedVersion: number) => I;
  /** The REST path, such as `/ip_policies/ipp_…`. */
  readonly path: string;
  /** Further kinds of objects to read again afterwards. */
  readonly alsoChanged?: readonly string[];
  /** The verb, if it is not `deletes`: such as `revokes`. */
  readonly deed?: string;
  /** Text of the toast, such as "Policy deleted." */
  readonly said: string;
  /** The page to open afterwards, or a function to call. Without it, the page stays. */
  readonly next?: string | (() => void);
  /** Whether to always ask for confirmation, and not only if the deletion keeps somebody out. */
  readonly asks: boolean;
  /** Whether the trail can restore it; for a part of an object, returns the resulting version of the whole object. */
  readonly undoes: boolean | ((answer: D) => { readonly version: number } | undefined);
  readonly question: Pick<Question, 'title' | 'action' | 'typed' | 'wayBack'>;
  /** What will happen, for the confirmation dialog. */
  readonly text: ReactNode;
  /** Evaluates whom the deletion keeps out or lets in, if it affects access. */
  readonly look?: (() => Promise<Looked>) | undefined;
  readonly type?: IpRestrictionType;
  /**
   * Whether to delete any version: for objects that change with every use, and must nevertheless be ended at once.
   */
  readonly whateverChanged?: boolean;
}

/** A prepared deletion. */
export interface Deletion {
  start(): void;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** The confirmation dialog, to be rendered. */
  readonly dialog: ReactNode;
  /** What others have changed meanwhile, if that has prevented the deletion. */
  readonly overtaken: ReactNode;
  readonly call: ReactNode;
}

/** Prepares the deletion of an object, or of a part of one. */
export function useDeletion<I extends object, D>(options: DeletionOptions<I, D>): Deletion {
  const {
    of,
    kind,
    document,
    input,
    path,
    asks,
    undoes,
    question,
    text,
    look,
    type,
    whateverChanged = false,
  } = options;
  const { run, running, problem, clear } = useAction(document, [kind, ...(options.alsoChanged ?? [])]);
  const live = useLive();
  const done = useDone();
  const [, navigate] = useLocation();
  // The version that was sent last.
  const [sent, setSent] = useState<number | null>(null);
  const isConflict = problem?.code === 'VERSION_CONFLICT';
  const overtakenAt = (version: number | null) =>
    version !== null && !whateverChanged && of.version > version ? (
      <Overtaken objectId={of.id} kind={kind} version={version} goOn={() => void guarded.attempt(of.version)} />
    ) : null;
  const call = (version: number) => (
    <Call
      title={`The call that ${options.deed ?? 'deletes'} it`}
      rest={{ method: 'DELETE', path, ...(!whateverChanged && { ifMatch: version }) }}
      document={document}
      variables={{ input: input(version) }}
    />
  );
  const guarded: Guarded<number> = useGuarded<number>({
    look: async () => (look === undefined ? [] : look()),
    async send(version, force) {
      setSent(version);
      const variables = input(version);
      const answer = await run({ input: force ? { ...variables, force } : variables });
      if (answer === null) {
        // The current state must be shown before the user tries again.
        live.changed([kind]);
        return false;
      }
      const written = typeof undoes === 'function' ? undoes(answer) : undoes ? { version: null } : undefined;
      done(options.said, ...(written ? [{ id: of.id, version: written.version }] : []));
      if (typeof options.next === 'string') navigate(options.next);
      else options.next?.();
      return true;
    },
    running,
    problem,
    clear,
    words: (version) => ({ ...question, text, call: call(version), overtaken: overtakenAt(version) }),
    type,
    alwaysAsks: () => asks,
  });
  const overtaken = guarded.pending === null && isConflict ? overtakenAt(sent) : null;
  return {
    start: () => void guarded.attempt(of.version),
    running: guarded.pending !== null,
    problem: overtaken === null ? guarded.problem : null,
    dialog: guarded.question,
    overtaken,
    call: call(of.version),
  };
}

type FinalDeletionProps<I> = Omit<DeletionOptions<I>, 'asks' | 'undoes' | 'text'> & {
  /** Label of the button, such as "Revoke". */
  readonly label: string;
  readonly isDanger?: boolean;
  /** What happens, and to whom. */
  readonly children: ReactNode;
};

/** A button that deletes something for good, after a confirmation. */
export function FinalDeletion<I extends object>({
  label,
  isDanger = true,
  children,
  ...options
}: FinalDeletionProps<I>) {
  const { start, running, problem, dialog } = useDeletion({
    ...options,
    asks: true,
    undoes: false,
    text: children,
  });
  return (
    <>
      <Button look={isDanger ? 'danger' : 'usual'} onPress={start} isPending={running}>
        {label}
      </Button>
      {/* The problem of a deletion whose dialog was closed before the answer arrived. */}
      <ProblemNotice problem={problem} />
      {dialog}
    </>
  );
}

type DeletionPanelProps<I> = Omit<DeletionOptions<I>, 'asks' | 'undoes' | 'question' | 'text' | 'said'> & {
  /** What is deleted, such as `policy`. */
  readonly noun: string;
  /** What happens, and to whom. */
  readonly children: ReactNode;
  /** Whether to ask for confirmation even if it can be undone: not all of it comes back, or somebody is let in meanwhile. */
  readonly asks?: boolean;
  /** Returns a better explanation of a problem than its message; null or undefined for none. */
  readonly explain?: (problem: Problem) => ReactNode;
};

/** A panel that deletes something that the trail can restore. */
export function DeletionPanel<I extends object>({
  noun,
  children,
  asks = false,
  explain,
  ...options
}: DeletionPanelProps<I>) {
  const canUndo = useCan('audit-events:read');
  const { start, running, dialog, problem, overtaken, call } = useDeletion({
    ...options,
    said: `${noun.charAt(0).toUpperCase()}${noun.slice(1)} deleted.`,
    asks: asks || !canUndo,
    undoes: true,
    question: { title: `Delete this ${noun}?`, action: `Delete ${noun}` },
    text: children,
  });
  return (
    <Panel title={`Delete this ${noun}`}>
      <div className="stack">
        <div>
          {children}{' '}
          {canUndo && !asks && (
            <span className="muted">It can be put back: at once, or later from the audit trail.</span>
          )}
        </div>
        {overtaken}
        {problem && (explain?.(problem) ?? <ProblemNotice problem={problem} />)}
        <div>
          <Button look="danger" onPress={start} isPending={running}>
            Delete
          </Button>
        </div>
        {call}
      </div>
      {dialog}
    </Panel>
  );
}
