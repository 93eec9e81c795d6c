import { validationFailed } from '../../errors.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { Invalid } from '../../rules.ts';
import type { BatchOperation } from './read-batch.ts';

/** The id of a record that an operation creates. */
export interface CreatedId {
  /** As a path segment, not yet percent-encoded. */
  readonly text: string;
  /** As a value of JSON. */
  readonly value: unknown;
}

/**
 * The ids that the operations before have created, by their indexes; undefined for an operation that creates no record.
 */
export type CreatedIds = readonly (CreatedId | undefined)[];

/**
 * Puts the ids of created records into the path and the body of the operation that comes next. A reference is given
 * beside the body, and in braces in the path, which no URL can have: data is never taken for one. Throws 422.
 */
export function fillIn(operation: BatchOperation, ids: CreatedIds): BatchOperation {
  const { path, body, refs = {} } = operation;
  const at = `operations.${ids.length}`;
  const filled = path.replaceAll(/\{(\d+)\}/g, (_braces, index: string) => encodeURIComponent(idOf(Number(index), ids, `${at}.path`).text));
  for (const [pointer, index] of Object.entries(refs)) {
    const field = `${at}.refs.${pointer}`;
    put(body, pointer, idOf(index, ids, field).value, field);
  }
  return { ...operation, path: filled };
}

function idOf(index: number, ids: CreatedIds, field: string): CreatedId {
  const id = ids[index];
  if (!id) throw refused(field, `must refer to an earlier operation that creates a record; operation ${index} is not one`);
  return id;
}

/** Puts a value at the place that a JSON Pointer names. What holds the place has to be there. */
function put(body: unknown, pointer: string, value: unknown, field: string): void {
  const [first, ...keys] = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop();
  if (first !== '' || last === undefined) throw refused(field, 'must be a JSON Pointer, such as `/customerId`');
  const holder = keys.reduce((one: unknown, key) => memberOf(one, key), body);
  const isPlace = Array.isArray(holder) ? memberOf(holder, last) !== undefined : isObject(holder);
  if (!isPlace) throw refused(field, 'must name a place in the body: an array has to have the item, and an object has to be there');
  Object.defineProperty(holder, last, { value, writable: true, enumerable: true, configurable: true });
}

/** Own members only: a pointer must not lead into what all objects share. */
function memberOf(holder: unknown, key: string): unknown {
  if (Array.isArray(holder)) return /^(?:0|[1-9]\d*)$/.test(key) ? holder[Number(key)] : undefined;
  return isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function refused(field: string, message: string): Error {
  return validationFailed([new Invalid('check', message).at(field)]);
}
