import { validationFailed } from '../../errors.ts';
import type { FieldError } from '../../rules.ts';
import type { Node } from '../node.ts';
import { isObject, own } from '../value/plain-object.ts';

/** Where a document comes from. */
interface Origin {
  /**
   * Whether a key that is no field may come from a client. Otherwise it is a mistake of the application, as in a record
   * that it has loaded.
   */
  readonly mayHaveClientKeys: boolean;
}

/**
 * Refuses values of a document that the application's own code wants to write, if there are errors. Throws
 * `validation_failed` (422) for fields that clients know, because such a value probably comes from the client, and a
 * plain Error (500), which begins with `what`, if one of the fields is private, or is not a field.
 */
export function refuseInvalid(errors: readonly FieldError[], root: Node, document: unknown, what: string, origin?: Origin): void {
  if (errors.length === 0) return;
  if (areKnownToClients(root, document, errors, origin)) throw validationFailed(errors);
  throw new Error(`${what}: ${describeErrors(errors)}.`);
}

/** Whether clients may know the fields of all errors in a document. */
export function areKnownToClients(root: Node, document: unknown, errors: readonly FieldError[], origin?: Origin): boolean {
  return errors.every(({ field, rule }) => {
    const mayBeKey = rule === 'unknown_field' && origin?.mayHaveClientKeys === true;
    return mayBeKey ? !isKeyInPrivate(root, document, field, false) : isKnownToClients(root, document, field);
  });
}

/** Errors in words, for the log of an application. */
export function describeErrors(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}

/**
 * Whether clients may know the field at this path: neither the field nor an object that holds it is private. The path
 * of the record is empty. A key that is not a field is a mistake of the application.
 */
function isKnownToClients(node: Node, value: unknown, path: string): boolean {
  if (path === '' || node.kind === 'leaf') return true;
  const isKnownIn = (inner: Node, name: string) => isKnownToClients(inner, member(value, name), after(path, name));
  if (node.kind === 'map') return mapKeysOf(path, value).every((key) => isKnownIn(node.values.node, key));
  const [name = ''] = path.split('.', 1);
  if (node.kind === 'array') return isKnownIn(node.items.node, name);
  const field = node.byName.get(name);
  return field !== undefined && !field.policy.private && isKnownIn(field.node, name);
}

/**
 * Whether a path leads to a key that is no field in a private object. The key may have dots, so that several ways may
 * lead to one.
 */
function isKeyInPrivate(node: Node, value: unknown, path: string, isPrivate: boolean): boolean {
  const isIn = (inner: Node, name: string, isHidden = isPrivate) => isKeyInPrivate(inner, member(value, name), after(path, name), isHidden);
  const [name = ''] = path.split('.', 1);
  if (node.kind === 'map') return mapKeysOf(path, value).some((key) => isIn(node.values.node, key));
  if (node.kind === 'array') return isIn(node.items.node, name);
  if (node.kind === 'leaf' || !isObject(value)) return false;
  const field = Object.hasOwn(value, name) ? node.byName.get(name) : undefined;
  return (
    (isPrivate && Object.hasOwn(value, path)) || (field !== undefined && isIn(field.node, name, isPrivate || field.policy.private === true))
  );
}

/** The keys of a map with which a path may begin. They are several if the map has the keys `a` and `a.b`. */
export function mapKeysOf(path: string, map: unknown): readonly string[] {
  const keys = isObject(map) ? Object.keys(map).filter((key) => path === key || path.startsWith(`${key}.`)) : [];
  return keys.length > 0 ? keys : path.split('.', 1);
}

/** What an array or object of a document has at one step of a path. */
export function member(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? own(value, name) : undefined;
}

/** What is left of a path after its first key. */
export function after(path: string, key: string): string {
  return path.slice(key.length + 1);
}
