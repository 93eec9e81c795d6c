import { isDeepStrictEqual } from 'node:util';
import { absent, join } from '../../model/node.ts';
import { own } from '../../model/value/plain-object.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import type { FoldedObject } from '../../model/write/folds.ts';

/** A folded value that is missing, or does not belong to its text. */
export interface WrongFold {
  /** The stored path of the text, and its value. Undefined if it is missing. */
  readonly source: { readonly path: string; readonly value: unknown };
  /** The name of the field. `*` stands for the items of an array. */
  readonly place: string;
  /** The stored path of the folded value. */
  readonly path: string;
  /** The value that belongs there. `absent` if none does. */
  readonly value: unknown;
}

/** Finds the folded values of a stored record that are not those of its texts. */
export function findWrongFolds(stored: unknown, root: FoldedObject): WrongFold[] {
  const found: WrongFold[] = [];
  visit(stored, root, '', '', found);
  return found;
}

function visit(stored: unknown, { members }: FoldedObject, path: string, place: string, found: WrongFold[]): void {
  if (!isStoredObject(stored)) return;
  for (const { field, folds, within } of members) {
    const value = own(stored, field.key);
    const at = join(path, field.key);
    const named = join(place, field.name);
    for (const { key, of } of folds) {
      const wanted = of(value);
      if (isDeepStrictEqual(own(stored, key), wanted === absent ? undefined : wanted)) continue;
      found.push({ source: { path: at, value }, place: named, path: join(path, key), value: wanted });
    }
    if (!within) continue;
    if (!Array.isArray(value)) visit(value, within, at, named, found);
    else for (const [index, item] of value.entries()) visit(item, within, join(at, index), join(named, '*'), found);
  }
}
