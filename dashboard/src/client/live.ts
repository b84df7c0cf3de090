// What others change, as it happens: one stream for the whole page, of which each list and object hears what concerns it.

import { createContext, useContext } from 'react';
import type { Client } from 'urql';
import { ChangesDocument, type ChangesSubscription } from './live.generated.ts';
import { backgroundHeaders } from './place.ts';
import { problemOf } from './problem.ts';
import { createStore, type Store } from './store.ts';

/** A change, or a request that was refused. */
export type Change = ChangesSubscription['changes'];

/** Whether changes arrive: `forbidden` where the key may not read the trail. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'forbidden';

/** The stream of changes. */
export interface Live {
  readonly state: Store<LiveState>;
  /** Calls back soon after objects of these kinds have changed; after many at once only once. */
  on(kinds: readonly string[], changed: () => void): () => void;
  /** Calls back with each event. */
  onEvent(happened: (event: Change) => void): () => void;
  /** Tells of a change that this page has made, which its key may not be allowed to hear of. */
  changed(kinds: readonly string[]): void;
  /** Rests until it is resumed: nobody is there to see anything. */
  pause(): void;
  /** Goes on; all that is shown is read again. */
  resume(): void;
  stop(): void;
}

/** Milliseconds within which changes are gathered, so that an import of thousands does not ask as often. */
const gatherMs = 300;
const firstPauseMs = 500;
const longestPauseMs = 15_000;
/** Milliseconds between looks, where the key may not follow the changes. */
const lookMs = 30_000;
/**
 * Milliseconds after which a page that nobody sees gives its stream up: a browser has six connections to a server on plain HTTP, and a
 * seventh tab would never load.
 */
const restMs = 5_000;

/**
 * Follows the changes of an account, on and on, from the last event that arrived.
 *
 * @param mayFollow whether the key may read the trail; for others, what they see is read again now and then
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
  /** Whether there has been a stream: what failed to be read while there was none is read again with the next. */
  let wasLive = false;
  let stopped = false;

  const isUnseen = () => isPaused || document.hidden;
  const tell = () => {
    gathering = undefined;
    // It is all read again when somebody looks.
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

  /** Begins again after a pause; what was missed meanwhile comes first. */
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
    // The server says nothing until something happens: a stream that has not failed by then is one.
    settling = setTimeout(() => {
      pauseMs = firstPauseMs;
      if (wasLive && state.get() === 'lost') changed(['*']);
      wasLive = true;
      state.set('live');
    }, 1_000);
    const failed = (missed: boolean) => {
      clearTimeout(settling);
      stream?.unsubscribe();
      // One that lasted a while, and had no event to go on after, may have missed some.
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
      // The stream has ended, as when the server restarts.
      if (!result.hasNext) failed(false);
    });
  };

  const rest = () => {
    isResting = true;
    stream?.unsubscribe();
    clearTimeout(pausing);
    clearTimeout(settling);
    // Without an event to go on after, all may have changed; while the connection was lost, nothing could be read.
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
  // The browser may keep a page that was left, so that "back" is at once there, and its stream with it.
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

/** Gives the stream of changes. Throws Error outside of a session. */
export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('There is no session.');
  return live;
}
