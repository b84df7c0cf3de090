// Watches the keys of long-running work, such as streams: each hears when its key ends, whichever process ended it.

import { reportingFirst } from './first-failure.ts';

/** A key that is watched. */
interface WatchedKey {
  readonly apiKeyId: string;
  readonly ended: () => void;
}

/** Watches keys. */
export interface KeyWatch {
  /** Tells, once, that a key was revoked or has expired. Gives what ends the watch. */
  watch(apiKeyId: string, ended: () => void): () => void;
  /** Looks now, without waiting for the next round. */
  look(): void;
}

/** What keys are watched with. */
interface KeyWatchOptions {
  /** Finds those of some keys that have not been revoked. */
  readonly find: (ids: string[]) => Promise<readonly { readonly id: string; readonly expiresAt: Date | null }[]>;
  readonly now: () => Date;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** Told once per outage why keys could not be looked up. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the watch. It looks all watched keys up together, and never twice at the same time. */
export function createKeyWatch({ find, now, everyMs, onFailure }: KeyWatchOptions): KeyWatch {
  const watched = new Set<WatchedKey>();
  let looking: NodeJS.Timeout | undefined;
  let isLooking = false;
  /** Whether somebody has asked for a look since the one that is under way began. */
  let isAskedAgain = false;
  // It is done again next time: nothing is sent under a key that was not asked about anew.
  const attempt = reportingFirst(onFailure);

  const lookAtAll = async () => {
    const before = [...watched];
    const found = await find([...new Set(before.map(({ apiKeyId }) => apiKeyId))]);
    const time = now();
    const usable = new Set(
      found.filter(({ expiresAt }) => expiresAt === null || expiresAt > time).map((key) => key.id),
    );
    for (const key of before) {
      if (usable.has(key.apiKeyId) || !watched.delete(key)) continue;
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
    watch(apiKeyId, ended) {
      const key = { apiKeyId, ended };
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
