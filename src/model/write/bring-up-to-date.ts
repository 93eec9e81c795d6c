import { copyValue } from '../value/copy-value.ts';
import { isObject, own } from '../value/plain-object.ts';
import { isSameValue } from '../value/same-value.ts';

/**
 * Brings a value that a handler holds up to date with what was saved, in place, so that its references to parts of it stay good: objects and
 * lists are kept, and only what differs in them is replaced. `sent` is a copy from when it was sent: what the handler has changed since
 * then stays, for the next save. Returns the value itself, or what takes its place.
 */
export function bringUpToDate(held: unknown, sent: unknown, saved: unknown): unknown {
  if (isObject(held) && isObject(sent) && isObject(saved) && Object.isExtensible(held)) {
    for (const key of new Set([held, sent, saved].flatMap((object) => Object.keys(object))))
      set(held, key, bringUpToDate(own(held, key), own(sent, key), own(saved, key)));
    return held;
  }
  if (isList(held) && Array.isArray(sent) && Array.isArray(saved) && held.length === sent.length && sent.length === saved.length) {
    for (const [index, one] of saved.entries()) set(held, String(index), bringUpToDate(held[index], sent[index], one));
    return held;
  }
  if (!isSameValue(copyValue(held), sent)) return held;
  return typeof held === 'object' && isSameValue(held, saved) ? held : saved;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value) && Object.isExtensible(value);
}

/** A client's `__proto__` is a key like any other. */
function set(object: object, key: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(object, key);
  else Reflect.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
