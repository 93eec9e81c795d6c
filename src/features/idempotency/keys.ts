import { BSON, type Collection, type UpdateFilter } from 'mongodb';
import { Problem } from '../../errors.ts';
import { compileModel } from '../../model/compile/compile-model.ts';
import { defineModel, type Model } from '../../model/define/define-model.ts';
import { t } from '../../model/define/t.ts';
import { digestOfId } from '../../model/value/digest-of-id.ts';
import { bsonOptions } from '../../mongo/driver/bson-options.ts';
import { planCommands } from '../../mongo/driver/commands.ts';
import { asDb, type Database } from '../../mongo/driver/database.ts';
import { inParts } from '../../mongo/driver/in-parts.ts';
import { runTransaction } from '../../mongo/driver/run-transaction.ts';
import { isServerError, serverCodes } from '../../mongo/driver/server-error.ts';
import type { Work } from '../../mongo/driver/work.ts';
import type { Gone, Keep } from '../../mongo/keeps/keep.ts';
import type { KeptView, ShownRecords } from '../../mongo/shown-record.ts';

/** A document of MongoDB has at most 16 MiB; the rest of the key needs less than a KiB. */
const mostBytes = 2 ** 24 - 1024;

/** The most ids whose answers one command erases: it names each in several ways. */
const idsPerErasure = 1_000;

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** The records that it shows, for each operation. */
  readonly shown: readonly ShownRecords[];
  /** The view in which it was made. Undefined if it does not depend on rules. */
  readonly view?: KeptView | undefined;
}

/** The facts about a key: the request that it came with, and its answer. */
export interface KeptKey {
  /** A digest of the request. */
  readonly request: string;
  readonly answer: KeptAnswer;
}

/** A request with the same key has been committed since the key was looked up. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** A key as it is written first, in the transaction that also writes its answer. */
interface BegunKey {
  readonly _id: string;
  readonly request: string;
  readonly expiresAt: Date;
}

/** A key as it is committed. */
interface StoredKey extends BegunKey {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array;
  readonly shown: readonly Pick<ShownRecords, 'records' | 'hasLeft'>[];
  /** A digest of every record that it shows or refers to, for the index by which a purge finds it. */
  readonly about: readonly bigint[];
  readonly view?: KeptView;
}

/** Options of {@link openIdempotencyKeys}. */
export interface IdempotencyKeysOptions {
  readonly db: Database;
  readonly collection: string;
  /** How long a key is kept, in seconds. */
  readonly ttl: number;
  readonly maxTimeMS: number;
}

/** The keys of requests, with their answers. */
export interface IdempotencyKeys {
  /** The model of the collection, for the plan of its indexes. */
  readonly model: Model;
  /** Finds a key that was committed and has not expired. */
  find(id: string, work: Work): Promise<KeptKey | undefined>;
  /**
   * Runs a function in a transaction, and keeps its answer if it is a success. The key is the first thing that is
   * written, so that the same key cannot be written twice: throws `idempotency_in_progress` (409) while another
   * transaction has it, and {@link KeyTaken} after its commit.
   */
  keep(id: string, request: string, work: Work, run: () => Promise<KeptAnswer>): Promise<KeptAnswer>;
  /**
   * What a purge erases of it: the answers that show its records or refer to them, and their ids. The keys stay, so
   * that no request is carried out twice.
   */
  readonly kept: Keep;
}

