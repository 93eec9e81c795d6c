import type { QueryField } from '../../model/compile/query-fields.ts';
import { type Operator, operatorDef, operators, withoutScans } from '../../model/operators/operators.ts';
import type { SoughtText } from '../../model/operators/sought-text.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { stringLeaf } from '../../model/value/leaves.ts';
import { keepsDeleted } from '../../mongo/lifecycle/lifecycle.ts';
import { filterName, inBody, inUrl } from '../../mongo/list/compile-filter.ts';
import { deletedName, deletedValues } from '../../mongo/list/parse-deleted.ts';
import { maxAffectedName } from '../../mongo/list/parse-filter-query.ts';
import type { Totals } from '../../mongo/list/parse-paging.ts';
import { isThrough } from '../../mongo/through/through-field.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { describeAdded } from '../../resource/define/list-of.ts';
import type { DocumentPart, Schema } from '../document.ts';
import { commaSeparated, isSeparable, parameter, repeated } from './parameter.ts';
import { textLeaf, withNull } from './value-schema.ts';

/**
 * The query parameters of a list: one for each operator that a field's policy allows, and those of sorting, paging and
 * fields. A list below a record shows a part of the collection, whose size is no estimate for it.
 */
export function listParameters(resource: CompiledResource, isBelow = false): DocumentPart[] {
  return [...filterParameters(resource), ...settingParameters(resource, isBelow)];
}

/** The query parameters that filter a list: those of its fields, `filter`, and those of plug-ins. */
export function filterParameters(resource: CompiledResource): DocumentPart[] {
  return [...fieldFilters(filterFields(resource), resource), ...findingParameters(resource)];
}

function findingParameters(resource: CompiledResource): DocumentPart[] {
  return [...expressionParameter(resource), ...furtherParameters(resource, true)];
}

function fieldFilters(fields: readonly QueryField[], { filterLimits }: CompiledResource): DocumentPart[] {
  return fields.flatMap((field) =>
    operators.filter((operator) => field.operators.has(operator)).flatMap((operator) => parametersOf(field, operator, filterLimits)),
  );
}

function expressionParameter({ model, through }: CompiledResource): DocumentPart[] {
  const hasFilters = through !== undefined || [...model.clientFields.values()].some(({ operators }) => operators.size > 0);
  return hasFilters ? [parameter(filterName, describeFilter, { ...textLeaf(stringLeaf), maxLength: inUrl.maxBytes })] : [];
}

/** The parameters of plug-ins: those that find records, or the others. */
function furtherParameters(resource: CompiledResource, finds: boolean): DocumentPart[] {
  return describeAdded(resource, finds).map(({ name, description, schema }) =>
    parameter(name, description, schema, schema.type === 'array' ? commaSeparated : {}),
  );
}

/** The parameters of a list that are no filters by one field. */
function settingParameters(resource: CompiledResource, isBelow: boolean): DocumentPart[] {
  const { model, paging, filterLimits } = resource;
  const sortable = filterFields(resource)
    .filter((field) => field.sortable)
    .map((field) => field.name);
  return [
    ...(sortable.length > 0 ? [sortParameter(sortable, filterLimits)] : []),
    parameter('limit', describeLimit(paging), { type: 'integer', minimum: 1, default: paging.size }),
    ...(paging.mode === 'cursor' ? cursorParameters : [pageParameter(paging)]),
    ...totalParameter(paging.total, !keepsDeleted(model) && !isBelow),
    ...fieldsParameters(resource),
    ...includeParameters(resource),
    ...furtherParameters(resource, false),
    ...deletedParameter(resource),
  ];
}

function filterFields({ model, through }: CompiledResource): QueryField[] {
  return [...model.clientFields.values(), ...(through?.fields.values() ?? [])];
}

/** The members of a body that has the parameters of a list. The values are those of JSON. */
export function listBody(resource: CompiledResource, isBelow = false): Schema {
  const { filterLimits } = resource;
  const filters = filterFields(resource).flatMap((field) =>
    operators
      .filter((operator) => field.operators.has(operator))
      .map((operator) => {
        const description = describeFilterBy(field, operator).replace(', separated by commas', '');
        const member = { ...jsonOperand(field, operator, filterLimits), description };
        return [operator === 'eq' ? field.name : `${field.name}[${operator}]`, member] as const;
      }),
  );
  const settings = [...findingParameters(resource), ...settingParameters(resource, isBelow)].map(({ name, description, schema }) => {
    return [name, { ...jsonSetting(name as string, schema as Schema), description }] as const;
  });
  return { type: 'object', properties: Object.fromEntries([...filters, ...settings]), additionalProperties: false };
}

