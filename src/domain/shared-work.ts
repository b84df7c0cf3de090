// Work with the same result for every caller, done once for all who ask at the same time. Pure but for the order of the event loop.

/** Does work for all who ask for it. */
export interface SharedWork<T> {
  /**
   * Does a piece of work, or shares that of others with the same key. Work that has begun is never shared with those who ask
   * later, because they may ask for what has changed since: they all share the next, which begins when this one has ended.
   *
   * @param work gets a signal that fires when all who wait for it have gone
   * @param signal of one who asks; the others go on waiting
   * @throws the reason of the signal, and whatever the work throws
   */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Somebody who waits; told how the work ends. */
type Waiter<T> = (ending: Promise<T>) => void;

interface Round<T> {
  readonly work: (signal: AbortSignal) => Promise<T>;
  readonly waiters: Set<Waiter<T>>;
  readonly abandoned: AbortController;
}

/** Creates shared work of its own. What nobody asks for any more takes no memory. */
export function createSharedWork<T>(): SharedWork<T> {
  // Of each key with work under way, the round that has not begun; null where nobody has asked for one.
  const next = new Map<string, Round<T> | null>();

  const begin = async (key: string, { work, waiters, abandoned }: Round<T>) => {
    next.set(key, null);
    if (waiters.size > 0) {
      // Also what work throws before it gives a promise is told to those who wait.
      const ending = (async () => work(abandoned.signal))();
      await ending.catch(() => {});
      for (const tell of waiters) tell(ending);
    }
    const following = next.get(key);
    if (following == null) next.delete(key);
    else void begin(key, following);
  };

  const join = ({ waiters, abandoned }: Round<T>, signal: AbortSignal | undefined) =>
    new Promise<T>((resolve, reject) => {
      const leave = () => {
        waiters.delete(tell);
        reject(signal?.reason);
        if (waiters.size === 0) abandoned.abort(signal?.reason);
      };
      const tell: Waiter<T> = (ending) => {
        signal?.removeEventListener('abort', leave);
        resolve(ending);
      };
      waiters.add(tell);
      signal?.addEventListener('abort', leave, { once: true });
    });

  return {
    async run(key, work, signal) {
      signal?.throwIfAborted();
      const open = next.get(key);
      if (open != null && !open.abandoned.signal.aborted) return join(open, signal);
      const round: Round<T> = { work, waiters: new Set(), abandoned: new AbortController() };
      const joined = join(round, signal);
      if (open === undefined) void begin(key, round);
      else next.set(key, round);
      return joined;
    },
  };
}
