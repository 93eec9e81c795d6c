import { type FieldError, Invalid, toFieldError } from '../../rules.ts';
import type { Check } from '../define/schema.ts';
import { join, type Node, type ObjectNode, pathIn, recordPath } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import { type Access, isBlindField, isUnknownTo } from './access.ts';
import { after, mapKeysOf, member } from './document-paths.ts';
import type { Report } from './report.ts';

/**
 * Runs the check of an object in stored form, and adds its errors to the report. It runs once for each `readFrom`, the
 * value that was sent.
 */
export type RunCheck = (stored: unknown, path: string, report: Report, readFrom?: unknown) => void;

/** An object with only the fields that its check sees: without id, revision and timestamps. */
export function ownFields(node: ObjectNode): ObjectNode {
  return { ...node, fields: node.fields.filter((field) => !field.isId && !field.maintained) };
}

/**
 * Compiles the check of one object. Undefined if it has none. With the `access` of a client, an error of a field that
 * the client neither reads nor writes is one of the object that holds it, and does not say which.
 */
export function compileCheck(node: ObjectNode, access?: Access): RunCheck | undefined {
  const { check, name = 'an embedded object' } = node;
  if (!check) return undefined;
  const hydrate = compileHydrate(ownFields(node));
  return function runCheck(stored, path, report, readFrom = stored) {
    const found = report.once(node, readFrom, (): unknown => (check as Check<unknown>)(hydrate(stored)));
    if (found === undefined) return;
    if (typeof found === 'string') report.refuse(new Invalid('check', found).at(path));
    else if (Array.isArray(found)) {
      const errors = found.map(toFieldError);
      const told = access ? errorsFor(access, errors, node, hydrate(stored)) : errors;
      for (const error of told) {
        if (report.isFull) break; // each may look through all keys of a map
        report.refuse({ ...error, field: error.field === '' ? path : join(path, error.field) });
      }
    } else throw new Error(`\`check\` of ${name} must return nothing, a sentence or an array of errors, and must not be async.`);
  };
}

/** The errors of a document that a client is told. However many of one object it must not know, it is told one. */
function* errorsFor(access: Access, errors: readonly FieldError[], node: ObjectNode, document: unknown): Iterable<FieldError> {
  const hiding = new Set<string>();
  for (const error of errors) {
    const known = knownPart(error.field, node, document, access);
    if (known === error.field) yield error;
    else if (!hiding.has(known)) {
      hiding.add(known);
      yield notValid.at(known);
    }
  }
}

const notValid = new Invalid('check', 'is not valid');

/**
 * The part of a path in a document up to the first field that the client does not know. A key of a map may have dots,
 * so that several ways may lead to one: none of them may be unknown.
 */
function knownPart(path: string, node: Node, value: unknown, access: Access): string {
  if (path === '' || node.kind === 'leaf') return path;
  const knownBelow = (inner: Node, key: string): string => {
    const rest = after(path, key);
    const known = knownPart(rest, inner, member(value, key), access);
    return known === rest ? path : known === '' ? key : join(key, known);
  };
  if (node.kind === 'map')
    return (
      mapKeysOf(path, value)
        .map((key) => knownBelow(node.values.node, key))
        .find((known) => known !== path) ?? path
    );
  const [name = ''] = path.split('.', 1);
  if (node.kind === 'array') return knownBelow(node.items.node, name);
  const field = node.byName.get(name);
  if (!field) return path;
  return isUnknownTo(access, field) ? '' : knownBelow(field.node, name);
}

/** The check of an object at its place in a record. `stored` is the object, in stored form. */
export type CheckAt = (stored: unknown, report: Report) => void;

/**
 * The checks of an object and its embedded objects, by the paths of their stored keys. Objects in arrays and maps are
 * left out: those are written whole. So are those that the client may not read: they are judged by the body alone.
 */
export function collectChecks(node: ObjectNode, access: Access, at = recordPath): ReadonlyMap<string, CheckAt> {
  const own = compileCheck(node, access);
  const below = node.fields.flatMap((field) =>
    field.node.kind === 'object' && !isBlindField(field, access) ? [...collectChecks(field.node, access, pathIn(at, field))] : [],
  );
  const ofObject: CheckAt = (stored, report) => own?.(stored, at.name, report);
  return new Map([...below, ...(own ? [[at.path, ofObject] as const] : [])]);
}
