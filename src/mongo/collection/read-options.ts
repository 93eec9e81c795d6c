import type { Document as BsonDocument } from 'mongodb';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import type { Precondition } from '../query/precondition.ts';
import type { Sight } from '../through/through-field.ts';

/** How records are read. */
interface ReadOptions {
  /** Fetches whole records, with private fields, for hooks and handlers. @default false */
  readonly fetchPrivate?: boolean;
}

/** How a page is read. */
export interface ReadPageOptions extends ReadOptions {
  /** How many bytes a page may have, both as BSON and as JSON. */
  readonly maxPageBytes: number;
  /** Whether the database measures the records first, and sends no more than fit: one more command. @default false */
  readonly measuresFirst?: boolean;
  /** Whether all that is fetched counts, for code that sees everything. @default only what the model shows */
  readonly countsAll?: boolean;
  /** What is fetched of each record. @default by the fields of the query and the view */
  readonly projection?: BsonDocument;
  /** The related records that the query may name. @default none */
  readonly through?: ThroughReadOptions;
  /**
   * Is told the stored id of a record that was left out, because no path can address it: it is of another type than the
   * model's. @default such records are in the page
   */
  readonly onUnaddressable?: (id: unknown) => void;
}

/** How the related records of a query are read. */
export interface ThroughReadOptions {
  readonly sight: Sight;
  /** The most ids of one relation that become part of a filter. */
  readonly maxIds: number;
  /** The most matches that are sorted by values of related records. */
  readonly maxSorted: number;
}

/** How one record is read. */
export interface ReadOneOptions extends ReadOptions {
  /** The fields that the client chose. @default every readable field */
  readonly fields?: SelectedFields | undefined;
  /** The precondition that the record must fulfil; otherwise it is 412. */
  readonly precondition?: Precondition | undefined;
  /**
   * Asks the primary, whatever the read preference of the database is: a write needs the record as it is, and a 404 or
   * 412 must not tell of an older state. @default false
   */
  readonly latest?: boolean;
}
