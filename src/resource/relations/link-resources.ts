import { ConfigurationError } from '../../errors.ts';
import { facets } from '../../features/facets.ts';
import { modelParts } from '../../features/models.ts';
import { didYouMean } from '../../hints.ts';
import { compileLinked, type Includes } from '../../middleware/relations/compile-includes.ts';
import { compileReferences, shut } from '../../middleware/relations/compile-references.ts';
import { compileThrough, type Through } from '../../middleware/relations/compile-through.ts';
import { linkMany } from '../../middleware/relations/link-many.ts';
import type {
  GuardedSource,
  HookedTarget,
  HooksOfChange,
  KnownTarget,
  ListsOfTarget,
} from '../../middleware/relations/relation-targets.ts';
import { tryAll } from '../../mistakes.ts';
import { type CompiledModel, compileModel } from '../../model/compile/compile-model.ts';
import { viewOf } from '../../model/compile/view-of.ts';
import type { Model } from '../../model/define/define-model.ts';
import { noRelations } from '../../model/relations/includable.ts';
import type { IncludedStep } from '../../mongo/relations/include/read-included.ts';
import type { References } from '../../mongo/relations/references.ts';
import { watchMisfits } from '../../mongo/watch-misfits.ts';
import { anArrayOf, checkValue } from '../../options.ts';
import { isKnown, operationIn } from '../define/answer-rules.ts';
import type { ApiSettings, CompiledResource, UnlinkedResource } from '../define/compiled-resource.ts';
import { compileDeclaredFilters, type DeclaredFilter } from '../define/declared-filters.ts';
import { isList, type Operation } from '../define/standard-operations.ts';
import { checkSharedCollections } from './check-shared-collections.ts';
import { linkNested } from './link-nested.ts';

/** Compiles `models` of an api, to which relations may lead too. */
export function compileModels(models: readonly Model[] = []): CompiledModel[] {
  checkValue('`models` of an api', models, anArrayOf('models'));
  const compiled = tryAll([...new Set<Model>(models)].map((model) => () => watchMisfits(compileModel(model))));
  refuseNamesakes(compiled);
  return compiled;
}

/**
 * Gives each resource the settings of its api, and resolves its `include` and `through`: a relation leads to another
 * resource, whose scope and Get guards apply, or to one of the `models`. Throws a {@link ConfigurationError} for a
 * relation that leads to neither.
 */
export function linkResources(resources: readonly UnlinkedResource[], models: readonly CompiledModel[], settings: ApiSettings): Linked {
  const targets = [...resources.map(toTarget), ...models.map((model) => ({ model }))];
  const known = [...resources.map(({ model }) => model), ...models];
  const byName = new Map(known.map((model) => [model.name, model]));
  const [references, relations] = tryAll([
    () => compileReferencesOf(targets, settings),
    () => tryAll(resources.map((one) => () => compileRelationsOf(one, targets, settings))),
    ...known.map((model) => () => checkMany(model, byName)),
    ...modelParts.map((part) => () => part.checkTogether?.(known)),
    () => checkSharedCollections(known),
  ]);
  for (const [index, one] of resources.entries()) warnOfShutRelations(one, relations[index] as RelationsOf);
  const linked = resources.map((one, index) =>
    Object.assign({}, settings, one, relations[index] as RelationsOf, { nested: [], references }),
  );
  const linkedAt = (path: string | undefined) => linked.find((one) => one.path === path);

  const watched = new WeakMap<CompiledModel, CompiledModel>();
  /** A view of a model, watched once in this api. A model without rules is watched already. */
  function seen(view: CompiledModel): CompiledModel {
    if (!view.held) return view;
    const known = watched.get(view) ?? watchMisfits(view);
    watched.set(view, known);
    return known;
  }

  /** Links one resource, and those that are served below it, as callers see their models for whom these rules hold. */
  function inView({ path }: CompiledResource, held: ReadonlySet<string>): CompiledResource {
    const see = <Seen extends { readonly model: CompiledModel }>(one: Seen) => ({ ...one, model: seen(viewOf(one.model, held)) });
    const seenTargets = targets.map(see);
    const linkSeen = (one: UnlinkedResource): CompiledResource => ({
      ...settings,
      ...see(one),
      ...compileRelationsOf(see(one), seenTargets, settings),
      nested: [],
      references,
    });
    const at = (sought: string | undefined) => resources.find((one) => one.path === sought);
    const own = at(path) as UnlinkedResource;
    const nested = linkNested(see(own), seenTargets, (sought) => {
      const found = at(sought);
      return found && linkSeen(found);
    });
    const linked = linkSeen(own);
    const operations = own.operations.filter((operation) => isKnown(operation, linked.model, own));
    return { ...linked, nested, operations: operations.map((operation) => operationIn(operation, held)) };
  }

  return {
    references,
    inView,
    resources: tryAll(
      resources.map(
        (one, index) => () => Object.assign({}, linked[index] as CompiledResource, { nested: linkNested(one, targets, linkedAt) }),
      ),
    ),
  };
}

/** The resources of an api, and the checked references of its models; undefined if there are none. */
interface Linked {
  readonly resources: CompiledResource[];
  readonly references: References | undefined;
  /** Links a resource as callers see it for whom these rules hold. */
  inView(resource: CompiledResource, held: ReadonlySet<string>): CompiledResource;
}

function compileReferencesOf(targets: readonly ReferenceTarget[], { db, maxTimeMS, referenceLimits }: ApiSettings): References | undefined {
  const areSome = targets.some(({ model }) => model.references.length > 0);
  return areSome ? compileReferences({ db, maxTimeMS, ...referenceLimits, targets }) : undefined;
}

