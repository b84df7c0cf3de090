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
const anew = { requestPolicy: 'network-only' } as const;

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
function useHealing(error: CombinedError | undefined, read: (by: typeof again) => void): void {
  const failures = useRef(0);
  useEffect(() => {
    failures.current = error && isPassing(problemOf(error)) ? failures.current + 1 : 0;
    return failures.current === 0 ? undefined : tryLater(failures.current, () => read(again));
  }, [error, read]);
}

/** A page of a list, as every connection returns it. */
export interface Connection<N> {
  readonly nodes: readonly N[];
  readonly totalCount?: number;
  readonly searchedInPart?: boolean;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** The connection of a document. If the document takes a search, it must also read `searchedInPart`. */
type ConnectionOf<N, V> = Connection<N> & ('search' extends keyof V ? { readonly searchedInPart: boolean } : unknown);

/** A list that is read page by page. */
export interface Pages<N> {
  /** Undefined until the first page has been read. */
  readonly nodes: readonly N[] | undefined;
  /** Whether `nodes` answer the previous query: they stay on screen, with the scroll position, until the next answer. */
  readonly isFormer: boolean;
  readonly totalCount: number | undefined;
  /** Whether the list has older objects that were not searched. */
  readonly isSearchedInPart: boolean;
  readonly error: CombinedError | undefined;
  readonly reading: boolean;
  readonly hasMore: boolean;
  /** Whether the next page is being read. */
  readonly readingMore: boolean;
  /** Reads the next page, even while the list is being read again. */
  more(): void;
  reload(): void;
  /** Reads the whole list from the server, at most `listMax` rows, and shows nothing of it; or says why not. */
  all(): Promise<readonly N[] | Problem>;
}

/** Most rows of a list that are read at once, for a file. */
export const listMax = 10_000;

/**
 * Reads a list page by page. Reads all loaded pages again whenever an object of one of the kinds has changed: one after another,
 * each from the cursor of the one before, so that no row is lost or shown twice between them.
 *
 * @param document takes `$after`, and any `first`
 * @param pick returns the list in an answer; null if it is not there
 */
export function usePages<D, V extends { after?: string | null | undefined }, N>(
  document: TypedDocumentNode<D, V>,
  variables: Omit<V, 'after'>,
  pick: (data: D) => ConnectionOf<N, V> | null | undefined,
  kinds: readonly string[],
): Pages<N> {
  const client = useClient();
  const live = useLive();
  const [list, setList] = useState<{
    asked: string;
    nodes: readonly N[];
    totalCount?: number;
    inPart: boolean;
    next: string | null;
  }>();
  const [error, setError] = useState<CombinedError>();
  const [reading, setReading] = useState(true);
  const [readingMore, setReadingMore] = useState(false);
  const pages = useRef(1);
  const turn = useRef(0);
  const isReloading = useRef(false);
  const isBehind = useRef(false);
  const asked = JSON.stringify(variables);
  const latest = useRef({ document, variables, pick });
  latest.current = { document, variables, pick };

  const read = useCallback(
    async (
      by: { readonly requestPolicy: 'network-only' | 'cache-only' | 'cache-first' },
      known: readonly N[] = [],
      from: string | null = null,
    ) => {
      const { requestPolicy } = by;
      turn.current += 1;
      const mine = turn.current;
      const { document: question, variables: given, pick: find } = latest.current;
      setReading(true);
      setReadingMore(from !== null);
      isReloading.current = requestPolicy === 'network-only';
      const end = () => {
        // Cached data is read again from the server at once.
        setReading(requestPolicy === 'cache-only');
        setReadingMore(false);
        isReloading.current = false;
        if (!isBehind.current) return;
        isBehind.current = false;
        void read(again);
      };
      const nodes = [...known];
      let after = from;
      let last: Connection<N> | undefined;
      for (let page = from === null ? 0 : pages.current - 1; page < pages.current; page += 1) {
        // `given` holds all variables but `after`.
        const answer = await client.query(question, { ...given, after } as V, by).toPromise();
        if (turn.current !== mine) return;
        const found: Connection<N> | null | undefined = answer.data && find(answer.data);
        if (!found) {
          if (requestPolicy === 'cache-only') return;
          setError(answer.error);
          // The requested page could not be read.
          if (from !== null) pages.current -= 1;
          end();
          return;
        }
        last = found;
        nodes.push(...found.nodes);
        after = found.pageInfo.endCursor ?? null;
        if (!found.pageInfo.hasNextPage) break;
      }
      if (last === undefined) return;
      setError(undefined);
      const next = last.pageInfo.hasNextPage ? after : null;
      const { totalCount, searchedInPart: inPart = false } = last;
      setList({ asked: JSON.stringify(given), nodes, totalCount, inPart, next });
      end();
    },
    [client],
  );
  // Changes that arrive during a reload cause another one after it. Otherwise constant changes would keep it from ever finishing.
  const reload = useCallback(
    (by: { readonly requestPolicy: 'network-only' } = anew) => {
      if (isReloading.current) isBehind.current = true;
      else void read(by);
    },
    [read],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new query starts with its first page.
  useEffect(() => {
    pages.current = 1;
    isBehind.current = false;
    // `variables` are all variables but `after`.
    if (takeAhead(document, { ...latest.current.variables, after: null } as V))
      void read({ requestPolicy: 'cache-first' });
    else void read({ requestPolicy: 'cache-only' }).then(() => read(anew));
  }, [asked, document, read]);
  useHealing(error, reload);
  const names = kinds.join();
  useEffect(() => live.on(names.split(',').filter(Boolean), () => reload(again)), [live, names, reload]);
  const current = list?.asked === asked ? list : undefined;
  const next = current?.next ?? null;
  // Not after an error, and not an empty former list: either could be mistaken for the answer to the current query.
  const shown = current ?? (error || list?.nodes.length === 0 ? undefined : list);
  return {
    nodes: shown?.nodes,
    totalCount: shown?.totalCount,
    isSearchedInPart: shown?.inPart ?? false,
    isFormer: shown !== undefined && current === undefined,
    error,
    reading,
    hasMore: next !== null,
    readingMore,
    more() {
      if (current === undefined || next === null || readingMore) return;
      // A long list under constant change is read again all the time. The next page does not wait for that: the reload follows it.
      if (isReloading.current) isBehind.current = true;
      pages.current += 1;
      void read(anew, current.nodes, next);
    },
    reload: () => reload(),
    async all() {
      const { document: question, variables: given, pick: find } = latest.current;
      const rows: N[] = [];
      for (let after: string | null = null; ; ) {
        // `given` holds all variables but `after`.
        const answer = await client.query(question, { ...given, after } as V, anew).toPromise();
        const page: Connection<N> | null | undefined = answer.data && find(answer.data);
        if (!page)
          return answer.error
            ? problemOf(answer.error)
            : { code: 'NOT_FOUND', message: 'The list is gone.', field: null };
        rows.push(...page.nodes);
        after = page.pageInfo.endCursor ?? null;
        if (!page.pageInfo.hasNextPage || after === null || rows.length >= listMax) return rows.slice(0, listMax);
      }
    },
  };
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
