// Runs work once for all callers that ask at the same time, and gives them the same result. Pure except for the order of the event
// loop.

export interface SharedWork<T> {
  /**
   * Runs work, or shares pending work with the same key. Callers never share work that had begun before they asked, because the
   * data may have changed since. Instead, they all share the next run, which begins when the current one has ended.
   *
   * @param work receives a signal that fires when no caller is waiting for it any more
   * @param signal ends the wait of this caller; the others go on waiting
   * @throws the reason of the signal, and whatever the work throws
   */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A waiting caller; called with the outcome of the work. */
type Waiter<T> = (ending: Promise<T>) => void;

interface Round<T> {
  readonly work: (signal: AbortSignal) => Promise<T>;
  readonly waiters: Set<Waiter<T>>;
  readonly abandoned: AbortController;
}

/** Creates independent shared work. A key without callers takes no memory. */
export function createSharedWork<T>(): SharedWork<T> {
  // For each key with work in flight, the round that has not begun yet; null if nobody has asked for one.
  const next = new Map<string, Round<T> | null>();

  const begin = async (key: string, { work, waiters, abandoned }: Round<T>) => {
    next.set(key, null);
    if (waiters.size > 0) {
      // The async wrapper also delivers an error that `work` throws before it returns a promise.
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
