import { wantedByPlugins } from '../../features/indexes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type IndexKey, mayShareIndex } from '../../model/compile/model-index.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { FieldEntry } from '../../model/node.ts';
import { operatorDef } from '../../model/operators/operators.ts';
import { isDeleted, isLive, keepsDeleted, markPath } from '../lifecycle/lifecycle.ts';
import type { Filter } from '../predicate/predicate.ts';
import { type IndexOptions, type IndexSource, scopeOf, type Wanted } from './wanted.ts';

/** The indexes that lists, relations and deletes of one model need. */
export function wantedBy(source: IndexSource): Wanted[] {
  return [
    ...wantedByList(source),
    ...wantedByPlugins.flatMap((wanted) => wanted(source)),
    ...wantedByThrough(source),
    ...wantedByFilters(source),
    ...wantedByRelations(source),
    ...wantedByReferences(source),
    ...wantedByDeletes(source),
  ];
}

function wantedByList({ model, list }: IndexSource): Wanted[] {
  if (!list) return [];
  const scope = scopeOf(model, list.scopeFields);
  const scopePaths = scope.map(({ path }) => path);
  if (scopePaths.includes('_id')) return []; // the database's own index of the id suffices
  const ofScope: Wanted[] = scope.length > 0 ? [{ key: toKey(scope), ...ofLiving(model), reasons: [`${list.resource}: its scope`] }] : [];
  const ofFields = [...model.clientFields.values()].flatMap((field): Wanted[] => {
    const indexed = model.fieldTable.get(field.name) as FieldEntry;
    const use = usesOf(field);
    const isCovered = field.path === '_id' || field.path === markPath(model) || scopePaths.includes(field.path);
    if (!use || !indexed.field.index || isCovered) return [];
    return [wantedFor(model, indexed, field.path, scope, isPoint(field), `${list.resource}: ${use} by ${field.name}`)];
  });
  return [...ofScope, ...ofFields];
}

/**
 * The records that refer to one record, in their order, are one part of an index of the scope, the reference and the
 * sort: no more of them is read than is shown.
 */
function wantedByRelations({ model, reverse = [] }: IndexSource): Wanted[] {
  const byPath = new Map([...model.fieldTable.values()].map((entry) => [entry.path, entry]));
  return reverse.flatMap(({ reason, scopeFields, path, sort }): Wanted[] => {
    const entry = byPath.get(path) as FieldEntry;
    const scope = scopeOf(model, scopeFields).filter((one) => mayShareIndex(one, entry));
    if (!entry.field.index || scope.some((one) => one.path === '_id')) return [];
    const equal = [...new Set([...scope.map((one) => one.path), path])];
    const order = [...sort].filter(([one]) => !equal.includes(one));
    return [{ key: [...equal.map((one): IndexKey[number] => [one, 1]), ...order], ...ofLiving(model), reasons: [reason] }];
  });
}

/** A delete finds the records that refer to the deleted one. */
function wantedByReferences({ model }: IndexSource): Wanted[] {
  const held = model.references.filter(({ ref, path }) => ref.onDelete && path !== '_id');
  return held.map(({ path, name, ref }) => ({
    key: [
      [path, 1],
      ['_id', 1],
    ],
    options: {}, // a restore looks for deleted records, too
    reasons: [`${model.name}: a delete of ${ref.model} looks for ${name}`],
  }));
}

function wantedByThrough({ model, through = [] }: IndexSource): Wanted[] {
  return through.flatMap(({ field: name, scopeFields, isReference, reason }) => {
    const scope = scopeOf(model, scopeFields);
    const scopePaths = scope.map(({ path }) => path);
    const indexed = model.fieldTable.get(name) as FieldEntry;
    const field = model.clientFields.get(name) as QueryField;
    const isOfDeleted = indexed.path === markPath(model); // no living record has it
    const isServed = isOfDeleted || [indexed.path, ...scopePaths].includes('_id') || scopePaths.includes(indexed.path);
    if (isServed || !indexed.field.index || !(isReference || isNarrowing(field))) return [];
    const path = isReference ? indexed.path : field.path;
    return [wantedFor(model, indexed, path, scope, isReference || isPoint(field), reason)];
  });
}

