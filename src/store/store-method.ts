import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { DeletedOption } from '../model/define/deleted-option.ts';
import type { DatabaseOptions } from '../mongo/collection/collection.ts';
import type { ReadOneOptions } from '../mongo/collection/read-options.ts';
import type { WritePlan } from '../mongo/collection/write-plan.ts';
import type { Target } from '../mongo/collection/writer.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { Predicate } from '../mongo/predicate/predicate.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import type { Limits } from './limits.ts';

/** What a method of a store has of its store. */
export interface StoreParts {
  readonly model: CompiledModel;
  readonly database: DatabaseOptions;
  /** Reads one record within the limits of the store, and says within which scope. Throws 404 if there is none. */
  read(id: unknown, options: DeletedOption, read: ReadOneOptions): Promise<FoundRecord>;
  /** The work of a page of many. Throws if the user of the store must not read on. */
  workOfPage(isFirst: boolean): Work;
  /** Writes one record within the limits of the store, and returns its document. `options` are those of every write. */
  write(id: unknown, options: unknown, plan: (target: Target, limits: Limits) => WritePlan): Promise<unknown>;
  /**
   * Reads a new document with this id, writes the record within the limits of the store, and returns its document as it
   * is stored then. Throws 422, also for an id that no record can have.
   */
  writeNew(id: unknown, document: unknown, plan: (target: Target, stored: Record<string, unknown>) => WritePlan): Promise<Written>;
}

/** A record, and the scope of the store that has found it. */
interface FoundRecord {
  readonly record: StoredRecord;
  readonly scope: Predicate | undefined;
}

/** The document of a written record, and whether the write has inserted it. */
interface Written {
  readonly record: unknown;
  readonly isNew: boolean;
}

/** A method that a plug-in adds to stores. It gets what its caller gives, unread. */
export type MethodOfStore = (store: StoreParts, ...given: readonly never[]) => unknown;
