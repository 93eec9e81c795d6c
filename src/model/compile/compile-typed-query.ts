import { ConfigurationError } from '../../errors.ts';
import { listNames, nearest } from '../../hints.ts';
import { QueryErrors } from '../../http/query-errors.ts';
import { itemsOf, keyOf, type QueryParameter } from '../../http/query-string.ts';
import { tryAll } from '../../mistakes.ts';
import { Invalid } from '../../rules.ts';
import { objectSchema } from '../define/build-schema.ts';
import { asSchema, type GivenSchema, markers } from '../define/raw-schema.ts';
import type { Fields } from '../define/schema.ts';
import { type ArrayNode, absent, type CompiledField, type LeafNode, type ObjectNode, type Slot } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import type { Leaf } from '../value/leaf.ts';
import { stringLeaf } from '../value/leaves.ts';
import { intLeaf } from '../value/number-leaves.ts';
import { isObject } from '../value/plain-object.ts';
import { isComparable } from '../value/point-leaf.ts';
import { hasEqualItems } from '../value/unique-items.ts';
import { isRequiredButMissing, valueOfUnsent } from '../write/read-value.ts';
import { compileObject } from './compile-schema.ts';

/** The compiled fields of a query string that is not that of a list. */
export interface CompiledQuery {
  /** An object with a field for each parameter. */
  readonly node: ObjectNode;
  /** The names of the parameters with a constant default. */
  readonly fixed: ReadonlySet<string>;
  /**
   * Casts the parameters to values in document form. Throws `invalid_query` (400) with the first 20 errors. `maxItems`
   * is for arrays that do not say theirs.
   */
  read(parameters: readonly QueryParameter[], maxItems: number): Readonly<Record<string, unknown>>;
}

/** Compiles the fields of a query string. Throws a {@link ConfigurationError} with all mistakes. */
export function compileTypedQuery(given: Fields | CompiledQuery, what: string): CompiledQuery {
  if (isCompiled(given)) return given;
  if (!isObject(given)) throw new ConfigurationError(`${what} must be an object with a field for each parameter: { q: t.string() }.`);
  const parts = Object.entries(given).map(
    ([name, schema]) =>
      () =>
        checkParameter(name, asSchema(schema, `query.${name}`)),
  );
  tryAll(parts);
  const node = compileObject(objectSchema(given, {}), 'query');
  const fields = node.fields.map((field) => ({ field, read: compileReader(field) }));
  const hydrate = compileHydrate(node);
  return {
    node,
    fixed: new Set(node.fields.map(({ name }) => name).filter((name) => hasConstantDefault(given[name] as GivenSchema))),
    read(parameters, maxItems) {
      const errors = new QueryErrors();
      const texts = sortOut(parameters, node, errors);
      const stored: Record<string, unknown> = {};
      for (const { field, read } of fields) {
        const value = read(texts.get(field), maxItems);
        if (value instanceof Invalid) errors.push(value.at(field.name));
        else if (value !== absent) stored[field.key] = value;
      }
      errors.throwIfAny();
      return hydrate(stored) as Readonly<Record<string, unknown>>;
    },
  };
}

function hasConstantDefault({ default: given }: GivenSchema): boolean {
  return given !== undefined && typeof given !== 'function';
}

function isCompiled(given: Fields | CompiledQuery): given is CompiledQuery {
  return given?.fixed instanceof Set; // a field may be called `fixed`, and is no Set
}

/** Refuses what a parameter cannot be, and keywords that would have no effect. */
function checkParameter(name: string, schema: GivenSchema): void {
  const path = `query.${name}`;
  const marker = markers.find((keyword) => keyword !== 'default' && schema[keyword] !== undefined);
  if (marker) throw new ConfigurationError(`\`${marker}\` of \`${path}\` would have no effect: it belongs to fields of records.`);
  const field = compileObject(objectSchema({ [name]: schema }, {}), 'query').byName.get(name) as CompiledField;
  const item = field.node.kind === 'array' ? field.node.items : field;
  const { node } = item;
  const lost = item.ref ? 'ref' : node.kind === 'leaf' && ((node.caseless && 'caseless') || (node.leaf.base && 'storedAs'));
  if (lost) throw new ConfigurationError(`\`${lost}\` of \`${path}\` would have no effect: it belongs to fields of records.`);
  if (field.nullable || item.nullable)
    throw new ConfigurationError(`\`${path}\` cannot be null: a parameter is there, or it is left out. Use \`t.optional\`.`);
  if (node.kind !== 'leaf' || !isComparable(node.leaf))
    throw new ConfigurationError(`\`${path}\` must be a single value with a type, or an array of such values.`);
}

