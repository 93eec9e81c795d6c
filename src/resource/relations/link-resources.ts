import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { compileIncludes, type Includes } from '../../middleware/relations/compile-includes.ts';
import { compileReferences, shut } from '../../middleware/relations/compile-references.ts';
import { compileThrough, type Through } from '../../middleware/relations/compile-through.ts';
import { linkMany } from '../../middleware/relations/link-many.ts';
import type { GuardedSource, HookedTarget, HooksOfChange, KnownTarget } from '../../middleware/relations/relation-targets.ts';
import { tryAll } from '../../mistakes.ts';
import { type CompiledModel, compileModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import type { Step } from '../../mongo/relations/include/read-included.ts';
import type { References } from '../../mongo/relations/references.ts';
import { watchMisfits } from '../../mongo/watch-misfits.ts';
import { anArrayOf, checkValue } from '../../options.ts';
import type { ApiSettings, CompiledResource, UnlinkedResource } from '../define/compiled-resource.ts';
import type { Operation } from '../define/resource-options.ts';
import { linkArrays } from './link-arrays.ts';
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
  const [references, relations] = tryAll([
    () => compileReferencesOf(targets, settings),
    () => tryAll(resources.map((one) => () => compileRelationsOf(one, targets, settings))),
    ...known.map((model) => () => checkMany(model, known)),
  ]);
  const linked = resources.map((one, index) => ({ ...settings, ...one, ...(relations[index] as RelationsOf), nested: [], references }));
  return {
    references,
    resources: tryAll(
      resources.map((one, index) => () => ({ ...(linked[index] as CompiledResource), nested: linkNested(one, targets, linked) })),
    ),
  };
}

/** The resources of an api, and the checked references of its models; undefined if there are none. */
interface Linked {
  readonly resources: CompiledResource[];
  readonly references: References | undefined;
}

function compileReferencesOf(targets: readonly ReferenceTarget[], { db, maxTimeMS, referenceLimits }: ApiSettings): References | undefined {
  const areSome = targets.some(({ model }) => model.references.length > 0);
  return areSome ? compileReferences({ db, maxTimeMS, ...referenceLimits, targets }) : undefined;
}

type ReferenceTarget = HookedTarget & { readonly model: CompiledModel };

type RelationsOf = Pick<CompiledResource, 'includes' | 'through' | 'links'>;

function compileRelationsOf(resource: UnlinkedResource, targets: readonly KnownTarget[], settings: ApiSettings): RelationsOf {
  const [includes, through, links] = tryAll([
    () => compileIncludesOf(resource, targets, settings),
    () => compileThroughOf(resource, targets, settings),
    () => linkArrays(resource, targets, settings),
  ]);
  return { includes, through, links };
}

/**
 * Refuses relations by `t.hasMany` that lead to no model of the api, or to one that does not refer back, also if no
 * resource includes them.
 */
function checkMany(model: CompiledModel, known: readonly CompiledModel[]): void {
  const byName = new Map(known.map((one) => [one.name, one]));
  for (const relation of model.many.values()) {
    const target = byName.get(relation.model);
    if (target) linkMany(relation, model, target);
    else
      throw new ConfigurationError(
        `\`t.hasMany\` of \`${relation.name}\` in ${model.name} leads to ${relation.model}, a model that is not known here: add its resource, or the model to \`models\`${didYouMean(relation.model, byName.keys(), '.')}`,
      );
  }
}

function compileIncludesOf({ path, model, include }: UnlinkedResource, targets: readonly KnownTarget[], settings: ApiSettings): Includes {
  const { db, maxTimeMS, maxPageBytes } = settings;
  const owner = `resource \`${path}\``;
  const includes = compileIncludes(model, include, { db, maxTimeMS, maxPageBytes, targets, owner });
  warnOfShut(includes, `\`include\` of ${owner}`, 'INCLUDE_SHOWS_NOTHING');
  return includes;
}

function compileThroughOf(
  { path, model, through: names }: UnlinkedResource,
  targets: readonly KnownTarget[],
  { db, maxTimeMS, throughLimits }: ApiSettings,
): Through | undefined {
  const owner = `resource \`${path}\``;
  const through = compileThrough(model, names, { db, maxTimeMS, targets, owner, ...throughLimits });
  warnOfShut(through, `\`through\` of ${owner}`, 'THROUGH_SHOWS_NOTHING');
  return through.fields.size > 0 ? through : undefined;
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
  return { model, path, guards: shownBy ? guardsOf(shownBy) : [shut], hooks, ...(isScoped && { scope }) };
}

/** The relations that lead to a resource without Get and List, in words. */
function findShut(steps: readonly Step<GuardedSource>[]): string[] {
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
