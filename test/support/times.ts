// Repeats work a number of times.

/** Returns the numbers from zero up to, but not including, a count. */
export function times(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