const noOperator = new Invalid('parameter_syntax', 'takes no operator in brackets');
const oneValue = new Invalid('parameter_syntax', 'takes one value: [] is for lists of them');
const givenTwice = new Invalid('repeated_parameter', 'is given twice');

/** The texts of each field that was sent: one, or those of an array. */
function sortOut(parameters: readonly QueryParameter[], { byName }: ObjectNode, errors: QueryErrors): ReadonlyMap<CompiledField, string[]> {
  const texts = new Map<CompiledField, string[]>();
  const refuse = (parameter: QueryParameter, reason: Invalid) => errors.push(reason.at(keyOf(parameter)));
  for (const parameter of parameters) {
    const { name, operator, isItem, value } = parameter;
    const field = byName.get(name);
    const earlier = field && texts.get(field);
    if (!field) refuse(parameter, unknownParameter(name, [...byName.keys()]));
    else if (operator !== undefined) refuse(parameter, noOperator);
    else if (field.node.kind !== 'array' && isItem) refuse(parameter, oneValue);
    else if (field.node.kind !== 'array' && earlier) refuse(parameter, givenTwice);
    else if (field.node.kind !== 'array') texts.set(field, [value]);
    else {
      const items = value === '' && !isItem && !needsText(field.node) ? [] : itemsOf(parameter);
      if (!earlier) texts.set(field, items);
      else for (const item of items) earlier.push(item); // a spread takes no more arguments than the stack holds
    }
  }
  return texts;
}

/** An empty value is no item. Where an array of texts must have one, it is an empty text. */
function needsText({ items, keywords }: ArrayNode): boolean {
  return Number(keywords.minItems ?? 0) > 0 && items.node.kind === 'leaf' && items.node.leaf === stringLeaf;
}

function unknownParameter(name: string, names: readonly string[]): Invalid {
  const suggestion = nearest(name, names);
  const legal = names.length > 0 ? `. Allowed: ${listNames(names)}` : ', which takes none';
  const hint = suggestion === undefined ? legal : `; did you mean \`${suggestion}\`?`;
  return new Invalid('unknown_parameter', `is not a parameter of this operation${hint}`, { suggestion });
}

/** Converts the texts of a field to its stored form. */
type Read = (texts: readonly string[], maxItems: number) => unknown;

function compileReader(field: CompiledField): (texts: readonly string[] | undefined, maxItems: number) => unknown {
  const read = field.node.kind === 'array' ? compileArrayReader(field) : compileOneReader(field);
  return (texts, maxItems) => {
    if (texts) return read(texts, maxItems);
    const unsent = valueOfUnsent(field);
    return unsent === undefined ? isRequiredButMissing : unsent;
  };
}

function compileOneReader(slot: Slot): (texts: readonly string[]) => unknown {
  const { leaf } = slot.node as LeafNode;
  const { constraint } = slot;
  return ([text]) => {
    const value = fromText(leaf, text as string);
    return value instanceof Invalid ? value : (constraint?.(leaf.toDocument(value)) ?? value);
  };
}

const equalItems = new Invalid('uniqueItems', 'must not have equal items');

function compileArrayReader({ node, constraint }: Slot): Read {
  if (node.kind !== 'array') throw new TypeError('Not an array.');
  const { items, keywords } = node;
  const readItem = compileOneReader(items);
  return (texts, maxItems) => {
    if (keywords.maxItems === undefined && texts.length > maxItems)
      return new Invalid('maxItems', `must have at most ${maxItems} values`, { limit: maxItems });
    const broken = constraint?.(texts);
    if (broken) return broken;
    const values: unknown[] = [];
    for (const text of texts) {
      const value = readItem([text]);
      if (value instanceof Invalid) return value;
      values.push(value);
    }
    return keywords.uniqueItems === true && hasEqualItems(values) ? equalItems : values;
  };
}

/** A filter may compare an integer with any of 64 bits. A handler receives it as a number, which holds fewer. */
function fromText(leaf: Leaf, text: string): unknown {
  const value = leaf.fromText(text);
  if (leaf !== intLeaf || value instanceof Invalid) return value;
  return leaf.fromJson(Number.isSafeInteger(Number(value)) ? Number(value) : value);
}
