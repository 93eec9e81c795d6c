import type { IndexDescription, IndexDirection } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean, showName } from '../../hints.ts';
import { tryAll } from '../../mistakes.ts';
import { comparedPath, pathOfField, queriedPath } from '../fold/fold-paths.ts';
import { type FieldEntry, type FieldTable, join, type Node, type ObjectNode } from '../node.ts';
import { chainsAt, type FieldChain } from '../read/field-chains.ts';
import { isObject } from '../value/plain-object.ts';
import { findBlindWriters, nameOf } from './field-rules.ts';

/** The key of an index as the driver's `createIndex` takes it: stored paths in their order, each with its direction. */
export type IndexKey = readonly [path: string, direction: IndexDirection][];

/** Whether an index is a text index. */
export function isText(key: IndexKey): boolean {
  return key.some(([, direction]) => direction === 'text');
}

/** An index that a model declares. */
export interface DeclaredIndex {
  readonly key: IndexKey;
  readonly unique: boolean;
  /**
   * The stored paths of a unique index that a record may have no value at, with their types. The index compares only
   * records with a value at each of them.
   */
  readonly partialOn: readonly Pick<FieldEntry, 'path' | 'leaf'>[];
  /** The driver's options of an index that was given with `key`. Undefined for one that was given with `fields`. */
  readonly options: Omit<IndexDescription, 'key'> | undefined;
}

/**
 * Compiles the indexes that a model declares: `unique` of its fields, and its `indexes`. Throws a
 * {@link ConfigurationError} for an invalid one.
 */
export function compileDeclaredIndexes(declared: unknown, table: FieldTable, root: ObjectNode, model: string): DeclaredIndex[] {
  const where = `\`indexes\` of model \`${model}\``;
  if (declared !== undefined && !Array.isArray(declared)) throw new ConfigurationError(`${where} must be an array of indexes.`);
  const unique = uniqueFields(table).filter(({ path }) => path !== '_id');
  const own = tryAll(((declared ?? []) as unknown[]).map((index) => () => compileOwn(index, table, where)));
  const all = [...unique.map((one) => compile([[one, 1]], true)), ...own];
  tryAll(all.filter((index) => index.unique).map((index) => () => refuseHidden(index, root, model)));
  for (const [at, { key }] of all.entries()) {
    if (all.slice(0, at).some((earlier) => JSON.stringify(earlier.key) === JSON.stringify(key)))
      throw new ConfigurationError(`${where} declares an index of ${key.map(([path]) => pathOfField(path)).join(', ')} twice.`);
  }
  return all;
}

function compileOwn(index: unknown, table: FieldTable, where: string): DeclaredIndex {
  if (!isObject(index) || (index.fields === undefined) === (index.key === undefined))
    throw new ConfigurationError(
      `${where} must be objects with either \`fields\`, such as { fields: ['owner', '-createdAt'] }, or \`key\`.`,
    );
  if (index.key !== undefined) return compileGiven(index as unknown as IndexDescription, where);
  const { fields: names, unique = false, ...rest } = index;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new ConfigurationError(`\`${unknown}\` in ${where} is not an option of an index with \`fields\`. Allowed: fields, unique.`);
  if (typeof unique !== 'boolean') throw new ConfigurationError(`\`unique\` in ${where} must be true or false.`);
  if (!Array.isArray(names) || names.length === 0) throw new ConfigurationError(`\`fields\` in ${where} must be an array of field names.`);
  const key = names.map((name) => parseKey(name, table, where));
  for (const [at, [field]] of key.entries()) {
    const earlier = key.slice(0, at).map(([one]) => one);
    if (earlier.includes(field)) throw new ConfigurationError(`${where} names \`${field.name}\` twice in one index.`);
    const other = earlier.find((one) => !mayShareIndex(one, field));
    if (other)
      throw new ConfigurationError(`${where}: \`${other.name}\` and \`${field.name}\` are two arrays, which cannot share one index.`);
    if (unique) checkUnique(field, where);
  }
  return compile(key, unique);
}

function compile(key: readonly (readonly [FieldEntry, 1 | -1])[], unique: boolean): DeclaredIndex {
  const pathOf = unique ? comparedPath : queriedPath;
  const compared = key.map(([entry]) => ({
    path: pathOf(entry),
    leaf: entry.leaf,
    mayBeMissing: entry.mayBeMissing || pathOf(entry) !== entry.path,
  }));
  const partialOn = unique ? compared.filter(({ mayBeMissing }) => mayBeMissing).map(({ path, leaf }) => ({ path, leaf })) : [];
  return { key: key.map(([entry, direction]) => [pathOf(entry), direction]), unique, partialOn, options: undefined };
}

