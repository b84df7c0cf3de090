// Doing something a number of times.

/** Gives the numbers of so many times, from zero on. */
export function times(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
