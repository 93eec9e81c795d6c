/**
 * Makes a value for a key once, as long as the key is among the `most` that were last asked for: a client that makes up keys makes nothing
 * grow.
 */
export function keepLatest<Value>(make: (key: string) => Value, most: number): (key: string) => Value {
  const kept = new Map<string, Value>(); // in the order of their last use
  return function get(key) {
    const value = kept.has(key) ? (kept.get(key) as Value) : make(key);
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