/** What a filter in a body compares with. */
function jsonOperand({ leaf, nullable }: QueryField, operator: Operator, limits: CompiledResource['filterLimits']): Schema {
  const { takes, order, text } = operatorDef(operator);
  if (takes === 'flag' || !leaf) return { type: 'boolean' };
  if (text) return soughtText(text, limits);
  const value = leaf.name === 'decimal' ? { ...leaf.writeSchema } : textLeaf(leaf);
  const operand = order || !nullable ? value : withNull(value);
  return takes === 'values' ? { type: 'array', items: operand, maxItems: limits.maxFilterValues } : operand;
}

/** The text that an operator looks for. */
function soughtText({ min, max }: SoughtText, limits: CompiledResource['filterLimits']): Schema {
  return { ...textLeaf(stringLeaf), ...(min > 0 && { minLength: min }), maxLength: max(limits) };
}

/** An empty array says nothing, and a flag is written as JSON writes it. */
function jsonSetting(name: string, { minItems, ...schema }: Schema): Schema {
  if (name === filterName) return { ...schema, maxLength: inBody.maxBytes };
  if (schema.prefixItems) return { ...schema, minItems };
  if (name !== 'total') return schema;
  const values = (schema.enum as readonly string[]).map((value) => (value === 'estimate' ? value : value === 'true'));
  return { enum: values, default: false };
}

const describeFilter = '`(a = "x" OR b >= 5) AND NOT exists(c)`';

/** The query parameters of a write to many records: the filters of the list, and how many records may match. */
export function manyParameters(resource: CompiledResource): DocumentPart[] {
  const { maxAffected } = resource;
  const description = 'How many records may match. If there are more, nothing is written.';
  const schema = { type: 'integer', minimum: 1, maximum: maxAffected, default: maxAffected };
  const fields = [...resource.model.clientFields.values()].map((field) => ({ ...field, operators: withoutScans(field.operators) }));
  return [...fieldFilters(fields, resource), parameter(maxAffectedName, description, schema)];
}

/** A page is limited in bytes, too. */
function describeLimit({ mode, max }: CompiledResource['paging']): string {
  const tooLarge =
    mode === 'cursor'
      ? 'A page of large records may have fewer, with more behind it.'
      : 'A page of too many bytes is 400: ask for fewer records.';
  return `Page size; above ${max} it is ${max}. ${tooLarge}`;
}

/** The characters of a cursor need no escape in a URL. */
const cursorText = { type: 'string', pattern: '^[\\w.~-]+$' };

/** The parameter that leads to the next page. */
export const afterParameter = parameter('after', 'The `next_cursor` of a page: the page behind it.', cursorText);

const cursorParameters = [
  afterParameter,
  parameter('before', 'The `prev_cursor` of a page: the page before it. Not together with `after`.', cursorText),
];

/** The deepest page has one record. */
function pageParameter({ maxOffset }: Extract<CompiledResource['paging'], { mode: 'offset' }>): DocumentPart {
  const description = `The number of the page. It may skip ${maxOffset} records.`;
  return parameter('page', description, { type: 'integer', minimum: 1, maximum: maxOffset + 1, default: 1 });
}

function totalParameter(total: Totals, isEstimable: boolean): DocumentPart[] {
  const exact = total === true ? ['`true`: also count all matches.'] : [];
  const estimate = total !== false && isEstimable ? ['`estimate`: also estimate how many records there are, without filters.'] : [];
  const values = [...exact.map(() => 'true'), ...estimate.map(() => 'estimate')];
  if (values.length === 0) return [];
  return [parameter('total', [...exact, ...estimate].join(' '), { type: 'string', enum: [...values, 'false'], default: 'false' })];
}

/**
 * The parameter by which clients ask for deleted records, on a list and on one record. None if the resource does not
 * allow it.
 */
export function deletedParameter({ deletedGuards }: CompiledResource): DocumentPart[] {
  if (!deletedGuards) return [];
  const description = '`only`: deleted records and nothing else. `with`: beside the living ones. Not everybody may ask for them.';
  return [parameter(deletedName, description, { type: 'string', enum: deletedValues })];
}

/**
 * The parameter by which clients choose fields, on a list and on one record. None if the resource does not allow it.
 */
export function fieldsParameters({ model, fields, includes }: CompiledResource): DocumentPart[] {
  if (!fields) return [];
  const own = [...model.selector.names];
  const ofIncluded = [...includes.selectors].flatMap(([relation, { names }]) => [...names].map((name) => `${relation}.${name}`));
  const schema = { type: 'array', items: { type: 'string', enum: [...own, ...ofIncluded] }, minItems: 1 };
  const description = 'What to read of a record, separated by commas; all that there is where this is left out. The `id` is always there.';
  return [parameter('fields', description, schema, commaSeparated)];
}

