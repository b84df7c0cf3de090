// Watches the keys, people and sessions of long-running work, such as streams: the work learns when they end, whichever process ended
// them.

import { reportingFirst } from '../lifecycle/first-failure.ts';

interface WatchedKey {
  readonly actor: string;
  readonly ended: () => void;
}

export interface KeyWatch {
  /** Calls `ended` once, when a key was revoked or has expired. Returns a function that ends the watch. */
  watch(actor: string, ended: () => void): () => void;
  /** Checks now, without waiting for the next round. */
  look(): void;
}

interface KeyWatchOptions {
  /** Returns those of some keys that have not been revoked. */
  readonly find: (ids: string[]) => Promise<readonly { readonly id: string; readonly expiresAt: Date | null }[]>;
  readonly now: () => Date;
  /** Milliseconds between two checks. */
  readonly everyMs: number;
  /** Called once per outage with the reason why keys could not be looked up. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the watch. It looks up all watched keys together, and never runs two look-ups at the same time. */
export function createKeyWatch({ find, now, everyMs, onFailure }: KeyWatchOptions): KeyWatch {
  const watched = new Set<WatchedKey>();
  let looking: NodeJS.Timeout | undefined;
  let isLooking = false;
  /** Whether a check was requested since the current one began. */
  let isAskedAgain = false;
  // A failed check is repeated next time. Until then, nothing is sent under a key that was not looked up anew.
  const attempt = reportingFirst(onFailure);

  const lookAtAll = async () => {
    const before = [...watched];
    const found = await find([...new Set(before.map(({ actor }) => actor))]);
    const time = now();
    const usable = new Set(
      found.filter(({ expiresAt }) => expiresAt === null || expiresAt > time).map((key) => key.id),
    );
    for (const key of before) {
      if (usable.has(key.actor) || !watched.delete(key)) continue;
      key.ended();
    }
  };
  const look = async () => {
    isAskedAgain = true;
    if (isLooking) return;
    isLooking = true;
    while (isAskedAgain && watched.size > 0) {
      isAskedAgain = false;
      await attempt(lookAtAll);
    }
    isLooking = false;
  };
  const lookUnlessLooking = () => {
    if (!isLooking) void look();
  };

  return {
    watch(actor, ended) {
      const key = { actor, ended };
      watched.add(key);
      looking ??= setInterval(lookUnlessLooking, everyMs).unref();
      return () => {
        watched.delete(key);
        if (watched.size > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
    },
    look: () => void look(),
  };
}
