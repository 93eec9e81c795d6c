import { validationFailed } from '../../errors.ts';
import { type Changes, onlyByServer } from '../../model/write/plan-changes.ts';
import type { Condition } from '../../mongo/query/filter.ts';
import { brokenBy, brokenByChanges, creationsWithin } from '../../mongo/query/write-scope.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import type { Context } from './context.ts';

/** Refuses a new record that would lie outside of the scope. Throws like {@link refuse}. */
export function requireRecordWithin(ctx: Context, created: Readonly<Record<string, unknown>>): void {
  if (ctx.writeScope) refuse(ctx, brokenBy(created, ctx.writeScope));
}

/**
 * Refuses changes that would move a record out of the scope. Returns them with the conditions that the write needs for that. Throws like
 * {@link refuse}.
 */
export function requireChangesWithin(ctx: Context, changes: Changes): Changes {
  const { writeScope } = ctx;
  if (!writeScope || writeScope.length === 0) return changes;
  refuse(ctx, brokenByChanges(changes, writeScope));
  return creationsWithin(changes, writeScope, ({ path }, broken) => {
    const refused = errorsOf(ctx, broken);
    return refused.length > 0 ? refused : [onlyByServer.at(path)];
  });
}

/**
 * Throws 422 with the fields at fault that the client may write. If it may write none of them, no request could be right, and a plain Error
 * (500) is thrown.
 */
function refuse(ctx: Context, broken: readonly Condition[]): void {
  if (broken.length === 0) return;
  const errors = errorsOf(ctx, broken);
  if (errors.length > 0) throw validationFailed(errors);
  const names = broken.map(({ field }) => `\`${field.name}\``).join(', ');
  throw new Error(`A write would leave its record outside of its own scope, by ${names}, which clients may not write.`);
}

const outOfScope = new Invalid('scope', 'must keep the record within your reach');

function errorsOf({ mayWrite }: Context, broken: readonly Condition[]): FieldError[] {
  const names = new Set(broken.map(({ field }) => field.name).filter((name) => mayWrite?.(name)));
  return [...names].map((field) => outOfScope.at(field));
}
