// Lists that are read page by page.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { takeAhead } from './ahead.ts';
import { again, anew, useHealing } from './data.ts';
import { useLive } from './live.ts';
import { nextToRead, type Part, trimmed, type View, withPage } from './parts.ts';
import { type Problem, problemOf } from './problem.ts';

/** A page of a list, as every connection returns it. */
export interface Connection<N> {
  readonly nodes: readonly N[];
  readonly totalCount?: number;
  readonly searchedInPart?: boolean;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** The connection of a document. If the document takes a search, it must also read `searchedInPart`. */
type ConnectionOf<N, V> = Connection<N> & ('search' extends keyof V ? { readonly searchedInPart: boolean } : unknown);

/** How a whole list is read. */
export interface WholeReading {
  /** Is told how many rows have been read. */
  readonly read: (rows: number) => void;
  /** Ends it: what was read so far is the answer. */
  readonly signal: AbortSignal;
}

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
  /** Is told which rows are on screen, or null if all are: after a change, those are read again, and others once they are. */
  readonly look: (view: View | null) => void;
  /** Reads the whole list from the server, at most `listMax` rows, and shows nothing of it; or says why not. */
  all(reading: WholeReading): Promise<readonly N[] | Problem>;
}

/** Most rows of a list that are read at once, for a file. */
export const listMax = 10_000;

/** The largest page that the server gives. */
const pageMax = 100;

/** Pages that are read after a change before what they do not reach is given up: the list then goes on with them. */
const pagesAtOnce = 4;

/** What counts as on screen as long as nobody says what is. */
const usualView: View = { first: 0, last: 199 };
/** Of a list whose rows never change, only the beginning has to be read again. */
const viewOfFinal: View = { first: 0, last: 0 };

/** What is held of a list. */
interface Held<N> {
  /** The variables of the query, as text. */
  readonly asked: string;
  readonly parts: readonly Part<N>[];
  readonly nodes: readonly N[];
  readonly totalCount: number | undefined;
  readonly inPart: boolean;
  readonly hasMore: boolean;
}

/**
 * Reads a list page by page. Whenever an object of one of the kinds has changed, the rows on screen are read again, in a few requests
 * however much of the list is loaded; others are once they are on screen.
 *
 * @param document takes `$after` and `$first`, whose default is the size of the first page
 * @param pick returns the list in an answer; null if it is not there
 * @param isFinal whether its rows never change, and new ones stand before all others
 */
export function usePages<
  D,
  V extends { after?: string | null | undefined; first?: number | null | undefined },
  N extends { readonly id: string },
