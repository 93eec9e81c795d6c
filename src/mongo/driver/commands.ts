import type { Collection, Db, MongoClient } from 'mongodb';
import { ConfigurationError, isProblem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { CommandPlan, FailedSending } from './command-plan.ts';
import type { Told } from './duplicate-key.ts';
import { explainFailure } from './outcome.ts';
import { needOf, reachabilityOf } from './reachability.ts';
import { isSocketError } from './server-error.ts';
import type { Command, Work } from './work.ts';

type Run = <T>(work: Work, send: (command: Command) => Promise<T>) => Promise<T>;

/**
 * Sends commands on one collection, within the time of the request. An error of the driver is thrown as the problem
 * that clients are told.
 */
export interface Commands {
  /** Reads one record. */
  readonly readOne: Run;
  /** Reads many records. Its timeout advises the client to narrow the query. */
  readonly readMany: Run;
  /** Reads from the primary, after a write has missed: a secondary may not have the current record yet. */
  readonly readLatest: Run;
  /** The same for many records that are found by what they fulfil. Its timeout advises as that of `readMany`. */
  readonly searchLatest: Run;
  /** Writes. */
  readonly write: <T>(work: Work, send: (command: Command) => Promise<T>, writer?: Told) => Promise<T>;
}

type Kind = Pick<CommandPlan, 'isWrite' | 'need'> & { readonly isList?: boolean };

/**
 * Plans the commands on a collection. `maxTimeMS` becomes the budget of a request whose first command is one of them.
 */
export function planCommands(model: CompiledModel, db: Db, collection: Pick<Collection, 'readPreference'>, maxTimeMS: number): Commands {
  checkWriteConcern(db);
  const reachability = reachabilityOf(db.client);
  const need = needOf(collection.readPreference?.mode);

  function plan({ isWrite, need, isList = false }: Kind): CommandPlan {
    const explain = (error: unknown, sending: FailedSending) => {
      const { isRouted } = reachability;
      const isWithoutServer = reachability.isWithout(sending.isInTransaction ? 'primary' : need);
      return explainFailure(error, { ...sending, model, isWrite, isList, isRouted, isWithoutServer });
    };
    return { isWrite, need, maxTimeMS, reachability, collection: model.collection, explain };
  }

  const write = plan({ isWrite: true, need: 'primary' });
  return {
    readOne: reading(plan({ isWrite: false, need })),
    readMany: reading(plan({ isWrite: false, need, isList: true })),
    readLatest: reading(plan({ isWrite: false, need: 'primary' })),
    searchLatest: reading(plan({ isWrite: false, need: 'primary', isList: true })),
    write(work, send, writer) {
      if (work.transaction) work.transaction.writes++;
      return work.run(write, (command) => {
        command.writer = writer;
        return command.count(() => send(command));
      });
    },
  };
}

/**
 * Retries a read once after an error of a socket. The driver retries reads too, but not if the connection broke while
 * it was writing to it.
 */
function reading(plan: CommandPlan): Run {
  return async function read(work, send) {
    try {
      return await work.run(plan, send);
    } catch (error) {
      if (work.transaction || !isProblem(error) || !isSocketError(error.cause)) throw error;
      return work.run(plan, send);
    }
  };
}

/** The clients that a warning was emitted for: one for each client is enough. */
const warned = new WeakSet<MongoClient>();

/**
 * Refuses `w: 0`: without an acknowledgement no answer could be true. Warns about `w: 1`, because a new primary may not
 * have the acknowledged writes.
 */
export function checkWriteConcern({ client, writeConcern }: Db): void {
  const w = writeConcern?.w;
  if (w === 0)
    throw new ConfigurationError("The write concern of `db` is `w: 0`: writes are not acknowledged. Leave it out, or use `w: 'majority'`.");
  if (w !== 1 || warned.has(client)) return;
  warned.add(client);
  process.emitWarning(
    "The write concern of `db` is `w: 1`: when another server becomes the primary, writes that were acknowledged may be lost. Leave it out, or use `w: 'majority'`.",
    { type: 'KoaMongoResourceWarning', code: 'WEAK_WRITE_CONCERN' },
  );
}
