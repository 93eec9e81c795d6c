import type { Abortable, AbstractCursor, AggregateOptions, Document as BsonDocument, Collection, Db } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import { Room, TooMuchIncluded } from '../../model/relations/included.ts';
import { documentEnd, findMember, type Member, readInt32 } from '../../model/value/bson-bytes.ts';
import { bsonOptions, decode } from '../driver/bson-options.ts';
import type { Commands } from '../driver/commands.ts';
import { asBytes, type Taking, takeAll } from '../driver/read-batches.ts';
import type { Command, Work } from '../driver/work.ts';
import type { watchScans } from '../indexes/watch-scans.ts';
import type { Within } from '../lifecycle/within.ts';
import { both, filterOf } from '../predicate/filter-of.ts';
import { all, everyRecord, fulfilling } from '../predicate/predicate.ts';
import { isEveryRecord } from '../predicate/row-scope.ts';
import { includePaths } from '../query/include-paths.ts';
import { StoredRecord } from '../stored-record.ts';
import { forClients } from './hidden-records.ts';

type Stored = Record<string, unknown>;

/** The records of a collection that refer to other records, for each of which they are the children. */
export interface Children {
  /** The stored path of the ids that refer. */
  readonly path: string;
  /** The BSON types that these ids have. */
  readonly idTypes: readonly string[];
  /** The order of the children of one record. Its last key is the id. */
  readonly sort: ReadonlyMap<string, 1 | -1>;
  /** How many children of one record are wanted. One more is read, which shows that there are more. */
  readonly max: number;
}

/** The records with some ids, in any order. */
interface Referred {
  /** The ids, by their JSON text. */
  readonly ids: ReadonlyMap<string, unknown>;
  readonly within: Within;
  /** The fields that the client chose. @default every readable field */
  readonly fields?: SelectedFields | undefined;
  /** How many bytes may be read. @default any number */
  readonly room?: Room;
  readonly children?: undefined;
}

/** The children of the records with some ids, in order: of each at most one more than `max`. */
interface Referring extends Omit<Referred, 'children'> {
  readonly children: Children;
  /** How many may be read for all ids together. Sizes and counts are at most one more. */
  readonly most: number;
}

/** What may be taken of each record, or of the children of each. */
interface Taken {
  /** The record, without private fields. More than `most` of them, or more bytes than there is room for, are 400. */
  readonly record: StoredRecord;
  /** How many bytes the record has that would be read. */
  readonly bytes: number;
  /** How many children there are, up to one more than `max`. Records without any have no number. */
  readonly count: number;
}

/** What was taken, and the text of the id that led to it. */
export interface Led<T> {
  readonly key: string;
  readonly taken: T;
}

/** The read of the records to which a relation leads. */
export interface RelatedReads {
  /**
   * Reads the records to which a relation leads from many others, for clients, in one command.
   *
   * @example
   * collection.findRelated({ ids, within: living(model, scope), fields, room }, 'record', work)
   * collection.findRelated({ ids, within: living(model, scope), fields, children, most }, 'bytes', work)
   */
  findRelated<K extends keyof Taken>(
    which: K extends 'count' ? Referring : Referred | Referring,
    what: K,
    work: Work,
  ): Promise<Led<Taken[K]>[]>;
}

/** How a document of the database becomes what is taken. */
interface Reading<T> extends Taking<T> {
  /** The last stage for each record. @default the record is read itself */
  readonly last?: BsonDocument;
  /** Whether the number of documents is not known to fit into the first batch. @default false */
  readonly isLong?: boolean;
}

/** Where the documents come from, and what is in them. */
interface Origin {
  readonly batchSizes: Readonly<Record<keyof Taken, number>>;
  open(last: BsonDocument | undefined, options: AggregateOptions & Abortable, command: Command): AbstractCursor<unknown>;
  /** The text of the id that led to a document. */
  keyOf(source: Uint8Array): string;
  /** The record in a document. */
  recordIn(source: Uint8Array): Uint8Array;
  /** The bytes of a document that are not those of the record: they are read too. */
  readonly sizeOfRest: number;
}

const size: BsonDocument = { bytes: { $bsonSize: '$$ROOT' } };
const counting: BsonDocument = { $count: 'count' };

