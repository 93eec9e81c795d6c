/** The least size of a value: its type, a number or a date, and the end of a key. */
const smallest = 16;
/** The deepest nesting that is measured. The database stores less. */
const deepest = 200;

/**
 * How many bytes of `room` are left after a value: negative if it takes more, or cannot be measured. The estimate is
 * quick, and mostly too large: characters count three bytes each.
 */
export function roomAfter(value: unknown, room: number): number {
  try {
    return measure(value, room, 0);
  } catch {
    return -1; // a getter, or a Proxy
  }
}

function measure(value: unknown, room: number, depth: number): number {
  if (room < 0 || depth > deepest) return -1;
  if (typeof value === 'string') return room - smallest - 3 * value.length;
  if (typeof value !== 'object' || value === null || value instanceof Date) return room - smallest;
  if (ArrayBuffer.isView(value)) return room - smallest - value.byteLength;
  let left = room - smallest;
  for (const [key, member] of entriesOf(value)) {
    left = measure(member, left - 3 * key.length, depth + 1);
    if (left < 0) return left;
  }
  return left;
}

function entriesOf(value: object): Iterable<readonly [string, unknown]> {
  return value instanceof Map ? value : Object.entries(value);
}