/** The parameters that include related records. None if the resource allows no relation. */
export function includeParameters({ includes: { names, narrowable } }: CompiledResource): DocumentPart[] {
  if (names.length === 0) return [];
  const schema = { type: 'array', items: { type: 'string', enum: names }, minItems: 1 };
  return [
    parameter('include', 'Related records to include. With it an answer about one record is never 304.', schema, commaSeparated),
    ...[...narrowable].flatMap(([path, { max, sorts }]) => [
      parameter(`${path}[limit]`, `How many of \`${path}\` one record shows; above ${max} it is ${max}. Only with \`include\`.`, {
        type: 'integer',
        minimum: 1,
        default: max,
      }),
      ...(sorts.length > 0
        ? [parameter(`${path}[sort]`, `Another order of \`${path}\`. Only with \`include\`.`, { type: 'string', enum: sorts })]
        : []),
    ]),
  ];
}

function sortParameter(names: readonly string[], { maxSortKeys }: CompiledResource['filterLimits']): DocumentPart {
  const description = `The keys to sort by, the most important first, at most ${maxSortKeys} with the id; \`-\` is descending.`;
  return parameter('sort', description, sortSchema(names, maxSortKeys - 1), commaSeparated);
}

/** The keys of a sort by some of these names. */
export function sortSchema(names: readonly string[], maxItems: number): Schema {
  const keys = names.flatMap((name) => [name, `-${name}`]);
  return { type: 'array', items: { type: 'string', enum: keys }, minItems: 1, ...eachOnce(names, maxItems) };
}

/** A field can be sorted by only once, whatever the direction: `uniqueItems` alone would allow both directions. */
function eachOnce(names: readonly string[], maxItems: number): Schema {
  if (names.length === 1) return { maxItems: 1 };
  const bothWays = names.map((name) => ({ allOf: [{ contains: { const: name } }, { contains: { const: `-${name}` } }] }));
  return { maxItems: Math.min(names.length, maxItems), uniqueItems: true, not: { anyOf: bothWays } };
}

/** The parameters of a filter. Several texts have two: in one of them a comma ends an item. */
function parametersOf(field: QueryField, operator: Operator, limits: CompiledResource['filterLimits']): DocumentPart[] {
  const { leaf, name } = field;
  const description = describeFilterBy(field, operator);
  const key = `${name}[${operator}]`;
  const { takes, order, text } = operatorDef(operator);
  if (takes === 'flag' || !leaf) return [parameter(key, description, { type: 'boolean' })];
  if (text) return [parameter(key, description, soughtText(text, limits))];
  const value = order || !field.nullable ? textLeaf(leaf) : orNullWord(leaf);
  if (takes === 'value') return [parameter(key, operator === 'eq' ? `${description} \`${name}=\` is the same.` : description, value)];
  const listOf = (items: Schema): Schema => ({ type: 'array', items, maxItems: limits.maxFilterValues });
  const whole = parameter(`${key}[]`, description.replace(', separated by commas', ''), listOf(value), repeated);
  if (!isSeparable(value)) return [whole];
  if (leaf !== stringLeaf) return [parameter(key, description, listOf(value), commaSeparated)];
  return [parameter(key, description, listOf({ ...value, pattern: '^[^\\x00,]*$' }), commaSeparated), whole];
}

function describeFilterBy(field: QueryField, operator: Operator): string {
  const { words, wordsOfItems, wordsOfCaseless, asks } = operatorDef(operator);
  const meaning = (field.inList && wordsOfItems) || (field.caseless && wordsOfCaseless) || words;
  const caseless = field.caseless && asks !== 'the field' ? ' Case and accents are ignored.' : '';
  return `${describeSubject(field, operator)} ${meaning}.${caseless}`;
}

function describeSubject(field: QueryField, operator: Operator): string {
  const { inList, name } = field;
  const record = isThrough(field) ? 'There is a related record in which ' : '';
  if (!inList) return `${record}\`${name}\``;
  const item = `${operatorDef(operator).asks === 'no item' ? 'No' : 'An'} item of \`${name}\``;
  return record === '' ? item : record + item.charAt(0).toLowerCase() + item.slice(1);
}

/** The word `null` means null if the field cannot hold that text. */
function orNullWord(leaf: Leaf): Schema {
  const schema = textLeaf(leaf);
  if (leaf === stringLeaf) return schema;
  const { enum: values } = schema;
  if (Array.isArray(values)) return values.includes('null') ? schema : { ...schema, enum: [...values, 'null'] };
  return { anyOf: [schema, { type: 'string', enum: ['null'] }] };
}
