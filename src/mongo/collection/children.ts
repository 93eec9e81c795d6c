import type { Abortable, AggregateOptions, Document as BsonDocument, Db } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { readsHidden } from '../../model/read/hidden-parts.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import { Room, TooMuchIncluded } from '../../model/relations/included.ts';
import { documentEnd, findMember, type Member, readInt32 } from '../../model/value/bson-bytes.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import type { Commands } from '../driver/commands.ts';
import { asBytes, type Taking, takeAll } from '../driver/read-batches.ts';
import type { Command, Work } from '../driver/work.ts';
import { filterOf } from '../predicate/filter-of.ts';
import { everyRecord } from '../predicate/predicate.ts';
import { isEveryRecord } from '../predicate/row-scope.ts';
import { includePaths } from '../query/include-paths.ts';
import type { Within } from '../query/within.ts';
import type { StoredRecord } from '../stored-record.ts';
import { forClients } from './hidden-records.ts';

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

/** A child, and which of the records that were asked for it refers to. */
interface Child {
  readonly parent: number;
  readonly record: StoredRecord;
}

/** The size of a child in bytes, and which of the records that were asked for it refers to. */
interface ChildSize {
  readonly parent: number;
  readonly bytes: number;
}

/** The reads of children, for many records in one command. */
export interface ChildrenReads {
  /**
   * Finds the children of the records with these ids: for each at most one more than `max`, in order. Reads at most as
   * many bytes as there is room for. Throws {@link TooMuchIncluded} for more bytes, or for more than `most` children.
   */
  findChildren(parents: readonly unknown[], children: Children, reach: Reach, room: Room, work: Work): Promise<Child[]>;
  /**
   * Measures the children that {@link findChildren} would return, in bytes: in the same order, and up to one more than
   * `most`.
   */
  sizeChildren(parents: readonly unknown[], children: Children, reach: Reach, work: Work): Promise<readonly ChildSize[]>;
  /**
   * Counts the children of the records with these ids, for each up to one more than `max`. Those without any have no
   * number.
   */
  countChildren(parents: readonly unknown[], children: Children, reach: Reach, work: Work): Promise<ReadonlyMap<number, number>>;
}

/** Which children are to be read, and how many for all records together. */
interface Reach {
  readonly within: Within;
  readonly most: number;
  /** The fields that the client chose of them. @default every readable field */
  readonly fields?: SelectedFields | undefined;
}

/** The driver's types of an aggregation lack the signal. */
type Options = AggregateOptions & Abortable;

/**
 * Opens the reads of the children in a collection. The ids of the parents are the documents of the aggregation, and
 * `$lookup` finds the children of each by its own query: with an index of the path and the sort it reads no more of
 * them than it returns, however many there are. Its result is unwound within the stage, so that no document holds all
 * children of a record, and the reply comes in batches.
 */
