/** Returns a list with an element moved up (-1) or down (1). */
export function moved<T>(list: readonly T[], from: number, by: -1 | 1): T[] {
  const result = [...list];
  const [item] = result.splice(from, 1);
  if (item !== undefined) result.splice(from + by, 0, item);
  return result;
}
