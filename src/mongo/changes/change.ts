import type { Document as BsonDocument, Timestamp } from 'mongodb';

/** A change in a collection. */
export interface CollectionChange {
  readonly collection: string;
  /** The id of the record. Undefined for a change of the whole collection. */
  readonly id: unknown;
  /** The stored names of the changed fields, without what is below them. Undefined if any may have changed. */
  readonly keys: ReadonlySet<string> | undefined;
  /** Whether the record was created. */
  readonly isNew: boolean;
  /** Whether the record was deleted. */
  readonly isDelete: boolean;
  /** The time of the database from which on reads show it. */
  readonly time: Timestamp | undefined;
}

/** An event of a change stream, as far as {@link changePipeline} lets it through. */
export interface ChangeEvent {
  readonly _id: unknown;
  readonly operationType: string;
  readonly ns?: { readonly db: string; readonly coll?: string };
  readonly to?: { readonly db: string; readonly coll: string };
  readonly documentKey?: { readonly _id?: unknown };
  readonly clusterTime?: Timestamp;
  /** The dotted paths that an update has written. */
  readonly paths?: readonly string[];
}

/** The stages that leave of an event what {@link readChange} needs: no values. The id of the event must stay. */
export function changePipeline(collections: ReadonlySet<string>): BsonDocument[] {
  const among = { $in: [...collections] };
  const written = { $map: { input: { $objectToArray: { $ifNull: ['$updateDescription.updatedFields', {}] } }, in: '$$this.k' } };
  const cut = { $map: { input: { $ifNull: ['$updateDescription.truncatedArrays', []] }, in: '$$this.field' } };
  const paths = { $concatArrays: [written, { $ifNull: ['$updateDescription.removedFields', []] }, cut] };
  return [
    { $match: { $or: [{ 'ns.coll': among }, { 'to.coll': among }, { operationType: { $in: ['dropDatabase', 'invalidate'] } }] } },
    { $project: { operationType: 1, ns: 1, to: 1, documentKey: 1, clusterTime: 1, paths } },
  ];
}

/** What an event says about collections: both for one that was renamed to another. */
export function readChange({ operationType, ns, to, documentKey, clusterTime: time, paths }: ChangeEvent): CollectionChange[] {
  const keys = operationType === 'update' && paths ? new Set(paths.map((path) => path.split('.', 1)[0] as string)) : undefined;
  const id = documentKey?._id;
  const [isNew, isDelete] = [operationType === 'insert', operationType === 'delete'];
  return [ns?.coll, to?.coll].flatMap((collection) => (collection === undefined ? [] : [{ collection, id, keys, isNew, isDelete, time }]));
}
