// Finds the name that was meant by a misspelt one. Pure.

/**
 * Returns the name that differs from a given one by the fewest mistakes, if it is close enough to have been meant: at most one
 * mistake for names of up to five letters, otherwise two. A mistake is a letter too many, too few, wrong, or swapped with the next.
 *
 * @param names none may be longer than `lettersMax`, so that the work is bounded
 * @returns null if there is none, or the given name is one of them
 */
export function nearestName(given: string, names: readonly string[]): string | null {
  if (given.length > lettersMax || names.includes(given)) return null;
  let nearest: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const mistakes = distance(given.toUpperCase(), name.toUpperCase());
    if (mistakes > (name.length <= 5 ? 1 : 2) || mistakes >= fewest) continue;
    [nearest, fewest] = [name, mistakes];
  }
  return nearest;
}

/** Longest name that is compared. */
const lettersMax = 64;

/** The optimal string alignment distance (Damerau, 1964), of which only the last two rows of the table are kept. */
function distance(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const differs = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + differs,
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
