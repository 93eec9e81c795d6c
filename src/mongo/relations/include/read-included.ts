import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import type { SelectedFields } from '../../../model/read/select-fields.ts';
import type { Relation } from '../../../model/relations/includable.ts';
import { Included, type IncludedRecord, Room, TooMuchIncluded } from '../../../model/relations/included.ts';
import { type ListBelow, type ManyRelation, writeManyText } from '../../../model/relations/many-relations.ts';
import { JsonOutput } from '../../../model/value/json-output.ts';
import type { Leaf } from '../../../model/value/leaf.ts';
import { idToJson } from '../../../model/value/number-in-path.ts';
import { bsonTypeOf } from '../../../model/value/sort-value.ts';
import type { ModelCollection } from '../../collection/collection.ts';
import type { Children, Led } from '../../collection/related.ts';
import { inParts } from '../../driver/in-parts.ts';
import type { Work } from '../../driver/work.ts';
import { living } from '../../lifecycle/within.ts';
import type { Predicate } from '../../predicate/predicate.ts';
import { type StoredRecord, spellJson } from '../../stored-record.ts';

/** The records that a relation leads to: those of one model, as one resource shows them. */
export interface Source {
  readonly model: CompiledModel;
  readonly collection: Pick<ModelCollection, 'findOne' | 'findRelated'>;
}

/** A reference that may be included, with the relations of the model that it leads to. */
interface ReferenceStep<S extends Source> {
  readonly relation: Relation;
  readonly children?: undefined;
  readonly source: S;
  readonly steps: readonly IncludedStep<S>[];
}

/** A relation by `t.hasMany` that may be included, with the relations of the records that refer. */
export interface ManyStep<S extends Source = Source> {
  readonly relation: ManyRelation;
  readonly children: Children;
  /** Whether clients may ask for less of it. */
  readonly isNarrowable: boolean;
  /** The orders among which they may choose, by their texts. */
  readonly sorts: ReadonlyMap<string, Children['sort']>;
  /** The list of the records below each one. Undefined if there is none, or outside of an api. */
  readonly list: ListBelow | undefined;
  readonly source: S;
  readonly steps: readonly IncludedStep<S>[];
}

/** A relation that may be included, with the relations of the model that it leads to. */
export type IncludedStep<S extends Source = Source> = ReferenceStep<S> | ManyStep<S>;

/** The relations that one request includes, and their limits. */
export interface Inclusion {
  readonly steps: ReadonlySet<IncludedStep>;
  /** The row filter of each source. A source without one shows no record. */
  readonly scopes: ReadonlyMap<Source, Predicate | undefined>;
  /**
   * The limit for the included records of one answer, in bytes. It applies to the records that are read, and to their
   * JSON in all places.
   */
  readonly maxPageBytes: number;
  /**
   * How many records of relations by `t.hasMany` are shown if all of them have no room. Only for one record, and not
   * below others.
   *
   * @default all
   */
  readonly cuts?: ReadonlyMap<IncludedStep, number>;
  /** The fields that the client chose of the records of a relation. @default every readable field */
  readonly fields?: ReadonlyMap<IncludedStep, SelectedFields>;
  /** How many records of a relation by `t.hasMany` the client asks for, and in which order. @default as declared */
  readonly narrowed?: ReadonlyMap<IncludedStep, Partial<Pick<Children, 'max' | 'sort'>>>;
  /** The path of an api of this prefix for the client, which ends in a slash. Undefined outside of an api. */
  readonly apiPath?: ((prefix: string) => string) | undefined;
  /** The work of the request. */
  readonly work: Work;
}

/** The records of a relation that a request asks for. */
export function childrenOf(step: ManyStep, { narrowed }: Pick<Inclusion, 'narrowed'>): Children {
  const own = narrowed?.get(step);
  return own ? { ...step.children, ...own } : step.children;
}

/** Whether a relation is one by `t.hasMany`. */
export function isManyStep<S extends Source>(step: IncludedStep<S>): step is ManyStep<S> {
  return step.children !== undefined;
}

/** How many ids of one relation may be looked up for a page. A page with more is too large. */
export const maxIds = 50_000;

/** How many ids one query may have, and how many characters (of at most three bytes each): a filter may have 16 MiB. */
const maxIdsOfQuery = 10_000;
const characters = { most: 2_000_000, of: ([text]: readonly [string, unknown]) => text.length };

