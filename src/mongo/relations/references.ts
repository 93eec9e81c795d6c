import { ConfigurationError } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import type { ReferenceField } from '../../model/relations/reference-fields.ts';
import type { ModelCollection } from '../collection/collection.ts';
import { asDb, type Database } from '../driver/database.ts';
import { latchModel } from './check/latches/latch.ts';
import { Latches } from './check/latches/latches.ts';
import type { Source } from './include/read-included.ts';
import type { ReferenceLimits } from './limits.ts';

/** The records at one end of a reference: those of a model, as one resource shows them. */
export interface ReferenceEnd extends Source {
  readonly collection: ModelCollection;
}

/** A checked reference between two models. */
export interface Edge {
  /** The records that have the reference. */
  readonly holder: ReferenceEnd;
  readonly field: ReferenceField;
  /** The records that it leads to. */
  readonly target: ReferenceEnd;
}

/** The effects that a delete may have beside deleting the records that it addresses. */
export type CascadeLimits = Required<Pick<ReferenceLimits, 'maxCascade' | 'maxCleared'>>;

/** Limits, and the database of all models. */
interface Settings extends Required<ReferenceLimits> {
  readonly db: Database;
  readonly maxTimeMS: number;
}

/**
 * The checked references between the models of an api. They are compiled once, and shared by all of its middlewares and
 * stores.
 *
 * @example
 * const references = compileReferences({ db, targets: [{ model: Task, scope: ownTasks }] });
 */
export class References {
  readonly db: ReturnType<typeof asDb>;
  readonly maxTimeMS: number;
  /** The latches of the records that references with `onDelete` lead to. */
  readonly latches: Latches;
  readonly limits: CascadeLimits;
  readonly #outgoing = new Map<string, Edge[]>();
  readonly #incoming = new Map<string, Edge[]>();
  readonly #held = new Map<string, Edge[]>();
  readonly #known: ReadonlySet<string>;

  constructor(models: readonly CompiledModel[], edges: readonly Edge[], { db, maxTimeMS, maxCascade, maxCleared, maxLatches }: Settings) {
    this.db = asDb(db);
    this.maxTimeMS = maxTimeMS;
    this.latches = new Latches(this.db, maxTimeMS, maxLatches);
    this.limits = { maxCascade, maxCleared };
    this.#known = new Set(models.map(keyOf));
    for (const edge of edges) {
      add(this.#outgoing, keyOf(edge.holder.model), edge);
      // Two models of one collection describe the same records: a delete by either is one.
      if (!edge.field.ref.onDelete || this.#isKnown(edge)) continue;
      add(this.#incoming, edge.target.model.collection, edge);
      add(this.#held, edge.holder.model.collection, edge);
    }
  }

  /** Whether the references of a model are among these. */
  knows(model: CompiledModel): boolean {
    return this.#known.has(keyOf(model));
  }

  /** The references of a model. Throws a {@link ConfigurationError} for a model with some that is not known here. */
  outgoing(model: CompiledModel): readonly Edge[] {
    if (model.references.length > 0 && !this.knows(model)) throw unknownHere(model);
    return this.#outgoing.get(keyOf(model)) ?? [];
  }

  /** The references with `onDelete` that lead to the records of a model. */
  incoming({ collection }: Pick<CompiledModel, 'collection'>): readonly Edge[] {
    return this.#incoming.get(collection) ?? [];
  }

  /** The references with `onDelete` that the records of a model have, by whichever model of their collection. */
  heldBy({ collection }: Pick<CompiledModel, 'collection'>): readonly Edge[] {
    return this.#held.get(collection) ?? [];
  }

  /** The references with `onDelete` that a delete of a model's records may meet, at any depth. */
  reachedFrom(model: CompiledModel): readonly Edge[] {
    const found = new Set<Edge>();
    const visit = ({ collection }: CompiledModel): void => {
      for (const edge of this.incoming({ collection })) {
        if (found.has(edge)) continue;
        found.add(edge);
        if (edge.field.ref.onDelete === 'cascade') visit(edge.holder.model);
      }
    };
    visit(model);
    return [...found];
  }

  /** The model of the latches, for the plan of its indexes; undefined if nothing takes one. */
  get latchModel(): Model | undefined {
    return this.#incoming.size > 0 ? latchModel : undefined;
  }

  /** The names of the models that references with `onDelete` lead to. */
  get heldModels(): readonly string[] {
    return [...this.#incoming.values()].flatMap((edges) => edges.map(({ target }) => target.model.name));
  }

  /** Whether another model of the same collection has declared the same reference. Throws if it says something else. */
  #isKnown(edge: Edge): boolean {
    const twin = this.incoming(edge.target.model).find((other) => isTwin(edge, other));
    if (twin && twin.field.ref.onDelete !== edge.field.ref.onDelete)
      throw new ConfigurationError(
        `\`${edge.field.name}\` has \`onDelete: '${edge.field.ref.onDelete}'\` in ${edge.holder.model.name} and \`onDelete: '${twin.field.ref.onDelete}'\` in ${twin.holder.model.name}, which are stored in the same collection.`,
      );
    return twin !== undefined;
  }
}

/**
 * Returns the references for a middleware or a store of a model; undefined if it has none, and nothing refers to it.
 * Throws a {@link ConfigurationError} if the model has checked references that nothing is known of: they would not be
 * checked.
 */
export function referencesOf(model: CompiledModel, references: References | undefined): References | undefined {
  if (!references && model.references.length > 0) throw unknownHere(model);
  if (!references) return undefined;
  return references.outgoing(model).length > 0 || references.incoming(model).length > 0 ? references : undefined;
}

/** The error of a model with checked references that nothing is known of. */
export function unknownHere({ name, references }: CompiledModel): ConfigurationError {
  const [{ name: field, ref }] = references as readonly [ReferenceField, ...ReferenceField[]];
  const option = ref.onDelete ? `onDelete: '${ref.onDelete}'` : 'exists: true';
  return new ConfigurationError(
    `\`${field}\` of ${name} has \`${option}\` for its reference to ${ref.model}, which cannot be checked here: add both models to \`resources\` or \`models\` of the api, to \`models\` of \`openStore\`, or give the middleware \`references\`.`,
  );
}

/** Models are compiled more than once: their names and collections tell which are the same. */
function keyOf({ name, collection }: CompiledModel): string {
  return `${name} ${collection}`;
}

function isTwin(one: Edge, other: Edge): boolean {
  return one.holder.model.collection === other.holder.model.collection && one.field.path === other.field.path;
}

function add(edges: Map<string, Edge[]>, key: string, edge: Edge): void {
  edges.set(key, [...(edges.get(key) ?? []), edge]);
}