/** Opens the collection of keys. */
export function openIdempotencyKeys({ db: database, collection: name, ttl, maxTimeMS }: IdempotencyKeysOptions): IdempotencyKeys {
  const db = asDb(database);
  const model = modelOf(name);
  const collection: Collection<StoredKey> = db.collection(name, bsonOptions);
  const { readLatest, write } = planCommands(compileModel(model as Model), db, collection, maxTimeMS);

  /**
   * Writes the key, in place of an expired one that the index has not removed yet. If there is a valid one, its id is a
   * duplicate.
   */
  async function insert(key: BegunKey, work: Work): Promise<void> {
    await write(work, async (command) => {
      try {
        const expired = command.handOver({ _id: key._id, expiresAt: { $lte: new Date() } });
        await collection.replaceOne(expired, key as StoredKey, { ...command.options, upsert: true });
      } catch (error) {
        if (isServerError(error, serverCodes.duplicateKey)) throw new KeyTaken('The key was taken meanwhile.', { cause: error });
        // Not as the cause: its label would have the transaction tried again, while the other one may take long.
        throw isServerError(error, serverCodes.writeConflict) ? inProgress() : error;
      }
    });
  }

  async function complete(id: string, { status, headers, body, shown, view }: KeptAnswer, work: Work): Promise<void> {
    const stored = shown.map(({ records, hasLeft }) => ({ records, hasLeft }));
    const answer = {
      status,
      headers: Object.entries(headers),
      ...(body && { body }),
      shown: stored,
      about: aboutOf(shown),
      ...(view && { view }),
    };
    if (BSON.calculateObjectSize(answer, bsonOptions) > mostBytes) throw tooManyShown();
    await write(work, (command) => collection.updateOne(command.handOver({ _id: id }), { $set: answer }, command.options));
  }

  async function erase({ models, ids }: Gone, work: Work): Promise<void> {
    const collections = [...new Set(models.map((one) => one.collection))];
    for (const some of inParts(ids, idsPerErasure)) {
      const about = some.flatMap((id) => [
        ...collections.map((one) => digestOfShown(one, id)),
        ...models.map(({ name }) => digestOfId(name, id)),
      ]);
      const change = {
        $set: { status: 204, headers: [] },
        $unset: { body: '', 'shown.$[].records.$[gone].id': '' },
        $pull: { about: { $in: about } },
      } as object as UpdateFilter<StoredKey>;
      const arrayFilters = [{ 'gone.collection': { $in: collections }, 'gone.id': { $in: some } }];
      const filter = { about: { $in: about } };
      await write(work, (command) => collection.updateMany(command.handOver(filter), change, { ...command.options, arrayFilters }));
    }
  }

  return {
    model: model as Model,

    async find(id, work) {
      // What a majority has: an answer that is replayed must not be lost by a failover.
      const options = { readPreference: 'primary', readConcern: { level: 'majority' } } as const;
      const found = await readLatest(work, (command) =>
        command.count(() =>
          collection.findOne(command.handOver({ _id: id, expiresAt: { $gt: new Date() } }), { ...command.options, ...options }),
        ),
      );
      if (!found) return undefined;
      const { request, status, headers, body, shown, view } = found;
      const read = shown.map((one) => ({ ...one, refers: [] }));
      return { request, answer: { status, headers: Object.fromEntries(headers), body: body && bytesOf(body), shown: read, view } };
    },

    async keep(id, request, work, run) {
      return runTransaction(db, work, maxTimeMS, async () => {
        await insert({ _id: id, request, expiresAt: new Date(Date.now() + ttl * 1000) }, work);
        const answer = await run();
        if (answer.status >= 200 && answer.status < 300) await complete(id, answer, work);
        else await write(work, (command) => collection.deleteOne(command.handOver({ _id: id }), command.options));
        return answer;
      });
    },

    kept: {
      collection: name,
      namesActors: false,
      concerns: () => true,
      erase,
      // Once more when nothing refers to the records any more: until then, answers that do may have been kept.
      mentions: {
        concerns: () => true,
        async erase(gone, _most, work) {
          await erase(gone, work);
          return 0;
        },
      },
    },
  };
}

function aboutOf(shown: readonly ShownRecords[]): bigint[] {
  const about = new Set<bigint>();
  for (const { records, refers } of shown) {
    for (const { collection, id } of records) about.add(digestOfShown(collection, id));
    for (const { model, id } of refers) about.add(digestOfId(model, id));
  }
  return [...about];
}

/** The name of no model has a blank. */
function digestOfShown(collection: string, id: unknown): bigint {
  return digestOfId(`in ${collection}`, id);
}

/** Its fields are not read by the model: it is there for the plan of the indexes. */
function modelOf(collection: string): Model {
  const indexes = [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { about: 1 } }] as const; // the second one for purges
  return defineModel('IdempotencyKey', {
    collection,
    fields: { id: t.string(), request: t.string(), expiresAt: t.date() },
    indexes,
  }) as unknown as Model;
}

function tooManyShown(): Problem {
  const detail = 'The answer shows so many records that it cannot be kept with their ids for an Idempotency-Key: nothing was written.';
  return new Problem({ code: 'body_too_large', detail });
}

/** 409: the first request with this key has not ended yet. */
export function inProgress(): Problem {
  const detail = 'A request with this Idempotency-Key has not ended yet; try again in a second.';
  return new Problem({ code: 'idempotency_in_progress', detail, headers: { 'retry-after': '1' } });
}

/** The driver may return a `Binary` or its bytes. */
function bytesOf(stored: Uint8Array | { readonly buffer: Uint8Array }): Buffer {
  return Buffer.from(stored instanceof Uint8Array ? stored : stored.buffer);
}
