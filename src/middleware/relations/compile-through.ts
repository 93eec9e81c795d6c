import { ConfigurationError } from '../../errors.ts';
import { tryAll } from '../../mistakes.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { viewOf } from '../../model/compile/view-of.ts';
import { withoutScans } from '../../model/operators/operators.ts';
import type { DatabaseOptions } from '../../mongo/collection/collection.ts';
import type { IncludedStep } from '../../mongo/relations/include/read-included.ts';
import type { ThroughField, ThroughRelation, ThroughStep } from '../../mongo/through/through-field.ts';
import { aWholeNumber, byDefault, type Legal, pickOptions } from '../../options.ts';
import { compilePaths, rulesAlong, seenTargets } from './compile-includes.ts';
import type { GuardedSource, RelationTarget } from './relation-targets.ts';

/** The limits of filters and sorts through relations. */
export interface ThroughLimits {
  /**
   * The most related records that a first query looks for. If so many match or fewer, their ids become a filter of the
   * list. If more match, a `$lookup` decides about each record of the list. At most 10,000.
   * @default 1,000
   */
  readonly maxIdsThrough?: number;
  /**
   * The most conditions on related records in a `filter`: each may be a command. Equal ones count once, and so do those
   * that are asked together, such as `none(r, a) AND none(r, b)`. More are 400 with rule `too_complex`. At most 100.
   * @default 16
   */
  readonly maxConditionsThrough?: number;
  /**
   * The most matches of a list that is sorted by a field of related records, and the most related records that a
   * `filter` counts. More are 422. At most 100,000.
   *
   * @default 10,000
   */
  readonly maxSortThrough?: number;
}

/** Options of {@link compileThrough}. */
export interface ThroughOptions extends DatabaseOptions, ThroughLimits {
  /** The models that relations lead to. */
  readonly targets: readonly RelationTarget[];
  /** The owner of the option, for error messages. @default 'a list' */
  readonly owner?: string;
}

/** The compiled relations through which a list can be filtered and sorted. `listQuery` and `findPage` share them. */
export interface Through {
  /** The fields of related records that a query may name, by their whole names: `project.status`. */
  readonly fields: ReadonlyMap<string, ThroughField<GuardedSource>>;
  /** The relations that a filter may name, by the names of the option, with the fields that it may name behind them. */
  readonly relations: ReadonlyMap<string, ThroughRelation<GuardedSource>>;
  /** The first steps of all names. */
  readonly steps: readonly IncludedStep<GuardedSource>[];
  /** The most conditions on related records in a filter. */
  readonly maxConditions: number;
  /** The most ids of one relation that become part of a filter. */
  readonly maxIds: number;
  /** The most matches that are sorted by values of related records. */
  readonly maxSorted: number;
  /** Whether a field or a step is one of these, in any view. */
  knows(one: ThroughField | ThroughStep): boolean;
  /** The rules on which it depends what a query may name. Empty in a view. */
  readonly rules: readonly string[];
  /** What a query may name of callers for whom these rules hold. */
  seenBy(held: ReadonlySet<string>): Through;
}

/** The limits, with their defaults. */
export const throughLimits = {
  maxIdsThrough: byDefault(1_000, aWholeNumber(1, 10_000)),
  maxConditionsThrough: byDefault(16, aWholeNumber(1, 100)),
  maxSortThrough: byDefault(10_000, aWholeNumber(1, 100_000)),
};

/** The legal values of `through` of a middleware. */
export const aThrough: Legal = [isThrough, 'what `compileThrough()` returns'];

function isThrough(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'fields' in value && value.fields instanceof Map && 'maxSorted' in value;
}

/**
 * Largest number of relations in a path. Each may be a query that waits for the one before, or a `$lookup` within
 * another.
 */
const maxDepth = 3;

/**
 * Compiles the relations through which a list can be filtered and sorted: with `project`, clients may ask for
 * `project.status=open` and `sort=project.name`, if the policy of the field in its own model says so. Only listed names
 * are allowed: `project.owner` alone does not allow `project`. A sort needs single references all the way. What lies
 * behind a relation by `t.hasMany` can only be named in `any(comments, …)`, `none(comments, …)` and
 * `count(comments, …)` of a `filter`.
 *
 * Throws a {@link ConfigurationError} for a name that is not a relation, or only one of private fields; for a path of
 * more than three relations; for a relation inside an array of arrays; for one that leads to a model which is not one
 * of the `targets`, to several targets alike, or to ids of another type; and for a model that has no field that can be
 * filtered or sorted by.
 *
 * @example
 * const through = compileThrough(Task, ['project'], { db, targets: [{ model: Project }] });
 * router.get('/tasks', listQuery(Task, cursorPaging(), { through }), findPage(Task, { db, through }), page());
 */
