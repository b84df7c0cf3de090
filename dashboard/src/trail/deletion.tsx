// The way to delete something. What the trail can put back is deleted at once, and the way back stands in the corner; what it cannot is
// asked for once more. Either says beside it what happens, and the call that does the same.
//
// A deletion says which version it is about: what somebody else has changed since is shown before it is lost.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../client/data.ts';
import { useLive } from '../client/live.ts';
import type { Problem } from '../client/problem.ts';
import { useCan } from '../client/rights.ts';
import type { IpRestrictionType } from '../client/types.generated.ts';
import { type Guarded, type Looked, useGuarded } from '../impact/guarded.tsx';
import { Button } from '../kit/button.tsx';
import { Call } from '../kit/call.tsx';
import { ProblemNotice } from '../kit/notice.tsx';
import { Panel } from '../kit/page.tsx';
import { Overtaken } from './overtaken.tsx';
import { useDone } from './undo.ts';

/** What is deleted, and how. */
interface DeletionOptions<I, D = unknown> {
  /** The object, as the page shows it; of a part of one, the whole. */
  readonly of: { readonly id: string; readonly version: number };
  /** The name of its type, such as `IpPolicy`. */
  readonly kind: string;
  readonly document: TypedDocumentNode<D, { input: I }>;
  /** Gives the input, for the version that the person has seen. */
  readonly input: (expectedVersion: number) => I;
  /** The same on REST, such as `/ip_policies/ipp_…`. */
  readonly path: string;
  /** What else is read again afterwards. */
  readonly alsoChanged?: readonly string[];
  /** What it does, where that is not called deleting: such as `revokes`. */
  readonly deed?: string;
  /** What is said when it is done, such as "Policy deleted." */
  readonly said: string;
  /** The page to go on to; or what to do. None where the page remains. */
  readonly next?: string | (() => void);
  /** Whether it is asked for in any case, and not only where it keeps somebody out. */
  readonly asks: boolean;
  /** Whether the trail can put it back; of a part of an object, the version that the whole has by then. */
  readonly undoes: boolean | ((answer: D) => { readonly version: number } | undefined);
  readonly question: { readonly title: string; readonly action: string; readonly typed?: string };
  /** What happens, as the question says it. */
  readonly text: ReactNode;
  /** Looks at whom it keeps out or lets in, where it is about that. */
  readonly look?: (() => Promise<Looked>) | undefined;
  readonly type?: IpRestrictionType;
  /**
   * Whether it is done whatever others have changed since: for what changes by being used, and must end at once all the same.
   */
  readonly whateverChanged?: boolean;
}

/** A deletion that can be made. */
interface Deletion {
  start(): void;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** The question, to be drawn. */
  readonly dialog: ReactNode;
  /** What others have changed since, where that has kept it from being done at once. */
  readonly overtaken: ReactNode;
  readonly call: ReactNode;
}

/** Prepares a deletion: of an object that has a page, or of a part of one. */
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
      title={`Show the call that ${options.deed ?? 'deletes'} it`}
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
        // What it is by now has to be seen before it is tried again.
        live.changed([kind]);
        return false;
      }
      const written = typeof undoes === 'function' ? undoes(answer) : undoes ? { version: null } : undefined;
      done(options.said, written && { id: of.id, version: written.version });
      if (typeof options.next === 'string') navigate(options.next);
      else options.next?.();
      return true;
    },
    running,
    problem,
    clear,
    words: (version) => ({ ...question, text, call: call(version), overtaken: overtakenAt(version) }),
    type,
    alwaysAsks: asks,
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

/** What a button that deletes shows and does. */
type FinalDeletionProps<I> = Omit<DeletionOptions<I>, 'asks' | 'undoes' | 'text'> & {
  /** What the button says, such as "Revoke". */
  readonly label: string;
  readonly isDanger?: boolean;
  /** What happens, and to whom. */
  readonly children: ReactNode;
};

/** A button that deletes for good what nothing can put back: it asks first. */
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
      {/* Of a deletion whose question was closed before its answer came. */}
      <ProblemNotice problem={problem} />
      {dialog}
    </>
  );
}

/** What a part of a page that deletes shows and does. */
type DeletionPanelProps<I> = Omit<DeletionOptions<I>, 'asks' | 'undoes' | 'question' | 'text' | 'said'> & {
  /** What it is, such as `policy`. */
  readonly noun: string;
  /** What happens, and to whom. */
  readonly children: ReactNode;
  /** Whether it is asked for all the same: what comes back is not all that it was, or meanwhile somebody is let in. */
  readonly asks?: boolean;
  /** Says more about a problem than its message; null where it does not. */
  readonly explain?: (problem: Problem) => ReactNode;
};

/** The part of a page that deletes what the trail can put back. */
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
