// Maps that are filled as they are asked. Pure. (V8 in Node 20 has neither `getOrInsertComputed` nor `Map.groupBy`.)

/** Any kind of map, including one that holds its keys weakly or evicts entries. */
interface AnyMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** Returns the value of a key. If there is none, computes and inserts it, unless that throws. */
export function getOrInsertComputed<K, V>(map: AnyMap<K, V>, key: K, compute: (key: K) => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = compute(key);
  map.set(key, value);
  return value;
}

/** Groups items by a key, keeping their order. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) getOrInsertComputed(groups, keyOf(item), (): T[] => []).push(item);
  return groups;
}
