import { formatEntityTag } from '../http/entity-tag.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Included } from '../model/read/included.ts';
import type { Relation } from '../model/read/relations.ts';
import type { SelectedFields } from '../model/read/select-fields.ts';
import { revisionOf } from './query/precondition.ts';

/** A stored id as a path segment, not yet percent-encoded: the text of its JSON. */
export function spellId({ id }: CompiledModel, stored: unknown): string {
  const json = id.leaf.toJson(stored);
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/**
 * A record on its way from the database to the answer. It is turned into JSON text at once; the document that handlers and hooks hold is
 * made when somebody asks, and once.
 */
export class StoredRecord {
  static readonly #byDocument = new WeakMap<object, StoredRecord>();

  /** @internal The record whose `document` this is. */
  static of(document: object): StoredRecord | undefined {
    return StoredRecord.#byDocument.get(document);
  }

  readonly #model: CompiledModel;
  readonly #stored: Readonly<Record<string, unknown>>;
  readonly #fields: SelectedFields | undefined;
  #document: unknown;

  /** `fields` are those that the client chose to read. */
  constructor(model: CompiledModel, stored: Readonly<Record<string, unknown>>, fields?: SelectedFields) {
    this.#model = model;
    this.#stored = stored;
    this.#fields = fields;
  }

  /** The record as handlers and hooks hold it: `Document<typeof model>`. */
  get document(): unknown {
    if (this.#document === undefined) {
      this.#document = this.#model.hydrate(this.#stored);
      StoredRecord.#byDocument.set(this.#document as object, this);
    }
    return this.#document;
  }

  /** @internal The same without what is private. */
  get readable(): unknown {
    return this.#model.hydrateReadable(this.#stored);
  }

  /** @internal The names of private fields, at any depth. */
  get privateNames(): ReadonlySet<string> {
    return this.#model.privateNames;
  }

  /** @internal As it is stored: for what compares it with what is written. */
  get stored(): Readonly<Record<string, unknown>> {
    return this.#stored;
  }

  /** Its entity tag (RFC 9110 §8.8.3); undefined on a model without a revision. */
  get entityTag(): string | undefined {
    const revision = revisionOf(this.#model, this.#stored);
    return revision === undefined ? undefined : formatEntityTag(revision);
  }

  /** Its id as a path segment, not yet percent-encoded. */
  get id(): string {
    return spellId(this.#model, this.#stored._id);
  }

  /** The JSON text of its id, by which included records are found. */
  get idText(): string {
    return this.#model.id.leaf.toJson(this.#stored._id);
  }

  /** Visits the ids of a relation of its model, as they are stored. */
  visitIds(relation: Relation, visit: (id: unknown) => void): void {
    relation.visitIds(this.#stored, visit);
  }

  /** The JSON text of what a client may read, and has chosen to; with `included`, included records stand where their ids lead to them. */
  toText(included?: Included): string {
    return (this.#fields ?? this.#model).writeJson(this.#stored, included);
  }
  /** What a client may read, for what makes JSON of it: integers beyond 2^53 are rounded, which {@link toText} does not do. */
  toJSON(): unknown {
    return JSON.parse(this.toText());
  }
}
