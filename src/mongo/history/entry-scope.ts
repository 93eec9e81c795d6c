import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Filter } from '../query/filter.ts';

/** A state of a record that an entry knows: the one before its change, or the one after it. */
export type Side = 'was' | 'is';

/**
 * A filter for the entries of which this state was within a scope. Undefined for a scope that has every record. Throws
 * a plain Error (500) for a scope that compares a field whose values the entries do not have.
 */
export function wasWithin(model: CompiledModel, scope: Filter | undefined, side: Side): Filter | undefined {
  if (!scope || Object.keys(scope).length === 0) return undefined;
  const hasSides = model.ledger?.history?.scopeFields.length !== 0; // a scope may compare the id alone, which never changes
  const own = moved(model, scope, side);
  return hasSides ? { $and: [{ [side]: { $exists: true } }, own] } : own;
}

/** A filter for the entries of which both states were within a scope. A new record had none before. */
export function bothWithin(model: CompiledModel, scope: Filter | undefined): Filter | undefined {
  const [was, is] = [wasWithin(model, scope, 'was'), wasWithin(model, scope, 'is')];
  return was && is && { $and: [{ $or: [{ previous: { $exists: false } }, was] }, is] };
}

/** The same conditions on the values that an entry has. */
function moved(model: CompiledModel, scope: Filter, side: Side): Filter {
  const known = new Set(model.ledger?.history?.scopeFields.map(({ path }) => path));
  return Object.fromEntries(
    Object.entries(scope).map(([path, condition]) => {
      if (path === '$and') return [path, (condition as readonly Filter[]).map((part) => moved(model, part, side))];
      if (path === '_id') return ['record', condition];
      if (!known.has(path)) throw new Error(unknownField(model, path));
      return [`${side}.${path}`, condition];
    }),
  );
}

function unknownField({ name, fieldTable }: CompiledModel, path: string): string {
  const field = [...fieldTable.values()].find((one) => one.path === path)?.name ?? path;
  return `The scope of this request compares \`${field}\`, which is not in \`history.scopeFields\` of ${name}: the history cannot say whether a record was within this scope. Put it there, or do without this scope where the history is shown.`;
}
