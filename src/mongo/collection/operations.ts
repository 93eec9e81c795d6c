import type { Find } from './find.ts';
import type { ManyInserts } from './insert-many.ts';
import type { Reads } from './reads.ts';
import type { ReferenceCommands } from './reference-commands.ts';
import type { RelatedReads } from './related.ts';
import type { ManyWrites } from './write-many.ts';
import type { WriteOne } from './write-one.ts';

/**
 * The operations on the records of a collection. Each takes what it reaches, if it addresses stored records, and the
 * work of the request, which has its deadline, its signal and its transaction: a caller cannot forget them.
 */
export interface Operations extends Find, Reads, RelatedReads, ReferenceCommands, ManyInserts, ManyWrites, WriteOne {}

/**
 * Every operation that changes records. `holdAll` is none of them: it changes nothing that anybody sees. A purge is
 * none either: it leaves nothing behind, and erases what the others have left (`mongo/keeps/`).
 */
export const recordedWrites = ['write', 'insertEach', 'insertAll', 'updateMany', 'removeMany', 'removeAll', 'rewriteAll'] as const;

/** The operations that change records. */
export type RecordedWrites = Pick<Operations, (typeof recordedWrites)[number]>;
