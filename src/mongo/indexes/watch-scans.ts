import { inspect } from 'node:util';
import type { Db } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isDeleted, isLive, markPath } from '../lifecycle/lifecycle.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { Filter, Predicate } from '../predicate/predicate.ts';
import { holdsRecordsOf, isPrefix } from './derive-indexes.ts';
import { type Explained, readExplain } from './explain.ts';
import { formatKey } from './index-plan.ts';
import { plainValues, readIndexes } from './indexes.ts';
import { alternativesOf, type ListShape, readShape, suggestIndexes } from './list-shape.ts';
import type { IndexOptions } from './wanted.ts';

/** A query for a list. */
export interface AskedList {
  readonly where: Predicate;
  /** The keys of the sort with their directions. The id is the last. */
  readonly sort: Map<string, 1 | -1>;
  readonly limit: number;
  /** What it is, at the beginning of the message. @default 'A list' */
  readonly subject?: string;
}

/** How many kinds of lists are examined at most: clients can make up any number. */
const maxShapes = 1_000;

/** How many examined records are worth a warning if an index serves a list only in part. */
const manyRecords = 1_000;

/** Whether this process runs in development: Koa's `app.env` would be `development`. */
export function isDevelopment(): boolean {
  return (process.env.NODE_ENV || 'development') === 'development';
}

/**
 * Warns the developer about lists and includes that scan a collection, with the index that would help: once for each
 * kind of list, by `process.emitWarning`. Each alternative of a filter is a kind of its own. The database explains its
 * plan in the background: no request waits for it, and its failure is ignored.
 */
export function watchScans(model: CompiledModel, db: Db, maxTimeMS: number): (list: AskedList) => void {
  const { collection: name, fieldTable } = model;
  const live = isLive(model);
  const seen = new Set<string>();
  const collection = db.collection(name, plainValues);

  async function examine(shape: ListShape, { where, sort, limit, subject = 'A list' }: AskedList): Promise<void> {
    const answer = await collection.find(filterOf(where), { sort, limit }).explain({ verbosity: 'executionStats', maxTimeMS });
    const explained = readExplain(answer);
    if (explained.isEmpty) return void seen.delete(shape.text); // an empty plan tells nothing: the collection may be created later
    const fault = describeFault(shape, explained);
    const keys = fault === undefined ? [] : suggestIndexes(shape, fieldTable);
    if (keys.length === 0) return;
    const isOfDeleted = shape.ranged.some((path) => path === markPath(model));
    const partial = partially(shape.isOfLiving ? live : isOfDeleted ? isDeleted(model) : undefined);
    const found = (await readIndexes(db, name)).filter(({ options }) => holdsRecordsOf(partial, options));
    const key = keys.find((one) => !found.some((other) => isPrefix(one, other.key)));
    if (!key) return;
    const call = `db.collection(${JSON.stringify(name)}).createIndex(${formatKey(key)}${shape.isOfLiving ? formatOptions(partial) : ''})`;
    const options = { type: 'KoaMongoResourceWarning', code: 'LIST_SCAN' };
    process.emitWarning(`${subject} of \`${name}\` ${fault}: ${shape.text}. This index would help: ${call}`, options);
  }

  return function notice(list) {
    for (const where of alternativesOf(list.where)) {
      const shape = readShape(where, list.sort, fieldTable);
      if (!shape || seen.has(shape.text) || seen.size >= maxShapes) continue;
      seen.add(shape.text);
      examine(shape, { ...list, where }).catch(() => {}); // the client was closed, or its user may not explain
    }
  };
}

function partially(partialFilterExpression: Filter | undefined): IndexOptions {
  return partialFilterExpression ? { partialFilterExpression } : {};
}

function formatOptions(options: IndexOptions): string {
  return Object.keys(options).length > 0 ? `, ${inspect(options)}` : '';
}

/** Describes what is wrong with the plan of a list. Undefined if nothing is. */
function describeFault({ equal, ranged }: ListShape, { winning, candidates, examined, returned }: Explained): string | undefined {
  const isNarrow = equal.length + ranged.length > 0;
  const isServed = candidates.some(({ isNarrowed, isOrdered }) => (isNarrow ? isNarrowed : isOrdered));
  if (!isServed) return 'looks through the whole collection';
  const isServedWhole = winning.isOrdered && (winning.isNarrowed || !isNarrow);
  if (isServedWhole || examined < manyRecords || examined < 10 * returned) return undefined;
  return `looks at ${examined} records to find ${returned}`;
}
