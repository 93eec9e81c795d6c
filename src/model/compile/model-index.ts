import type { IndexDescription, IndexDirection } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean, showName } from '../../hints.ts';
import { tryAll } from '../../mistakes.ts';
import { comparedPath, pathOfField, queriedPath } from '../fold/fold-paths.ts';
import { type FieldEntry, type FieldTable, join, type Node, type ObjectNode } from '../node.ts';
import { leadsToPrivate } from '../read/private-fields.ts';
import { isObject } from '../value/plain-object.ts';
import { checkUniqueRules } from './field-rules.ts';

/** The key of an index as the driver's `createIndex` takes it: stored paths in their order, each with its direction. */
export type IndexKey = readonly [path: string, direction: IndexDirection][];

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
  for (const { key, unique: isUnique, options } of own) if (isUnique && options) refusePrivate(key, options, root, where);
  const all = [...unique.map((one) => compile([[one, 1]], true)), ...own];
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
  const entries = key instanceof Map ? [...key] : isObject(key) ? Object.entries(key) : [];
  if (entries.length === 0) throw new ConfigurationError(`\`key\` in ${where} must be an object of paths, such as { owner: 1 }.`);
  return { key: entries as [string, IndexDirection][], unique: Boolean(options.unique), partialOn: [], options };
}

/**
 * Refuses a unique index, given with `key`, that has a private path in its key or in its filter: both decide about a
 * 409.
 */
function refusePrivate(key: IndexKey, { partialFilterExpression }: Omit<IndexDescription, 'key'>, root: ObjectNode, where: string): void {
  const paths = [...key.map(([path]) => path), ...pathsIn(partialFilterExpression)];
  const wrong = paths.find((path) => leadsToPrivate(root, pathOfField(path).split('.')));
  if (wrong !== undefined)
    throw new ConfigurationError(
      `${where} has a unique index with \`${wrong}\`, which is private or holds a private field, ${whyNotUnique}`,
    );
}

function pathsIn(filter: unknown): string[] {
  if (Array.isArray(filter)) return filter.flatMap(pathsIn);
  return isObject(filter) ? Object.entries(filter).flatMap(([name, value]) => (name.startsWith('$') ? pathsIn(value) : [name])) : [];
}

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

/** Refuses a unique field whose values a unique index would not compare, or must not. */
function checkUnique(entry: FieldEntry, what: string): void {
  const { name, leaf, arrayPath, isPrivate } = entry;
  if (arrayPath !== undefined)
    throw new ConfigurationError(
      `${what}: \`${name}\` is in an array, and an index does not compare the items of one record with each other.`,
    );
  if (!leaf)
    throw new ConfigurationError(
      `${what}: \`${name}\` must be a single value; objects, maps, points and untyped values cannot be compared.`,
    );
  if (isPrivate) throw new ConfigurationError(`${what}: \`${name}\` is private, ${whyNotUnique}`);
  checkUniqueRules(entry, what);
}

/** The end of a message that begins with a private field. */
const whyNotUnique = 'and a 409 would tell clients which values exist. An index that is not unique may have it.';

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
