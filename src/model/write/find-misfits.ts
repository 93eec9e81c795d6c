import { join, type Node, type ObjectNode } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import { withoutPrivate } from '../read/private-fields.ts';
import { serverAccess } from './access.ts';
import { compileObjectReader } from './read-value.ts';
import { Report } from './report.ts';

/** What in a stored record is not as its model says. */
export interface Misfit {
  readonly path: string;
  readonly message: string;
  /** The same for every item of a list and every key of a map. */
  readonly kind: string;
}

/**
 * Compiles the comparison of a stored record with its model: what clients may read of it, field by field. A missing value that reads as a
 * default fits, and so does a key that no field has.
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

/** The path of a field, whatever the items and keys. A key of a map may hold dots: what lies below is not told apart. */
function placeOf(node: Node, [step, ...rest]: readonly string[], path = ''): string {
  if (step === undefined || node.kind === 'leaf') return path;
  if (node.kind === 'map') return join(path, '*');
  if (node.kind === 'array') return placeOf(node.items.node, rest, join(path, '*'));
  const field = node.byName.get(step);
  return field ? placeOf(field.node, rest, join(path, step)) : path;
}
