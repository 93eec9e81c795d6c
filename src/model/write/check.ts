import { type FieldError, Invalid, toFieldError } from '../../rules.ts';
import type { Check } from '../define/schema.ts';
import { join, type Node, type ObjectNode, pathIn, recordPath } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import { type Access, isUnknownTo } from './access.ts';
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
 * the client does not know is one of the object that holds it, and does not say which.
 */
export function compileCheck(node: ObjectNode, access?: Access): RunCheck | undefined {
  const { check, name = 'an embedded object' } = node;
  if (!check) return undefined;
  const hydrate = compileHydrate(ownFields(node));
  return function runCheck(stored, path, report, readFrom = stored) {
    const found = report.once(node, readFrom, (): unknown => (check as Check<unknown>)(hydrate(stored)));
    if (found === undefined) return;
    if (typeof found === 'string') report.refuse(new Invalid('check', found).at(path));
    else if (Array.isArray(found)) for (const error of found.map(toFieldError)) report.refuse(errorAt(path, error, node, access));
    else throw new Error(`\`check\` of ${name} must return nothing, a sentence or an array of errors, and must not be async.`);
  };
}

function errorAt(path: string, error: FieldError, node: ObjectNode, access: Access | undefined): FieldError {
  const known = access ? knownPart(error.field, node, access) : error.field;
  return known === error.field ? { ...error, field: join(path, known) } : notValid.at(known === '' ? path : join(path, known));
}

const notValid = new Invalid('check', 'is not valid');

/** The part of a path up to the first field that the client does not know. */
function knownPart(path: string, node: Node, access: Access): string {
  const names = path.split('.');
  let at: Node | undefined = node;
  for (const [index, name] of names.entries()) {
    if (at?.kind === 'object') {
      const field = at.byName.get(name);
      if (field && isUnknownTo(access, field)) return names.slice(0, index).join('.');
      at = field?.node;
    } else if (at?.kind === 'array') at = at.items.node;
    else at = at?.kind === 'map' ? at.values.node : undefined;
  }
  return path;
}

/** The check of an object at its place in a record. `stored` is the object, in stored form. */
export type CheckAt = (stored: unknown, report: Report) => void;

/**
 * The checks of an object and its embedded objects, by the paths of their stored keys. Objects in arrays and maps are
 * left out: those are written whole.
 */
export function collectChecks(node: ObjectNode, access: Access, at = recordPath): ReadonlyMap<string, CheckAt> {
  const own = compileCheck(node, access);
  const below = node.fields.flatMap((field) =>
    field.node.kind === 'object' ? [...collectChecks(field.node, access, pathIn(at, field))] : [],
  );
  const ofObject: CheckAt = (stored, report) => own?.(stored, at.name, report);
  return new Map([...below, ...(own ? [[at.path, ofObject] as const] : [])]);
}
