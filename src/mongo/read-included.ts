import type { CompiledModel } from '../model/compile/compile-model.ts';
import { Included, type IncludedRecord, Room, TooMuchIncluded } from '../model/read/included.ts';
import type { Relation } from '../model/read/relations.ts';
import type { Leaf } from '../model/value/leaf.ts';
import type { Work } from './driver/work.ts';
import type { Filter } from './query/filter.ts';
import { bsonTypeOf } from './query/sort-value.ts';
import type { Store } from './store.ts';
import type { StoredRecord } from './stored-record.ts';

/** Where a relation leads: the records of one model, as one resource shows them. */
export interface Source {
  readonly model: CompiledModel;
  readonly store: Pick<Store, 'findMany'>;
}

/** One step of the relations that may be included: a relation of a model, and those of the model that it leads to. */
export interface Step<S extends Source = Source> {
  readonly relation: Relation;
  readonly source: S;
  readonly steps: readonly Step<S>[];
}

/** What one request includes. */
export interface Inclusion {
  readonly steps: ReadonlySet<Step>;
  /** The row filter of each source; one without shows no record. */
  readonly scopes: ReadonlyMap<Source, Filter | undefined>;
  /** How many bytes the included records of one answer may have: of what is read of them, and of their JSON wherever it is shown. */
  readonly maxPageBytes: number;
  /** That of the request. */
  readonly work: Work;
}

/** How many records of a page's relation are looked up; for more the page is too large. */
const maxIds = 50_000;

/** A filter may have 16 MiB: so many ids, and so many characters of them (at most three bytes each), stand in one query. */
const maxIdsOfQuery = 10_000;
const maxCharactersOfQuery = 2_000_000;

const nothing: ReadonlyMap<string, IncludedRecord> = new Map();

/**
 * Reads the records that a page's relations lead to: one query for each relation and all records, then one for each relation of those.
 * Relations of the same records are read at the same time. Ids that lead to nothing within the scope are left out.
 *
 * What is read of all relations together, and what is written of the relations of the same records, has at most `maxPageBytes`: it is
 * counted as it comes, so that no more is ever held. Throws {@link TooMuchIncluded} (400) where there would be more, or too many of them;
 * `database_timeout` (504) and the like as every read.
 */
export async function readIncluded(records: readonly StoredRecord[], steps: readonly Step[], inclusion: Inclusion): Promise<Included> {
  return readSteps(records, steps, inclusion, new Room(inclusion.maxPageBytes));
}

/** `unread` is the room for all that is read. */
async function readSteps(records: readonly StoredRecord[], steps: readonly Step[], inclusion: Inclusion, unread: Room): Promise<Included> {
  const wanted = steps.filter((step) => inclusion.steps.has(step));
  const unwritten = new Room(inclusion.maxPageBytes); // all of it will be shown: more would not fit into the answer either
  const readAll = wanted.map(
    async (step): Promise<[string, ReadonlyMap<string, IncludedRecord>]> => [
      step.relation.name,
      await readStep(records, step, inclusion, { unread, unwritten }),
    ],
  );
  await Promise.allSettled(readAll); // where one fails none goes on reading
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
    found.push(...(await source.store.findMany(ids, scope, unread, inclusion.work)));
  const included = await readSteps(found, steps, inclusion, unread);
  return new Map(found.map((record) => [record.idText, writeIncluded(record, included, unwritten)]));
}

function writeIncluded(record: StoredRecord, included: Included, room: Room): IncludedRecord {
  const text = record.toText(included.within(room.left));
  const bytes = Buffer.byteLength(text);
  room.take(bytes);
  return { text, bytes };
}

/** The distinct ids of a relation, by their JSON text. A value of another type than ids have leads nowhere, and could mean more than itself. */
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
