import { ConfigurationError } from '../../errors.ts';
import { nearest } from '../../hints.ts';
import { tryAll } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { asCompiled, type ModelInput } from '../../model/compile/compile-model.ts';
import type { Reference } from '../../model/node.ts';
import { compileRelations, type Includable, isIncludable, type Relation } from '../../model/read/relations.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { checkPageBytes, defaultPageBytes } from '../../mongo/list/page-bytes.ts';
import type { Source, Step } from '../../mongo/read-included.ts';
import { openStore, type StoreOptions } from '../../mongo/store.ts';
import { anArrayOf, checkValue } from '../../options.ts';
import type { Guard, ScopeFunction } from './context.ts';

/** A model to whose records relations may lead, and who may see which of them. */
export interface IncludeTarget {
  readonly model: ModelInput;
  /** The path of its resource, as `t.ref('Customer', { resource: 'vip-customers' })` names it. @default none: a model without a resource */
  readonly path?: string;
  /** Guards that must open for an included record to be seen. @default none */
  readonly guards?: readonly Guard<never>[];
  /** The row filter of included records. @default every record */
  readonly scope?: ScopeFunction<never>;
}

/** Options of {@link compileIncludes}. */
export interface IncludeOptions extends StoreOptions {
  /** The models that relations lead to. */
  readonly targets: readonly IncludeTarget[];
  /** The name of what has the option, for error messages. @default 'a list' */
  readonly owner?: string;
  /**
   * Largest size of the included records of one answer in bytes, from 1,024 to 268,435,456. It limits what is read from the database as
   * well as their JSON.
   * @default 16 MiB (16,777,216)
   */
  readonly maxPageBytes?: number;
}

/** A {@link Source} with the functions that decide about a request. */
export interface GuardedSource extends Source {
  readonly guards: readonly Guard<never>[];
  readonly scope: ScopeFunction<never> | undefined;
}

/** The compiled relations that a client may include. `include`, `listQuery` and `findIncluded` share them. */
export interface Includes extends Includable {
  /** The first steps of all names. */
  readonly steps: readonly Step<GuardedSource>[];
  /** The steps of a name, the first one first. */
  readonly paths: ReadonlyMap<string, readonly Step<GuardedSource>[]>;
  /** Largest size of the included records of one answer, in bytes. */
  readonly maxPageBytes: number;
}

/** Refuses an argument of a middleware that `compileIncludes` has not returned. */
export function checkIncludes(includes: unknown, by: string): void {
  if (!isIncludable(includes)) throw new ConfigurationError(`\`${by}\` takes what \`compileIncludes()\` returns.`);
}

/** Largest number of relations in a path. Embedded objects do not count. Each relation is a query that waits for the one before. */
const maxDepth = 5;

interface GrowingStep extends Step<GuardedSource> {
  readonly steps: GrowingStep[];
}

/**
 * Compiles the relations that a client may include: `customer`, or `author.company`, which includes both. Only listed names are allowed:
 * `author.company` alone does not allow `author`.
 *
 * Throws a {@link ConfigurationError} for a name that is not a relation, or only one of private fields; for a path of more than five
 * relations; and for a relation that leads to a model which is not one of the `targets`, to several targets alike, or to ids of another
 * type.
 *
 * @example
 * const includes = compileIncludes(Order, ['customer'], { db, targets: [{ model: Customer }] });
 * router.get('/orders/:id', include(includes), findRecord(Order, { db }), findIncluded(includes), record());
 */