export function compileThrough(model: ModelInput, names: readonly string[], options: ThroughOptions): Through {
  return compileIn(asCompiled(model), names, options, new WeakSet());
}

/** `known` are the fields of all views. */
function compileIn(root: CompiledModel, names: readonly string[], options: ThroughOptions, known: WeakSet<object>): Through {
  const { owner = 'a list' } = options;
  const { maxIdsThrough, maxConditionsThrough, maxSortThrough } = pickOptions(options, throughLimits);
  const { steps, paths } = compilePaths(root, names, { ...options, option: 'through', maxDepth });
  const made: Made = new Map();
  const relations = tryAll(
    [...paths].map(
      ([name, path]) =>
        () =>
          [name, relationBehind(name, path, root, made, `\`through\` of ${owner} names \`${name}\``)] as const,
    ),
  );
  const fields = relations.flatMap(([, { steps, fields: some }]) => (steps.some(({ via }) => via) ? [] : some.filter(isAskable)));
  for (const one of [...fields, ...made.values()]) known.add(one);
  return {
    fields: new Map(fields.map((field) => [field.name, field])),
    relations: new Map(relations),
    knows: (one) => known.has(one),
    steps,
    maxConditions: maxConditionsThrough,
    maxIds: maxIdsThrough,
    maxSorted: maxSortThrough,
    rules: rulesAlong(root, steps),
    seenBy: (held) => compileIn(viewOf(root, held), names, seenTargets(options, held), known),
  };
}

type Made = Map<IncludedStep, ThroughStep<GuardedSource>>;

/** A path of relations, with the fields that clients may name behind it. */
function relationBehind(
  name: string,
  path: readonly IncludedStep<GuardedSource>[],
  root: CompiledModel,
  made: Made,
  where: string,
): ThroughRelation<GuardedSource> {
  let from = root;
  let isSingle = true;
  const taken: ThroughStep<GuardedSource>[] = [];
  for (const step of path) {
    const known = made.get(step) ?? toThroughStep(step, from, where);
    made.set(step, known);
    taken.push(known);
    isSingle &&= known.isSingle;
    from = step.source.model;
  }
  const steps = taken as [ThroughStep<GuardedSource>, ...ThroughStep<GuardedSource>[]]; // a path has a relation
  const behind = [...from.clientFields.values()].map((field) => {
    return { ...field, operators: withoutScans(field.operators), sortable: field.sortable && isSingle }; // a scan could not be bounded
  });
  // That there are related records is also something to ask for. The whole model has what a view lacks.
  if (!behind.some(isAskable) && !from.held && !taken.some(({ via }) => via))
    throw new ConfigurationError(
      `${where}, but no field of ${from.name} can be filtered${isSingle ? ' or sorted by' : ''}: give one a \`policy.filter\`${isSingle ? ' or `policy.sort`' : ''}.`,
    );
  const named = behind.filter((field) => isAskable(field) || field.array?.items === 'objects'); // of whose items a filter may ask
  return { steps, fields: named.map((field) => ({ ...field, name: `${name}.${field.name}`, ownName: field.name, steps })) };
}

/** Whether a parameter may name a field. */
function isAskable({ operators, sortable }: QueryField): boolean {
  return operators.size > 0 || sortable;
}

function toThroughStep(step: IncludedStep<GuardedSource>, from: CompiledModel, where: string): ThroughStep<GuardedSource> {
  const { relation, children, source } = step;
  if (children) {
    const { path, idTypes } = children;
    return { name: relation.name, field: 'id', path: '_id', via: { field: relation.via, path, idTypes }, isSingle: false, source };
  }
  const ids = from.fieldTable.get(relation.field);
  if (!ids || ids.inNestedArray)
    throw new ConfigurationError(`${where}: \`${relation.field}\` of ${from.name} lies in an array of arrays, which no query can reach.`);
  return { name: relation.name, field: ids.name, path: ids.path, via: undefined, isSingle: ids.arrayPath === undefined, source };
}

/** Whether the list can be sorted by a field of related records. */
export function isSortable({ fields }: Through): boolean {
  return [...fields.values()].some(({ sortable }) => sortable);
}

/** Whether a filter may count the records of a relation. */
export function isCountable({ relations }: Through): boolean {
  return [...relations.values()].some(({ steps }) => steps.at(-1)?.via);
}
