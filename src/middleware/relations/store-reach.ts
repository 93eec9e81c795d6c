import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type Condition, fulfilling, type Predicate } from '../../mongo/predicate/predicate.ts';
import { readScope } from '../../mongo/predicate/read-scope.ts';
import type { Reach, ReadScope } from '../../store/limits.ts';
import type { Context, FindResources, ScopeFunction, ServedModel } from '../exchange/context.ts';
import { exchangeOf } from '../exchange/exchange.ts';
import { withViews } from '../views/asked-rules.ts';
import { madeScope } from './made-records.ts';
import { findMain, type GuardedSource } from './relation-targets.ts';
import { isRefusal } from './source-scopes.ts';
import { readsField } from './writer.ts';

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

/** The filter that the scope of a resource requires of its records in this request. */
export async function readConditions(ctx: Context, { model, scope }: ServedModel): Promise<readonly Condition[]> {
  return readScope(await askScope(ctx, scope as ScopeFunction), model.scopeFields);
}

/** A model may be compiled more than once. */
function keyOf({ name, collection }: Pick<CompiledModel, 'name' | 'collection'>): string {
  return `${name} ${collection}`;
}

/**
 * The records that a request may reach by its stores: the scope of each model's resource, without its guards, which are
 * about operations.
 */
export function reachOf(ctx: Context): Reach {
  return {
    see: (model) => withViews(ctx, (see) => see(model)),
    findScope(model) {
      const { scope, scopeWrites } = findScoped(ctx, model);
      return async () => readOwn(await askScope(ctx, scope as ScopeFunction), model, scopeWrites);
    },
    scopeOfMade: (source) => madeScope(ctx, source as GuardedSource),
    reads: (model, name) => readsField(ctx, model, name),
    async scopeOf(source): Promise<Predicate | undefined> {
      const { scope, model } = source as GuardedSource;
      if (!scope) return {};
      try {
        return fulfilling(readScope(await askScope(ctx, scope as ScopeFunction), model.scopeFields));
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },
  };
}

function readOwn(answer: unknown, model: CompiledModel, scopeWrites: boolean): ReadScope {
  const conditions = readScope(answer, model.scopeFields);
  return { filter: fulfilling(conditions), bounds: scopeWrites ? conditions : [] };
}

/**
 * The answers of the scopes in a request. They are forgotten, like the guards that have opened, if it is authenticated
 * again.
 */
const answersOf = new WeakMap<object, Map<ScopeFunction, unknown>>();

/** The scopes that are being asked where a context is used. */
const askedIn = new WeakMap<object, readonly ScopeFunction[]>();

/**
 * Asks a scope, once for each request. Its function gets a context of its own, by which a store is known that would
 * need the answer to find it: both would wait for each other.
 */
async function askScope(ctx: Context, scope: ScopeFunction): Promise<unknown> {
  ctx.openedGuards ??= new Set();
  const answers = answersOf.get(ctx.openedGuards) ?? new Map<ScopeFunction, unknown>();
  answersOf.set(ctx.openedGuards, answers);
  if (answers.has(scope)) return answers.get(scope);
  const asked = askedIn.get(ctx) ?? [];
  if (asked.includes(scope))
    throw new Error(
      'A `scope` function opens a store that has the same scope: give that store a scope of its own, a filter or `everything`.',
    );
  const own = Object.create(ctx) as Context;
  askedIn.set(own, [...asked, scope]);
  const answer = await scope(own);
  answers.set(scope, answer);
  exchangeOf(ctx).work.transaction?.onRollback(() => answers.delete(scope)); // it may have seen what is not stored
  return answer;
}