type ReferenceTarget = HookedTarget & { readonly model: CompiledModel };

type RelationsOf = Pick<CompiledResource, 'includes' | 'through' | 'filters' | 'facets'>;

function compileRelationsOf(resource: UnlinkedResource, targets: readonly KnownTarget[], settings: ApiSettings): RelationsOf {
  const [includes, through, made] = tryAll([
    () => compileIncludesOf(resource, targets, settings),
    () => compileThroughOf(resource, targets, settings),
    () => tryAll(facets.map((make) => () => [make, make(resource, targets, settings)] as const)),
  ]);
  return { includes, through, filters: filtersOf(resource, through, settings), facets: new Map([...resource.facets, ...made]) };
}

/** No index is planned for a view. */
function filtersOf({ path, model, filters }: UnlinkedResource, through: Through | undefined, settings: ApiSettings): DeclaredFilter[] {
  if (filters.length === 0 || model.held) return [];
  return compileDeclaredFilters(filters, { model, through, filterLimits: settings.filterLimits }, `resource \`${path}\``);
}

/**
 * Refuses relations by `t.hasMany` that lead to no model of the api, or to one that does not refer back, also if no
 * resource includes them.
 */
function checkMany(model: CompiledModel, byName: ReadonlyMap<string, CompiledModel>): void {
  for (const relation of model.many.values()) {
    const target = byName.get(relation.model);
    if (target) linkMany(relation, model, target);
    else
      throw new ConfigurationError(
        `\`t.hasMany\` of \`${relation.name}\` in ${model.name} leads to ${relation.model}, a model that is not known here: add its resource, or the model to \`models\`${didYouMean(relation.model, byName.keys(), '.')}`,
      );
  }
}

function compileIncludesOf(resource: UnlinkedResource, targets: readonly KnownTarget[], settings: ApiSettings): Includes {
  const { path, model, include } = resource;
  const { db, maxTimeMS, maxPageBytes, warnOnScan, prefix, filterLimits } = settings;
  if (isEmpty(include)) return nothingToInclude(maxPageBytes);
  const lists = { own: { path, lists: listsOf(resource) }, prefix, maxSortKeys: filterLimits.maxSortKeys };
  return compileLinked(model, include, { db, maxTimeMS, maxPageBytes, warnOnScan, lists, targets, owner: `resource \`${path}\`` });
}

/** What has no relations does not run their code. Anything but an array is refused there. */
function isEmpty(names: readonly unknown[]): boolean {
  return Array.isArray(names) && names.length === 0;
}

function nothingToInclude(maxPageBytes: number): Includes {
  const none = { steps: [], paths: new Map(), selectors: new Map(), narrowable: new Map() };
  const nothing: Includes = { ...noRelations, ...none, maxPageBytes, seenBy: () => nothing };
  return nothing;
}

function compileThroughOf(
  { path, model, through: names }: UnlinkedResource,
  targets: readonly KnownTarget[],
  { db, maxTimeMS, throughLimits }: ApiSettings,
): Through | undefined {
  if (isEmpty(names)) return undefined;
  const through = compileThrough(model, names, { db, maxTimeMS, targets, owner: `resource \`${path}\``, ...throughLimits });
  return through.relations.size > 0 ? through : undefined;
}

function warnOfShutRelations({ path }: UnlinkedResource, { includes, through }: RelationsOf): void {
  warnOfShut(includes, `\`include\` of resource \`${path}\``, 'INCLUDE_SHOWS_NOTHING');
  if (through) warnOfShut(through, `\`through\` of resource \`${path}\``, 'THROUGH_SHOWS_NOTHING');
}

function warnOfShut({ steps }: Pick<Includes, 'steps'>, option: string, code: string): void {
  for (const relation of new Set(findShut(steps))) {
    const message = `${option} names ${relation} that serves neither Get nor List: it shows nothing.`;
    process.emitWarning(message, { type: 'KoaMongoResourceWarning', code });
  }
}

/**
 * Included records need the guards of Get, or those of List if there is no Get. A resource without both shows no
 * records.
 */
function toTarget(resource: UnlinkedResource): ReferenceTarget {
  const { model, path, isScoped, scope, shownBy, guardsOf, withinOf, hooksOf } = resource;
  const hooksFor = (operation: Operation) => ({ within: withinOf(operation), after: hooksOf(operation) }) as unknown as HooksOfChange;
  const hooks = { deleted: hooksFor('delete'), changed: hooksFor('patch'), restored: hooksFor('restore') };
  return { model, path, guards: shownBy ? guardsOf(shownBy) : [shut], hooks, lists: listsOf(resource), ...(isScoped && { scope }) };
}

function listsOf({ ops, nested }: UnlinkedResource): ListsOfTarget {
  return { isListed: ops.some(isList), nested };
}

/** The relations that lead to a resource without Get and List, in words. */
function findShut(steps: readonly IncludedStep<GuardedSource>[]): string[] {
  return steps.flatMap(({ relation, source, steps: further }) => [
    ...(source.guards.includes(shut) ? [`the relation \`${relation.name}\` to a resource of ${source.model.name}`] : []),
    ...findShut(further),
  ]);
}

function refuseNamesakes(models: readonly CompiledModel[]): void {
  const names = models.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigurationError(`\`models\` of an api has two models with the name ${twice}: a relation finds its model by name.`);
}
