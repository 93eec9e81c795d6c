import { ConfigurationError } from '../../errors.ts';
import { type Covered, coveredKeys, coveredMark, type Method, type MongooseCollection, type Table } from './collection.ts';
import { coverBulkWrite } from './cover-bulk-write.ts';
import { coverReplace, coverUpdate } from './cover-updates.ts';
import type { MaintainedKeys } from './steps.ts';

/**
 * The methods of the driver's collection that change records, or could. Inserts are left as they are: mongoose gives a
 * new record revision 0, and so has a record without one. Deletes leave no revision.
 */
const covers: Readonly<Record<string, (covered: Covered) => Method>> = {
  updateOne: coverUpdate,
  updateMany: coverUpdate,
  findOneAndUpdate: coverUpdate,
  replaceOne: (covered) => coverReplace(covered, 'updateOne'),
  findOneAndReplace: (covered) => coverReplace(covered, 'findOneAndUpdate'),
  bulkWrite: coverBulkWrite,
  aggregate: coverAggregate,
  initializeOrderedBulkOp: refuse,
  initializeUnorderedBulkOp: refuse,
};

const made = new WeakSet<object>();

/**
 * Replaces these methods, to which all writes of mongoose lead, after its casts, defaults, timestamps and hooks. A
 * collection of several models is covered once.
 */
export function coverCollection(collection: MongooseCollection, keys: MaintainedKeys): void {
  const known = coveredKeys(collection);
  if (known && known.revision !== keys.revision)
    throw new ConfigurationError(
      `The collection \`${collection.name}\` has its revision at \`${known.revision}\` by one schema with \`stepRevision\`, and at \`${keys.revision}\` by another: give both the same key.`,
    );
  if (known) return;
  const methods = Object.fromEntries(Object.keys(covers).map((name) => [name, collection[name] as Method]));
  function call(name: string, given: readonly unknown[], own?: object): unknown {
    if (own) made.add(own);
    return methods[name]?.apply(collection, given as unknown[]);
  }
  for (const [name, cover] of Object.entries(covers)) {
    const covered = cover({ collection, keys, name, call });
    collection[name] = (...given: readonly unknown[]) => (given.some(isMade) ? call(name, given) : covered(...given));
  }
  collection[coveredMark] = keys;
}

function isMade(value: unknown): boolean {
  return typeof value === 'object' && value !== null && made.has(value);
}

function coverAggregate({ name, collection, call }: Covered): Method {
  return (stages, ...others) => {
    for (const stage of Array.isArray(stages) ? (stages as readonly Table[]) : []) {
      const target = targetOf(stage, collection);
      if (target && coveredKeys(target))
        throw new Error(
          `An aggregate that writes into \`${target.name}\` would not step the revisions there: write by \`updateMany\` or \`bulkWrite\`.`,
        );
    }
    return call(name, [stages, ...others]);
  };
}

/** The collection that a stage writes to, if it is one of the same connection. */
function targetOf({ $out, $merge }: Table, { conn }: MongooseCollection): MongooseCollection | undefined {
  const into = $out ?? (typeof $merge === 'object' && $merge !== null && 'into' in $merge ? $merge.into : $merge);
  if (typeof into === 'string') return conn.collections[into];
  const { db = conn.name, coll } = (into ?? {}) as Table;
  return db === conn.name ? conn.collections[coll as string] : undefined;
}

function refuse({ name, collection }: Covered): Method {
  return () => {
    throw new Error(`\`${name}\` of \`${collection.name}\` cannot step the revisions of what it changes: use \`bulkWrite\`.`);
  };
}
