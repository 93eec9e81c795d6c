import type { IndexDescription, IndexDirection } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import type { ObjectNode } from '../node.ts';
import { leadsToPrivate } from '../read/private-fields.ts';
import { isObject } from '../value/plain-object.ts';
import { checkUnique, type IndexField, type IndexFields, mayShareIndex, whyNotUnique } from './index-fields.ts';

/** The paths of an index in their order, with their directions: what the driver's `createIndex` takes. */
export type IndexKey = readonly (readonly [path: string, direction: IndexDirection])[];

/** An index that a model declares. */
export interface DeclaredIndex {
  readonly key: IndexKey;
  readonly unique: boolean;
  /** The fields of a unique index that a record may lack: then it is not compared. */
  readonly lackable: readonly IndexField[];
  /** The options of one that was given in full. */
  readonly options: Omit<IndexDescription, 'key'> | undefined;
}

/** Compiles what a model declares, by `unique` of its fields and by its `indexes`; throws a {@link ConfigurationError} for what cannot be. */
export function compileDeclaredIndexes(declared: unknown, fields: IndexFields, root: ObjectNode, model: string): DeclaredIndex[] {
  const where = `\`indexes\` of model \`${model}\``;
  if (declared !== undefined && !Array.isArray(declared)) throw new ConfigurationError(`${where} must be a list of indexes.`);
  const unique = [...fields.values()].filter((field) => field.unique && field.path !== '_id').map((field) => compile([[field, 1]], true));
  const own = ((declared ?? []) as unknown[]).map((index) => compileOwn(index, fields, where));
  for (const { key, unique: isUnique, options } of own) if (isUnique && options) refusePrivate(key, options, root, where);
  const all = [...unique, ...own];
  for (const [at, { key }] of all.entries()) {
    if (all.slice(0, at).some((earlier) => JSON.stringify(earlier.key) === JSON.stringify(key)))
      throw new ConfigurationError(`${where} declares an index of ${key.map(([path]) => path).join(', ')} twice.`);
  }
  return all;
}

function compileOwn(index: unknown, fields: IndexFields, where: string): DeclaredIndex {
  if (!isObject(index) || (index.fields === undefined) === (index.key === undefined))
    throw new ConfigurationError(`${where} must be objects with \`fields\`, such as { fields: ['owner', '-createdAt'] }, or with \`key\`.`);
  if (index.key !== undefined) return compileGiven(index as unknown as IndexDescription, where);
  const { fields: names, unique = false, ...rest } = index;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new ConfigurationError(`\`${unknown}\` in ${where} is not an option of an index with \`fields\`: legal are fields, unique.`);
  if (typeof unique !== 'boolean') throw new ConfigurationError(`\`unique\` in ${where} must be true or false.`);
  if (!Array.isArray(names) || names.length === 0) throw new ConfigurationError(`\`fields\` in ${where} must be a list of field names.`);
  const key = names.map((name) => parseKey(name, fields, where));
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

function compile(key: readonly (readonly [IndexField, 1 | -1])[], unique: boolean): DeclaredIndex {
  const lackable = unique ? key.map(([field]) => field).filter((field) => field.mayLack) : [];
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

function parseKey(name: unknown, fields: IndexFields, where: string): readonly [IndexField, 1 | -1] {
  const text = String(name);
  const plain = text.startsWith('-') ? text.slice(1) : text;
  const field = fields.get(plain);
  if (field) return [field, text === plain ? 1 : -1];
  throw new ConfigurationError(`${where} names \`${plain}\`, which is not a field${didYouMean(plain, fields.keys(), '.')}`);
}
