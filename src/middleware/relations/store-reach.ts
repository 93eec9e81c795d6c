import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type Condition, fulfilling } from '../../mongo/predicate/predicate.ts';
import { readScope } from '../../mongo/predicate/read-scope.ts';
import type { ReadScope, StoreReach } from '../../store/limits.ts';
import type { Context, FindResources, ServedModel } from '../exchange/context.ts';
import { reachOf, unlessRefused } from '../reach/reach.ts';
import { findMain, type GuardedSource } from './relation-targets.ts';

/** Compiles how the resources of a model are found among those of an api. */
export function compileFindResources(resources: readonly ServedModel[]): FindResources {
  const byModel = new Map<string, ServedModel[]>();
  for (const resource of resources) byModel.set(keyOf(resource.model), [...(byModel.get(keyOf(resource.model)) ?? []), resource]);
  return (model) => byModel.get(keyOf(model)) ?? [];
}

/**
 * Finds the resource of a model by the rule of relations. Throws a plain Error if there is none, or if it is ambiguous.
 */
export function findScoped(ctx: Context, model: Pick<CompiledModel, 'name' | 'collection'>): ServedModel {
  const own = ctx.findResources?.(model) ?? []; // without an api there are no resources
  const found = findMain(own);
  if (found) return found;
  const paths = own.map(({ path }) => `\`${path}\``).join(', ');
  const several = `several resources serve ${model.name} (${paths}), and none of them at \`${model.collection}\``;
  const why = own.length > 0 ? several : `no resource serves ${model.name}`;
  throw new Error(
    `A store of ${model.name} in a request needs a \`scope\`, because ${why}: give it a filter, \`ctx.scope\`, or \`everything\`.`,
  );
}

/** What the scope of a resource requires of its records in this request, without its guards. */
export async function readConditions(ctx: Context, { model, scope }: Pick<ServedModel, 'model' | 'scope'>): Promise<readonly Condition[]> {
  return readScope(await reachOf(ctx).ofStores(scope, ctx), model.scopeFields);
}

/** A model may be compiled more than once. */
function keyOf({ name, collection }: Pick<CompiledModel, 'name' | 'collection'>): string {
  return `${name} ${collection}`;
}

/**
 * The records that a request may reach by its stores: the scope of each model's resource, without its guards, which are
 * about operations.
 */
export function storeReachOf(ctx: Context): StoreReach {
  return {
    see: (model) => reachOf(ctx).see(model),
    findScope(model) {
      const { scope, scopeWrites } = findScoped(ctx, model);
      return async (): Promise<ReadScope> => {
        const conditions = await readConditions(ctx, { model, scope });
        return { filter: fulfilling(conditions), bounds: scopeWrites ? conditions : [] };
      };
    },
    scopeOfMade: (source) => reachOf(ctx).made(source as GuardedSource),
    reads: (model, name) => reachOf(ctx).reads(model, name),
    scopeOf(source) {
      const { scope, model } = source as GuardedSource;
      return unlessRefused(async () => (scope ? fulfilling(await readConditions(ctx, { model, scope })) : {}));
    },
  };
}
