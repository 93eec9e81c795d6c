import type { Update } from './steps.ts';

/** A write that makes a record if it finds none. */
export interface Upsert<Result> {
  /** Carries out the update of a record that is there. With `upsert` it makes one as well, which counts as a step. */
  update(upsert: boolean): Promise<Result>;
  /** Makes a record, as if none matched. */
  insert(): Promise<Result>;
  hasFound(result: Result): boolean;
  readonly isInTransaction: boolean;
}

/**
 * Sends an upsert as an update, and as an insert if no record matches. One command cannot do both: `$inc` steps a
 * revision that is there, and makes one of 1, while `$setOnInsert` of the same path is refused beside it. If another
 * write makes the record between the two, a unique index refuses the insert, and the update finds it.
 */
export async function upsert<Result>({ update, insert, hasFound, isInTransaction }: Upsert<Result>): Promise<Result> {
  const updated = await update(false);
  if (hasFound(updated)) return updated;
  try {
    return await insert();
  } catch (error) {
    if (!isDuplicateKey(error) || isInTransaction) throw error; // the error has ended the transaction
    return update(true);
  }
}

/** The filter of an upsert, so that it matches no record. A new one still gets the values that it compares with. */
export function matchNone(filter: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...filter, $nor: [...((filter.$nor as readonly Update[] | undefined) ?? []), {}] };
}

function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 11_000;
}