/** Opens the read of the records in a collection to which relations lead. */
export function openRelated(
  model: CompiledModel,
  db: Db,
  collection: Collection<Stored>,
  { readMany, notice }: Pick<Commands, 'readMany'> & { readonly notice: ReturnType<typeof watchScans> | undefined },
): RelatedReads {
  /** Each record's children are found as by a list of its own. */
  function noticeChildren({ ids, within, children: { path, sort, max } }: Referring): void {
    const [id] = ids.values();
    const refers = fulfilling([{ field: { name: path, path }, operator: 'eq', value: id }]);
    notice?.({ where: all(refers, within.predicate), sort: new Map(sort), limit: max + 1, subject: 'An include' });
  }

  /** All that is in the first batch needs no second one: one more tells the database so. */
  function referred({ ids, within, fields }: Referred): Origin {
    const filter = both({ _id: { $in: [...ids.values()] } }, within.predicate);
    const needed = model.revision ? [model.revision.key] : [];
    const projection = fields ? includePaths([...fields.paths, ...needed]) : forClients(within.model).projection;
    const projecting = projection ? [{ $project: projection }] : [];
    const all = ids.size + 1;
    return {
      batchSizes: { record: all, bytes: all, count: all },
      open: (last, options, command) =>
        last
          ? collection.aggregate([command.handOver({ $match: filter }), ...projecting, last], options)
          : collection.find<Stored>(command.handOver(filter), { ...options, ...(projection && { projection }) }),
      keyOf: (source) => new StoredRecord(model, source).idText,
      recordIn: (source) => source,
      sizeOfRest: 0,
    };
  }

  /**
   * The ids are the documents of the aggregation, and `$lookup` finds the children of each by its own query: with an
   * index of the path and the sort it reads no more of them than it returns, however many there are. Its result is
   * unwound within the stage, so that no document holds all children of a record, and the reply comes in batches.
   */
  function referring({ ids, within, fields, children: { path, sort, max }, most }: Referring): Origin {
    const keys = [...ids.keys()];
    const documents = { $documents: { $literal: Array.from(ids.values(), (_id, at) => ({ _id, at })) } };
    const scope = within.predicate ?? everyRecord;
    const matching = isEveryRecord(scope) ? [] : [{ $match: filterOf(scope) }];
    const projection = fields ? includePaths(fields.paths) : forClients(within.model).projection;
    const projecting = projection ? [{ $project: projection }] : [];
    return {
      batchSizes: { record: Math.min(ids.size * (max + 1), most) + 1, bytes: most + 2, count: ids.size + 1 },
      open(last, options, command) {
        const shown = [{ $sort: new Map(sort) }, { $limit: max + 1 }, ...projecting, ...(last ? [last] : [])];
        const pipeline = [...matching, ...(last === counting ? [{ $limit: max + 1 }, last] : shown)];
        const lookup = { from: model.collection, localField: '_id', foreignField: path, pipeline, as: 'child' };
        const stages = [command.handOver(documents), { $lookup: lookup }, { $unwind: '$child' }, { $unset: '_id' }, { $limit: most + 1 }];
        return db.aggregate(stages, { ...bsonOptions, ...options });
      },
      keyOf: (source) => keys[readInt32(source, memberOf(source, 'at').start)] as string,
      recordIn: childOf,
      sizeOfRest: 20, // of `{ at, child }`
    };
  }

  const readings: { readonly [K in keyof Taken]: (which: Referred | Referring, origin: Origin) => Reading<Taken[K]> } = {
    record({ within, fields }, { recordIn, sizeOfRest }) {
      const { sizeOf, toRecord } = forClients(within.model);
      return {
        sizeOf: (source) => sizeOf(recordIn(source)) + sizeOfRest,
        make: (source) => toRecord(recordIn(source), fields),
      };
    },
    bytes({ within, children }, { recordIn, sizeOfRest }) {
      const { hides, sizeOf } = forClients(within.model);
      // The database cannot say how much of a record is shown: it is read for that, and not kept.
      if (hides) return { isLong: true, sizeOf: nothing, make: (source) => sizeOf(recordIn(source)) + sizeOfRest };
      const last = { $project: children ? { _id: 0, ...size } : size };
      return { last, sizeOf: nothing, make: (source) => Number(decode(recordIn(source)).bytes) + sizeOfRest };
    },
    count: (_which, { recordIn }) => ({
      last: counting,
      sizeOf: nothing,
      make: (source) => Number(decode(recordIn(source)).count),
    }),
  };

  return {
    async findRelated(which, what, work) {
      const origin = which.children ? referring(which) : referred(which);
      const { last, isLong, sizeOf, make } = readings[what](which, origin);
      const taking = { sizeOf, make: (source: Uint8Array) => ({ key: origin.keyOf(source), taken: make(source) }) };
      const { room = new Room(Number.POSITIVE_INFINITY) } = which;
      const found = await readMany(work, (command) => {
        const options = { ...command.options, ...asBytes, ...(!isLong && { batchSize: origin.batchSizes[what] }) };
        return command.count(() => takeAll(origin.open(last, options, command), room, taking));
      });
      if (which.children && notice && which.ids.size > 0) noticeChildren(which);
      if (what === 'record' && which.children && found.length > which.most) throw new TooMuchIncluded();
      return found;
    },
  };
}

function nothing(): number {
  return 0;
}

function childOf(bytes: Uint8Array): Uint8Array {
  const { start } = memberOf(bytes, 'child');
  return bytes.subarray(start, documentEnd(bytes, start, bytes.length));
}

function memberOf(bytes: Uint8Array, key: string): Member {
  const found = findMember(bytes, key);
  if (!found) throw new Error('The database has returned something else than a child.');
  return found;
}
