import { Invalid, toFieldError } from '../../rules.ts';
import type { Check } from '../define/schema.ts';
import { join, type ObjectNode } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import type { Report } from './report.ts';

/**
 * Runs the check of an object in stored form, and adds its errors to the report. It runs once for each `readFrom`, the
 * value that was sent.
 */
export type RunCheck = (stored: unknown, path: string, report: Report, readFrom?: unknown) => void;

/** An object with only the fields that its check sees: without id, revision and timestamps. */
export function ownFields(node: ObjectNode): ObjectNode {
  return { ...node, fields: node.fields.filter((field) => field.key !== '_id' && !field.maintained) };
}

/** Compiles the check of one object. Undefined if it has none. */
export function compileCheck(node: ObjectNode): RunCheck | undefined {
  const { check, name = 'an embedded object' } = node;
  if (!check) return undefined;
  const hydrate = compileHydrate(ownFields(node));
  return function runCheck(stored, path, report, readFrom = stored) {
    const found = report.once(node, readFrom, (): unknown => (check as Check<unknown>)(hydrate(stored)));
    if (found === undefined) return;
    if (typeof found === 'string') report.refuse(new Invalid('check', found).at(path));
    else if (Array.isArray(found)) for (const error of found.map(toFieldError)) report.refuse({ ...error, field: join(path, error.field) });
    else throw new Error(`\`check\` of ${name} must return nothing, a sentence or an array of errors, and must not be async.`);
  };
}

/**
 * The checks of an object and its embedded objects, by dotted path. Objects in arrays and maps are left out: those are
 * written whole.
 */
export function collectChecks(node: ObjectNode, path = ''): ReadonlyMap<string, RunCheck> {
  const own = compileCheck(node);
  const below = node.fields.flatMap((field) =>
    field.node.kind === 'object' ? [...collectChecks(field.node, join(path, field.name))] : [],
  );
  return new Map([...below, ...(own ? [[path, own] as const] : [])]);
}
