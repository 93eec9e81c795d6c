import type { Collection, Db } from 'mongodb';
import { Problem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { explainFailure, isSocketError } from './outcome.ts';
import { needOf, reachabilityOf } from './reachability.ts';
import type { Command, CommandPlan, Work } from './work.ts';
import { checkWriteConcern } from './write-concern.ts';

type Run = <T>(work: Work, send: (command: Command) => Promise<T>) => Promise<T>;

/** How commands on one collection are sent: within the request's time, and every error of the driver as what it means to the client. */
export interface Commands {
  /** For one record. */
  readonly readOne: Run;
  /** For many records, which filters could make fewer. */
  readonly readMany: Run;
  /** For what a write has just seen: a secondary may not know it yet. */
  readonly readLatest: Run;
  readonly write: Run;
}

type Kind = Pick<CommandPlan, 'isWrite' | 'need'> & { readonly isList?: boolean };

/** Plans the commands on a collection. `maxTimeMS` is the budget of a request whose first command is one of them. */
export function planCommands(model: CompiledModel, db: Db, collection: Pick<Collection, 'readPreference'>, maxTimeMS: number): Commands {
  checkWriteConcern(db);
  const reachability = reachabilityOf(db.client);
  const need = needOf(collection.readPreference?.mode);

  function plan({ isWrite, need, isList = false }: Kind): CommandPlan {
    const explain = (error: unknown, handOvers: number) => {
      const { isRouted } = reachability;
      return explainFailure(error, { model, isWrite, isList, handOvers, isRouted, isWithoutServer: reachability.isWithout(need) });
    };
    return { isWrite, need, maxTimeMS, reachability, explain };
  }

  const write = plan({ isWrite: true, need: 'primary' });
  return {
    readOne: reading(plan({ isWrite: false, need })),
    readMany: reading(plan({ isWrite: false, need, isList: true })),
    readLatest: reading(plan({ isWrite: false, need: 'primary' })),
    write: (work, send) => work.run(write, (command) => command.count(() => send(command))),
  };
}

/** The driver tries a read again when a connection breaks, but not where it was just writing to it. */
function reading(plan: CommandPlan): Run {
  return async function read(work, send) {
    try {
      return await work.run(plan, send);
    } catch (error) {
      if (!(error instanceof Problem) || !isSocketError(error.cause)) throw error;
      return work.run(plan, send);
    }
  };
}
