import { once } from '../../mistakes.ts';
import type { Node, ObjectNode } from '../node.ts';
import { holdsComputed } from './computed-fields.ts';
import { compileHydrate, type Hydrate } from './hydrate.ts';
import { anyPlace } from './place.ts';
import { withoutPrivate } from './private-fields.ts';

/**
 * Compiles how the document of a record is made for a place in an answer: without private fields, and with the computed
 * fields that the place takes. It is compiled once for each place, and once for all if the model computes nothing.
 */
export function compileHydrateReadable(root: ObjectNode): (stored: unknown, place?: Node) => unknown {
  const readable = once(() => withoutPrivate(root));
  if (!holdsComputed(root)) {
    const hydrate = once(() => compileHydrate(readable()));
    return (stored) => hydrate()(stored);
  }
  const byPlace = new WeakMap<Node, Hydrate>();
  return function hydrateReadable(stored, place = anyPlace) {
    const hydrate = byPlace.get(place) ?? compileHydrate(readable(), undefined, place);
    byPlace.set(place, hydrate);
    return hydrate(stored);
  };
}
