import { validationFailed } from '../../errors.ts';
import type { FieldError } from '../../rules.ts';
import type { Node } from '../node.ts';
import { isObject, own } from '../value/plain-object.ts';

/**
 * Refuses values of a document that the application's own code wants to write, if there are errors. Throws `validation_failed` (422) for fields
 * that clients know, because such a value probably comes from the client, and a plain Error (500), which begins with `what`, if one of the
 * fields is private, or is not a field.
 */
export function refuseInvalid(errors: readonly FieldError[], root: Node, document: unknown, what: string): void {
  if (errors.length === 0) return;
  if (areKnownToClients(root, document, errors)) throw validationFailed(errors);
  throw new Error(`${what}: ${describeErrors(errors)}.`);
}

/** Whether clients may know the fields of all errors in a document. */
export function areKnownToClients(root: Node, document: unknown, errors: readonly FieldError[]): boolean {
  return errors.every(({ field }) => isKnownToClients(root, document, field));
}

/** Errors in words, for the log of an application. */
export function describeErrors(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}

/**
 * Whether clients may know the field at this path: neither the field nor an object that holds it is private. The path of the record is
 * empty. A key that is not a field is a mistake of the application.
 */
function isKnownToClients(node: Node, value: unknown, path: string): boolean {
  if (path === '' || node.kind === 'leaf') return true;
  if (node.kind === 'map')
    return mapKeysOf(path, value).every((key) => isKnownToClients(node.values.node, member(value, key), after(path, key)));
  const [name = ''] = path.split('.', 1);
  if (node.kind === 'array') return isKnownToClients(node.items.node, member(value, name), after(path, name));
  const field = node.byName.get(name);
  return field !== undefined && !field.policy.private && isKnownToClients(field.node, member(value, name), after(path, name));
}

/** The keys of a map with which a path may begin. They are several if the map has the keys `a` and `a.b`. */
function mapKeysOf(path: string, map: unknown): readonly string[] {
  const keys = isObject(map) ? Object.keys(map).filter((key) => path === key || path.startsWith(`${key}.`)) : [];
  return keys.length > 0 ? keys : path.split('.', 1);
}

function member(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? own(value, name) : undefined;
}

function after(path: string, key: string): string {
  return path.slice(key.length + 1);
}
