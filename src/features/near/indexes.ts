import type { IndexKey } from '../../model/compile/model-index.ts';
import { grantOf } from '../../model/compile/policy-key.ts';
import { type IndexSource, scopeOf, type Wanted } from '../../mongo/indexes/wanted.ts';
import { nearPolicy } from './policy.ts';

/**
 * `$geoNear` fails without an index of the point. The point comes first, because a scope may let some callers see
 * everything, and deleted records are in it, because some callers may ask for them.
 */
export function wantedByNear({ model, list }: IndexSource): Wanted[] {
  if (!list) return [];
  const scope = scopeOf(model, list.scopeFields).filter(({ path }) => path !== '_id');
  return [...model.clientFields.values()].flatMap((field): Wanted[] => {
    const { name, path } = field;
    if (!grantOf(field, nearPolicy) || !model.fieldTable.get(name)?.field.index) return [];
    const key: IndexKey = [[path, '2dsphere'], ...scope.map((one): IndexKey[number] => [one.path, 1])];
    return [{ key, options: {}, reasons: [`${list.resource}: near ${name}`] }];
  });
}
