// Work on the same thing, one piece after the other. Pure but for the order of the event loop.

/** Does a piece of work when those before it with the same key have ended, however they ended. */
export type InSequence = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates sequences of their own. What has no work left takes no memory. */
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
