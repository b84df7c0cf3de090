// What others change, as it happens: one stream for the whole page, from which each list and object is told what concerns it.

import { createContext, useContext } from 'react';
import type { Client } from 'urql';
import { ChangesDocument, type ChangesSubscription } from './live.generated.ts';
import { problemOf } from './problem.ts';
import { backgroundHeaders } from './server.ts';
import { createStore, type Store } from './store.ts';

/** A change, or a refused request. */
export type Change = ChangesSubscription['changes'];

/** Whether changes arrive: `forbidden` if the key may not read the audit trail. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'forbidden';

/** The stream of changes. */
export interface Live {
  readonly state: Store<LiveState>;
  /** Calls back soon after objects of these kinds have changed; once for a burst of changes. Returns a function that ends it. */
  on(kinds: readonly string[], changed: () => void): () => void;
  /** Calls back with each event. Returns a function that ends it. */
  onEvent(happened: (event: Change) => void): () => void;
  /** Reports a change that this page has made: its key may not be allowed to receive it from the stream. */
  changed(kinds: readonly string[]): void;
  /** Closes the stream until `resume`, while nobody can see the page. */
  pause(): void;
  /** Reopens the stream; everything shown is read again. */
  resume(): void;
  stop(): void;
}

/** Milliseconds over which changes are gathered, so that an import of thousands of rows does not cause thousands of queries. */
const gatherMs = 300;
const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** Polling interval in milliseconds, for keys that may not follow the changes. */
const lookMs = 30_000;
/**
 * Milliseconds after which a hidden page closes its stream: a browser opens at most six connections to a server on plain HTTP, so a
 * seventh tab would never load.
 */
const restMs = 5_000;

/**
 * Follows the changes of an account. Reconnects after a failure and resumes after the last event received.
 *
 * @param mayFollow whether the key may read the audit trail; if not, everything shown is polled
 */
export function startLive(client: Client, mayFollow: boolean): Live {
  const state = createStore<LiveState>('connecting');
  const listeners = new Set<{ kinds: readonly string[]; changed: () => void }>();
  const readers = new Set<(event: Change) => void>();
  const waiting = new Set<string>();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let pausing: ReturnType<typeof setTimeout> | undefined;
  let looking: ReturnType<typeof setInterval> | undefined;
  let stream: { unsubscribe(): void } | undefined;
  let lastId: string | undefined;
  let pauseMs = firstPauseMs;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let settling: ReturnType<typeof setTimeout> | undefined;
  let isResting = false;
  let isPaused = false;
  /** Whether there has been a stream: what could not be read while it was lost is read again with the next one. */
  let wasLive = false;
  let stopped = false;

  const isUnseen = () => isPaused || document.hidden;
  const tell = () => {
    gathering = undefined;
    // Read once the page is visible again.
    if (isUnseen()) return;
    const kinds = new Set(waiting);
    waiting.clear();
    for (const listener of [...listeners]) {
      if (listener.kinds.some((kind) => kinds.has(kind) || kinds.has('*'))) listener.changed();
    }
  };
  const changed = (kinds: readonly string[]) => {
    for (const kind of kinds) waiting.add(kind);
    gathering ??= setTimeout(tell, gatherMs);
  };

  /** Reconnects after a pause. If events were `missed`, everything is read again. */
  const beginAgain = (missed: boolean) => {
    stream = undefined;
    if (stopped || isResting) return;
    state.set('lost');
    if (missed) {
      lastId = undefined;
      changed(['*']);
    }
    pausing = setTimeout(begin, pauseMs);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  };
  const begin = () => {
    if (stopped) return;
    const begun = Date.now();
    // The server sends nothing until something happens, so a stream that has not failed within a second counts as live.
    settling = setTimeout(() => {
      pauseMs = firstPauseMs;
      if (wasLive && state.get() === 'lost') changed(['*']);
      wasLive = true;
      state.set('live');
    }, 1_000);
    const failed = (missed: boolean) => {
      clearTimeout(settling);
      stream?.unsubscribe();
      // A stream that lasted a while without any event to resume after may have missed some.
      beginAgain(missed || (lastId === undefined && Date.now() - begun > gatherMs));
    };
    const source = client.subscription(
      ChangesDocument,
      { after: lastId ?? null },
      { requestPolicy: 'network-only', fetchOptions: { headers: backgroundHeaders } },
    );
    stream = source.subscribe((result) => {
      if (result.error) {
        const { code } = problemOf(result.error);
        if (code === 'UNAUTHENTICATED') {
          clearTimeout(settling);
          return;
        }
        failed(code === 'EVENT_GONE');
        return;
      }
      if (result.data) {
        const event = result.data.changes;
        clearTimeout(settling);
        pauseMs = firstPauseMs;
        if (wasLive && state.get() === 'lost') changed(['*']);
        wasLive = true;
        state.set('live');
        lastId = event.id;
        for (const happened of [...readers]) happened(event);
        changed([event.kind]);
      }
      // The stream has ended, for example because the server restarts.
      if (!result.hasNext) failed(false);
    });
  };

  const rest = () => {
    isResting = true;
    stream?.unsubscribe();
    clearTimeout(pausing);
    clearTimeout(settling);
    // Without an event to resume after, anything may have changed. While the connection was lost, nothing could be read.
    if (lastId === undefined || state.get() === 'lost') waiting.add('*');
    if (mayFollow) state.set('connecting');
  };
  const looked = () => {
    clearTimeout(resting);
    if (isUnseen()) {
      if (mayFollow) resting = setTimeout(rest, restMs);
      return;
    }
    if (isResting) {
      isResting = false;
      if (mayFollow) begin();
    }
    if (waiting.size > 0) gathering ??= setTimeout(tell, 0);
  };

  document.addEventListener('visibilitychange', looked);
  // The browser may keep a page in its back/forward cache, and the stream with it.
  window.addEventListener('pagehide', rest);
  window.addEventListener('pageshow', looked);
  if (mayFollow) {
    begin();
  } else {
    state.set('forbidden');
    looking = setInterval(() => changed(['*']), lookMs);
  }
  return {
    state,
    changed,
    on(kinds, listen) {
      const listener = { kinds, changed: listen };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEvent(happened) {
      readers.add(happened);
      return () => readers.delete(happened);
    },
    pause() {
      isPaused = true;
      rest();
    },
    resume() {
      isPaused = false;
      waiting.add('*');
      looked();
    },
    stop() {
      stopped = true;
      stream?.unsubscribe();
      clearTimeout(gathering);
      clearTimeout(pausing);
      clearTimeout(settling);
      clearTimeout(resting);
      clearInterval(looking);
      document.removeEventListener('visibilitychange', looked);
      window.removeEventListener('pagehide', rest);
      window.removeEventListener('pageshow', looked);
    },
  };
}

const LiveContext = createContext<Live | null>(null);
export const LiveProvider = LiveContext.Provider;

/** Returns the stream of changes. Throws Error outside of a session. */
export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('There is no session.');
  return live;
}
