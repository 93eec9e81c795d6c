import type { Db } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { askWithin } from '../driver/ask-within.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { isServerError } from '../driver/server-error.ts';

/** The types of collections of which no change stream tells, and why. */
const silent: Readonly<Record<string, string>> = {
  view: 'a view of MongoDB, which has no changes of its own',
  timeseries: 'a time series, of which MongoDB tells no changes',
};

/** What a database says of a collection. */
interface Listed {
  readonly name: string;
  readonly type?: string;
  /** Undefined if they were not asked for. */
  readonly options?: { readonly collation?: object };
}

/** The collections of a database that a change stream is known to tell of. */
export class HeardCollections {
  readonly #db: Db;
  readonly #heard = new Set<string>();
  /** Those that are known to compare strings byte by byte. */
  readonly #plain = new Set<string>();

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Asks of what type the collections are, unless that is known. A collection that does not exist yet is taken for an
   * ordinary one, which the first write makes of it. Throws a {@link ConfigurationError} for a view or a time series,
   * and what the driver throws if the database cannot be reached.
   */
  async require(collections: ReadonlySet<string>, limitMS: number): Promise<void> {
    const names = [...collections].filter((name) => !this.#heard.has(name));
    if (names.length === 0) return;
    for (const { name, type, options } of await this.#find(names, limitMS)) {
      const what = silent[type ?? 'collection'];
      if (what !== undefined) throw new ConfigurationError(`\`live\` cannot follow \`${name}\`: it is ${what}.`);
      this.#heard.add(name);
      if (options && !options.collation) this.#plain.add(name);
    }
  }

  /** Whether a collection is known to compare strings byte by byte: it has no collation. */
  isPlain(collection: string): boolean {
    return this.#plain.has(collection);
  }

  /** Forgets a collection, which may come again as another type, or all of them. */
  forget(collection?: string): void {
    for (const known of [this.#heard, this.#plain]) {
      if (collection === undefined) known.clear();
      else known.delete(collection);
    }
  }

  /**
   * Every user may ask for the types of the collections that it may read, and most may ask for their collations. A
   * server that refuses leaves them unknown.
   */
  async #find(names: readonly string[], limitMS: number): Promise<readonly Listed[]> {
    for (const asked of [{}, { nameOnly: true, authorizedCollections: true }]) {
      const options = { ...bsonOptions, ...asked };
      try {
        return await askWithin(limitMS, (signal) => this.#db.listCollections({ name: { $in: names } }, { ...options, signal }).toArray());
      } catch (error) {
        if (!isServerError(error)) throw error;
      }
    }
    return [];
  }
}
