import { ConfigurationError } from '../../errors.ts';
import { tryAll } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ReferenceField } from '../../model/relations/reference-fields.ts';
import { referencesKey } from '../../model/value/own-keys.ts';
import { fillIn, pickOptions } from '../../options.ts';
import type { Database } from '../driver/database.ts';
import { timeLimit } from '../driver/time-limit.ts';
import { keepsDeleted } from '../lifecycle/lifecycle.ts';
import { latchCollection } from './check/latches/latch.ts';
import { checkIdType } from './check-id-type.ts';
import { type ReferenceLimits, referenceLimits } from './limits.ts';
import { type Edge, type ReferenceEnd, References } from './references.ts';

/** How the ends of references are found. Both functions throw a {@link ConfigurationError}. */
interface Ends {
  /** The end that a reference of a model leads to. `where` names the reference, for messages. */
  targetOf(field: ReferenceField, where: string): ReferenceEnd;
  /** The end of the model itself, from the view of a delete of the records that it refers to. */
  holderOf(model: CompiledModel): ReferenceEnd;
}

interface Settings extends ReferenceLimits {
  readonly db: Database;
  readonly maxTimeMS?: number;
}

/**
 * Opens the checked references between models. Throws a {@link ConfigurationError} that names both ends of each that
 * cannot hold, or the limit that is not legal.
 */
export function openReferences(models: readonly CompiledModel[], ends: Ends, { db, ...given }: Settings): References {
  const limits = pickOptions(given, referenceLimits);
  const { maxTimeMS } = fillIn(given, timeLimit);
  return new References(models, compileEdges(models, ends), { db, maxTimeMS, ...limits });
}

/**
 * Compiles the checked references of models. Throws a {@link ConfigurationError} that names both ends of each that
 * cannot hold.
 */
export function compileEdges(models: readonly CompiledModel[], { targetOf, holderOf }: Ends): Edge[] {
  const parts = models.flatMap((model) =>
    model.references.map((field) => (): Edge => {
      const where = describe(model, field);
      const target = targetOf(field, where);
      checkIdType(field, target.model, where);
      checkOwnKey(target.model, field, model);
      for (const { collection, name } of [model, target.model]) checkCollection(collection, name);
      checkRestorable(target.model, field, model);
      return { holder: holderOf(model), field, target };
    }),
  );
  const edges = tryAll(parts);
  checkCircles(edges);
  return edges;
}

function describe({ name }: CompiledModel, { name: field, ref }: ReferenceField): string {
  return `\`${field}\` of ${name} has \`${ref.onDelete ? `onDelete: '${ref.onDelete}'` : 'exists: true'}\``;
}

/** Refuses a field where a record counts how often its latches were made. */
function checkOwnKey({ name, root }: CompiledModel, field: ReferenceField, holder: CompiledModel): void {
  if (field.ref.onDelete && root.fields.some(({ key }) => key === referencesKey))
    throw new ConfigurationError(
      `${describe(holder, field)}, and ${name} has a field stored as \`${referencesKey}\`: the library writes under this key when a record is referred to. Give the field another one.`,
    );
}

/** Refuses the collection of the latches. */
function checkCollection(collection: string, model: string): void {
  if (collection === latchCollection)
    throw new ConfigurationError(
      `${model} is stored in \`${latchCollection}\`, where the library locks records that are referred to: give it another \`collection\`.`,
    );
}

/** Refuses a cascade that a restore could not take back. */
function checkRestorable(target: CompiledModel, field: ReferenceField, holder: CompiledModel): void {
  const { name } = target;
  if (field.ref.onDelete === 'cascade' && keepsDeleted(target) && !keepsDeleted(holder))
    throw new ConfigurationError(
      `${describe(holder, field)}, and ${name} has \`t.deletedAt()\`: a restore of ${name} could not bring back records of ${holder.name}. Give ${holder.name} \`t.deletedAt()\` too, or the reference another \`onDelete\`.`,
    );
}

/**
 * Refuses models that require one another: no record of them could be the first, and with `restrict` none could be
 * deleted. A model that requires a record of itself is legal, because a record may refer to itself.
 */
function checkCircles(edges: readonly Edge[]): void {
  const required = edges.filter(({ field }) => field.isRequired);
  for (const first of required) {
    const circle = findCircle(first, required);
    if (circle)
      throw new ConfigurationError(
        `References require one another in a circle, so that no record could be created first, or deleted: ${circle
          .map(({ holder, field, target }) => `\`${field.name}\` of ${holder.model.name} to ${target.model.name}`)
          .join(', ')}. One of them must be nullable, optional or an array.`,
      );
  }
}

/** The shortest way from an edge back to its holder, through at least one other model. */
function findCircle(first: Edge, edges: readonly Edge[]): readonly Edge[] | undefined {
  const home = first.holder.model.collection;
  let ways: (readonly Edge[])[] = [[first]];
  const seen = new Set([first.target.model.collection]);
  if (seen.has(home)) return undefined;
  while (ways.length > 0) {
    ways = ways.flatMap((way) => edges.filter(({ holder }) => holder.model.collection === endOf(way)).map((edge) => [...way, edge]));
    const circle = ways.find((way) => endOf(way) === home);
    if (circle) return circle;
    ways = ways.filter((way) => {
      const isNew = !seen.has(endOf(way));
      seen.add(endOf(way));
      return isNew;
    });
  }
  return undefined;
}

/** The collection that a way leads to. */
function endOf(way: readonly Edge[]): string {
  return (way.at(-1) as Edge).target.model.collection;
}
