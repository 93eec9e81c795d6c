import { type Collection, type Db, MongoServerError } from 'mongodb';
import type { CompiledLedger } from '../../model/compile/compile-ledger.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { roughSize } from '../../model/value/bson-size.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { compileInsertMany } from '../driver/insert-command.ts';
import { Turn } from '../driver/turn.ts';
import type { Work } from '../driver/work.ts';
import { actorOf } from './actor.ts';
import { type Circumstances, type EntryRules, entryOf, eventOf, type RecordedChange } from './entry.ts';
import { compileBounds } from './kept-values.ts';

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

/** The most rows of one command, and their size: as many as are turned into BSON while no other request runs. */
const [rowsPerCommand, sizePerCommand] = [1_000, 524_288];

/** Opens the collections of a ledger. */
export function openRows(model: CompiledModel, ledger: CompiledLedger, { db, maxTimeMS }: LedgerSettings): LedgerRows {
  const { history, outbox } = ledger;

  function open(name: string) {
    const collection: Collection = db.collection(name, bsonOptions);
    const { write } = planCommands(model, db, collection, maxTimeMS);
    const insertMany = compileInsertMany(db, collection);
    async function send([first = {}, ...others]: readonly object[], work: Work): Promise<void> {
      const { writeErrors = [] } = await write(work, (command) =>
        insertMany({ documents: [command.handOver(first), ...others], ordered: false, mayRepeat: () => !command.aborted }, command.options),
      );
      if (writeErrors[0]) throw new MongoServerError(writeErrors[0]);
    }
    return {
      /** Writes the rows of changes. They are made one after the other, and none is held longer than its command. */
      async insert<T>(changes: readonly T[], rowOf: (change: T) => object, work: Work): Promise<void> {
        const turn = new Turn();
        let rows: object[] = [];
        let all = 0;
        for (const change of changes) {
          const row = rowOf(change);
          const size = roughSize(row);
          if (rows.length === rowsPerCommand || (rows.length > 0 && all + size > sizePerCommand)) {
            await send(rows, work);
            [rows, all] = [[], 0];
          }
          rows.push(row);
          all += size;
          await turn.pass();
        }
        if (rows.length > 0) await send(rows, work);
      },
    };
  }

  const entries = history && open(history.collection);
  const events = outbox && open(outbox.collection);
  const rules: EntryRules = { scopeFields: history?.scopeFields ?? [], bounds: compileBounds(model.root) };

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
      await entries?.insert(changes, (one) => entryOf(model, rules, one, circumstances), work);
      await events?.insert(changes, (one) => eventOf(model, one, circumstances), work);
    },
  };
}
