import { type FieldError, Invalid } from '../../rules.ts';
import type { ObjectNode } from '../node.ts';
import { isObject } from '../value/plain-object.ts';
import type { Access } from './access.ts';
import type { Report } from './report.ts';

/** What becomes of a merge into an object if the record has none. */
export interface Creation {
  /** The object to create, with its defaults. Undefined if the body does not suffice to create one. */
  readonly whole: unknown;
  /** The errors for the client if the object cannot be created. Empty if an outer or inner object has the error. */
  readonly refused: readonly FieldError[];
  /**
   * The message of the Error (500) if the object cannot be created, and no request could help: a hook of `before` has
   * written into it, or the model requires it, and the client may neither read it nor send all of it.
   */
  readonly mistake?: string;
}

/** The creation of an object that was read into `whole`, with what `creation` reports of it. */
export function creationOf(name: string, whole: unknown, creation: Report, { isBlind }: Access): Creation {
  if (creation.size === 0) return { whole, refused: [] };
  if (!isBlind) return { whole: undefined, refused: whyNotCreated(name, creation) };
  // What the body alone tells is in its own report: only what clients may not send can be missing here.
  const mistake = `A record has no \`${name}\`, which its model requires, and only the server can create it.`;
  return { whole: undefined, refused: [], mistake };
}

/** The errors of creating an object: the keys that the body leaves out, or else the errors of checks. */
function whyNotCreated(name: string, { incomplete, refusals }: Report): readonly FieldError[] {
  const missing = incomplete.find(({ path }) => path === name)?.keys;
  if (!missing) return refusals;
  if (missing.length === 0) return [onlyByServer.at(name)];
  return [lacks(missing).at(name)];
}

/** The error of an object that the body does not suffice to create. */
export function lacks(missing: readonly string[]): Invalid {
  return new Invalid('incomplete', `does not exist yet; to create it, send also ${missing.join(', ')}`, { missing });
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

/**
 * Whether the errors of a check count that ran on what the body sends of an object. If the body does not have the whole
 * object, they would depend on stored values; what the client may not read is judged by the body alone.
 */
export function isJudged(node: ObjectNode, sent: unknown, { isBlind }: Access): boolean {
  return isBlind === true || coversWhole(node, sent);
}
