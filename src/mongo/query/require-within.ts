import { notFound, validationFailed } from '../../errors.ts';
import { onlyByServer } from '../../model/write/creation.ts';
import type { Changes, EmbeddedMerge } from '../../model/write/plan-changes.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import type { Condition } from '../predicate/predicate.ts';
import { brokenBy, brokenByChanges, creationsWithin } from './broken-conditions.ts';

/** What the write of a writer must keep to. */
export interface WriteBounds {
  /** The conditions that a record which it writes must fulfil. @default none */
  readonly writeScope?: readonly Condition[] | undefined;
  /**
   * Whether the writer may write the field of a dotted name: then a 422 may name it, and its references must lead to
   * what the writer may see. Any other field has a value of the server, which may refer to any record.
   */
  mayWrite(name: string): boolean;
  /** Whether a 422 names every field, as in `Told`. @default false */
  readonly isToldAll?: boolean;
  /**
   * The field whose value the path of the request names. If the record may not have it, or if it leads nowhere, there
   * is nothing at that path: 404.
   */
  readonly pathField?: string | undefined;
}

type Bounds = WriteBounds | undefined;

/** Refuses a new record that would lie outside of the scope. Throws like {@link refuse}. */
export function requireRecordWithin(bounds: Bounds, created: Readonly<Record<string, unknown>>): void {
  if (bounds?.writeScope) refuse(bounds, brokenBy(created, bounds.writeScope));
}

/**
 * Refuses changes that would move a record out of the scope. Returns them with the conditions that the write needs for
 * that. Throws like {@link refuse}.
 */
export function requireChangesWithin(bounds: Bounds, changes: Changes): Changes {
  const writeScope = bounds?.writeScope ?? [];
  if (writeScope.length === 0) return changes;
  refuse(bounds, brokenByChanges(changes, writeScope));
  return creationsWithin(changes, writeScope, (merge, broken) => {
    const refused = errorsOf(bounds, broken);
    return refused.length > 0 ? refused : [onlyByServer.at(nameOf(merge, broken))];
  });
}

/** The name of an object, which is the beginning of that of a field in it: it may be stored under other keys. */
function nameOf({ path }: Pick<EmbeddedMerge, 'path'>, [broken]: readonly Condition[]): string {
  const steps = broken?.field.name.split('.') ?? [];
  return steps.slice(0, path.split('.').length).join('.');
}

/**
 * Throws 422 with the fields at fault that the client may write. If it may not write any of them, no request can
 * succeed: a plain Error (500) is thrown.
 */
function refuse(bounds: Bounds, broken: readonly Condition[]): void {
  if (broken.length === 0) return;
  if (broken.some(({ field }) => field.name === bounds?.pathField)) throw notFound();
  const errors = errorsOf(bounds, broken);
  if (errors.length > 0) throw validationFailed(errors);
  const names = broken.map(({ field }) => `\`${field.name}\``).join(', ');
  throw new Error(`A write would leave its record outside of its own scope, by ${names}, which clients may not write.`);
}

const outOfScope = new Invalid('scope', 'must keep the record within your reach');

function errorsOf(bounds: Bounds, broken: readonly Condition[]): FieldError[] {
  const names = new Set(broken.map(({ field }) => field.name).filter((name) => bounds?.isToldAll || bounds?.mayWrite(name)));
  return [...names].map((field) => outOfScope.at(field));
}
