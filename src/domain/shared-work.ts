// Work whose result serves all who ask for it at the same time. Pure.

/** Does the work for a key once, however many ask for it while it goes on. */
export interface SharedWork<T> {
  /**
   * Waits for the work that goes on for a key, or begins it.
   *
   * @param work gets a signal that fires when everybody who waited for it has gone
   * @param signal ends the waiting of this caller alone
   * @throws the reason of the signal, and whatever the work throws
   */
  join(key: string, work: (abandoned: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Creates shared work of one kind. */
export function createSharedWork<T>(): SharedWork<T> {
  const jobs = new Map<string, { result: Promise<T>; waiting: number; abandon(reason: unknown): void }>();

  const begin = (key: string, work: (abandoned: AbortSignal) => Promise<T>) => {
    const controller = new AbortController();
    const end = () => {
      if (jobs.get(key) === job) jobs.delete(key);
    };
    const job = {
      result: work(controller.signal).finally(end),
      waiting: 0,
      abandon(reason: unknown) {
        // At once, so that nobody joins what is about to fail.
        end();
        controller.abort(reason);
      },
    };
    jobs.set(key, job);
    return job;
  };

  return {
    async join(key, work, signal) {
      signal?.throwIfAborted();
      const job = jobs.get(key) ?? begin(key, work);
      job.waiting += 1;
      return new Promise((resolve, reject) => {
        const leave = () => {
          reject(signal?.reason);
          job.waiting -= 1;
          if (job.waiting === 0) job.abandon(signal?.reason);
        };
        const stay = () => signal?.removeEventListener('abort', leave);
        signal?.addEventListener('abort', leave, { once: true });
        job.result.finally(stay).then(resolve, reject);
      });
    },
  };
}
