import { validationFailed } from '../../errors.ts';
import type { FieldError } from '../../rules.ts';
import type { Node } from '../node.ts';
import { isObject, own } from '../value/plain-object.ts';

/** Where a document comes from. */
interface Origin {
  /** Whether a key that is no field may come from a client. Otherwise it is a mistake of the application, as in a record that it has loaded. */
  readonly mayHaveClientKeys: boolean;
}

/**
 * Refuses values of a document that the application's own code wants to write, if there are errors. Throws `validation_failed` (422) for fields
 * that clients know, because such a value probably comes from the client, and a plain Error (500), which begins with `what`, if one of the
 * fields is private, or is not a field.
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
    return isKnownToClients(root, document, field, mayBeKey);
  });
}

/** Errors in words, for the log of an application. */
export function describeErrors(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}

/** Whether clients may know what is at this path: neither the field nor an object that holds it is private. The path of the record is empty. */
function isKnownToClients(node: Node, value: unknown, path: string, mayBeKey: boolean): boolean {
  if (path === '' || node.kind === 'leaf') return true;
  const isKnownIn = (inner: Node, name: string) => isKnownToClients(inner, member(value, name), after(path, name), mayBeKey);
  if (node.kind === 'map') return mapKeysOf(path, value).every((key) => isKnownIn(node.values.node, key));
  const [name = ''] = path.split('.', 1);
  if (node.kind === 'array') return isKnownIn(node.items.node, name);
  if (mayBeKey && isObject(value) && Object.hasOwn(value, path)) return true; // the rest of the path is the key, which may have dots
  const field = node.byName.get(name);
  return field !== undefined && !field.policy.private && isKnownIn(field.node, name);
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
