import { ConfigurationError } from '../../errors.ts';
import { asCompiled, type CompiledModel } from '../../model/compile/compile-model.ts';
import { checkIdType } from '../../mongo/check-id-type.ts';
import type { DatabaseOptions } from '../../mongo/collection.ts';
import { compileEdges } from '../../mongo/references/compile-edges.ts';
import { aMaxCascade, defaultMaxCascade, References } from '../../mongo/references/references.ts';
import { anArrayOf, checkValue } from '../../options.ts';
import type { Guard } from './context.ts';
import { findTarget, type GuardedSource, openSource, type RelationTarget } from './relation-targets.ts';

/** Options of {@link compileReferences}. */
export interface ReferencesOptions extends DatabaseOptions {
  /** The models that have checked references, and those that they lead to. */
  readonly targets: readonly RelationTarget[];
  /** The most records that a delete may touch beside those that it addresses, up to 10,000. If there are more, it is 409. @default 1,000 */
  readonly maxCascade?: number;
}

/**
 * Compiles the references with `exists` and `onDelete` between models, for the middlewares that write: each takes the result as `references`. An api
 * does so itself.
 *
 * Throws a {@link ConfigurationError}, which names both ends, for a reference that leads to none of the targets, to several alike, or to ids of
 * another type; and for models that require one another in a circle.
 *
 * @example
 * const references = compileReferences({ db, targets: [{ model: Project, scope: ownProjects }, { model: Task, scope: ownTasks }] });
 * router.post('/tasks', jsonBody(), checkCreate(Task), insert(Task, { db, references }), record({ created: true }));
 */
export function compileReferences({ targets, maxCascade = defaultMaxCascade, ...options }: ReferencesOptions): References {
  checkValue('`targets` of `compileReferences`', targets, anArrayOf('models, each with the guards and the scope of its records'));
  checkValue('`maxCascade`', maxCascade, aMaxCascade);
  const known = targets.map((target) => ({ ...target, model: asCompiled(target.model) }));
  const sources = new Map<RelationTarget, GuardedSource>();
  const sourceOf = (target: RelationTarget): GuardedSource => {
    const source = sources.get(target) ?? openSource(target, options);
    sources.set(target, source);
    return source;
  };
  const models = [...new Map(known.map(({ model }) => [`${model.name} ${model.collection}`, model])).values()];
  const edges = compileEdges(models, {
    targetOf(field, where) {
      const source = sourceOf(findTarget(field.ref, known, where));
      checkIdType(field, source.model, where);
      return source;
    },
    holderOf(model) {
      const own = known.filter((target) => target.model.name === model.name && target.model.collection === model.collection);
      return sourceOf(findHolder(model, own));
    },
  });
  return new References(models, edges, { db: options.db, maxTimeMS: options.maxTimeMS ?? 10_000, maxCascade });
}

/** The resource of a model, by the rule of relations. Where several could be meant, nobody sees the records. */
function findHolder(model: CompiledModel, own: readonly (RelationTarget & { readonly model: CompiledModel })[]): RelationTarget {
  try {
    return findTarget({ model: model.name }, own, '');
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { model, guards: [shut] };
  }
}

/** A guard that opens for nobody. */
export const shut: Guard<never> = () => false;
