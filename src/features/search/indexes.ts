import { partOf } from '../../model/compile/model-part.ts';
import type { IndexSource, Wanted } from '../../mongo/indexes/wanted.ts';
import { searchOfModel } from './model.ts';

/** The index of the texts that clients search. */
export function wantedBySearch({ model }: IndexSource): Wanted[] {
  const search = partOf(model, searchOfModel);
  return search ? [{ key: search.key, options: search.options, reasons: [`${model.name}: search`] }] : [];
}
