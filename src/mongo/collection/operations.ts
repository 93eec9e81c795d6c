import type { Find } from './find.ts';
import type { ManyInserts } from './insert-many.ts';
import type { Reads } from './reads.ts';
import type { RelatedReads } from './related.ts';
import type { WriteMany } from './write-many.ts';
import type { WriteOne } from './write-one.ts';

/**
 * The operations on the records of a collection. Each takes what it reaches, if it addresses stored records, and the
 * work of the request, which has its deadline, its signal and its transaction: a caller cannot forget them.
 */
export interface Operations extends Find, Reads, RelatedReads, ManyInserts, WriteMany, WriteOne {}

/** Every operation that changes records. */
export const recordedWrites = ['write', 'writeMany', 'insertEach', 'insertAll'] as const;

/** The operations that change records. */
export type RecordedWrites = Pick<Operations, (typeof recordedWrites)[number]>;
