// Which choices of columns of one kind the pages of clients' documents are read by: a connection keeps the statement of each, and PostgreSQL
// never forgets one.

/** Most choices at a time. */
const choicesMax = 16;
/** How long a choice keeps its place without being used, in milliseconds. So the statements that there ever were grow slowly. */
const unusedMsMax = 600_000;

/** Returns whether a page may be read by a choice, which it uses. */
export type Choose = (choice: string) => boolean;

/** @param now the time in milliseconds, of a clock that never goes back */
export function createChoices(now: () => number): Choose {
  // In the order of their last use.
  const lastUses = new Map<string, number>();
  return (choice) => {
    const nowMs = now();
    if (!lastUses.delete(choice) && lastUses.size >= choicesMax) {
      const [[oldest, usedMs] = ['', 0]] = lastUses;
      if (nowMs - usedMs < unusedMsMax) return false;
      lastUses.delete(oldest);
    }
    lastUses.set(choice, nowMs);
    return true;
  };
}