>(
  document: TypedDocumentNode<D, V>,
  variables: Omit<V, 'after'>,
  pick: (data: D) => ConnectionOf<N, V> | null | undefined,
  kinds: readonly string[],
  isFinal = false,
): Pages<N> {
  const client = useClient();
  const live = useLive();
  const [list, setList] = useState<Held<N>>();
  const [error, setError] = useState<CombinedError>();
  const [reading, setReading] = useState(true);
  const [readingMore, setReadingMore] = useState(false);
  const held = useRef<Held<N>>(undefined);
  const changes = useRef(0);
  /** The rows that were asked for: all that were there after the last page. */
  const wanted = useRef(0);
  const wantsMore = useRef(false);
  const view = useRef(isFinal ? viewOfFinal : usualView);
  /** Counts the queries. What is still read for an earlier one is dropped. */
  const turn = useRef(0);
  const isWorking = useRef(false);
  const asked = JSON.stringify(variables);
  const latest = useRef({ document, variables, pick });
  latest.current = { document, variables, pick };

  /** Reads a page, and puts it in its place. Returns whether it could be read. */
  const readPage = useCallback(
    async (
      at: number,
      by: { readonly requestPolicy: 'network-only' | 'cache-only' | 'cache-first' },
      first: { readonly first?: number } = {},
    ) => {
      const mine = turn.current;
      const asOf = by.requestPolicy === 'cache-only' ? -1 : changes.current;
      const { document: question, variables: given, pick: find } = latest.current;
      const { parts = [], hasMore = false } = held.current ?? {};
      const after = parts[at - 1]?.end ?? null;
      // `given` holds all variables but `after`, and maybe `first`.
      const answer = await client.query(question, { ...first, ...given, after } as V, by).toPromise();
      if (turn.current !== mine) return false;
      const found: Connection<N> | null | undefined = answer.data && find(answer.data);
      if (!found) {
        if (by.requestPolicy !== 'cache-only') setError(answer.error);
        return false;
      }
      const { nodes, pageInfo, totalCount, searchedInPart: inPart = false } = found;
      const page = { nodes, end: pageInfo.endCursor ?? after, asOf, hasNext: pageInfo.hasNextPage };
      const all = withPage(parts, at, page);
      if (at === parts.length) wanted.current = all.reduce((sum, part) => sum + part.nodes.length, 0);
      const kept = trimmed(all, wanted.current);
      const isLast = kept.at(-1)?.nodes === nodes;
      held.current = {
        asked: JSON.stringify(given),
        parts: kept,
        nodes: kept.flatMap((part) => part.nodes),
        totalCount,
        inPart,
        hasMore: isLast ? page.hasNext : hasMore || kept.length < all.length,
      };
      setError(undefined);
      setList(held.current);
      return true;
    },
    [client],
  );
  /** Gives up what a page does not reach that was just read: the list goes on after that page. */
  const cut = useCallback((at: number) => {
    if (held.current === undefined) return;
    const parts = held.current.parts.slice(0, at);
    held.current = { ...held.current, parts, nodes: parts.flatMap((part) => part.nodes), hasMore: true };
    setList(held.current);
  }, []);
  /** Reads what is asked for and what has changed, one page after the other, until nothing is left to read. */
  const work = useCallback(
    async (by: { readonly requestPolicy: 'network-only' } = again) => {
      if (isWorking.current) return;
      const mine = turn.current;
      isWorking.current = true;
      setReading(true);
      for (let pages = 0; ; pages += 1) {
        const parts = held.current?.parts ?? [];
        const isMore = wantsMore.current;
        const at = isMore || parts.length === 0 ? parts.length : nextToRead(parts, changes.current, view.current);
        if (at === undefined) break;
        if (pages >= pagesAtOnce && parts[at]?.isApart) {
          cut(at);
          continue;
        }
        wantsMore.current = false;
        setReadingMore(isMore);
        const isRead = isMore ? await readPage(at, anew, { first: pageMax }) : await readPage(at, by);
        if (turn.current !== mine) return;
        setReadingMore(wantsMore.current);
        // Where the next page cannot be read, what has changed is read all the same.
        if (!isRead && !isMore) break;
      }
      isWorking.current = false;
      setReading(false);
    },
    [cut, readPage],
  );
  const reload = useCallback(
    (by: { readonly requestPolicy: 'network-only' } = anew) => {
      changes.current += 1;
      void work(by);
    },
    [work],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new query starts with its first page.
  useEffect(() => {
    turn.current += 1;
    held.current = undefined;
    wantsMore.current = false;
    isWorking.current = false;
    setReadingMore(false);
    setReading(true);
    // `variables` are all variables but `after`.
    const isAhead = takeAhead(document, { ...latest.current.variables, after: null } as V);
    const mine = turn.current;
    void readPage(0, { requestPolicy: isAhead ? 'cache-first' : 'cache-only' }).then(() => {
      if (turn.current === mine) void work(anew);
    });
    return () => {
      turn.current += 1;
    };
  }, [asked, document, readPage, work]);
  useHealing(error, reload);
  const names = kinds.join();
  useEffect(() => live.on(names.split(',').filter(Boolean), () => reload(again)), [live, names, reload]);
  const look = useCallback(
    (seen: View | null) => {
      view.current = seen ?? usualView;
      const { parts = [] } = held.current ?? {};
      if (nextToRead(parts, changes.current, view.current) !== undefined) void work();
    },
    [work],
  );
  const current = list?.asked === asked ? list : undefined;
  // Not after an error, and not an empty former list: either could be mistaken for the answer to the current query.
  const shown = current ?? (error || list?.nodes.length === 0 ? undefined : list);
  return {
    nodes: shown?.nodes,
    totalCount: shown?.totalCount,
    isSearchedInPart: shown?.inPart ?? false,
    isFormer: shown !== undefined && current === undefined,
    error,
    reading,
    hasMore: current?.hasMore ?? false,
    readingMore,
    more() {
      if (!current?.hasMore || wantsMore.current || readingMore) return;
      // A list under constant change is read again all the time. The next page does not wait for that.
      turn.current += 1;
      isWorking.current = false;
      wantsMore.current = true;
      setReadingMore(true);
      void work();
    },
    reload: () => reload(),
    look,
    async all({ read, signal }) {
      const { document: question, variables: given, pick: find } = latest.current;
      const rows: N[] = [];
      for (let after: string | null = null; ; ) {
        // `given` holds all variables but these.
        const answer = await client.query(question, { ...given, first: pageMax, after } as V, anew).toPromise();
        const page: Connection<N> | null | undefined = answer.data && find(answer.data);
        if (!page)
          return answer.error
            ? problemOf(answer.error)
            : { code: 'NOT_FOUND', message: 'The list is gone.', field: null };
        rows.push(...page.nodes);
        read(rows.length);
        after = page.pageInfo.endCursor ?? null;
        const isOver = !page.pageInfo.hasNextPage || after === null || rows.length >= listMax;
        if (isOver || signal.aborted) return rows.slice(0, listMax);
      }
    },
  };
}