export function compileIncludes(model: ModelInput, names: readonly string[], options: IncludeOptions): Includes {
  const { targets, owner = 'a list', maxPageBytes = defaultPageBytes } = options;
  checkPageBytes(maxPageBytes);
  const root = asCompiled(model);
  const steps: GrowingStep[] = [];
  const relationsOf = memoize((one: CompiledModel) => compileRelations(one.fieldTable));
  const sourceOf = memoize((target: IncludeTarget) => openSource(target, options));
  const known = targets.map((target) => ({ ...target, model: asCompiled(target.model) }));

  function compilePath(path: string): GrowingStep[] {
    const where = `\`include\` of ${owner} names \`${path}\``;
    const taken: GrowingStep[] = [];
    for (let rest: string | undefined = path; rest !== undefined; ) {
      const last = taken.at(-1);
      const from = last?.source.model ?? root;
      const relation = findRelation(rest, from, relationsOf(from), where);
      const siblings = last?.steps ?? steps;
      const step = siblings.find((one) => one.relation === relation) ?? addStep(siblings, relation, where);
      taken.push(step);
      rest = rest === relation.name ? undefined : rest.slice(relation.name.length + 1);
    }
    if (taken.length > maxDepth) throw new ConfigurationError(`${where}: at most ${maxDepth} relations may follow one another.`);
    return taken;
  }

  function addStep(siblings: GrowingStep[], relation: Relation, where: string): GrowingStep {
    const step = { relation, source: sourceOf(findTarget(relation.ref, known, where)), steps: [] };
    checkIdType(relation, step.source.model, where);
    siblings.push(step);
    return step;
  }

  checkValue(`\`include\` of ${owner}`, names, anArrayOf("relations, such as ['customer']", isString));
  const paths = new Map(tryAll(names.map((name) => () => [name, compilePath(name)] as const)));
  const relations = new Map([...paths].flatMap(([name, [first]]) => (first ? [[name, first.relation]] : [])));
  return { names: [...paths.keys()], relations, steps, paths, maxPageBytes };
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

/** The relation with which a dotted name begins. No relation's name begins with another's, because they are fields of one object. */
function findRelation(path: string, model: CompiledModel, relations: ReadonlyMap<string, Relation>, where: string): Relation {
  for (const relation of relations.values()) if (`${path}.`.startsWith(`${relation.name}.`)) return relation;
  const legal = [...relations.keys()];
  const hint = nearest(path, legal) ?? nearest(path.split('.', 1)[0] ?? '', legal);
  const lists = legal.length > 0 ? `its relations are ${legal.join(', ')}` : 'it has none';
  throw new ConfigurationError(
    `${where}: \`${path}\` is not a relation of ${model.name}${hint ? `; did you mean \`${hint}\`?` : ''} (${lists}).`,
  );
}

type KnownTarget = IncludeTarget & { readonly model: CompiledModel };

/**
 * The resource that the relation names; else the resource at the path of the collection's name; else the only resource of the model; else
 * the model itself.
 */
function findTarget({ model, resource }: Reference, targets: readonly KnownTarget[], where: string): KnownTarget {
  const own = targets.filter((target) => target.model.name === model);
  const served = own.filter((target) => target.path !== undefined);
  const paths = served.map((target) => `\`${target.path}\``).join(', ') || 'none';
  if (resource !== undefined) {
    const named = served.find((target) => target.path === resource);
    if (named) return named;
    throw new ConfigurationError(`${where}, whose \`resource: '${resource}'\` is not a resource of ${model}: there are ${paths}.`);
  }
  const candidates = served.length > 0 ? served : own;
  const found = served.find((target) => target.path === target.model.collection) ?? (candidates.length === 1 ? candidates[0] : undefined);
  if (found) return found;
  // One of them may show what another hides.
  if (candidates.length > 1)
    throw new ConfigurationError(
      `${where}, which leads to ${model} and so to several resources: choose by \`resource\` of \`t.ref\` among ${paths}.`,
    );
  throw new ConfigurationError(
    `${where}, which leads to ${model}, a model that is not known here: add its resource, or the model to \`models\`.`,
  );
}

function openSource({ model, guards = [], scope }: IncludeTarget, options: StoreOptions): GuardedSource {
  const compiled = asCompiled(model);
  return { model: compiled, store: openStore(compiled, options), guards, scope };
}

/** Refuses ids of another type than the target's: they would never match. */
function checkIdType({ leaf, ref }: Relation, { id }: CompiledModel, where: string): void {
  if (kindOf(leaf) === kindOf(id.leaf)) return;
  throw new ConfigurationError(
    `${where}: ids of ${ref.model} are of type ${id.leaf.name}, not ${leaf.name}; say so by \`id\` of \`t.ref\`.`,
  );
}

/** Integers and floats compare by value, and an enum is a string. Every other type matches itself only. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['int64', 'int'],
  ['float', 'int'],
  ['enum', 'string'],
]);

function kindOf({ name }: Leaf): string {
  return kinds.get(name) ?? name;
}
