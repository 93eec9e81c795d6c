import { ConfigurationError } from '../../errors.ts';
import { tryAll } from '../../mistakes.ts';
import { anArrayOf, aWholeNumber, checkNames, checkOptions, checkValue, type LegalOptions, oneOf, required } from '../../options.ts';
import { type ModelSearch, searchLanguages } from '../define/search.ts';
import type { FieldEntry, FieldTable } from '../node.ts';
import { stringLeaf } from '../value/leaves.ts';
import { isObject } from '../value/plain-object.ts';
import type { DeclaredIndex, IndexKey } from './model-index.ts';

/** What `q` looks through. */
export interface CompiledSearch {
  /** The names of the fields of text. */
  readonly fields: readonly string[];
  /** The fields that a scope must compare with one value: the index begins with them. */
  readonly scopeFields: readonly Pick<FieldEntry, 'name' | 'path'>[];
  /** The text index, as the driver's `createIndex` takes it. */
  readonly key: IndexKey;
  readonly options: Readonly<Record<string, unknown>>;
}

const aWeight = aWholeNumber(1, 99_999);

const legal: LegalOptions<ModelSearch> = {
  fields: required([(value) => isObject(value) && Object.keys(value).length > 0, 'an object with a weight for each field']),
  language: oneOf(...searchLanguages),
  scopeFields: anArrayOf('field names'),
};

/**
 * The database takes the language of each object in a record from this key, and refuses to store one that it does not
 * know. No field has a bracket in its name.
 */
const languageKey = '[language]';

/** Compiles `search` of a model. Throws a {@link ConfigurationError} for fields that no text index can have. */
export function compileSearch(
  search: ModelSearch | undefined,
  table: FieldTable,
  indexes: readonly DeclaredIndex[],
  model: string,
): CompiledSearch | undefined {
  if (search === undefined) return undefined;
  const where = `\`search\` of model \`${model}\``;
  if (!isObject(search)) throw new ConfigurationError(`${where} must be an object: { fields: { title: 10, body: 1 } }.`);
  checkOptions(search, legal, where);
  const { fields: weights, language = 'none', scopeFields = [] } = search;
  const names = Object.keys(weights);
  if (indexes.some(({ key }) => isText(key)))
    throw new ConfigurationError(`${where} is a text index, and \`indexes\` declares another one: a collection has one at most.`);
  checkNames(`field of ${model}, in \`search.fields\``, names, [...table.keys()], `model \`${model}\``);
  checkNames(`field of ${model}, in \`search.scopeFields\``, scopeFields, [...table.keys()], `model \`${model}\``);
  const entryOf = (name: string) => table.get(name) as FieldEntry;
  tryAll([
    ...names.map((name) => () => checkText(entryOf(name), where)),
    ...names.map((name) => () => checkValue(`The weight of \`${name}\` in ${where}`, weights[name], aWeight)),
    ...scopeFields.map((name) => () => checkScopeField(entryOf(name), names, where)),
  ]);
  if (new Set(scopeFields).size < scopeFields.length) throw new ConfigurationError(`\`scopeFields\` of ${where} names a field twice.`);
  const texts = names.map(entryOf);
  const scope = scopeFields.map(entryOf).map(({ name, path }) => ({ name, path }));
  const key: IndexKey = [
    ...scope.map(({ path }): IndexKey[number] => [path, 1]),
    ...texts.map(({ path }): IndexKey[number] => [path, 'text']),
  ];
  return {
    fields: names,
    scopeFields: scope,
    key,
    options: {
      weights: Object.fromEntries(texts.map(({ name, path }) => [path, weights[name]])),
      default_language: language,
      language_override: languageKey,
      textIndexVersion: 3,
    },
  };
}

/** Whether an index is a text index. */
export function isText(key: IndexKey): boolean {
  return key.some(([, direction]) => direction === 'text');
}

/** What callers see who do not see all fields of a record: nothing, unless they see every text. */
export function searchInView(search: CompiledSearch | undefined, table: FieldTable): CompiledSearch | undefined {
  return search?.fields.every((name) => table.get(name)?.isPrivate === false) ? search : undefined;
}

function checkText({ name, path, leaf, inNestedArray, isPrivate }: FieldEntry, where: string): void {
  if (leaf !== stringLeaf || inNestedArray || path === '_id')
    throw new ConfigurationError(`${where} names \`${name}\`, which must be a string or an array of strings: nothing else has words.`);
  if (isPrivate)
    throw new ConfigurationError(`${where} names \`${name}\`, which is private: what clients find would tell them what stands there.`);
}

/** The database refuses to store a record with an array in such a field. */
function checkScopeField({ name, leaf, arrayPath }: FieldEntry, texts: readonly string[], where: string): void {
  if (!leaf || arrayPath !== undefined)
    throw new ConfigurationError(`\`scopeFields\` of ${where} names \`${name}\`, which must be a single value, and not in an array.`);
  if (texts.includes(name)) throw new ConfigurationError(`\`scopeFields\` of ${where} names \`${name}\`, which is in \`fields\`.`);
}
