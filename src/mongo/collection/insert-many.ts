import { type Collection, type Db, MongoServerError } from 'mongodb';
import { isProblem, Problem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { bsonSize, mostPerUnit, roughSize } from '../../model/value/bson-size.ts';
import { placeError } from '../../rules.ts';
import type { Commands } from '../driver/commands.ts';
import { inParts, type Sizes } from '../driver/in-parts.ts';
import { compileInsertMany, type WriteError } from '../driver/insert-command.ts';
import { explainFailure } from '../driver/outcome.ts';
import { reachabilityOf } from '../driver/reachability.ts';
import type { Transact } from '../driver/run-transaction.ts';
import { isError } from '../driver/server-error.ts';
import type { Command, Work } from '../driver/work.ts';
import type { Writer } from './writer.ts';

type Stored = Record<string, unknown>;

/** The inserts of many records at once. */
export interface ManyInserts {
  /**
   * Inserts each record by itself. Returns the error of each that was not stored, by its place. The records of a
   * command whose outcome is unknown are 504. Within a transaction, an error of the database is thrown, because the
   * transaction is lost by it. `places` are those of the records in a larger array; by default their own. `writer` is
   * by default the application itself.
   */
  insertEach(records: readonly Stored[], work: Work, places?: readonly number[], writer?: Writer): Promise<ReadonlyMap<number, Error>>;
  /**
   * Inserts all records or none, in one transaction. Throws the first error; the fields in it have the place of the
   * record in front.
   */
  insertAll(records: readonly Stored[], work: Work, writer?: Writer): Promise<void>;
}

interface Settings extends Pick<Commands, 'write'> {
  readonly transact: Transact;
}

/** The most records of one command, and the most bytes. */
const recordsPerCommand = 1_000;
const bytes: Sizes<Stored> = {
  most: 8 * 1024 ** 2,
  of: bsonSize,
  mostOf: (record) => mostPerUnit * roughSize(record),
};

/** The records of one command, and the place of the first. */
interface Part {
  readonly at: number;
  readonly records: readonly Stored[];
}

/** Opens the inserts of many records into a collection. */
export function openManyInserts(model: CompiledModel, db: Db, collection: Collection<Stored>, { write, transact }: Settings): ManyInserts {
  const insertMany = compileInsertMany(db, collection);

  async function send([first = {}, ...others]: readonly Stored[], command: Command): Promise<readonly WriteError[]> {
    const body = { documents: [command.handOver(first), ...others], ordered: false, mayRepeat: () => !command.aborted } as const;
    const { writeErrors = [] } = await insertMany(body, command.options);
    return writeErrors;
  }

  /** Returns the errors of single records by their place in the part. An error of the whole command is thrown. */
  function insertPart({ records, at }: Part, work: Work, writer: Writer | undefined): Promise<[number, Error][]> {
    const insert = async (command: Command): Promise<[number, Error][]> => {
      const failed = await send(records, command);
      const [first] = failed;
      if (first && command.session) throw new MongoServerError({ ...first, index: at + first.index });
      return failed.map((error) => [at + error.index, explain(error, command, writer)]);
    };
    return write(work, insert, writer);
  }

  function explain(error: WriteError, { handOvers }: Command, writer: Writer | undefined): Error {
    const { isRouted } = reachabilityOf(db.client);
    const failed = { model, isWrite: true, handOvers, isRouted, isWithoutServer: false, writer };
    return explainFailure(new MongoServerError(error), failed) as Error;
  }

  return {
    async insertEach(records, work, places = [...records.keys()], writer) {
      if (model.folds) for (const record of records) model.folds.addTo(record);
      const errors = new Map<number, Error>();
      for (const part of divide(records)) {
        try {
          for (const [index, error] of await insertPart(part, work, writer)) errors.set(places[index] as number, error);
        } catch (error) {
          if (work.transaction || !isError(error)) throw withPlace(error, places);
          for (const place of places.slice(part.at, part.at + part.records.length)) errors.set(place, error);
        }
      }
      return errors;
    },

    insertAll(records, work, writer) {
      if (model.folds) for (const record of records) model.folds.addTo(record);
      async function insertParts(): Promise<void> {
        for (const part of divide(records)) {
          try {
            await insertPart(part, work, writer);
          } catch (error) {
            throw withPlace(error, [...records.keys()]);
          }
        }
      }
      return transact(work, (transaction) => transaction.join(insertParts));
    },
  };
}

function* divide(records: readonly Stored[]): Generator<Part> {
  let at = 0;
  for (const part of inParts(records, recordsPerCommand, bytes)) {
    yield { at, records: part };
    at += part.length;
  }
}

/** The same problem, with the place of its record in front of the fields. */
function withPlace(error: unknown, places: readonly number[]): unknown {
  if (!isProblem(error)) return error;
  const { index } = (error.cause ?? {}) as { readonly index?: unknown };
  const place = typeof index === 'number' ? places[index] : undefined;
  return place === undefined ? error : atPlace(error, place);
}

/** The same problem about one record of several: the fields in it have the place of the record in front. */
export function atPlace(problem: Problem, index: number): Problem {
  const { status, code, title, type, detail, headers, cause, errors } = problem;
  const placed = errors?.map((error) => placeError(error, String(index)));
  return new Problem({ status, code, title, type, detail, headers, cause, ...(placed && { errors: placed }) });
}
