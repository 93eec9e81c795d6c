import { ConfigurationError, isConfigurationError } from '../../errors.ts';
import { asCompiled, type CompiledModel } from '../../model/compile/compile-model.ts';
import type { ReferenceField } from '../../model/relations/reference-fields.ts';
import type { DatabaseOptions } from '../../mongo/collection/collection.ts';
import { openReferences } from '../../mongo/relations/compile-edges.ts';
import type { ReferenceLimits } from '../../mongo/relations/limits.ts';
import type { References } from '../../mongo/relations/references.ts';
import { anArrayOf, checkValue } from '../../options.ts';
import type { Guard } from '../exchange/context.ts';
import {
  type CascadeHooks,
  findTarget,
  type GuardedSource,
  type HookedTarget,
  openSource,
  type RelationTarget,
} from './relation-targets.ts';

/** Options of {@link compileReferences}. */
export interface ReferencesOptions extends DatabaseOptions, ReferenceLimits {
  /** The models with checked references, and the models that they lead to. */
  readonly targets: readonly RelationTarget[];
}

/**
 * Compiles the references with `exists` and `onDelete` between models, for the middlewares that write: each takes the
 * result as `references`. An api does so itself.
 *
 * Throws a {@link ConfigurationError}, which names both ends, for a reference that leads to none of the targets, to
 * several alike, or to ids of another type; and for models that require one another in a circle.
 *
 * @example
 * const references = compileReferences({
 *   db,
 *   targets: [{ model: Project, scope: ownProjects }, { model: Task, scope: ownTasks }],
 * });
 * router.post('/tasks', jsonBody(), checkCreate(Task), insert(Task, { db, references }), record({ created: true }));
 */
export function compileReferences({ targets, ...options }: ReferencesOptions): References {
  checkValue('`targets` of `compileReferences`', targets, anArrayOf('models, each with the guards and the scope of its records'));
  const known = targets.map((target) => ({ ...target, model: asCompiled(target.model) }));
  const sources = new Map<RelationTarget, GuardedSource>();
  const sourceOf = (target: HookedTarget): GuardedSource => {
    const source = sources.get(target) ?? openSource(target, options);
    sources.set(target, source);
    return source;
  };
  const models = [...new Map(known.map(({ model }) => [`${model.name} ${model.collection}`, model])).values()];
  const ends = {
    targetOf: ({ ref }: ReferenceField, where: string) => sourceOf(findTarget(ref, known, where)),
    holderOf(model: CompiledModel) {
      const own = known.filter((target) => target.model.name === model.name && target.model.collection === model.collection);
      return sourceOf(findHolder(model, own));
    },
  };
  return openReferences(models, ends, options);
}

/**
 * The resource of a model, by the rule of relations. If it is ambiguous, the records are visible to no client, and none
 * of the resources may have hooks for them.
 */
function findHolder(model: CompiledModel, own: readonly (HookedTarget & { readonly model: CompiledModel })[]): HookedTarget {
  try {
    return findTarget({ model: model.name }, own, '');
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
  }
  const isTouched = model.references.some(({ ref }) => ref.onDelete && ref.onDelete !== 'restrict');
  const hooked = isTouched && own.find(({ hooks }) => hooks && hasHooks(hooks));
  if (!hooked) return { model, guards: [shut] };
  throw new ConfigurationError(
    `Records of ${model.name} may be touched by a delete of what they refer to, and resource \`${hooked.path}\` has hooks of delete, patch or restore for them, but several resources serve ${model.name}: serve one of them at \`${model.collection}\`, whose hooks run then.`,
  );
}

function hasHooks(hooks: CascadeHooks): boolean {
  return Object.values(hooks).some(({ within, after }) => within.length + after.length > 0);
}

/** A guard that refuses every client. */
export const shut: Guard<never> = () => false;
