import type { Document as BsonDocument } from 'mongodb';
import { defineModel, type Model } from '../../../../model/define/define-model.ts';
import { t } from '../../../../model/define/t.ts';
import type { Filter } from '../../../predicate/predicate.ts';

/** The collection of the latches, in the database of the models. */
export const latchCollection = 'reference_latches';

/** The most latches that any process may give a record. */
export const mostLatches = 1_000;

/**
 * For how long a latch is kept after its last use, in seconds. It may go at any time: the next writer makes another
 * one.
 */
const latchLifeSeconds = 86_400;

/** A record that is referred to. */
export interface Latched {
  readonly collection: string;
  readonly id: unknown;
}

/** The id of a latch. */
interface LatchId {
  readonly in: string;
  readonly id: unknown;
  readonly n: number;
}

/** The hour of the last use: the index of these times changes once in an hour, and not with each use. */
const thisHour: BsonDocument = { $dateTrunc: { date: '$$NOW', unit: 'hour' } };

/** The id of one latch of a record. */
function latchId({ collection, id }: Latched, n: number): LatchId {
  return { in: collection, id, n };
}

/** The filter of all latches of a record, whichever process has made them: a range of the index of ids. */
export function latchesOf(record: Latched): Filter {
  return { _id: { $gte: latchId(record, 0), $lt: latchId(record, mostLatches) } };
}

/** A part of an `update` or `delete` command. */
export type Statement = BsonDocument;

/**
 * Writes a latch, so that every other transaction that writes it conflicts with this one. A latch that is shut stays as
 * it is, which the count of modified documents tells. The first latch of a record is made if it is not there.
 */
export function take(record: Latched, n: number): Statement {
  const isShut = { $gt: ['$shutUntil', '$$NOW'] };
  const taken = { $mergeObjects: ['$$ROOT', { uses: { $add: [{ $ifNull: ['$uses', 0] }, 1] }, usedAt: thisHour }] };
  return { q: { _id: latchId(record, n) }, u: [{ $replaceWith: { $cond: [isShut, '$$ROOT', taken] } }], upsert: n === 0 };
}

/** Makes a latch that is not there. */
export function make(record: Latched, n: number): Statement {
  return { q: { _id: latchId(record, n) }, u: [{ $set: { uses: { $ifNull: ['$uses', 0] }, usedAt: thisHour } }], upsert: true };
}

/** Shuts the latches of a record for some time, by the clock of the database. */
export function shut(record: Latched, by: unknown, forMS: number): Statement {
  return { q: latchesOf(record), u: [{ $set: { shutUntil: { $add: ['$$NOW', forMS] }, shutBy: by } }], multi: true };
}

/** Opens the latches of a record that this delete has shut. */
export function open(record: Latched, by: unknown): Statement {
  return { q: { ...latchesOf(record), shutBy: by }, u: { $unset: { shutUntil: '', shutBy: '' } }, multi: true };
}

/** Removes the first latch of a record. */
export function unmake(record: Latched): Statement {
  return { q: { _id: latchId(record, 0) }, limit: 1 };
}

/** Removes the latches of a record. */
export function remove(record: Latched): Statement {
  return { q: latchesOf(record), limit: 0 };
}

/** The model of the latches. Its fields are not read by it: it is there for the plan of the indexes. */
export const latchModel: Model = defineModel('ReferenceLatch', {
  collection: latchCollection,
  fields: { id: t.string(), usedAt: t.date() },
  indexes: [{ key: { usedAt: 1 }, expireAfterSeconds: latchLifeSeconds }],
}) as unknown as Model;
