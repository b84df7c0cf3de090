// Values that maps get when they are first asked for. Pure. (`Map.prototype.getOrInsertComputed` does this where the engine has it; V8
// in Node 20 has not.)

/** A map of any kind: also one that holds its keys weakly, or drops some. */
interface AnyMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** Gives the value of a key. If there is none, computes and inserts it, unless that throws. */
export function getOrInsertComputed<K, V>(map: AnyMap<K, V>, key: K, compute: (key: K) => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = compute(key);
  map.set(key, value);
  return value;
}
