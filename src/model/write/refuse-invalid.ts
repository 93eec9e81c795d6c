import { validationFailed } from '../../errors.ts';
import type { FieldError } from '../../rules.ts';
import type { Node } from '../node.ts';

/**
 * Refuses values that the application's own code wants to write, if there are errors. Throws `validation_failed` (422) for fields that clients
 * know, because such a value probably comes from the client, and a plain Error (500), which begins with `what`, if one of the fields is private, or is not a field.
 */
export function refuseInvalid(errors: readonly FieldError[], root: Node, what: string): void {
  if (errors.length === 0) return;
  if (areKnownToClients(root, errors)) throw validationFailed(errors);
  throw new Error(`${what}: ${describeErrors(errors)}.`);
}

/** Whether clients may know the fields of all errors. */
export function areKnownToClients(root: Node, errors: readonly FieldError[]): boolean {
  return errors.every(({ field }) => isKnownToClients(root, field.split('.')));
}

/** Errors in words, for the log of an application. */
export function describeErrors(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}

/**
 * Whether clients may know the field at this path: neither the field nor an object that holds it is private. The path of the record is
 * empty. A key that is not a field is a mistake of the application.
 */
function isKnownToClients(node: Node, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || name === '') return true;
  if (node.kind === 'array') return isKnownToClients(node.items.node, rest);
  if (node.kind === 'map') return isKnownToClients(node.values.node, rest);
  if (node.kind === 'leaf') return true;
  const field = node.byName.get(name);
  return field !== undefined && !field.policy.private && isKnownToClients(field.node, rest);
}
