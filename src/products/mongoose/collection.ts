import { markOf } from '../../marks.ts';
import type { MaintainedKeys } from './steps.ts';

export type Table = Readonly<Record<string, unknown>>;
export type Method = (...given: readonly unknown[]) => unknown;

/** The collection of a mongoose model. Mongoose sends every command by its methods, which are those of the driver. */
export type MongooseCollection = { readonly name: string; readonly conn: MongooseConnection } & Record<string | symbol, unknown>;

/** A connection of mongoose, and its collections by name. */
export interface MongooseConnection {
  /** That of its database. */
  readonly name: string;
  readonly collections: Readonly<Record<string, MongooseCollection>>;
}

/** A method of a collection that is covered. */
export interface Covered {
  readonly collection: MongooseCollection;
  readonly keys: MaintainedKeys;
  readonly name: string;
  /**
   * Calls a method of the collection as it was. `made` is a value that was made for this call: before mongoose is
   * connected, its collection queues the call, and makes it again by the covered method, which must then leave it as it
   * is.
   */
  call(name: string, given: readonly unknown[], made?: object): unknown;
}

/** The keys are kept at the collection itself, so that another copy of the library does not cover it again. */
export const coveredMark = markOf('mongoose');

/** The keys of a collection that is covered. */
export function coveredKeys(collection: MongooseCollection | undefined): MaintainedKeys | undefined {
  return collection?.[coveredMark] as MaintainedKeys | undefined;
}
