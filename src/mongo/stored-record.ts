import { ObjectId } from 'mongodb';
import { formatEntityTag } from '../http/entity-tag.ts';
import { markInstances } from '../marks.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Node } from '../model/node.ts';
import type { SelectedFields } from '../model/read/select-fields.ts';
import type { Relation } from '../model/relations/includable.ts';
import type { Included } from '../model/relations/included.ts';
import {
  bson,
  declined,
  documentEnd,
  findMember,
  keyEnd,
  type Member,
  oneOf,
  pickMembers,
  readInt32,
  readInt64,
  valueEnd,
} from '../model/value/bson-bytes.ts';
import { bsonSize } from '../model/value/bson-size.ts';
import type { JsonOutput } from '../model/value/json-output.ts';
import { idToJson } from '../model/value/number-in-path.ts';
import { areSingle } from '../model/value/sort-value.ts';
import type { WriteBson } from '../model/value/write-bson.ts';
import { decode } from './driver/bson-options.ts';
import { revisionOf } from './query/precondition.ts';

/** A stored id as a path segment, not yet percent-encoded: the text of its JSON. */
export function spellId({ id }: CompiledModel, stored: unknown): string {
  return spellJson(idToJson(id.leaf, stored));
}

/** The JSON of an id as a path segment, not yet percent-encoded. */
export function spellJson(json: string): string {
  if (!json.startsWith('"')) return json;
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

/**
 * A record on its way from the database to the answer. Its JSON is written directly from the BSON bytes. It is decoded
 * when more is needed, and the document for handlers and hooks is made once. Bytes that are not read are not checked:
 * damage in a field that is not shown is an error only if the record is decoded.
 *
 * @example
 * const audit: ResourceMiddleware = async (ctx, next) => {
 *   await next();
 *   if (ctx.record instanceof StoredRecord) console.log(ctx.record.entityTag, ctx.record.document);
 * };
 */
export class StoredRecord {
  static readonly #byDocument = new WeakMap<object, StoredRecord>();

  /** @internal The record whose `document` this is. */
  static of(document: object): StoredRecord | undefined {
    return StoredRecord.#byDocument.get(document);
  }

  /** @internal From now on, a document stands for this record. */
  static hold(document: object, record: StoredRecord): void {
    StoredRecord.#byDocument.set(document, record);
  }

  readonly #model: CompiledModel;
  readonly #bytes: Uint8Array | undefined;
  #stored: Readonly<Record<string, unknown>> | undefined;
  readonly #fields: SelectedFields | undefined;
  #document: unknown;
  #isNew = false;

  /** `source`: the BSON of the record, or the record as it was stored. `fields`: those that the client chose. */
  constructor(model: CompiledModel, source: Uint8Array | Readonly<Record<string, unknown>>, fields?: SelectedFields) {
    this.#model = model;
    if (source instanceof Uint8Array) this.#bytes = source;
    else this.#stored = source;
    this.#fields = fields;
  }

  /** @internal A record that a write has inserted. */
  static inserted(model: CompiledModel, source: Uint8Array | Readonly<Record<string, unknown>>): StoredRecord {
    const record = new StoredRecord(model, source);
    record.#isNew = true;
    return record;
  }

  /** @internal Whether it was made by {@link StoredRecord.inserted}. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** @internal The model by which it is read. */
  get model(): CompiledModel {
    return this.#model;
  }

  /** @internal The same record as a view of its model shows it. */
  in(model: CompiledModel): StoredRecord {
    return model === this.#model ? this : new StoredRecord(model, this.#bytes ?? this.stored);
  }

  /** @internal Whether it is a record of the model's collection. */
  isOf({ collection }: CompiledModel): boolean {
    return this.#model.collection === collection;
  }

  /** The record as handlers and hooks hold it: `Document<typeof model>`. */
  get document(): unknown {
    if (this.#document === undefined) {
      this.#document = this.#model.hydrate(this.stored);
      StoredRecord.#byDocument.set(this.#document as object, this);
    }
    return this.#document;
  }

  /** @internal What clients read of it, in document form, for a place in an answer whose schema is given. */
  readableIn(place: Node | undefined): unknown {
    return this.#model.hydrateReadable(this.stored, place);
  }

  /** @internal As it is stored: for what compares it with what is written. */
  get stored(): Readonly<Record<string, unknown>> {
    this.#stored ??= decode(this.#bytes as Uint8Array);
    return this.#stored;
  }

  /** Its entity tag (RFC 9110 §8.8.3); undefined on a model without a revision. */
  get entityTag(): string | undefined {
    const { revision } = this.#model;
    if (!revision) return undefined;
    const known = this.#stored ? (this.#stored[revision.key] ?? 0) : this.#read(revision.key, readSmallInteger);
    if (Number.isInteger(known)) return `"${known}"`; // digits need no check
    return formatEntityTag(String(revisionOf(this.#model, this.stored)));
  }

  /**
   * Whether the values at stored paths can have a place in a sorted list. False also if the record must be decoded to
   * know: for a path within an object, and for rare types.
   */
  isSortableBy(paths: readonly string[]): boolean {
    if (this.#stored || !paths.every(isPlain)) return false;
    try {
      return areSingle(this.#bytes as Uint8Array, paths);
    } catch (error) {
      if (error !== declined) throw error;
      return false;
    }
  }

  /** Reads a member from the bytes; undefined if they must be decoded. */
  #read<T>(key: string, read: (source: Uint8Array, member: Member | undefined) => T): T | undefined {
    const bytes = this.#bytes as Uint8Array;
    try {
      return isAscii(key) ? read(bytes, findMember(bytes, key)) : undefined;
    } catch (error) {
      if (error !== declined) throw error;
      return undefined;
    }
  }

  /** The members of the stored record at these keys. It may have others, too. */
  pick(keys: readonly string[]): Readonly<Record<string, unknown>> {
    if (this.#stored || !keys.every(isAscii)) return this.stored;
    const bytes = this.#bytes as Uint8Array;
    try {
      return readSimple(bytes, keys) ?? decode(pickMembers(bytes, keys));
    } catch (error) {
      if (error !== declined) throw error;
      return this.stored;
    }
  }

  /** @internal Its size as BSON, in bytes. */
  get size(): number {
    return this.#bytes?.length ?? bsonSize(this.stored);
  }

  /** @internal Its id as it is stored. The rest of the record is not decoded for it. */
  get storedId(): unknown {
    return this.pick(ofId)._id;
  }

  /** Its id as a path segment, not yet percent-encoded. */
  get id(): string {
    return spellId(this.#model, this.storedId);
  }

  /** The JSON text of its id, by which included records are found. */
  get idText(): string {
    return idToJson(this.#model.id.leaf, this.storedId);
  }

  /** Visits the ids of a relation of its model, as they are stored. */
  visitIds(relation: Relation, visit: (id: unknown) => void): void {
    relation.visitIds(this.stored, visit);
  }

  /**
   * The JSON text of the fields that the client may read and has chosen. With `included`, it has the included records
   * in place of their ids, or beside them.
   */
  toText(included?: Included): string {
    return (this.#fields ?? this.#model).writeJson(this.stored, included);
  }

  /** Appends the same text to an output. It is written from the bytes if nothing is included. */
  writeTo(output: JsonOutput, included?: Included): void {
    const bytes = this.#bytes;
    if (bytes && !included && writes((this.#fields ?? this.#model).writeBson, bytes, output)) return;
    output.text(this.toText(included));
  }

  /** What a client may read, for what makes JSON of it: unlike {@link toText}, it rounds integers beyond 2^53. */
  toJSON(): unknown {
    return JSON.parse(this.toText());
  }
}

const ofId = ['_id'];

/** Whether a value is a {@link StoredRecord}, of any copy of the library. */
export const isStoredRecord = markInstances(StoredRecord, 'StoredRecord');

/** Writes a record from its bytes. Returns false, and writes nothing, if they must be decoded. */
function writes(write: WriteBson, bytes: Uint8Array, output: JsonOutput): boolean {
  const { length } = output;
  try {
    write(bytes, bson.object, 0, bytes.length, output);
    return true;
  } catch (error) {
    if (error !== declined) throw error;
    output.length = length;
    return false;
  }
}

/** Reads a 32-bit integer; 0 if it is missing, undefined if it has another type. */
function readSmallInteger(source: Uint8Array, member: Member | undefined): number | undefined {
  if (!member || member.type === bson.null) return 0;
  return member.type === bson.int32 ? readInt32(source, member.start) : undefined;
}

/** The members at these keys, if all are of the types that most sorts are by. It costs less than to decode them. */
function readSimple(source: Uint8Array, keys: readonly string[]): Record<string, unknown> | undefined {
  const picked: Record<string, unknown> = {}; // no field is called `__proto__`
  const last = documentEnd(source, 0, source.length) - 1;
  for (let at = 4; at < last; ) {
    const type = source[at] as number;
    const keyStart = at + 1;
    const nul = keyEnd(source, keyStart, last);
    at = valueEnd(source, type, nul + 1, last);
    const key = oneOf(source, keyStart, nul, keys);
    if (key === undefined) continue;
    const value = readSimpleValue(source, type, nul + 1);
    if (value === undefined) return undefined;
    picked[key] = value;
  }
  return picked;
}

function readSimpleValue(source: Uint8Array, type: number, start: number): unknown {
  switch (type) {
    case bson.objectId:
      return new ObjectId(source.subarray(start, start + 12));
    case bson.date:
      return new Date(readInt64(source, start));
    case bson.int32:
      return readInt32(source, start);
    case bson.null:
      return null;
    default:
      return undefined;
  }
}

/** Whether a path is one ASCII key. */
function isPlain(path: string): boolean {
  return isAscii(path) && !path.includes('.');
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