/** One index serves an alternative of a filter: what is equal, then the first path with bounds. */
function wantedByFilters({ model, filtered = [] }: IndexSource): Wanted[] {
  const byPath = new Map(
    [...model.clientFields.values()].map(({ path, name }) => [path, { path, entry: model.fieldTable.get(name) as FieldEntry }]),
  );
  return filtered.flatMap(({ equal, ranged, scopeFields, reason }): Wanted[] => {
    const scope = scopeOf(model, scopeFields).map((entry) => ({ path: entry.path, entry }));
    const [bounded] = ranged.filter((path) => !equal.includes(path));
    const asked = [...equal, ...(bounded === undefined ? [] : [bounded])].flatMap((path) => byPath.get(path) ?? []);
    if (asked.length === 0 || [...scope, ...asked].some(({ path }) => path === '_id')) return [];
    const chosen: typeof asked = [];
    for (const one of [...scope, ...asked]) {
      const isFree = chosen.every(({ path, entry }) => path !== one.path && mayShareIndex(entry, one.entry));
      if (isFree && (one.entry.field.index || scope.includes(one))) chosen.push(one);
    }
    return chosen.length > scope.length ? [{ key: toKey(chosen), ...ofLiving(model), reasons: [reason] }] : [];
  });
}

/** The index for a field of a list, or of a query for related records. `path` is the stored path that is compared. */
function wantedFor(
  model: CompiledModel,
  indexed: FieldEntry,
  path: string,
  scope: readonly FieldEntry[],
  isPoint: boolean,
  reason: string,
): Wanted {
  const prefix = scope.filter((one) => mayShareIndex(one, indexed));
  const index = { key: toKey([...prefix, { path }]), ...ofLiving(model), reasons: [reason] };
  const equal = new Set([...scope.map((one) => one.path), path]);
  return isPoint ? { ...index, point: { path, equal, isOfLiving: keepsDeleted(model) } } : index;
}

/** An index for queries that see the living records only. */
function ofLiving(model: CompiledModel): Pick<Wanted, 'options'> {
  return { options: partially(isLive(model) ?? {}) };
}

/**
 * The indexes of a model with `t.deletedAt()` that have few records or no field of their own: the deleted records, for
 * the purge and for lists of them, and the living ones by their ids, for a list without a scope. Without the latter,
 * that list would pass over every deleted record.
 */
function wantedByDeletes({ model, list }: IndexSource): Wanted[] {
  const path = markPath(model);
  if (path === undefined) return [];
  const marker = { path };
  const plan = (key: IndexKey, filter: Filter | undefined, reason: string): Wanted => {
    return { key, options: partially(filter ?? {}), reasons: [reason] };
  };
  const deleted = plan(toKey([marker]), isDeleted(model), `${model.name}: its deleted records`);
  if (!list) return [deleted];
  const scope = scopeOf(model, list.scopeFields);
  const isById = scope.some(({ path }) => path === '_id');
  const living: IndexKey = [
    ['_id', 1],
    [path, 1],
  ];
  const ofScope = [...scope, marker];
  return [
    deleted,
    ...(scope.length === 0 ? [plan(living, isLive(model), `${list.resource}: its living records`)] : []),
    ...(scope.length > 0 && list.showsDeleted && !isById
      ? [plan(toKey(ofScope), isDeleted(model), `${list.resource}: its deleted records`)]
      : []),
  ];
}

function toKey(fields: readonly Pick<FieldEntry, 'path'>[]): IndexKey {
  return [...fields.map(({ path }): IndexKey[number] => [path, 1]), ['_id', 1]];
}

function usesOf(field: QueryField): string | undefined {
  if (isNarrowing(field)) return field.sortable ? 'filter and sort' : 'filter';
  return field.sortable ? 'sort' : undefined;
}

function isNarrowing({ leaf, operators }: QueryField): boolean {
  return leaf !== undefined && [...operators].some((operator) => operatorDef(operator).shape !== 'none');
}

function isPoint({ leaf, nullable, operators, sortable }: QueryField): boolean {
  const mayAskNull = nullable && leaf?.name !== 'string';
  return !sortable && !mayAskNull && [...operators].every((operator) => operatorDef(operator).shape !== 'range');
}

export function partially(filter: Filter): IndexOptions {
  return Object.keys(filter).length > 0 ? { partialFilterExpression: filter } : {};
}
