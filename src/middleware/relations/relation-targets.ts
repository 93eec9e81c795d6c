import { ConfigurationError } from '../../errors.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import { type DatabaseOptions, type ModelCollection, openCollection } from '../../mongo/collection/collection.ts';
import type { CascadedChange } from '../../mongo/collection/writer.ts';
import type { Source } from '../../mongo/relations/include/read-included.ts';
import type { Context, Guard, ScopeFunction } from '../exchange/context.ts';
import type { WithinHook } from '../exchange/run-within.ts';

/** A model to whose records relations may lead, and who may see which of them. */
export interface RelationTarget {
  readonly model: ModelInput;
  /**
   * The path of its resource, as `t.ref('Customer', { resource: 'vip-customers' })` names it.
   *
   * @default none: a model without a resource
   */
  readonly path?: string;
  /** Guards that must open for an included record to be seen. @default none */
  readonly guards?: readonly Guard<never>[];
  /** The row filter of included records. @default every record */
  readonly scope?: ScopeFunction<never>;
}

/** A {@link Source} with the functions that decide about a request. */
export interface GuardedSource extends Source {
  readonly collection: ModelCollection;
  /** The path of its resource; undefined for a model without one. */
  readonly path: string | undefined;
  readonly guards: readonly Guard<never>[];
  readonly scope: ScopeFunction<never> | undefined;
  /** The hooks of its resource. @default none */
  readonly hooks?: CascadeHooks | undefined;
  /** What its resource serves of lists. @default none */
  readonly lists?: ListsOfTarget | undefined;
}

/** What a resource serves of lists, by which an included relation that was cut leads to the list of its records. */
export interface ListsOfTarget {
  /** Whether it serves the list of its records. */
  readonly isListed: boolean;
  /** The relations whose records it serves below each of its own. */
  readonly nested: readonly string[];
}

/** Hooks of a resource that run for one kind of change. */
export interface HooksOfChange {
  readonly within: readonly WithinHook[];
  readonly after: readonly ((ctx: Context, record: unknown) => unknown)[];
}

/**
 * Hooks of a resource for records that a delete or a restore of another record touches: those of `delete`, `patch` and
 * `restore`.
 */
export type CascadeHooks = Readonly<Record<CascadedChange, HooksOfChange>>;

/** A target with the hooks and lists of its resource. */
export interface HookedTarget extends RelationTarget {
  readonly hooks?: CascadeHooks;
  readonly lists?: ListsOfTarget;
}

export type KnownTarget = RelationTarget & { readonly model: CompiledModel };

/**
 * The resource that the relation names; else the resource at the path of the collection's name; else the only resource
 * of the model; else the model itself. `by` is the builder of the relation, for error messages.
 */
export function findTarget(
  { model, resource }: { readonly model: string; readonly resource?: string | undefined },
  targets: readonly KnownTarget[],
  where: string,
  by = 't.ref',
): KnownTarget {
  const own = targets.filter((target) => target.model.name === model);
  const served = own.filter((target) => target.path !== undefined);
  const paths = served.map((target) => `\`${target.path}\``).join(', ') || 'none';
  if (resource !== undefined) {
    const named = served.find((target) => target.path === resource);
    if (named) return named;
    throw new ConfigurationError(`${where}, whose \`resource: '${resource}'\` is not a resource of ${model}: there are ${paths}.`);
  }
  const candidates = served.length > 0 ? served : own;
  const found = findMain(served) ?? (candidates.length === 1 ? candidates[0] : undefined);
  if (found) return found;
  // One of them may show what another hides.
  if (candidates.length > 1)
    throw new ConfigurationError(
      `${where}, which leads to ${model} and so to several resources: choose by \`resource\` of \`${by}\` among ${paths}.`,
    );
  throw new ConfigurationError(
    `${where}, which leads to ${model}, a model that is not known here: add its resource, or the model to \`models\`.`,
  );
}

/**
 * The resource of a model among all of its resources: the one at the path of the collection's name, else the only one.
 */
export function findMain<Target extends KnownTarget>(served: readonly Target[]): Target | undefined {
  return served.find(({ path, model }) => path === model.collection) ?? (served.length === 1 ? served[0] : undefined);
}

export function openSource(
  { model, path, guards = [], scope, hooks, lists }: HookedTarget,
  options: DatabaseOptions & { readonly warnOnScan?: boolean },
): GuardedSource {
  const compiled = asCompiled(model);
  return { model: compiled, collection: openCollection(compiled, options), path, guards, scope, hooks, lists };
}
