import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { filterOf } from '../../../mongo/predicate/filter-of.ts';
import { all, type Comparison, type Filter, fulfilling, type Predicate } from '../../../mongo/predicate/predicate.ts';
import { isEveryRecord, nodeOf } from '../../../mongo/predicate/row-scope.ts';

/** A state of a record that an entry knows: the one before its change, or the one after it. */
export type StateSide = 'was' | 'is';

/**
 * A filter for the entries of which this state was within a scope. Undefined for a scope that has every record. Throws
 * a plain Error (500) for a scope that compares a field whose values the entries do not have.
 */
export function wasWithin(model: CompiledModel, scope: Predicate | undefined, side: StateSide): Filter | undefined {
  if (!scope || isEveryRecord(scope)) return undefined;
  const hasSides = model.ledger?.history?.scopeFields.length !== 0; // a scope may compare the id alone, which never changes
  const own = filterOf(moved(model, scope, side));
  return hasSides ? { $and: [{ [side]: { $exists: true } }, own] } : own;
}

/** A filter for the entries of which both states were within a scope. A new record had none before. */
export function bothWithin(model: CompiledModel, scope: Predicate | undefined): Filter | undefined {
  const [was, is] = [wasWithin(model, scope, 'was'), wasWithin(model, scope, 'is')];
  return was && is && { $and: [{ $or: [{ previous: { $exists: false } }, was] }, is] };
}

/** The same comparisons with the values that an entry has. */
function moved(model: CompiledModel, scope: Predicate, side: StateSide): Predicate {
  const known = new Set(model.ledger?.history?.scopeFields.map(({ path }) => path));
  const move = ({ field, operator, value }: Comparison): Comparison => {
    const { name, path } = field;
    if (path === '_id') return { field: { name, path: 'record' }, operator, value };
    if (!known.has(path)) throw new Error(unknownField(model, name));
    return { field: { name, path: `${side}.${path}` }, operator, value };
  };
  const node = nodeOf(scope);
  switch (node?.kind) {
    case 'conditions':
      return fulfilling(node.of.map(move));
    case 'both':
      return all(moved(model, node.first, side), moved(model, node.second, side));
    default:
      throw new Error(foreignScope(model));
  }
}

function unknownField({ name }: CompiledModel, field: string): string {
  return `The scope of this request compares \`${field}\`, which is not in \`history.scopeFields\` of ${name}: the history cannot say whether a record was within this scope. Put it there, or do without this scope where the history is shown.`;
}

function foreignScope({ name }: CompiledModel): string {
  return `The scope of this request is a filter of MongoDB, and no \`scope\` function has returned it: the history of ${name} cannot say whether a record was within it. Write it as a scope, or do without it where the history is shown.`;
}