const nothing: Texts = new Map();

/**
 * Reads the records that the relations of a page lead to: one query for each relation of all records, then one for each
 * relation of the records found. Relations of the same records are read at the same time. Ids without a record within
 * the scope are left out.
 *
 * The bytes that are read for all relations together are limited to `maxPageBytes`, and so is the JSON for the
 * relations of the same records. Both are counted on arrival, so that memory never holds more. Throws
 * {@link TooMuchIncluded} (400) for more bytes, or for too many ids; and `database_timeout` (504) and the like, as
 * every read.
 */
export async function readIncluded(
  records: readonly StoredRecord[],
  steps: readonly IncludedStep[],
  inclusion: Inclusion,
): Promise<Included> {
  return readSteps(records, steps, inclusion, new Room(inclusion.maxPageBytes));
}

/** `unread` counts the bytes that may still be read for the whole answer. */
async function readSteps(
  records: readonly StoredRecord[],
  steps: readonly IncludedStep[],
  inclusion: Inclusion,
  unread: Room,
): Promise<Included> {
  const wanted = steps.filter((step) => inclusion.steps.has(step));
  const unwritten = new Room(inclusion.maxPageBytes); // all of this JSON is shown, and the answer may not have more
  const readAll = wanted.map(
    async (step): Promise<[string, Texts]> => [step.relation.name, await readStep(records, step, inclusion, { unread, unwritten })],
  );
  await Promise.allSettled(readAll); // after an error, no read continues in the background
  return new Included(new Map(await Promise.all(readAll)), new Room(inclusion.maxPageBytes));
}

/**
 * The rest of the limits of an answer: the bytes that may still be read, and the bytes of JSON that may still be
 * written.
 */
interface Rooms {
  readonly unread: Room;
  readonly unwritten: Room;
}

type Texts = ReadonlyMap<string, IncludedRecord>;

async function readStep(records: readonly StoredRecord[], step: IncludedStep, inclusion: Inclusion, rooms: Rooms): Promise<Texts> {
  const scope = inclusion.scopes.get(step.source);
  if (!scope) return nothing;
  if (!step.children) return readReferred(records, step, scope, inclusion, rooms);
  return step.relation.isCount ? countMany(records, step, scope, inclusion, rooms) : readMany(records, step, scope, inclusion, rooms);
}

async function readReferred(
  records: readonly StoredRecord[],
  step: ReferenceStep<Source>,
  scope: Predicate,
  inclusion: Inclusion,
  { unread, unwritten }: Rooms,
): Promise<Texts> {
  const { relation, source, steps } = step;
  const which = { within: living(source.model, scope), fields: inclusion.fields?.get(step), room: unread };
  const found: Led<StoredRecord>[] = [];
  for (const ids of inQueries(collectIds(records, relation, source.model.id.leaf)))
    found.push(...(await source.collection.findRelated({ ...which, ids }, 'record', inclusion.work)));
  const included = await readSteps(
    found.map(({ taken }) => taken),
    steps,
    inclusion,
    unread,
  );
  return new Map(found.map(({ key, taken }) => [key, toIncluded(writeRecord(taken, included, unwritten), unwritten)]));
}

