// How components read and change data: each with its own document, and the kinds of objects whose changes affect it.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type AnyVariables, type CombinedError, type DocumentInput, useClient, useQuery } from 'urql';
import { takeAhead } from './ahead.ts';
import { useLive } from './live.ts';
import { type Problem, problemOf } from './problem.ts';
import { isPassing, tryLater } from './reachable.ts';
import { backgroundHeaders } from './server.ts';

/** Request options for a read that the user has asked for. */
export const anew = { requestPolicy: 'network-only' } as const;

/** Request options for reading again because others have changed the data. */
export const again = { requestPolicy: 'network-only', fetchOptions: { headers: backgroundHeaders } } as const;

/** The result of a read. While it is read again, `data` is the previous result. */
export interface Reading<D> {
  readonly data: D | undefined;
  readonly error: CombinedError | undefined;
  readonly reading: boolean;
  /** Reads again from the server. */
  reload(): void;
}

/**
 * Reads a document, and reads it again whenever an object of one of the kinds has changed.
 *
 * @param kinds names of types, such as `IpPolicy`; empty for data that never changes
 * @param pause whether to read nothing for now
 */
export function useData<D, V extends AnyVariables>(
  document: DocumentInput<D, V>,
  variables: V,
  kinds: readonly string[],
  pause = false,
): Reading<D> {
  const live = useLive();
  const question = JSON.stringify(variables);
  // biome-ignore lint/correctness/useExhaustiveDependencies: variables are compared by value.
  const requestPolicy = useMemo(
    () => (takeAhead(document, variables) ? 'cache-first' : 'cache-and-network'),
    [document, question],
  );
  const [{ data, error, fetching }, execute] = useQuery({ query: document, variables, pause, requestPolicy });
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const names = kinds.join();
  useEffect(
    () => (pause ? undefined : live.on(names.split(',').filter(Boolean), () => execute(again))),
    [live, names, execute, pause],
  );
  useHealing(error, execute);
  // A failed read must not remove data that is already shown and may be under edit.
  const kept = useRef({ document, question, data });
  if (data !== undefined || kept.current.document !== document || kept.current.question !== question) {
    kept.current = { document, question, data };
  }
  return { data: kept.current.data, error, reading: fetching, reload };
}

/** Reads again by itself after a failure that passes. */
export function useHealing(error: CombinedError | undefined, read: (by: typeof again) => void): void {
  const failures = useRef(0);
  useEffect(() => {
    failures.current = error && isPassing(problemOf(error)) ? failures.current + 1 : 0;
    return failures.current === 0 ? undefined : tryLater(failures.current, () => read(again));
  }, [error, read]);
}

/** A change that can be made. */
export interface Action<D, V> {
  /** Makes the change. Returns the answer, or null if it failed; then `problem` says why. */
  run(variables: V): Promise<D | null>;
  readonly running: boolean;
  readonly problem: Problem | null;
  /** Forgets the problem. */
  clear(): void;
}

/**
 * Prepares a change.
 *
 * @param kinds names of types whose objects are read again afterwards
 */
export function useAction<D, V extends AnyVariables>(
  document: TypedDocumentNode<D, V>,
  kinds: readonly string[],
): Action<D, V> {
  const client = useClient();
  const live = useLive();
  const [running, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef(kinds);
  latest.current = kinds;
  const run = useCallback(
    async (variables: V) => {
      setRunning(true);
      setProblem(null);
      const answer = await client.mutation(document, variables).toPromise();
      setRunning(false);
      if (answer.error) {
        setProblem(problemOf(answer.error));
        return null;
      }
      live.changed(latest.current);
      return answer.data ?? null;
    },
    [client, document, live],
  );
  const clear = useCallback(() => setProblem(null), []);
  return { run, running, problem, clear };
}
