/**
 * Returns a function that makes the value of a key once, and keeps the values of the `most` keys that were asked for
 * last. A client that invents keys cannot fill the memory.
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
