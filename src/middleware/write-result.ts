import type { ObjectNode } from '../model/node.ts';
import { isObject } from '../model/plain-object.ts';
import { writeUntyped } from '../model/untyped.ts';
import { StoredRecord } from '../mongo/stored-record.ts';

/**
 * The JSON of what a handler returned. A record that it holds, wherever it stands in it, is what a client may read of it, as it is stored.
 * An object with all fields of the model that is no such record is refused: nobody can tell what of it is private.
 */
export function writeResult(value: unknown, loaded: ReadonlyMap<unknown, StoredRecord> | undefined, root: ObjectNode | undefined): string {
  return write(value);

  function write(part: unknown): string {
    const record = part instanceof StoredRecord ? part : loaded?.get(part);
    if (record) return record.toText();
    if (Array.isArray(part)) return `[${part.map(write).join(',')}]`;
    if (!isObject(part)) return writeUntyped(part);
    if (root && hasAllFields(part, root)) {
      throw new Error(
        'A handler returned a record that it did not get from `ctx.load()` or `ctx.save()`, or a copy of one. Return the record itself, or an object with what clients may read.',
      );
    }
    const members = Object.entries(part).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
  }
}

function hasAllFields(object: object, { fields }: ObjectNode): boolean {
  return fields.every((field) => field.optional || Object.hasOwn(object, field.name));
}
