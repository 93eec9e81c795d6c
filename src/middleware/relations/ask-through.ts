import type { ListQuery } from '../../mongo/list/parse-list-query.ts';
import { type Sight, throughFields } from '../../mongo/relations/through/through-field.ts';
import type { Context } from '../exchange/context.ts';
import type { Through } from './compile-through.ts';
import { sourceScopesOf } from './source-scopes.ts';

/** The option of `findPage` for the related records that a query names. */
interface SeenThrough {
  readonly through?: { readonly sight: Sight; readonly maxIds: number; readonly maxSorted: number };
}

/**
 * Asks the guards and scopes of the related records that a query names: only those, and none behind one that shows
 * nothing. Throws a plain Error (500) for a query of a `listQuery` with another `through`.
 */
export async function askThrough(ctx: Context, query: ListQuery, through: Through | undefined): Promise<SeenThrough> {
  const named = throughFields(query);
  if (named.length === 0) return {};
  if (!through || named.some((field) => through.fields.get(field.name) !== field))
    throw new Error('`findPage` must be given the same `through` as `listQuery`.');
  const scopes = sourceScopesOf(ctx);
  for (const { name } of named) {
    for (const { source } of through.fields.get(name)?.steps ?? []) if (!(await scopes.of(source))) break;
  }
  return { through: { sight: scopes.known, maxIds: through.maxIds, maxSorted: through.maxSorted } };
}