export function openChildren(model: CompiledModel, db: Db, { readMany }: Pick<Commands, 'readMany'>): ChildrenReads {
  const { privatePaths } = model;
  const withoutPrivate: BsonDocument[] =
    privatePaths.length > 0 ? [{ $project: Object.fromEntries(privatePaths.map((path) => [path, 0])) }] : [];

  function projecting(fields: SelectedFields | undefined): BsonDocument[] {
    return fields ? [{ $project: includePaths(fields.paths) }] : withoutPrivate;
  }

  function build(
    parents: readonly unknown[],
    path: string,
    { within, most }: Reach,
    pipeline: readonly BsonDocument[],
    command: Command,
  ): BsonDocument[] {
    const documents = { $documents: { $literal: parents.map((_id, at) => ({ _id, at })) } };
    const scope = within.of(model) ?? everyRecord;
    const own = [...(isEveryRecord(scope) ? [] : [{ $match: filterOf(scope) }]), ...pipeline];
    const lookup = { from: model.collection, localField: '_id', foreignField: path, pipeline: own, as: 'child' };
    return [command.handOver(documents), { $lookup: lookup }, { $unwind: '$child' }, { $unset: '_id' }, { $limit: most + 1 }];
  }

  const { sizeOf, toRecord } = forClients(model);
  const hides = readsHidden(model.root);

  /** Takes the child out of `{ at, child }` without decoding it. */
  function toChild(bytes: Uint8Array, fields: SelectedFields | undefined): Child {
    return { parent: parentOf(bytes), record: toRecord(childOf(bytes), fields) };
  }

  function sizeOfChild(bytes: Uint8Array): number {
    return sizeOf(childOf(bytes)) + sizeOfRest;
  }

  /** The database cannot say how much of a child is shown: it is read for that, and not kept. */
  async function sizeShown(parents: readonly unknown[], { path, sort, max }: Measured, reach: Reach, work: Work): Promise<ChildSize[]> {
    const own = [{ $sort: new Map(sort) }, { $limit: max + 1 }, ...projecting(reach.fields)];
    return readMany(work, (command) => {
      const options: Options = { ...bsonOptions, ...command.options, ...asBytes };
      const taking: Taking<ChildSize> = { sizeOf: () => 0, make: (bytes) => ({ parent: parentOf(bytes), bytes: sizeOfChild(bytes) }) };
      return command.count(() => takeAll(db.aggregate(build(parents, path, reach, own, command), options), new Room(0), taking));
    });
  }

  return {
    async findChildren(parents, { path, sort, max }, reach, room, work) {
      const own = [{ $sort: new Map(sort) }, { $limit: max + 1 }, ...projecting(reach.fields)];
      const batchSize = Math.min(parents.length * (max + 1), reach.most) + 1; // all in the first batch, as far as a reply can hold them
      const found = await readMany(work, (command) => {
        const options: Options = { ...bsonOptions, ...command.options, ...asBytes, batchSize };
        const taking: Taking<Child> = { sizeOf: sizeOfChild, make: (bytes) => toChild(bytes, reach.fields) };
        return command.count(() => takeAll(db.aggregate(build(parents, path, reach, own, command), options), room, taking));
      });
      if (found.length > reach.most) throw new TooMuchIncluded();
      return found;
    },

    async sizeChildren(parents, { path, sort, max }, reach, work) {
      if (hides) return sizeShown(parents, { path, sort, max }, reach, work);
      const size = { $project: { _id: 0, bytes: { $bsonSize: '$$ROOT' } } };
      const own = [{ $sort: new Map(sort) }, { $limit: max + 1 }, ...projecting(reach.fields), size];
      const found = await readMany(work, (command) => {
        const options: Options = { ...bsonOptions, ...command.options, batchSize: reach.most + 2 };
        return command.count(() => db.aggregate<Sized>(build(parents, path, reach, own, command), options).toArray());
      });
      return found.map(({ at, child }) => ({ parent: Number(at), bytes: Number(child.bytes) + sizeOfRest }));
    },

    async countChildren(parents, { path, max }, reach, work) {
      const own = [{ $limit: max + 1 }, { $count: 'count' }];
      const counts = await readMany(work, (command) => {
        const options: Options = { ...bsonOptions, ...command.options, batchSize: parents.length + 1 };
        return command.count(() => db.aggregate<Counted>(build(parents, path, reach, own, command), options).toArray());
      });
      return new Map(counts.map(({ at, child }) => [Number(at), Number(child.count)]));
    },
  };
}

/** The bytes of `{ at, child }` without those of the child: they are read too. */
const sizeOfRest = 20;

interface Sized {
  readonly at: number;
  readonly child: { readonly bytes: number };
}

interface Counted {
  readonly at: number;
  readonly child: { readonly count: number };
}

type Measured = Pick<Children, 'path' | 'sort' | 'max'>;

function parentOf(bytes: Uint8Array): number {
  return readInt32(bytes, memberOf(bytes, 'at').start);
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
