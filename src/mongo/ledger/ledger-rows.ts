import { BSON, type Collection, type Db, MongoServerError } from 'mongodb';
import type { CompiledLedger } from '../../model/compile/compile-ledger.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import { compileInsertMany } from '../driver/insert-command.ts';
import type { Work } from '../driver/work.ts';
import { actorOf } from './actor.ts';
import { type Circumstances, entryOf, eventOf, type RecordedChange } from './entry.ts';

/** What a ledger needs to send commands. */
export interface LedgerSettings {
  readonly db: Db;
  readonly maxTimeMS: number;
}

/** Writes what is kept of changes, in the transaction of the work. */
export interface LedgerRows {
  /** Writes the entries and the events of changes that were made at the same time. */
  record(changes: readonly RecordedChange[], work: Work): Promise<void>;
}

/** The most rows of one command, and the most bytes. */
const rowsPerCommand = 1_000;
const bytes = { most: 8 * 1024 ** 2, of: (row: object) => BSON.calculateObjectSize(row, { ignoreUndefined: true }) };

/** Opens the collections of a ledger. */
export function openRows(model: CompiledModel, ledger: CompiledLedger, { db, maxTimeMS }: LedgerSettings): LedgerRows {
  const { history, outbox } = ledger;

  function open(name: string) {
    const collection: Collection = db.collection(name, bsonOptions);
    const { write } = planCommands(model, db, collection, maxTimeMS);
    const insertMany = compileInsertMany(db, collection);
    return {
      async insert(rows: readonly object[], work: Work): Promise<void> {
        for (const [first = {}, ...others] of inParts(rows, rowsPerCommand, bytes)) {
          const { writeErrors = [] } = await write(work, (command) =>
            insertMany(
              { documents: [command.handOver(first), ...others], ordered: false, mayRepeat: () => !command.aborted },
              command.options,
            ),
          );
          if (writeErrors[0]) throw new MongoServerError(writeErrors[0]);
        }
      },
    };
  }

  const entries = history && open(history.collection);
  const events = outbox && open(outbox.collection);

  async function circumstancesOf({ before, after }: RecordedChange, { caller }: Work): Promise<Circumstances> {
    const { updatedAt } = model;
    const time = updatedAt && before !== undefined ? after?.[updatedAt.key] : undefined;
    return {
      at: time instanceof Date ? time : new Date(),
      actor: await actorOf(caller, ledger.by),
      requestId: caller?.requestId,
      operation: caller?.operation?.name,
    };
  }

  return {
    async record(changes, work) {
      const [first] = changes;
      if (!first) return;
      const circumstances = await circumstancesOf(first, work);
      if (entries)
        await entries.insert(
          changes.map((one) => entryOf(model, history, one, circumstances)),
          work,
        );
      if (events)
        await events.insert(
          changes.map((one) => eventOf(model, one, circumstances)),
          work,
        );
    },
  };
}
