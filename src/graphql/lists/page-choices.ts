// Which choices of columns the pages of clients' documents are read by: a connection keeps the statement of each, and PostgreSQL never forgets
// one.

import { getOrInsertComputed } from '../../domain/values/maps.ts';

/** Most choices of a kind at a time. */
const choicesMax = 16;
/** How long a choice keeps its place without being used, in milliseconds. */
const unusedMsMax = 600_000;
/** Choices that make room for others, of all kinds together: whoever invents new ones uses these up, and no more names of statements. */
const replacedMax = 150;

/** Returns whether a page may be read by a choice, which it uses. */
export type Choose = (choice: string) => boolean;

/**
 * Creates the choices of a process, by kind.
 *
 * @param now the time in milliseconds, of a clock that never goes back
 */
export function createChoices(now: () => number): (kind: string) => Choose {
  const kinds = new Map<string, Choose>();
  let replaced = 0;
  const choicesOfKind = (): Choose => {
    // In the order of their last use.
    const lastUses = new Map<string, number>();
    return (choice) => {
      const nowMs = now();
      if (!lastUses.delete(choice) && lastUses.size >= choicesMax) {
        const [[oldest, usedMs] = ['', 0]] = lastUses;
        if (nowMs - usedMs < unusedMsMax || replaced >= replacedMax) return false;
        lastUses.delete(oldest);
        replaced += 1;
      }
      lastUses.set(choice, nowMs);
      return true;
    };
  };
  return (kind) => getOrInsertComputed(kinds, kind, choicesOfKind);
}
