import { ConfigurationError } from '../../errors.ts';
import { nearest } from '../../hints.ts';
import { tryAll } from '../../mistakes.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import { viewOf } from '../../model/compile/view-of.ts';
import type { IncludedSelector } from '../../model/read/select-fields.ts';
import { compileRelations, type Includable, isIncludable, type Relation } from '../../model/relations/includable.ts';
import type { ManyRelation } from '../../model/relations/many-relations.ts';
import type { DatabaseOptions } from '../../mongo/collection/collection.ts';
import { isDevelopment } from '../../mongo/indexes/watch-scans.ts';
import { aPageBound } from '../../mongo/list/page-bytes.ts';
import { checkIdType } from '../../mongo/relations/check-id-type.ts';
import type { IncludedStep } from '../../mongo/relations/include/read-included.ts';
import { anArrayOf, byDefault, checkValue, pickOptions, trueOrFalse } from '../../options.ts';
import {
  type IncludeEntry,
  type KnownLists,
  type NarrowableStep,
  type NarrowedInclude,
  narrowableAlong,
  narrowMany,
  readNarrowed,
  relationOf,
} from './narrowed-includes.ts';
import { findTarget, type GuardedSource, openSource, type RelationTarget } from './relation-targets.ts';

/** Options of {@link compileIncludes}. */
export interface IncludeOptions extends DatabaseOptions {
  /** The models that relations lead to. */
  readonly targets: readonly RelationTarget[];
  /** The owner of the option, for error messages. @default 'a list' */
  readonly owner?: string;
  /**
   * Largest size of the included records of one answer in bytes, from 1,024 to 268,435,456. It limits what is read from
   * the database as well as their JSON.
   * @default 16 MiB (16,777,216)
   */
  readonly maxPageBytes?: number;
  /**
   * Warns of relations by `t.hasMany` for which the collection is scanned, once for each, and names the index that
   * would help (`process.emitWarning`).
   * @default whether `NODE_ENV` is `development` or not set
   */
  readonly warnOnScan?: boolean;
}

/** The compiled relations that a client may include. `include`, `listQuery` and `findIncluded` share them. */
export interface Includes extends Includable {
  /** The first steps of all names. */
  readonly steps: readonly IncludedStep<GuardedSource>[];
  /** The steps of a name, the first one first. */
  readonly paths: ReadonlyMap<string, readonly IncludedStep<GuardedSource>[]>;
  /** What clients may choose of the record behind each name. */
  readonly selectors: ReadonlyMap<string, IncludedSelector>;
  /** Of which relations clients may ask for less, or for another order, by their paths. */
  readonly narrowable: ReadonlyMap<string, NarrowableStep>;
  /** Largest size of the included records of one answer, in bytes. */
  readonly maxPageBytes: number;
  seenBy(held: ReadonlySet<string>): Includes;
}

/** Refuses an argument of a middleware that `compileIncludes` has not returned. */
export function checkIncludes(includes: unknown, by: string): void {
  if (!isIncludable(includes)) throw new ConfigurationError(`\`${by}\` takes what \`compileIncludes()\` returns.`);
}

/**
 * Largest number of relations in a path. Embedded objects do not count. Each relation is a query that waits for the one
 * before.
 */
const maxDepth = 5;

type GrowingStep = IncludedStep<GuardedSource> & { readonly steps: GrowingStep[] };

/**
 * Compiles the relations that a client may include: `customer`, or `author.company`, which includes both. Only listed
 * names are allowed: `author.company` alone does not allow `author`. What is narrowed of a relation by `t.hasMany`, as
 * in `{ relation: 'tasks', max: 5 }`, holds wherever it is on the way.
 *
 * Throws a {@link ConfigurationError} for a name that is not a relation, or only one of private fields; for a path of
 * more than five relations; for a relation that leads to a model which is not one of the `targets`, to several targets
 * alike, or to ids of another type; for one by `t.hasMany` whose `via` is not a reference back; and for a narrowed one
 * that is not by `t.hasMany`, shows more than its model allows, or has an order that not every caller may know.
 *
 * @example
 * const includes = compileIncludes(Order, ['customer'], { db, targets: [{ model: Customer }] });
 * router.get('/orders/:id', include(includes), findRecord(Order, { db }), findIncluded(includes), record());
 */
