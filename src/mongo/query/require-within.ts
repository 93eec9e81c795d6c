import { notFound, validationFailed } from '../../errors.ts';
import { type Changes, onlyByServer } from '../../model/write/plan-changes.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import type { Condition } from './filter.ts';
import { brokenBy, brokenByChanges, creationsWithin } from './write-scope.ts';

/** What a write must keep to. */
export interface WriteBounds {
  /** The conditions that the record must fulfil. @default none */
  readonly writeScope?: readonly Condition[];
  /** Whether the writer may write the field of a dotted name, so that errors may name it. @default no field */
  mayWrite?(name: string): boolean;
  /**
   * The field whose value the path of the request names. If the record may not have it, there is nothing at that path:
   * 404.
   */
  readonly pathField?: string;
}

/** Refuses a new record that would lie outside of the scope. Throws like {@link refuse}. */
export function requireRecordWithin(bounds: WriteBounds, created: Readonly<Record<string, unknown>>): void {
  if (bounds.writeScope) refuse(bounds, brokenBy(created, bounds.writeScope));
}

/**
 * Refuses changes that would move a record out of the scope. Returns them with the conditions that the write needs for
 * that. Throws like {@link refuse}.
 */
export function requireChangesWithin(bounds: WriteBounds, changes: Changes): Changes {
  const { writeScope } = bounds;
  if (!writeScope || writeScope.length === 0) return changes;
  refuse(bounds, brokenByChanges(changes, writeScope));
  return creationsWithin(changes, writeScope, ({ path }, broken) => {
    const refused = errorsOf(bounds, broken);
    return refused.length > 0 ? refused : [onlyByServer.at(path)];
  });
}

/**
 * Throws 422 with the fields at fault that the client may write. If it may not write any of them, no request can
 * succeed: a plain Error (500) is thrown.
 */
function refuse(bounds: WriteBounds, broken: readonly Condition[]): void {
  if (broken.length === 0) return;
  if (broken.some(({ field }) => field.name === bounds.pathField)) throw notFound();
  const errors = errorsOf(bounds, broken);
  if (errors.length > 0) throw validationFailed(errors);
  const names = broken.map(({ field }) => `\`${field.name}\``).join(', ');
  throw new Error(`A write would leave its record outside of its own scope, by ${names}, which clients may not write.`);
}

const outOfScope = new Invalid('scope', 'must keep the record within your reach');

function errorsOf({ mayWrite }: WriteBounds, broken: readonly Condition[]): FieldError[] {
  const names = new Set(broken.map(({ field }) => field.name).filter((name) => mayWrite?.(name)));
  return [...names].map((field) => outOfScope.at(field));
}
