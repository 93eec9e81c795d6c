import { join, type Node, type ObjectNode } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import { withoutPrivate } from '../read/private-fields.ts';
import { serverAccess } from './access.ts';
import { compileObjectReader } from './read-value.ts';
import { Report } from './report.ts';

/** A stored value that does not fit the model. */
export interface Misfit {
  readonly path: string;
  readonly message: string;
  /** Identifies the same misfit in any record. It is equal for all items of an array and all keys of a map. */
  readonly kind: string;
}

/**
 * Compiles the comparison of a stored record with its model. It compares only fields that clients may read. A missing value that reads as a
 * default fits, and keys that are not fields are ignored.
 */
export function compileFindMisfits(root: ObjectNode): (stored: unknown) => Misfit[] {
  const readable = withoutPrivate(root);
  const hydrate = compileHydrate(readable);
  const read = compileObjectReader(readable, { ...serverAccess, defersChecks: true });
  return function findMisfits(stored) {
    const report = new Report();
    read(hydrate(stored), '', report);
    return report.errors.map(({ field, message }) => ({ path: field, message, kind: `${placeOf(readable, field.split('.'))} ${message}` }));
  };
}

/** The path of a field, with `*` for items and keys. It ends at a map, because a key of the map may have dots. */
function placeOf(node: Node, [step, ...rest]: readonly string[], path = ''): string {
  if (step === undefined || node.kind === 'leaf') return path;
  if (node.kind === 'map') return join(path, '*');
  if (node.kind === 'array') return placeOf(node.items.node, rest, join(path, '*'));
  const field = node.byName.get(step);
  return field ? placeOf(field.node, rest, join(path, step)) : path;
}
