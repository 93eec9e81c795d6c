import { absent, type CompiledField } from '../node.ts';

/**
 * Compiles what a field reads as that a stored record lacks, or holds null in without being nullable: its default, or null where a missing
 * key is how null is stored. An optional one is absent: it may have been removed, and a default would bring it back.
 */
export function compileMissingValue(field: CompiledField): () => unknown {
  const { optional, nullable, storeNone, makeDefault } = field;
  if (optional && (storeNone || !nullable)) return () => absent;
  if (nullable && !(storeNone && makeDefault)) return () => null;
  return makeDefault ?? (() => absent);
}

/** Whether null and a missing key read alike, so that nothing is lost where a projection leaves a stored null out. */
export function readsNullAsMissing({ optional, nullable, storeNone, makeDefault }: CompiledField): boolean {
  return !(nullable && storeNone && (optional || makeDefault));
}
