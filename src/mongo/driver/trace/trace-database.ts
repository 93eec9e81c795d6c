import type { AbstractCursor, ClientSession, Collection, Db } from 'mongodb';
import { type Detail, writeTrace } from './detail.ts';
import { currentTrace } from './request-trace.ts';
import { showCall, showDocuments, showFailure, showResult } from './show-command.ts';

/** The databases that tell of their commands, each with the detail. */
const traced = new WeakMap<Db, Detail>();

/** The traced copy of each database, so that no command is traced twice. */
const known = new WeakMap<Db, Db>();

/**
 * Returns a database whose commands are traced. All commands of `src/` go through it, so that no caller has to trace.
 * If the trace is off, it returns the application's own database.
 */
export function traceDatabase(db: Db, detail: Detail): Db {
  if (traced.has(db)) return db;
  const before = known.get(db);
  if (before && traced.get(before) === detail) return before;
  const collectionOf = (...args: Parameters<Db['collection']>) => traceCollection(db.collection(...args), detail);
  const proxy = intercept(db, detail, undefined, { collection: collectionOf });
  known.set(db, proxy);
  traced.set(proxy, detail);
  return proxy;
}

/** Tells of the commit of a session's transaction, if the database is traced. */
export function traceCommit(db: Db, session: ClientSession): ClientSession {
  const commit = session.commitTransaction.bind(session);
  if (traced.has(db)) session.commitTransaction = () => traceCall(db, 'commitTransaction', commit());
  return session;
}

/** Tells of a call whose result says nothing more, if the database is traced. */
export function traceCall<T>(db: Db, call: string, answer: Promise<T>): Promise<T> {
  const detail = traced.get(db);
  return detail === undefined ? answer : tell(call, detail, answer, () => 'done');
}

function traceCollection(collection: Collection, detail: Detail): Collection {
  return intercept(collection, detail, collection.collectionName, {});
}

/** The methods run on the object itself, because it has private members. */
function intercept<T extends object>(target: T, detail: Detail, collection: string | undefined, own: object): T {
  return new Proxy(target, {
    get(_target, key) {
      const value: unknown = Reflect.get(own, key) ?? Reflect.get(target, key, target);
      if (typeof value !== 'function' || typeof key !== 'string' || key in own) return value;
      return (...args: unknown[]) => watch(key, args, () => value.apply(target, args), collection, detail);
    },
  });
}

function watch(method: string, args: readonly unknown[], send: () => unknown, collection: string | undefined, detail: Detail): unknown {
  if (isPing(args)) return send();
  const call = showCall(method, args, collection, detail); // before the driver has it: some arguments change
  const result = send();
  if (result instanceof Promise) return tell(call, detail, result, showResult);
  if (isCursor(result)) traceCursor(result, call, detail);
  return result;
}

/** Health probes send one every few seconds. */
function isPing([body]: readonly unknown[]): boolean {
  return typeof body === 'object' && body !== null && 'ping' in body;
}

function isCursor(value: unknown): value is AbstractCursor {
  return typeof value === 'object' && value !== null && 'readBufferedDocuments' in value && 'hasNext' in value;
}

/**
 * Tells of each batch that a cursor asks for. The cursor is one that `src/` has just made, and is read by these methods
 * only.
 */
function traceCursor(cursor: AbstractCursor, call: string, detail: Detail): void {
  const { hasNext, readBufferedDocuments, toArray } = cursor;
  let isFirst = true;
  let tellOfBatch: ((found: readonly unknown[]) => void) | undefined;
  cursor.toArray = () => tell(call, detail, toArray.call(cursor), showResult);
  cursor.hasNext = async () => {
    if (cursor.bufferedCount() > 0 || cursor.id?.isZero()) return hasNext.call(cursor);
    const what = isFirst ? call : `getMore of ${call}`;
    isFirst = false;
    const began = performance.now();
    const hasFound = await told(what, detail, began, hasNext.call(cursor));
    const duration = performance.now() - began;
    if (hasFound) tellOfBatch = (found) => write(what, showDocuments(found), duration);
    else write(what, 'no document', duration);
    return hasFound;
  };
  cursor.readBufferedDocuments = (count) => {
    const found = readBufferedDocuments.call(cursor, count);
    tellOfBatch?.(found);
    tellOfBatch = undefined;
    return found;
  };
}

async function told<T>(call: string, detail: Detail, began: number, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    write(call, showFailure(error, detail), performance.now() - began);
    throw error;
  }
}

/** Waits for the answer to a call, and tells of both. */
async function tell<T>(call: string, detail: Detail, answer: Promise<T>, show: (result: T) => string): Promise<T> {
  const began = performance.now();
  const result = await told(call, detail, began, answer);
  write(call, show(result), performance.now() - began);
  return result;
}

function write(call: string, outcome: string, duration: number): void {
  const line = `${call}: ${outcome}, ${duration.toFixed(1)} ms`;
  const trace = currentTrace.getStore();
  if (trace) trace.add(line);
  else writeTrace(line);
}
