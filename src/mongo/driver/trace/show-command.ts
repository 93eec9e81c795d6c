import { inspect } from 'node:util';
import { BSON } from 'mongodb';
import { tagOf } from '../../../model/value/bson-type.ts';
import { isError } from '../server-error.ts';
import type { Detail } from './detail.ts';

type Members = Readonly<Record<string, unknown>>;

/** The arguments of the driver's methods on a collection that have other ones than a filter and options. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  findOneAndUpdate: ['filter', 'update', 'options'],
  updateOne: ['filter', 'update', 'options'],
  updateMany: ['filter', 'update', 'options'],
  replaceOne: ['filter', 'replacement', 'options'],
  insertOne: ['document', 'options'],
  aggregate: ['pipeline', 'options'],
  estimatedDocumentCount: ['options'],
  listIndexes: ['options'],
};

/**
 * The members of a command that are shown: the first ones hold values of clients, the others belong to the query's
 * form.
 */
const withValues = ['filter', 'update', 'replacement', 'document', 'documents'];
const ofForm = ['sort', 'limit', 'skip', 'hint', 'upsert', 'collation'];

/**
 * Shows a call of a method of the driver on one line: the name of the command, its collection, and what it asks for.
 */
export function showCall(method: string, args: readonly unknown[], collection: string | undefined, detail: Detail): string {
  if (method !== 'command' && method !== 'runCursorCommand') {
    const names = argumentsOf[method] ?? ['filter', 'options'];
    const { options, ...given } = Object.fromEntries(names.map((name, index) => [name, args[index]])) as { readonly options?: Members };
    return [method, collection, ...showMembers({ ...options, ...given }, detail)].filter(Boolean).join(' ');
  }
  const [body = {}] = args as readonly Members[];
  const [[name = 'command', target] = []] = Object.entries(body);
  return [name, typeof target === 'string' && target, ...showMembers(body, detail)].filter(Boolean).join(' ');
}

function showMembers(members: Members, detail: Detail): string[] {
  const show = (names: readonly string[], text: (value: unknown) => string) =>
    names.filter((name) => members[name]).map((name) => `${name} ${text(members[name])}`);
  return [
    ...show(withValues, (value) => (isPipeline(value) ? showPipeline(value, detail) : showValue(value, detail))),
    ...show(['pipeline'], (stages) => showPipeline(stages as Members[], detail)),
    ...show(ofForm, (value) => showWhole(value instanceof Map ? Object.fromEntries(value) : value)),
  ];
}

/** An update may be a pipeline. */
function isPipeline(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 && value.every((stage) => Object.keys(stage)[0]?.startsWith('$'));
}

/** The stages of a pipeline that hold nothing but names and numbers of the query. */
const stagesOfForm: ReadonlySet<string> = new Set(['$sort', '$limit', '$skip', '$unset', '$unwind', '$count']);
const namesOfForm: ReadonlySet<string> = new Set(['from', 'coll', 'localField', 'foreignField', 'as']);

function showPipeline(stages: readonly Members[], detail: Detail): string {
  if (detail === 'values') return showWhole(stages);
  return `[${stages.map((stage) => showObject(Object.entries(stage).map(showStage), String)).join(', ')}]`;
}

function showStage([name, value]: readonly [string, unknown]): readonly [string, string] {
  if (stagesOfForm.has(name)) return [name, showWhole(value)];
  if (name !== '$lookup' && name !== '$unionWith') return [name, showValue(value, 'types')];
  const members = Object.entries(value as Members).map(([key, part]): readonly [string, string] => {
    if (key === 'pipeline') return [key, showPipeline(part as Members[], 'types')];
    return [key, namesOfForm.has(key) ? showWhole(part) : showValue(part, 'types')];
  });
  return [name, showObject(members, String)];
}

const options = { depth: 12, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 20, maxStringLength: 200, colors: false };

/** A value on one line, or only its shape: the keys of its objects, and the types of all else. */
function showValue(value: unknown, detail: Detail): string {
  return detail === 'values' ? showWhole(value) : shapeOf(value);
}

/** A value on one line. */
function showWhole(value: unknown): string {
  return inspect(value, options);
}

function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null || value === undefined ? `${value}` : typeof value;
  if (Array.isArray(value)) return `[${shapesOf(value)}]`;
  if (value instanceof Map) return showObject([...value], shapeOf);
  const type = typeNameOf(value);
  return type ?? showObject(Object.entries(value), shapeOf);
}

/** Members of one shape are counted: a filter may have hundreds of ids. */
function shapesOf(members: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const shape of members.map(shapeOf)) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  return [...counts].map(([shape, count]) => (count === 1 ? shape : `${count} × ${shape}`)).join(', ');
}

function typeNameOf(value: object): string | undefined {
  if (value instanceof Date) return 'Date';
  if (value instanceof RegExp) return 'RegExp';
  if (ArrayBuffer.isView(value)) return 'bytes';
  if (value instanceof Boolean) return 'boolean';
  return tagOf(value);
}

/** An object as `inspect` shows it. */
function showObject(entries: readonly (readonly [string, unknown])[], show: (value: unknown) => string): string {
  const shown = entries.map(([key, value]) => `${/^[\w$]+$/.test(key) ? key : inspect(key)}: ${show(value)}`);
  return shown.length === 0 ? '{}' : `{ ${shown.join(', ')} }`;
}

/** What an answer of the driver says of its work, by the names that the driver gives it. */
const counts = ['n', 'nModified', 'insertedCount', 'matchedCount', 'modifiedCount', 'upsertedCount', 'deletedCount'];

/** Shows what a call of the driver has returned: how many documents, and their size as BSON; or what it has counted. */
export function showResult(result: unknown): string {
  if (Array.isArray(result)) return showDocuments(result);
  if (typeof result === 'number') return `${result}`;
  if (typeof result !== 'object' || result === null) return 'no document';
  const { cursor, acknowledged, ok, ...members } = result as Members & { readonly cursor?: { readonly firstBatch?: readonly unknown[] } };
  if (cursor?.firstBatch) return showDocuments(cursor.firstBatch);
  if (acknowledged === undefined && ok === undefined) return showDocuments([result]);
  const told = counts.filter((name) => typeof members[name] === 'number').map((name) => `${name} ${members[name]}`);
  return told.length > 0 ? told.join(', ') : 'done';
}

export function showDocuments(found: readonly unknown[]): string {
  if (found.length === 0) return 'no document';
  const bytes = found.reduce<number>((sum, one) => sum + sizeOf(one), 0);
  return `${found.length} document${found.length === 1 ? '' : 's'}, ${bytes} bytes`;
}

function sizeOf(document: unknown): number {
  return ArrayBuffer.isView(document) ? document.byteLength : BSON.calculateObjectSize(document as BSON.Document);
}

/**
 * Shows why a call has failed. The message of the database may have values of the record, such as those of a duplicate
 * key.
 */
export function showFailure(error: unknown, detail: Detail): string {
  if (!isError(error)) return 'failed';
  const { name, code, codeName, message } = error as Error & { readonly code?: unknown; readonly codeName?: unknown };
  const what = ['failed:', name, code, codeName].filter((part) => typeof part === 'string' || typeof part === 'number').join(' ');
  return detail === 'values' ? `${what}: ${message}` : what;
}
