import { type FieldError, Invalid } from '../../rules.ts';
import type { ObjectNode } from '../node.ts';
import { isObject } from '../value/plain-object.ts';
import type { Report } from './report.ts';

/** The errors of creating an object: the keys that the body leaves out, or else the errors of checks. */
export function whyNotCreated(name: string, { incomplete, refusals }: Report): readonly FieldError[] {
  const missing = incomplete.find(({ path }) => path === name)?.keys;
  if (!missing) return refusals;
  if (missing.length === 0) return [onlyByServer.at(name)];
  return [new Invalid('incomplete', `does not exist yet; to create it, send also ${missing.join(', ')}`, { missing }).at(name)];
}

/**
 * The error of an object that is missing values which no client may send. It does not name them, because they may be
 * private.
 */
export const onlyByServer = new Invalid(
  'server_only',
  'does not exist yet, and only the server can create it: it holds required values that clients may not send',
);

/**
 * Whether a merge patch names every field of an object, at any depth. Then nothing of the stored object remains, unless
 * it has a map into which keys are merged.
 */
export function coversWhole(node: ObjectNode, sent: unknown): boolean {
  if (!isObject(sent)) return false;
  return node.fields.every((field) => {
    if (!Object.hasOwn(sent, field.name)) return false;
    const value = sent[field.name];
    if (value === null || field.node.kind === 'leaf' || field.node.kind === 'array') return true;
    return field.node.kind === 'map' ? !field.node.merge : coversWhole(field.node, value);
  });
}
