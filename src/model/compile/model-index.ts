import type { IndexDescription, IndexDirection } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { tryAll } from '../../mistakes.ts';
import { type FieldEntry, type FieldTable, join, type Node, type ObjectNode } from '../node.ts';
import { leadsToPrivate } from '../read/private-fields.ts';
import { isObject } from '../value/plain-object.ts';

/** The paths of an index in their order, with their directions: what the driver's `createIndex` takes. */
export type IndexKey = readonly (readonly [path: string, direction: IndexDirection])[];

/** An index that a model declares. */
export interface DeclaredIndex {
  readonly key: IndexKey;
  readonly unique: boolean;
  /** The fields of a unique index that a record may lack: then it is not compared. */
  readonly lackable: readonly FieldEntry[];
  /** The options of one that was given in full. */
  readonly options: Omit<IndexDescription, 'key'> | undefined;
}

/** Compiles what a model declares, by `unique` of its fields and by its `indexes`; throws a {@link ConfigurationError} for what cannot be. */
export function compileDeclaredIndexes(declared: unknown, table: FieldTable, root: ObjectNode, model: string): DeclaredIndex[] {
  const where = `\`indexes\` of model \`${model}\``;
  if (declared !== undefined && !Array.isArray(declared)) throw new ConfigurationError(`${where} must be a list of indexes.`);
  const unique = uniqueFields(table).filter(({ path }) => path !== '_id');
  const own = tryAll(((declared ?? []) as unknown[]).map((index) => () => compileOwn(index, table, where)));
  for (const { key, unique: isUnique, options } of own) if (isUnique && options) refusePrivate(key, options, root, where);
  const all = [...unique.map((one) => compile([[one, 1]], true)), ...own];
  for (const [at, { key }] of all.entries()) {
    if (all.slice(0, at).some((earlier) => JSON.stringify(earlier.key) === JSON.stringify(key)))
      throw new ConfigurationError(`${where} declares an index of ${key.map(([path]) => path).join(', ')} twice.`);
  }
  return all;
}

function compileOwn(index: unknown, table: FieldTable, where: string): DeclaredIndex {
  if (!isObject(index) || (index.fields === undefined) === (index.key === undefined))
    throw new ConfigurationError(`${where} must be objects with \`fields\`, such as { fields: ['owner', '-createdAt'] }, or with \`key\`.`);
  if (index.key !== undefined) return compileGiven(index as unknown as IndexDescription, where);
  const { fields: names, unique = false, ...rest } = index;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new ConfigurationError(`\`${unknown}\` in ${where} is not an option of an index with \`fields\`: legal are fields, unique.`);
  if (typeof unique !== 'boolean') throw new ConfigurationError(`\`unique\` in ${where} must be true or false.`);
  if (!Array.isArray(names) || names.length === 0) throw new ConfigurationError(`\`fields\` in ${where} must be a list of field names.`);
  const key = names.map((name) => parseKey(name, table, where));
  for (const [at, [field]] of key.entries()) {
    const earlier = key.slice(0, at).map(([one]) => one);
    if (earlier.includes(field)) throw new ConfigurationError(`${where} names \`${field.name}\` twice in one index.`);
    const other = earlier.find((one) => !mayShareIndex(one, field));
    if (other)
      throw new ConfigurationError(`${where}: \`${other.name}\` and \`${field.name}\` are two lists, which one index cannot hold.`);
    if (unique) checkUnique(field, where);
  }
  return compile(key, unique);
}

function compile(key: readonly (readonly [FieldEntry, 1 | -1])[], unique: boolean): DeclaredIndex {
  const lackable = unique ? key.map(([one]) => one).filter(({ mayLack }) => mayLack) : [];
  return { key: key.map(([{ path }, direction]) => [path, direction]), unique, lackable, options: undefined };
}

function compileGiven({ key, ...options }: IndexDescription, where: string): DeclaredIndex {
  const entries = key instanceof Map ? [...key] : isObject(key) ? Object.entries(key) : [];
  if (entries.length === 0) throw new ConfigurationError(`\`key\` in ${where} must be an object of paths, such as { owner: 1 }.`);
  return { key: entries as [string, IndexDirection][], unique: Boolean(options.unique), lackable: [], options };
}

/** An index in full goes by stored paths, which may lead anywhere; what its filter compares decides about 409 as well. */
function refusePrivate(key: IndexKey, { partialFilterExpression }: Omit<IndexDescription, 'key'>, root: ObjectNode, where: string): void {
  const paths = [...key.map(([path]) => path), ...pathsIn(partialFilterExpression)];
  const wrong = paths.find((path) => leadsToPrivate(root, path.split('.')));
  if (wrong !== undefined)
    throw new ConfigurationError(`${where} has a unique index with \`${wrong}\`, which is private or holds what is, ${whyNotUnique}`);
}

function pathsIn(filter: unknown): string[] {
  if (Array.isArray(filter)) return filter.flatMap(pathsIn);
  return isObject(filter) ? Object.entries(filter).flatMap(([name, value]) => (name.startsWith('$') ? pathsIn(value) : [name])) : [];
}

function parseKey(name: unknown, table: FieldTable, where: string): readonly [FieldEntry, 1 | -1] {
  const text = String(name);
  const plain = text.startsWith('-') ? text.slice(1) : text;
  const entry = table.get(plain);
  if (entry) return [entry, text === plain ? 1 : -1];
  throw new ConfigurationError(`${where} names \`${plain}\`, which is not a field${didYouMean(plain, table.keys(), '.')}`);
}

/** The fields of which no two records may have the same value. Throws a {@link ConfigurationError} where no index could see to it. */
function uniqueFields(table: FieldTable): FieldEntry[] {
  for (const entry of table.values()) {
    if (entry.field.unique) checkUnique(entry, `\`unique\` of \`${entry.name}\``);
    if (entry.value.kind === 'map') refuseUnique(entry.value.values.node, `${entry.name}.*`);
  }
  return [...table.values()].filter(({ field }) => field.unique);
}

/** Refuses a unique field that no unique index keeps apart as one expects. */
function checkUnique({ name, leaf, listPath, isPrivate }: FieldEntry, what: string): void {
  if (listPath !== undefined)
    throw new ConfigurationError(`${what}: \`${name}\` is in a list, and an index would not keep the items of one record apart.`);
  if (!leaf) throw new ConfigurationError(`${what} needs a single value: objects, maps and untyped values cannot be compared.`);
  if (isPrivate) throw new ConfigurationError(`${what}: \`${name}\` is private, ${whyNotUnique}`);
}

/** Follows what is private. */
const whyNotUnique = 'and a 409 would tell clients who has which value. An index that is not unique is no matter.';

function refuseUnique(node: Node, path: string): void {
  if (node.kind === 'array') refuseUnique(node.items.node, path);
  if (node.kind === 'map') refuseUnique(node.values.node, `${path}.*`);
  if (node.kind !== 'object') return;
  for (const field of node.fields) {
    const at = join(path, field.name);
    if (field.unique)
      throw new ConfigurationError(`\`unique\` of \`${at}\`: the keys of a map are data, and an index cannot name what lies below them.`);
    refuseUnique(field.node, at);
  }
}

/**
 * Whether both fields may stand in one index: the database refuses every write of a record with two lists in one that are not part of each
 * other ("cannot index parallel arrays").
 */
export function mayShareIndex({ listPath: a }: FieldEntry, { listPath: b }: FieldEntry): boolean {
  if (a === undefined || b === undefined) return true;
  return `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);
}
