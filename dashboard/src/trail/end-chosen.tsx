// Changes that end several rows of a list in one move: after one question, which shows whom they keep out, and all or none of them.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { ReactNode } from 'react';
import type { AnyVariables } from 'urql';
import { useAction } from '../client/data.ts';
import { type Guarded, type Looked, type Question, useGuarded } from '../impact/guarded.tsx';
import { Button } from '../kit/button.tsx';
import { Call } from '../kit/call.tsx';
import { ProblemNotice } from '../kit/notice.tsx';
import type { Chosen } from '../kit/selection.tsx';
import { useDone } from './undo.ts';

interface EndChosenProps<N, V extends AnyVariables, D> extends Chosen<N> {
  /** Label of the button, such as `Delete`. */
  readonly label: string;
  readonly document: TypedDocumentNode<D, V>;
  /** Returns the variables for the rows, as they were shown. */
  readonly variables: (rows: readonly N[], force: boolean) => V;
  /** Kinds of objects to read again afterwards. */
  readonly kinds: readonly string[];
  readonly question: (rows: readonly N[]) => Pick<Question, 'title' | 'action' | 'text' | 'wayBack'>;
  /** Text of the toast, such as "3 rules deleted." */
  readonly said: (rows: readonly N[], answer: D) => string;
  /** Evaluates whom it keeps out or lets in, if it affects access. */
  readonly look?: (rows: readonly N[]) => Promise<Looked>;
  /** Returns the identifiers of what the trail can restore. */
  readonly undoes?: (rows: readonly N[]) => readonly string[];
}

const nothing = async (): Promise<Looked> => [];

/** The button that ends what is chosen, with its question. */
export function EndChosen<N, V extends AnyVariables, D>(props: EndChosenProps<N, V, D>): ReactNode {
  const {
    chosen,
    clear: chooseNone,
    label,
    document,
    variables,
    kinds,
    question,
    said,
    look = nothing,
    undoes,
  } = props;
  const { run, running, problem, clear } = useAction(document, kinds);
  const done = useDone();
  const guarded: Guarded<readonly N[]> = useGuarded<readonly N[]>({
    look,
    async send(rows, force) {
      const answer = await run(variables(rows, force));
      if (answer === null) return false;
      done(said(rows, answer), ...(undoes?.(rows) ?? []).map((id) => ({ id, version: null })));
      chooseNone();
      return true;
    },
    running,
    problem,
    clear,
    words: (rows) => ({ ...question(rows), call: <Call document={document} variables={variables(rows, false)} /> }),
    // What is pressed here is many things at once.
    alwaysAsks: () => true,
  });
  return (
    <>
      <Button look="danger" isPending={guarded.pending !== null} onPress={() => void guarded.attempt(chosen)}>
        {label}
      </Button>
      <ProblemNotice problem={guarded.problem} />
      {guarded.question}
    </>
  );
}