export function compileIncludes(model: ModelInput, entries: readonly IncludeEntry[], options: IncludeOptions): Includes {
  return compileLinked(model, entries, options);
}

/** The same for a resource of an api: what is cut leads on to the lists of the api. */
export function compileLinked(
  model: ModelInput,
  entries: readonly IncludeEntry[],
  options: IncludeOptions & { readonly lists?: KnownLists },
): Includes {
  const { owner = 'a list' } = options;
  const warning = byDefault(isDevelopment(), trueOrFalse);
  const { maxPageBytes, warnOnScan } = pickOptions(options, { maxPageBytes: aPageBound, warnOnScan: warning });
  const root = asCompiled(model);
  const narrowed = readNarrowed(entries, `\`include\` of ${owner}`);
  const all = { ...options, option: 'include', maxDepth, narrowed, warnOnScan };
  const { steps, paths } = compilePaths(root, entries.map(relationOf), all);
  const relations = new Map([...paths].flatMap(([name, [first]]) => (first && !isMany(first.relation) ? [[name, first.relation]] : [])));
  const seenBy = (held: ReadonlySet<string>) => compileLinked(viewOf(root, held), entries, seenTargets(options, held));
  const selectors = new Map([...paths].flatMap(([name, path]) => selectorOf(name, path.at(-1))));
  const narrowable = new Map([...paths.values()].flatMap(narrowableAlong));
  const rules = rulesAlong(root, steps);
  return { names: [...paths.keys()], relations, steps, paths, selectors, narrowable, maxPageBytes, rules, seenBy };
}

/** What clients may choose of the record behind a path. None of what is counted. */
function selectorOf(path: string, last: IncludedStep | undefined): (readonly [string, IncludedSelector])[] {
  if (!last || (isMany(last.relation) && last.relation.isCount)) return [];
  const { selector } = last.source.model;
  const select = (names: readonly string[], included: readonly string[]) => {
    const isIncluded = (name: string) => included.some((one) => `${one}.`.startsWith(`${path}.${name}.`));
    const below = last.steps.map(({ relation }) => relation).filter((relation) => !isMany(relation) && isIncluded(relation.name));
    return selector.select(names, below as Relation[]);
  };
  return [[path, { names: selector.names, select }]];
}

/** The same options, with the models that callers see for whom these rules hold. */
export function seenTargets<Options extends Pick<IncludeOptions, 'targets'>>(options: Options, held: ReadonlySet<string>): Options {
  return { ...options, targets: options.targets.map((target) => ({ ...target, model: viewOf(asCompiled(target.model), held) })) };
}

/** The rules of a model and of those to which relations lead. None in a view. */
export function rulesAlong(root: CompiledModel, steps: readonly IncludedStep<GuardedSource>[]): readonly string[] {
  const along = (all: readonly IncludedStep<GuardedSource>[]): string[] =>
    all.flatMap(({ source, steps: further }) => [...(source.model.held ? [] : source.model.rules), ...along(further)]);
  return [...new Set([...(root.held ? [] : root.rules), ...along(steps)])];
}

/** Options of {@link compilePaths}. */
interface PathOptions extends DatabaseOptions, Pick<IncludeOptions, 'targets' | 'owner'> {
  /** The option that has the names, for error messages. */
  readonly option: string;
  /** Largest number of relations in a path. */
  readonly maxDepth: number;
  /** What is narrowed, by the names of the relations. @default nothing */
  readonly narrowed?: ReadonlyMap<string, NarrowedInclude>;
  readonly warnOnScan?: boolean;
  /** The lists of an api, to which relations that are cut lead on. @default none */
  readonly lists?: KnownLists;
}

/**
 * Compiles names of relations: the steps of each, and the first steps of all. Names that begin alike share their steps.
 */