function compileGiven({ key, ...options }: IndexDescription, where: string): DeclaredIndex {
  const entries = entriesOf(key);
  if (entries.length === 0) throw new ConfigurationError(`\`key\` in ${where} must be an object of paths, such as { owner: 1 }.`);
  return { key: entries as [string, IndexDirection][], unique: Boolean(options.unique), partialOn: [], options };
}

/**
 * The fields of a model whose values decide whether a unique index takes a record: those that its key and its filter
 * name, and what these hold. The index may be one of another model of the same collection.
 */
export function comparedFields({ key, options }: DeclaredIndex, root: ObjectNode): FieldChain[] {
  const paths = [...key.map(([path]) => path), ...pathsIn(options?.partialFilterExpression)];
  return paths.flatMap((path) => chainsAt(root, pathOfField(path).split('.')));
}

function pathsIn(filter: unknown): string[] {
  if (Array.isArray(filter)) return filter.flatMap(pathsIn);
  return entriesOf(filter).flatMap(([name, value]) => (name.startsWith('$') ? pathsIn(value) : [name]));
}

/** The members of what the driver stores as an object. */
function entriesOf(value: unknown): [string, unknown][] {
  if (value instanceof Map) return [...(value as Map<string, unknown>)];
  return isObject(value) ? Object.entries(value) : [];
}

/** Refuses a unique index of what is private, or of what some caller may write and not read. */
function refuseHidden(index: DeclaredIndex, root: ObjectNode, model: string): void {
  for (const chain of comparedFields(index, root)) {
    const where = `A unique index of model \`${model}\` compares \`${nameOf(chain)}\``;
    if (chain.some(({ policy }) => policy.private))
      throw new ConfigurationError(`${where}, which is private, and ${wouldTell} An index that is not unique may have it.`);
    const writers = findBlindWriters(chain);
    if (writers !== undefined) throw new ConfigurationError(`${where}: ${writers} may write it and not read it, and ${wouldTell}`);
  }
}

/** The end of a message about a unique index of which some fields are hidden from somebody. */
export const wouldTell = 'a 409 would say which values exist.';

function parseKey(name: unknown, table: FieldTable, where: string): readonly [FieldEntry, 1 | -1] {
  const text = showName(name);
  const plain = text.startsWith('-') ? text.slice(1) : text;
  const entry = table.get(plain);
  if (entry) return [entry, text === plain ? 1 : -1];
  throw new ConfigurationError(`${where} names \`${plain}\`, which is not a field${didYouMean(plain, table.keys(), '.')}`);
}

/** The fields with `unique`. Throws a {@link ConfigurationError} if an index cannot enforce one. */
function uniqueFields(table: FieldTable): FieldEntry[] {
  for (const entry of table.values()) {
    if (entry.field.unique) checkUnique(entry, `\`unique\` of \`${entry.name}\``);
    if (entry.value.kind === 'map') refuseUnique(entry.value.values.node, `${entry.name}.*`);
  }
  return [...table.values()].filter(({ field }) => field.unique);
}

/** Refuses a unique field whose values a unique index would not compare. */
function checkUnique({ name, leaf, arrayPath }: FieldEntry, what: string): void {
  if (arrayPath !== undefined)
    throw new ConfigurationError(
      `${what}: \`${name}\` is in an array, and an index does not compare the items of one record with each other.`,
    );
  if (!leaf)
    throw new ConfigurationError(
      `${what}: \`${name}\` must be a single value; objects, maps, points and untyped values cannot be compared.`,
    );
}

function refuseUnique(node: Node, path: string): void {
  if (node.kind === 'array') refuseUnique(node.items.node, path);
  if (node.kind === 'map') refuseUnique(node.values.node, `${path}.*`);
  if (node.kind !== 'object') return;
  for (const field of node.fields) {
    const at = join(path, field.name);
    if (field.unique)
      throw new ConfigurationError(`\`unique\` of \`${at}\`: the keys of a map are data, so an index cannot name the fields below them.`);
    refuseUnique(field.node, at);
  }
}

/**
 * Whether one index can have both fields. If both are in arrays, one array must hold the other: the database refuses to
 * write a record with two arrays side by side in one index ("cannot index parallel arrays").
 */
export function mayShareIndex({ arrayPath: a }: FieldEntry, { arrayPath: b }: FieldEntry): boolean {
  if (a === undefined || b === undefined) return true;
  return `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);
}
