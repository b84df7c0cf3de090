// Search: finds objects of all kinds by a text.

import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { type Problem, problemOf } from './problem.ts';
import { SearchDocument, type SearchQuery } from './search.generated.ts';

/** An object that was found, with the field that contains the text. */
export type Hit = NonNullable<SearchQuery['search']>[number];

/** The result of a search. */
interface Found {
  /** The text that was searched for. While another text is being searched for, the hits of this one stay. */
  readonly text: string;
  readonly hits: readonly Hit[];
  readonly problem: Problem | null;
}

const nothing: Found = { text: '', hits: [], problem: null };

/** Milliseconds between the last keystroke and the query. */
const settleMs = 150;
/** The longest text that the server searches for, in bytes. */
const longest = 255;

/** Result for a longer text. */
const tooLong: Found = {
  ...nothing,
  problem: { code: 'INVALID_INPUT', message: `Shorten it: at most ${longest} bytes can be sought.`, field: null },
};

/** Finds objects by the typed text, shortly after the last keystroke. */
export function useHits(sought: string): Found & { readonly isSeeking: boolean } {
  const client = useClient();
  const [found, setFound] = useState(nothing);
  const isTooLong = new TextEncoder().encode(sought).length > longest;
  const isAsked = sought !== '' && !isTooLong;
  useEffect(() => {
    if (!isAsked) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const answer = await client
        .query(SearchDocument, { text: sought }, { requestPolicy: 'network-only' })
        .toPromise();
      if (!isCurrent) return;
      const problem = answer.error ? problemOf(answer.error) : null;
      setFound({ text: sought, hits: answer.data?.search ?? [], problem });
    }, settleMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, sought, isAsked]);
  if (!isAsked) return { ...(isTooLong ? tooLong : nothing), isSeeking: false };
  return { ...found, isSeeking: found.text !== sought };
}
