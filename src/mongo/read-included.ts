import type { CompiledModel } from '../model/compile/compile-model.ts';
import { Included, type IncludedRecord, Room, TooMuchIncluded } from '../model/read/included.ts';
import type { Relation } from '../model/read/relations.ts';
import type { Leaf } from '../model/value/leaf.ts';
import type { ModelCollection } from './collection.ts';
import type { Work } from './driver/work.ts';
import type { Filter } from './query/filter.ts';
import { bsonTypeOf } from './query/sort-value.ts';
import type { StoredRecord } from './stored-record.ts';

/** The records that a relation leads to: those of one model, as one resource shows them. */
export interface Source {
  readonly model: CompiledModel;
  readonly collection: Pick<ModelCollection, 'findMany'>;
}

/** A relation that may be included, with the relations of the model that it leads to. */
export interface Step<S extends Source = Source> {
  readonly relation: Relation;
  readonly source: S;
  readonly steps: readonly Step<S>[];
}

/** The relations that one request includes, and their limits. */
export interface Inclusion {
  readonly steps: ReadonlySet<Step>;
  /** The row filter of each source. A source without one shows no record. */
  readonly scopes: ReadonlyMap<Source, Filter | undefined>;
  /**
   * The limit for the included records of one answer, in bytes. It applies to the records that are read, and to their JSON in all places.
   */
  readonly maxPageBytes: number;
  /** The work of the request. */
  readonly work: Work;
}

/** How many ids of one relation may be looked up for a page. A page with more is too large. */
const maxIds = 50_000;

/** How many ids one query may have, and how many characters (of at most three bytes each): a filter may have 16 MiB. */
const maxIdsOfQuery = 10_000;
const maxCharactersOfQuery = 2_000_000;

const nothing: ReadonlyMap<string, IncludedRecord> = new Map();

/**
 * Reads the records that the relations of a page lead to: one query for each relation of all records, then one for each relation of the
 * records found. Relations of the same records are read at the same time. Ids without a record within the scope are left out.
 *
 * The bytes that are read for all relations together are limited to `maxPageBytes`, and so is the JSON for the relations of the same
 * records. Both are counted on arrival, so that memory never holds more. Throws {@link TooMuchIncluded} (400) for more bytes, or for too
 * many ids; and `database_timeout` (504) and the like, as every read.
 */
export async function readIncluded(records: readonly StoredRecord[], steps: readonly Step[], inclusion: Inclusion): Promise<Included> {
  return readSteps(records, steps, inclusion, new Room(inclusion.maxPageBytes));
}

/** `unread` counts the bytes that may still be read for the whole answer. */
async function readSteps(records: readonly StoredRecord[], steps: readonly Step[], inclusion: Inclusion, unread: Room): Promise<Included> {
  const wanted = steps.filter((step) => inclusion.steps.has(step));
  const unwritten = new Room(inclusion.maxPageBytes); // all of this JSON is shown, and the answer may not have more
  const readAll = wanted.map(
    async (step): Promise<[string, ReadonlyMap<string, IncludedRecord>]> => [
      step.relation.name,
      await readStep(records, step, inclusion, { unread, unwritten }),
    ],
  );
  await Promise.allSettled(readAll); // after an error, no read goes on in the background
  return new Included(new Map(await Promise.all(readAll)), new Room(inclusion.maxPageBytes));
}

async function readStep(
  records: readonly StoredRecord[],
  { relation, source, steps }: Step,
  inclusion: Inclusion,
  { unread, unwritten }: { readonly unread: Room; readonly unwritten: Room },
): Promise<ReadonlyMap<string, IncludedRecord>> {
  const scope = inclusion.scopes.get(source);
  if (!scope) return nothing;
  const found: StoredRecord[] = [];
  for (const ids of inBatches(collectIds(records, relation, source.model.id.leaf)))
    found.push(...(await source.collection.findMany(ids, scope, unread, inclusion.work)));
  const included = await readSteps(found, steps, inclusion, unread);
  return new Map(found.map((record) => [record.idText, writeIncluded(record, included, unwritten)]));
}

function writeIncluded(record: StoredRecord, included: Included, room: Room): IncludedRecord {
  const text = record.toText(included.within(room.left));
  const bytes = Buffer.byteLength(text);
  room.take(bytes);
  return { text, bytes };
}

/**
 * The distinct ids of a relation, by their JSON text. Values of types that ids cannot have are skipped: some, such as a regular expression,
 * would match other records in a query.
 */
function collectIds(records: readonly StoredRecord[], relation: Relation, { bsonTypes }: Leaf): ReadonlyMap<string, unknown> {
  const ids = new Map<string, unknown>();
  for (const record of records) {
    record.visitIds(relation, (id) => {
      const type = bsonTypeOf(id);
      if (type !== undefined && bsonTypes.includes(type)) ids.set(relation.leaf.toJson(id), id);
    });
    if (ids.size > maxIds) throw new TooMuchIncluded();
  }
  return ids;
}

function* inBatches(ids: ReadonlyMap<string, unknown>): Generator<unknown[]> {
  let batch: unknown[] = [];
  let characters = 0;
  for (const [text, id] of ids) {
    if (batch.length === maxIdsOfQuery || (batch.length > 0 && characters + text.length > maxCharactersOfQuery)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(id);
    characters += text.length;
  }
  if (batch.length > 0) yield batch;
}
