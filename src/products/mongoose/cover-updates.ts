import type { Covered, Method, MongooseCollection, Table } from './collection.ts';
import { beginUpdate, stepReplacement, stepUpdate, type Update, writesToStored } from './steps.ts';
import { matchNone, upsert } from './upsert.ts';

/** Covers `updateOne`, `updateMany` and `findOneAndUpdate`. */
export function coverUpdate(covered: Covered): Method {
  const { keys, name } = covered;
  return (filter, update, options) =>
    send(covered, {
      filter: filter as Table,
      options: (options ?? {}) as Table,
      stored: writesToStored(update as Update) ? { method: name, change: stepUpdate(update as Update, keys) } : undefined,
      fresh: { method: name, change: beginUpdate(update as Update, keys, new Date()) },
    });
}

/** Covers `replaceOne` and `findOneAndReplace`. Only an update can keep something of a record that is there. */
export function coverReplace(covered: Covered, updating: string): Method {
  const { keys, name } = covered;
  return (filter, given, options) => {
    const replacement = readReplacement(given, covered);
    return send(covered, {
      filter: filter as Table,
      options: (options ?? {}) as Table,
      stored: { method: updating, change: stepReplacement(replacement, keys) },
      fresh: { method: name, change: { ...replacement, [keys.revision]: 0 } },
    });
  };
}

/** A replacement as it is stored. As part of an update, an operator in it would be stored, which the driver refuses. */
export function readReplacement(given: unknown, { name, collection }: Pick<Covered, 'name' | 'collection'>): Table {
  const plain = ((given as { toBSON?(): Table }).toBSON?.() ?? given) as Table;
  const operator = Object.keys(plain).find((key) => key.startsWith('$'));
  if (operator !== undefined)
    throw new Error(`\`${name}\` of \`${collection.name}\` takes a record, and \`${operator}\` is an operator: use \`updateOne\`.`);
  return plain;
}

interface Change {
  readonly method: string;
  readonly change: Update;
}

interface Write {
  readonly filter: Table;
  readonly options: Table;
  /** For a record that is there. Undefined if that stays as it is. */
  readonly stored: Change | undefined;
  /** For a new record. */
  readonly fresh: Change;
}

function send({ call, collection }: Covered, { filter, options, stored, fresh }: Write): unknown {
  const carryOut = (where: Table, { method, change }: Change, upsert = options.upsert) =>
    call(method, [where, change, { ...options, upsert }], change) as Promise<unknown>;
  if (!stored) return carryOut(filter, fresh);
  // Of a write that is not acknowledged nobody knows whether it has found a record: a new one begins at 1.
  if (!options.upsert || isUnacknowledged(options)) return carryOut(filter, stored);
  return upsert({
    update: (orInsert) => carryOut(filter, stored, orInsert),
    insert: () => carryOut(matchNone(filter), fresh),
    hasFound: (result) => hasFound(result, options, collection),
    isInTransaction: isInTransaction(options.session),
  });
}

function hasFound(result: unknown, { includeResultMetadata }: Table, { name }: MongooseCollection): boolean {
  if (typeof result !== 'object' || result === null) return false;
  if (!('acknowledged' in result && 'matchedCount' in result))
    return !includeResultMetadata || ('value' in result && result.value !== null && result.value !== undefined);
  if (!result.acknowledged)
    throw new Error(`An upsert in \`${name}\` needs a write concern that is acknowledged: nobody knows whether it has found a record.`);
  return result.matchedCount !== 0;
}

function isUnacknowledged({ writeConcern, w }: Table): boolean {
  return ((writeConcern as Table | undefined)?.w ?? w) === 0;
}

function isInTransaction(session: unknown): boolean {
  return (session as { inTransaction?(): boolean } | null | undefined)?.inTransaction?.() ?? false;
}
