// Watches the keys that something long is done with: whoever does it hears when its key ends, by whichever process.

import type { PrismaClient } from './generated/client/client.ts';

/** A key that is watched. */
interface WatchedKey {
  readonly apiKeyId: string;
  readonly ended: () => void;
}

/** Watches keys. */
export interface KeyWatch {
  /** Tells, once, that a key was revoked or has expired. Gives what ends the watch. */
  watch(apiKeyId: string, ended: () => void): () => void;
  /** Looks at once, and not only in its time. */
  look(): void;
}

/** Milliseconds between two looks: as long as a key is trusted at most (see `credentials.ts`). */
const lookMs = 900;

/** Creates the watch. It looks all watched keys up together. */
export function createKeyWatch(client: PrismaClient, now: () => Date): KeyWatch {
  const watched = new Set<WatchedKey>();
  let looking: NodeJS.Timeout | undefined;

  const lookAtAll = async () => {
    const before = [...watched];
    const ids = [...new Set(before.map(({ apiKeyId }) => apiKeyId))];
    const found = await client.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, expiresAt: true } });
    const time = now();
    const usable = new Set(
      found.filter(({ expiresAt }) => expiresAt === null || expiresAt > time).map((key) => key.id),
    );
    for (const key of before) {
      if (usable.has(key.apiKeyId) || !watched.delete(key)) continue;
      key.ended();
    }
  };
  const look = () => {
    // What cannot be looked up now is looked up next time: nothing is sent under a key that was not asked about anew.
    if (watched.size > 0) lookAtAll().catch(() => {});
  };

  return {
    watch(apiKeyId, ended) {
      const key = { apiKeyId, ended };
      watched.add(key);
      looking ??= setInterval(look, lookMs).unref();
      return () => {
        watched.delete(key);
        if (watched.size > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
    },
    look,
  };
}
