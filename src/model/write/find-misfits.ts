import { join, type Node, type ObjectNode } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import { serverAccess } from './access.ts';
import { compileObjectReader } from './read-value.ts';
import { Report } from './report.ts';

/** A stored value that does not fit the model. */
export interface Misfit {
  readonly path: string;
  /** The path of the same value in any record: `*` stands for the items of an array and the keys of a map. */
  readonly place: string;
  readonly rule: string;
  readonly message: string;
}

/** Options of {@link compileFindMisfits}. */
interface FindMisfitsOptions {
  /** Whether the checks of the model and of its embedded objects run too. They may throw. @default false */
  readonly runsChecks?: boolean;
}

/** Stands for a value that its field cannot read. No type has such a value. */
const misfit = Symbol('misfit');

/**
 * Compiles the comparison of a stored record with its model. A missing value that reads as a default fits, and keys
 * that are not fields are ignored. Only the first misfits of a record are found, up to the limits of a {@link Report}.
 */
export function compileFindMisfits(root: ObjectNode, { runsChecks = false }: FindMisfitsOptions = {}): (stored: unknown) => Misfit[] {
  const hydrate = compileHydrate(root, () => misfit);
  const read = compileObjectReader(root, { ...serverAccess, source: 'stored', defersChecks: !runsChecks });
  return function findMisfits(stored) {
    const report = new Report();
    read(hydrate(stored), '', report);
    return report.errors.map(({ field, rule, message }) => ({ path: field, place: placeOf(root, field.split('.')), rule, message }));
  };
}

/** The path of a field, with `*` for items and keys. It ends at a map, whose keys may have dots. */
function placeOf(node: Node, [step, ...rest]: readonly string[], path = ''): string {
  if (step === undefined || node.kind === 'leaf') return path;
  if (node.kind === 'map') return join(path, '*');
  if (node.kind === 'array') return placeOf(node.items.node, rest, join(path, '*'));
  const field = node.byName.get(step);
  return field ? placeOf(field.node, rest, join(path, step)) : path;
}