async function readMany(
  records: readonly StoredRecord[],
  step: ManyStep<Source>,
  scope: Predicate,
  inclusion: Inclusion,
  { unread, unwritten }: Rooms,
): Promise<Texts> {
  const { relation, source, steps } = step;
  const children = childrenOf(step, inclusion);
  const { list } = step;
  const above = list && inclusion.apiPath?.(list.prefix);
  const pathTo = above === undefined ? undefined : (id: string) => above + list?.pathTo(spellJson(id), children.sort);
  const cut = inclusion.cuts?.get(step);
  if (cut === 0)
    return new Map(records.map(({ idText }) => [idText, toIncluded(writeManyText(relation, '[]', true, pathTo?.(idText)), unwritten)]));
  const wanted = cut === undefined ? children : { ...children, max: cut - 1 }; // one more is read, which is not shown without a cut
  const which = { within: living(source.model, scope), fields: inclusion.fields?.get(step), room: unread, children: wanted };
  const byParent = new Map<string, StoredRecord[]>();
  let most = maxIds;
  for (const ids of inQueries(ownIds(records, children))) {
    const found = await source.collection.findRelated({ ...which, ids, most }, 'record', inclusion.work);
    for (const { key, taken } of found) append(byParent, key, taken);
    most -= found.length;
  }
  const shown = [...byParent].map(([id, all]) => ({
    id,
    own: all.slice(0, cut ?? children.max),
    isCut: cut !== undefined || all.length > children.max,
  }));
  const included = await readSteps(
    shown.flatMap(({ own }) => own),
    steps,
    inclusion,
    unread,
  );
  return new Map(
    shown.map(({ id, own, isCut }) => {
      const written = own.map((record) => toIncluded(writeRecord(record, included, unwritten), unwritten));
      const text = writeManyText(relation, `[${written.map((one) => one.text).join(',')}]`, isCut, isCut ? pathTo?.(id) : undefined);
      const bytes = Buffer.byteLength(text);
      unwritten.take(bytes - written.reduce((sum, one) => sum + one.bytes, 0)); // the commas between them
      return [id, { text, bytes }];
    }),
  );
}

async function countMany(
  records: readonly StoredRecord[],
  { relation, children, source }: ManyStep<Source>,
  scope: Predicate,
  { work }: Inclusion,
  { unwritten }: Rooms,
): Promise<Texts> {
  const texts = new Map<string, IncludedRecord>();
  for (const ids of inQueries(ownIds(records, children))) {
    const which = { ids, within: living(source.model, scope), children, most: ids.size };
    for (const { key, taken: count } of await source.collection.findRelated(which, 'count', work)) {
      const text = writeManyText(relation, String(Math.min(count, children.max)), count > children.max);
      texts.set(key, toIncluded(text, unwritten));
    }
  }
  return texts;
}

function append(lists: Map<string, StoredRecord[]>, key: string, record: StoredRecord): void {
  const list = lists.get(key);
  if (list) list.push(record);
  else lists.set(key, [record]);
}

const output = new JsonOutput();

/**
 * The JSON of a record with what is included in it, which may have as many bytes as there is room for. Without, it is
 * written from the bytes.
 */
function writeRecord(record: StoredRecord, included: Included, { left }: Room): string {
  if (!included.isEmpty) return record.toText(included.within(left));
  output.clear();
  record.writeTo(output);
  return output.take().toString();
}

function toIncluded(text: string, room: Room): IncludedRecord {
  const bytes = Buffer.byteLength(text);
  room.take(bytes);
  return { text, bytes };
}

/**
 * The ids of the records themselves, by their JSON text. Values of types that ids cannot have are skipped: null would
 * find all that refer to nothing.
 */
export function ownIds(records: readonly StoredRecord[], { idTypes }: Children): ReadonlyMap<string, unknown> {
  const known = records.filter(({ stored }) => idTypes.includes(bsonTypeOf(stored._id) ?? ''));
  return new Map(known.map((record) => [record.idText, record.stored._id]));
}

/** The distinct ids of a relation, by their JSON text. Throws {@link TooMuchIncluded} for more than 50,000. */
function collectIds(records: readonly StoredRecord[], relation: Relation, leaf: Leaf): ReadonlyMap<string, unknown> {
  const ids = new Map<string, unknown>();
  for (const record of records) {
    addIds(ids, record, relation, leaf);
    if (ids.size > maxIds) throw new TooMuchIncluded();
  }
  return ids;
}

/**
 * Adds the distinct ids of a relation of one record, by their JSON text. Values of types that ids cannot have are
 * skipped: some, such as a regular expression, would match other records in a query.
 */
export function addIds(ids: Map<string, unknown>, record: StoredRecord, relation: Relation, { bsonTypes }: Leaf): void {
  record.visitIds(relation, (id) => {
    const type = bsonTypeOf(id);
    if (type !== undefined && bsonTypes.includes(type)) ids.set(idToJson(relation.leaf, id), id);
  });
}

/** Divides ids, by their JSON text, into those of one query each. */
export function* inQueries(ids: ReadonlyMap<string, unknown>): Generator<ReadonlyMap<string, unknown>> {
  for (const some of inParts([...ids], maxIdsOfQuery, characters)) yield new Map(some);
}
