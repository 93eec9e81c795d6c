import { BSON, type Document as BsonDocument, type ClientSession, type Db, type MongoClient } from 'mongodb';
import { askWithin } from '../driver/ask-within.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { ofMajority } from '../driver/command-plan.ts';
import { replicaSetRequired } from '../driver/outcome.ts';
import { reachabilityOf } from '../driver/reachability.ts';
import type { Turn } from '../driver/turn.ts';
import { keyOf } from '../predicate/equality.ts';
import { Audience } from './audience.ts';
import type { FoundRecord, Hear, Interest } from './by-values.ts';
import type { CollectionChange } from './change.ts';
import { HeardCollections } from './heard-collections.ts';
import { OpenStream, patienceMS, throwAway } from './open-stream.ts';

/** How long a change stream may leave its listeners without an answer of the database, in milliseconds. */
const usualStaleAfter = 30_000;

/**
 * The changes of a database: one change stream for a process, which is open as long as somebody listens. It carries the
 * ids of records and the names of their changed fields, and no values.
 *
 * Events may be lost, because the stream cannot go on after an error: then every listener hears that anything may have
 * changed, and the next stream begins at the present time. A token of an event that cannot be read is never used again.
 */
export class ChangeFeed {
  readonly #db: Db;
  readonly #audience = new Audience();
  readonly #heard: HeardCollections;
  #stream: OpenStream | undefined;
  /** The shortest time that somebody has named since the feed began. */
  #staleAfter = Number.POSITIVE_INFINITY;

  private constructor(db: Db) {
    this.#db = db;
    this.#heard = new HeardCollections(db);
  }

  /** The feed of a database, the same for all that use its client. */
  static of(db: Db): ChangeFeed {
    const ofClient = feeds.get(db.client) ?? new Map<string, ChangeFeed>();
    feeds.set(db.client, ofClient);
    const feed = ofClient.get(db.databaseName) ?? new ChangeFeed(db);
    ofClient.set(db.databaseName, feed);
    return feed;
  }

  /**
   * Listens to the changes of some collections from now on, until the function is called that it returns. Throws
   * `replica_set_required` (501) on a standalone server, `database_unavailable` (503), and a configuration error for a
   * view, of which a change stream tells nothing.
   *
   * `next` are collections to which the same one listens next: the stream that is opened carries them as well.
   *
   * A change stream whose database has not answered for `staleAfter` milliseconds is replaced, as after an error. Of
   * those who share it, the one who names the shortest time decides.
   */
  async listen(
    collections: ReadonlySet<string>,
    hear: Hear,
    staleAfter = usualStaleAfter,
    next: Iterable<string> = [],
  ): Promise<() => void> {
    if (reachabilityOf(this.#db.client).isStandalone) throw replicaSetRequired('change streams');
    this.#staleAfter = Math.min(this.#staleAfter, staleAfter);
    this.#audience.add(hear, collections);
    const leave = () => {
      this.#audience.remove(hear);
      if (this.#audience.isEmpty) this.#close();
    };
    try {
      await this.#heard.require(collections, patienceMS).catch(throwAway);
      if (!this.#stream?.carries(collections)) this.#reopen(next);
      await this.#stream?.begun;
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** From now on, one who listens hears only of these changes of a collection; without an interest, of all of them. */
  focus(hear: Hear, collection: string, interest: Interest | undefined): void {
    this.#audience.focus(hear, collection, interest);
  }

  /** A session whose reads show all changes that were told. */
  session(): ClientSession {
    const session = this.#db.client.startSession({ causalConsistency: true });
    const latest = this.#stream?.time;
    if (latest) session.advanceOperationTime(latest);
    return session;
  }

  /** A stream cannot be changed: one that carries too few collections is replaced, and what it has not told is lost. */
  #reopen(next: Iterable<string>): void {
    const before = this.#stream;
    const collections = new Set([...(before?.collections ?? []), ...this.#audience.collections, ...next]);
    before?.close();
    const stream = new OpenStream(
      this.#db,
      collections,
      (changes, turn) => this.#tell(changes, turn),
      () => this.#staleAfter,
    );
    this.#stream = stream;
    if (before) stream.begun.then(() => this.#tell(undefined), ignore);
  }

  #close(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#staleAfter = Number.POSITIVE_INFINITY;
  }

  async #tell(changes: readonly CollectionChange[] | undefined, turn?: Turn): Promise<void> {
    if (!changes) {
      this.#heard.forget();
      await this.#audience.tell(undefined, undefined, turn);
      return;
    }
    for (const { id, collection } of changes) if (id === undefined) this.#heard.forget(collection);
    const found = await this.#find(changes);
    for (const change of changes) await this.#audience.tell(change, found.get(change), turn);
  }

  /**
   * Finds those changed records of which it depends on their values who hears of them: one read for all of a
   * collection. They may have changed again since: of that, others are told later. Without an answer, or where a
   * collation decides what is equal, nothing is known of them.
   */
  async #find(changes: readonly CollectionChange[]): Promise<ReadonlyMap<CollectionChange, FoundRecord>> {
    const found = new Map<CollectionChange, FoundRecord>();
    const asked = new Map<string, CollectionChange[]>();
    for (const change of changes) {
      if (!this.#heard.isPlain(change.collection) || this.#audience.pathsAsked(change).size === 0) continue;
      const some = asked.get(change.collection);
      if (some) some.push(change);
      else asked.set(change.collection, [change]);
    }
    for (const [collection, some] of asked) {
      const paths = new Set(some.flatMap((change) => [...this.#audience.pathsAsked(change)]));
      const records = await this.#read(collection, new Set(some.map(({ id }) => id)), paths).catch(() => undefined);
      if (!records) continue;
      const byKey = new Map<string | undefined, BsonDocument[]>();
      for (const one of records) byKey.set(keyOf(one._id), [...(byKey.get(keyOf(one._id)) ?? []), one]);
      for (const change of some) {
        const key = keyOf(change.id);
        if (key !== undefined) found.set(change, { records: byKey.get(key) ?? [], paths });
      }
    }
    return found;
  }

  async #read(collection: string, ids: Iterable<unknown>, paths: ReadonlySet<string>): Promise<readonly BsonDocument[]> {
    const session = this.session();
    const projection = Object.fromEntries(outermost(paths).map((path) => [path, 1]));
    const options = { ...bsonOptions, projection: { _id: 1, ...projection }, readConcern: ofMajority, session };
    try {
      return await askWithin(findingMS, async (signal) => {
        const records: BsonDocument[] = [];
        let room = mostBytes;
        for await (const one of this.#db.collection(collection).find({ _id: { $in: [...ids] } } as object, { ...options, signal })) {
          room -= BSON.calculateObjectSize(one);
          if (room < 0) throw new Error('The changed records have too many bytes.');
          records.push(one);
        }
        return records;
      });
    } finally {
      await session.endSession();
    }
  }
}

const feeds = new WeakMap<MongoClient, Map<string, ChangeFeed>>();

/** For how long changed records are looked for, in milliseconds. Then all who may wait for them are told. */
const findingMS = 500;

/** The most bytes of changed records that are looked at. Beyond, all who may wait for them are told. */
const mostBytes = 16_777_216;

/** The paths that lie in none of the others: the database takes no projection of both. */
function outermost(paths: ReadonlySet<string>): string[] {
  return [...paths].filter((path) => ![...paths].some((other) => path.startsWith(`${other}.`)));
}

function ignore(): void {}
