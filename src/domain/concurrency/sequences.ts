// Runs work with the same key one piece after the other. Pure except for the order of the event loop.

/** Runs work once all earlier work with the same key has ended, whether it succeeded or failed. */
export type InSequence = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates independent sequences. A key without pending work takes no memory. */
export function createSequences(): InSequence {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const turn = before === undefined ? work() : before.then(work, work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
