import { absent, type CompiledField } from '../node.ts';
import { compileMemberRead } from '../value/stored-shape.ts';

/**
 * Compiles what a field of a stored object shows. Where it is missing, or null without being nullable, that is its default, or null where a
 * missing key is how null is stored. An optional one is absent: it may have been removed, and a default would bring it back.
 */
export function compileShownValue(field: CompiledField): (stored: Readonly<Record<string, unknown>>) => unknown {
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

/** Whether null and a missing key read alike, so that nothing is lost where a projection leaves a stored null out. */
export function readsNullAsMissing({ optional, nullable, storeNone, makeDefault }: CompiledField): boolean {
  return !(nullable && storeNone && (optional || makeDefault));
}
