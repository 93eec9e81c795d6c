import { ConfigurationError } from '../errors.ts';
import { compileIncludes, type GuardedSource, type IncludeTarget } from '../middleware/parts/compile-includes.ts';
import { compileModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Step } from '../mongo/read-included.ts';
import { watchMisfits } from '../mongo/watch-misfits.ts';
import { anArrayOf, checkValue } from '../options.ts';
import type { CompiledResource } from './compiled-resource.ts';
import type { ResourceDefinition } from './resource-options.ts';

/** A resource, and the definition that it was compiled from. */
export interface Defined {
  readonly definition: ResourceDefinition;
  readonly resource: CompiledResource;
}

/**
 * Finds out where the relations lead that each resource lets its clients include: to the records of another resource, within its scope and
 * its Get guards, or to those of a model that the api was given in `models`. Throws a {@link ConfigurationError} where one leads nowhere.
 */
export function linkResources(defined: readonly Defined[], models: readonly Model[] = []): CompiledResource[] {
  checkValue('`models` of an api', models, anArrayOf('models'));
  const targets = [
    ...defined.map(({ resource }) => toTarget(resource)),
    ...[...new Set(models)].map((model) => ({ model: watchMisfits(compileModel(model)) })),
  ];
  refuseNamesakes(targets.slice(defined.length));
  return defined.map(({ definition: { include }, resource }) => {
    if (include === undefined) return resource;
    const { db, maxTimeMS, maxPageBytes, path } = resource;
    const includes = compileIncludes(resource.model, include, { db, maxTimeMS, maxPageBytes, targets, owner: `resource \`${path}\`` });
    for (const relation of new Set(findShut(includes.steps))) {
      const message = `\`include\` of resource \`${path}\` names ${relation} that serves neither Get nor List: it shows nothing.`;
      process.emitWarning(message, { type: 'KoaMongoResourceWarning', code: 'INCLUDE_SHOWS_NOTHING' });
    }
    return { ...resource, includes };
  });
}

/** A resource without Get shows its records by List: then it is the guards of that which decide. One without either shows them to nobody. */
function toTarget({ model, path, ops, scope, guardsOf }: CompiledResource): IncludeTarget {
  const shown = (['get', 'list'] as const).find((operation) => ops.includes(operation));
  return { model, path, scope, guards: shown ? guardsOf(shown) : [shut] };
}

function shut(): boolean {
  return false;
}

/** The relations that lead to such a resource, in words. */
function findShut(steps: readonly Step<GuardedSource>[]): string[] {
  return steps.flatMap(({ relation, source, steps: further }) => [
    ...(source.guards.includes(shut) ? [`the relation \`${relation.name}\` to a resource of ${source.model.name}`] : []),
    ...findShut(further),
  ]);
}

function refuseNamesakes(targets: readonly IncludeTarget[]): void {
  const names = targets.map(({ model }) => model.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigurationError(`\`models\` of an api has two models of the name ${twice}: a relation names its model.`);
}
