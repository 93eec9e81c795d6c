import { once } from '../../mistakes.ts';
import type { Node, ObjectNode } from '../node.ts';
import { NotComputed } from '../read/not-computed.ts';
import { MisfitError } from '../value/leaf.ts';
import { writeUntyped } from '../value/untyped.ts';
import { compileFindMisfits } from '../write/find-misfits.ts';

/** Reads a stored record. */
type Read<Stored, Result, More extends unknown[]> = (stored: Stored, ...more: More) => Result;

type Explain = <Stored, Result, More extends unknown[]>(read: Read<Stored, Result, More>) => Read<Stored, Result, More>;

/**
 * Compiles a wrapper of what reads the records of a model: the error of a value that its field cannot read, or that
 * cannot be computed, then names the record and the path, for `app.on('error')`. It does not say the value.
 */
export function compileExplain(name: string, root: ObjectNode): Explain {
  if (!mayBeUnreadable(root)) return (read) => read;
  const findMisfits = once(() => compileFindMisfits(root));
  function explain(error: unknown, stored: unknown): unknown {
    const id = writeUntyped((stored as { readonly _id?: unknown } | null)?._id);
    if (error instanceof NotComputed) return error.of(name, id);
    if (!(error instanceof MisfitError)) return error;
    const [found] = findMisfits()(stored);
    const what = found ? `\`${found.path}\` ${found.message}` : `a value ${error.message}`;
    return new Error(`The record of ${name} with the id ${id} does not fit its model: ${what}.`, { cause: error });
  }
  return (read) =>
    (stored, ...more) => {
      try {
        return read(stored, ...more);
      } catch (error) {
        throw explain(error, stored);
      }
    };
}

/** Whether a value may be one that its field cannot read: in another form than that of its type, or computed. */
function mayBeUnreadable(node: Node): boolean {
  switch (node.kind) {
    case 'leaf':
      return node.leaf.base !== undefined;
    case 'array':
      return mayBeUnreadable(node.items.node);
    case 'map':
      return mayBeUnreadable(node.values.node);
    case 'object':
      return node.computed !== undefined || node.fields.some((field) => mayBeUnreadable(field.node));
  }
}
