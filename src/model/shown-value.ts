import { absent, type CompiledField } from './node.ts';
import { compileMemberRead } from './value/stored-shape.ts';

/** Returns the value that a field of a stored object shows. */
export type ShowValue = (stored: Readonly<Record<string, unknown>>) => unknown;

/**
 * Compiles a function that returns the value that a field of a stored object shows. If the key is missing, or null in a
 * field that is not nullable, it is the default, or null if null is stored as a missing key. An optional field is then
 * absent: it may have been removed, and a default would bring it back.
 */
export function compileShownValue(field: CompiledField): ShowValue {
  const read = compileMemberRead(field.key);
  const makeMissing = compileMissingValue(field);
  const { nullable } = field;
  return function showValue(stored) {
    const value = read(stored);
    return value === undefined || (value === null && !nullable) ? makeMissing() : value;
  };
}

function compileMissingValue({ optional, nullable, storeNone, makeDefault }: CompiledField): () => unknown {
  if (optional && (storeNone || !nullable)) return () => absent;
  if (nullable && !(storeNone && makeDefault)) return () => null;
  return makeDefault ?? (() => absent);
}

/** Whether a stored null shows the same as a missing key. If so, a projection may omit it. */
export function readsNullAsMissing({ optional, nullable, storeNone, makeDefault }: CompiledField): boolean {
  return !(nullable && storeNone && (optional || makeDefault));
}
