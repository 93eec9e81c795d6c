import { ConfigurationError } from '../../errors.ts';
import { tryAll } from '../../mistakes.ts';
import { type IndexKey, isText } from '../../model/compile/model-index.ts';
import { type ModelPart, type ModelToCompile, type ModelWithParts, partOf } from '../../model/compile/model-part.ts';
import { queriedPath } from '../../model/fold/fold-paths.ts';
import type { FieldEntry } from '../../model/node.ts';
import { stringLeaf } from '../../model/value/leaves.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { anArrayOf, aWholeNumber, checkNames, checkOptions, checkValue, type LegalOptions, oneOf, required } from '../../options.ts';
import { type ModelSearch, searchLanguages, searchOption } from './types.ts';

/** What `q` looks through. */
export interface CompiledSearch {
  /** The names of the fields of text. */
  readonly fields: readonly string[];
  /** Whether the index has their folded texts. Then what is looked for is folded, too. */
  readonly isFolded: boolean;
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

/** `search` of models: what clients search is a part of a view if they see every text. */
export const searchOfModel: ModelPart<CompiledSearch> = {
  option: searchOption,
  compile: (search, model) => compileSearch(search as ModelSearch, model),
  fields: (search) => Object.keys((search as ModelSearch | undefined)?.fields ?? {}),
  isInView: ({ fields }, table) => fields.every((name) => table.get(name)?.isPrivate === false),
  checkTogether: checkTextIndexes,
};

/** Compiles `search` of a model. Throws a {@link ConfigurationError} for fields that no text index can have. */
function compileSearch(search: ModelSearch, { name: model, table, indexes }: ModelToCompile): CompiledSearch {
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
  const entries = names.map(entryOf);
  // Words of a language are known by their accents. A text that is not folded would not be found by a folded word.
  const isFolded = language === 'none' && entries.every((entry) => queriedPath(entry) !== entry.path);
  const texts = entries.map((entry) => ({ name: entry.name, path: isFolded ? queriedPath(entry) : entry.path }));
  const scope = scopeFields.map(entryOf).map(({ name, path }) => ({ name, path }));
  const key: IndexKey = [
    ...scope.map(({ path }): IndexKey[number] => [path, 1]),
    ...texts.map(({ path }): IndexKey[number] => [path, 'text']),
  ];
  return {
    fields: names,
    isFolded,
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

/**
 * Refuses models of one collection whose text indexes differ, because a collection has one at most, and a model that
 * stores arrays where the text index of another one needs a single value: every write would fail.
 */
function checkTextIndexes(models: readonly ModelWithParts[]): void {
  for (const model of models) {
    const { name, collection } = model;
    const search = partOf(model, searchOfModel);
    const others = models.filter((one) => search && one.collection === collection);
    for (const other of others) {
      const ofOther = partOf(other, searchOfModel);
      const foreign = [...(ofOther ? [ofOther] : []), ...other.indexes.filter(({ key }) => isText(key))];
      if (foreign.some(({ key, options }) => JSON.stringify([key, options]) !== JSON.stringify([search?.key, search?.options])))
        throw new ConfigurationError(
          `\`search\` of ${name} and ${other.name} are two text indexes of the collection \`${collection}\`, which can have one: give both models the same.`,
        );
      const array = search?.scopeFields.find((field) =>
        [...other.fieldTable.values()].some(({ arrayPath }) => arrayPath && `${field.path}.`.startsWith(`${arrayPath}.`)),
      );
      if (array)
        throw new ConfigurationError(
          `\`search.scopeFields\` of ${name} has \`${array.name}\`, which is an array, or in one, in ${other.name}, a model of the same collection: the database would refuse to store it.`,
        );
    }
  }
}