export function compilePaths(root: CompiledModel, names: readonly string[], options: PathOptions): Pick<Includes, 'steps' | 'paths'> {
  const { targets, owner = 'a list', option, maxDepth, narrowed, lists } = options;
  const steps: GrowingStep[] = [];
  const relationsOf = memoize(allRelations);
  const sourceOf = memoize((target: RelationTarget) => openSource(target, options));
  const known = targets.map((target) => ({ ...target, model: asCompiled(target.model) }));

  /** Undefined for a path through a relation that is not in the view of the caller. */
  function compilePath(path: string): GrowingStep[] | undefined {
    const where = `\`${option}\` of ${owner} names \`${path}\``;
    const taken: GrowingStep[] = [];
    for (let rest: string | undefined = path; rest !== undefined; ) {
      const last = taken.at(-1);
      const from = last?.source.model ?? root;
      const relation = findRelation(rest, from, relationsOf(from), where);
      if (!relation || (isMany(relation) && isHidden(relation, where))) return undefined;
      const siblings = last?.steps ?? steps;
      const step = siblings.find((one) => one.relation === relation) ?? addStep(siblings, relation, { from, above: taken, where });
      taken.push(step);
      rest = rest === relation.name ? undefined : rest.slice(relation.name.length + 1);
      if (rest !== undefined && isMany(relation) && relation.isCount)
        throw new ConfigurationError(`${where}: \`${relation.name}\` of ${from.name} is a number, and has no relations.`);
    }
    if (taken.length > maxDepth) throw new ConfigurationError(`${where}: at most ${maxDepth} relations may follow one another.`);
    return taken;
  }

  function isHidden(relation: ManyRelation, where: string): boolean {
    const { model } = findTarget(relation, known, where, 't.hasMany');
    return model.held !== undefined && model.fieldTable.get(relation.via)?.isPrivate === true;
  }

  function addStep(siblings: GrowingStep[], relation: AnyRelation, { from, above, where }: StepPlace): GrowingStep {
    const given = narrowed?.get([...above, { relation }].map((one) => one.relation.name).join('.'));
    if (given && !isMany(relation)) throw new ConfigurationError(`${where}, and narrows it: only a relation by \`t.hasMany\` can be.`);
    const step = isMany(relation) ? manyStep(relation, { from, above, where }, given) : referenceStep(relation, where);
    siblings.push(step);
    return step;
  }

  function referenceStep(relation: Relation, where: string): GrowingStep {
    const source = sourceOf(findTarget(relation.ref, known, where));
    checkIdType(relation, source.model, where);
    return { relation, source, steps: [] };
  }

  function manyStep(relation: ManyRelation, { from, above, where }: StepPlace, given: NarrowedInclude | undefined): GrowingStep {
    const source = sourceOf(findTarget(relation, known, where, 't.hasMany'));
    const last = above.at(-1);
    const ends = { from, holder: last ? last.source : lists?.own, target: source, lists };
    return { relation, source, ...narrowMany(relation, ends, given, where), steps: [] };
  }

  checkValue(`\`${option}\` of ${owner}`, names, anArrayOf("relations, such as ['customer']", isString));
  const paths = tryAll(names.map((name) => () => [name, compilePath(name)] as const));
  return { steps, paths: new Map(paths.flatMap(([name, path]) => (path ? [[name, path] as const] : []))) };
}

/** Where a step of a path begins. */
interface StepPlace {
  readonly from: CompiledModel;
  /** The steps before it. */
  readonly above: readonly GrowingStep[];
  /** The path, for error messages. */
  readonly where: string;
}

/** A reference, or a relation by `t.hasMany`. */
type AnyRelation = Relation | ManyRelation;

function isMany(relation: AnyRelation | undefined): relation is ManyRelation {
  return relation !== undefined && 'via' in relation;
}

function allRelations({ fieldTable, many }: CompiledModel): ReadonlyMap<string, AnyRelation> {
  return new Map<string, AnyRelation>([...compileRelations(fieldTable), ...many]);
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function memoize<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return function get(key) {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

/**
 * The relation with which a dotted name begins. No relation's name begins with another's, because they are fields of
 * one object. Undefined if a view of the model does not have it: the whole model has it, or the api had not been made.
 */
function findRelation(
  path: string,
  model: CompiledModel,
  relations: ReadonlyMap<string, AnyRelation>,
  where: string,
): AnyRelation | undefined {
  for (const relation of relations.values()) if (`${path}.`.startsWith(`${relation.name}.`)) return relation;
  if (model.held) return undefined;
  const legal = [...relations.keys()];
  const hint = nearest(path, legal) ?? nearest(path.split('.', 1)[0] ?? '', legal);
  const lists = legal.length > 0 ? `its relations are ${legal.join(', ')}` : 'it has none';
  throw new ConfigurationError(
    `${where}: \`${path}\` is not a relation of ${model.name}${hint ? `; did you mean \`${hint}\`?` : ''} (${lists}).`,
  );
}
