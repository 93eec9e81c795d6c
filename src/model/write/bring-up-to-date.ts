import { copyValue } from '../value/copy-value.ts';
import { isObject, own } from '../value/plain-object.ts';
import { isSameValue } from '../value/same-value.ts';

/**
 * Updates a value that a handler holds to what was saved. It is updated in place: objects and arrays are kept, and only
 * members that differ are replaced, so that the handler's references to parts of it stay valid. `sent` is a copy from
 * the time of the save: what the handler has changed since then stays, for the next save. Returns the value itself, or
 * the value that replaces it.
 */
export function bringUpToDate(held: unknown, sent: unknown, saved: unknown): unknown {
  if (isObject(held) && isObject(sent) && isObject(saved) && Object.isExtensible(held)) {
    for (const key of new Set([held, sent, saved].flatMap((object) => Object.keys(object))))
      set(held, key, bringUpToDate(own(held, key), own(sent, key), own(saved, key)));
    return held;
  }
  if (
    isExtensibleArray(held) &&
    Array.isArray(sent) &&
    Array.isArray(saved) &&
    held.length === sent.length &&
    sent.length === saved.length
  ) {
    for (const [index, one] of saved.entries()) set(held, String(index), bringUpToDate(held[index], sent[index], one));
    return held;
  }
  if (!isSameValue(copyValue(held), sent)) return held;
  return typeof held === 'object' && isSameValue(held, saved) ? held : saved;
}

function isExtensibleArray(value: unknown): value is unknown[] {
  return Array.isArray(value) && Object.isExtensible(value);
}

/** Defines the member, because assigning a client's key `__proto__` would set the prototype. */
function set(object: object, key: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(object, key);
  else Reflect.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
