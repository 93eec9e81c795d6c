import type { Document as BsonDocument } from 'mongodb';
import { decode } from '../driver/bson-options.ts';
import type { FirstBatch } from '../driver/read-batches.ts';
import type { Within } from '../lifecycle/within.ts';
import type { Matching } from '../through/plan-through.ts';
import type { ThroughReadOptions } from './read-options.ts';

/** All records that a list would show. */
export interface Listed {
  readonly query: Matching;
  readonly within: Within;
  /** The related records that the query may name. @default none */
  readonly through?: ThroughReadOptions | undefined;
}

/** What is told of many records by one command. */
export interface Summary<T> {
  /** The stages behind what the records fulfil. */
  readonly stages: readonly BsonDocument[];
  /** How many documents they return at most. */
  readonly limit: number;
  /** False if the database must not write to its disk for it. @default as the database is configured */
  readonly allowDiskUse?: false;
  take(batch: FirstBatch): T;
}

/** How many records there are, up to `max`. */
export function countOf(max?: number): Summary<number> {
  const limited = max === undefined ? [] : [{ $limit: max }];
  return {
    stages: [...limited, { $count: 'count' }],
    limit: 1,
    take: ({ found: [one] }) => (one ? Number(decode(one).count) : 0), // of no record there is no document
  };
}
