import type { QueryField } from '../../model/compile/query-fields.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { decimalLeaf } from '../../model/value/number-leaves.ts';
import { inUrl } from '../../mongo/list/compile-filter.ts';
import type { DocumentPart, Schema } from '../../openapi/document.ts';
import { json, type Particulars, type ResourceContext } from '../../openapi/operations/describe-operation.ts';
import type { DescribedReads } from '../../openapi/operations/describe-plugin.ts';
import { cachingHeaders, link } from '../../openapi/operations/headers.ts';
import { afterParameter, deletedParameter, filterParameters, sortSchema } from '../../openapi/schemas/list-parameters.ts';
import { commaSeparated, parameter } from '../../openapi/schemas/parameter.ts';
import { withNull } from '../../openapi/schemas/value-schema.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { facetOf } from '../../resource/define/facet.ts';
import { readAggregate } from './options.ts';
import { figuresOf, isGroupable } from './policy.ts';
import { type Aggregate, aggregateName, aggregates, type DateUnit, dateUnits, maxGroupKeys, maxGroupSorts } from './types.ts';

/** Aggregates are an operation of their own. */
export const aggregatesDescribed: DescribedReads = { operations: { [aggregateName]: describeAggregate } };

/** Describes the numbers about a list. */
function describeAggregate({ resource, components }: ResourceContext): Particulars {
  const { model, caching } = resource;
  const ok = {
    description: 'The groups, in the order that `sort` names, or of their values.',
    headers: { ...(groupsOf(resource).length > 0 ? { Link: link(components) } : {}), ...cachingHeaders(components, caching) },
    content: json(answerOf(resource)),
  };
  return {
    summary: `Aggregate ${model.name} records`,
    description: 'Numbers about the records that the caller may see and that match every filter: one object for each group.',
    parameters: [...ownParameters(resource), ...filterParameters(resource), ...deletedParameter(resource)],
    answers: { 200: ok },
  };
}

/** What `group` takes: of a date, each of its units. */
function groupsOf({ model }: CompiledResource): { readonly name: string; readonly leaf: Leaf; readonly unit?: DateUnit }[] {
  return [...model.clientFields.values()].flatMap((field) => {
    const { name, leaf } = field;
    if (!isGroupable(field) || !leaf) return [];
    return leaf.name === 'date' ? dateUnits.map((unit) => ({ name: `${name}[${unit}]`, leaf, unit })) : [{ name, leaf }];
  });
}

function fieldsOf({ model }: CompiledResource, kind: Aggregate): QueryField[] {
  return [...model.clientFields.values()].filter((field) => figuresOf(field).has(kind));
}

const meanings: Readonly<Record<Aggregate, string>> = {
  sum: 'Fields whose values are added up.',
  avg: 'Fields whose values are averaged.',
  min: 'Fields whose least value is told.',
  max: 'Fields whose greatest value is told.',
  countDistinct: 'Fields whose different values are counted.',
};

function ownParameters(resource: CompiledResource): DocumentPart[] {
  const groups = groupsOf(resource);
  const names = (values: readonly string[]) => ({ type: 'array', items: { type: 'string', enum: values }, minItems: 1, uniqueItems: true });
  const ofGroups = { ...names(groups.map(({ name }) => name)), maxItems: maxGroupKeys };
  const count = 'Whether the records of each group are counted. They are unless something else is asked for.';
  const zone = 'The time zone in which dates are grouped, by its IANA name or its offset.';
  return [
    ...(groups.length > 0 ? [parameter('group', 'The fields whose values make the groups.', ofGroups, commaSeparated)] : []),
    ...aggregates.flatMap((kind) => {
      const fields = fieldsOf(resource, kind).map(({ name }) => name);
      return fields.length > 0 ? [parameter(kind, meanings[kind], names(fields), commaSeparated)] : [];
    }),
    parameter('count', count, { type: 'boolean' }),
    ...(groups.some(({ unit }) => unit) ? [parameter('timezone', zone, { ...timeZone, default: 'UTC' })] : []),
    ...(groups.length > 0 ? parametersOfGroups(resource) : []),
  ];
}

/** The parameters that choose and order groups. */
function parametersOfGroups(resource: CompiledResource): DocumentPart[] {
  const figures = ['count', ...aggregates.flatMap((kind) => fieldsOf(resource, kind).map(({ name }) => `${kind}(${name})`))];
  const names = [...figures, ...groupsOf(resource).map(({ name }) => name)];
  const { maxGroups = 0 } = facetOf(resource, readAggregate) ?? {};
  const sort = 'What the groups are sorted by: their numbers, or what `group` names; `-` is descending.';
  const having = 'What the numbers of a group fulfil, in the language of `filter`: `count > 5`. `sort` names them.';
  return [
    parameter('sort', sort, sortSchema(names, maxGroupSorts), commaSeparated),
    parameter('having', having, { type: 'string', minLength: 1, maxLength: inUrl.maxBytes }),
    parameter('limit', `The most groups of a page; above ${maxGroups} it is ${maxGroups}. With it, the answer has a \`page\`.`, {
      type: 'integer',
      minimum: 1,
    }),
    afterParameter,
  ];
}

/** A client cannot know all names that a service knows: an unknown one is 400. */
const timeZone = { type: 'string', pattern: '^(?:[A-Za-z][\\w+/-]{0,63}|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$' };

function answerOf(resource: CompiledResource): Schema {
  const groups = groupsOf(resource).map(({ name, leaf, unit }) => [name, withNull(keySchema(leaf, unit))] as const);
  const figures = aggregates.flatMap((kind) => {
    const members = fieldsOf(resource, kind).map(({ name, leaf }) => [name, figureSchema(kind, leaf as Leaf)] as const);
    return members.length > 0 ? [[kind, { type: 'object', properties: Object.fromEntries(members) }] as const] : [];
  });
  const properties = {
    ...(groups.length > 0 ? { group: { type: 'object', properties: Object.fromEntries(groups) } } : {}),
    count: { type: 'integer', minimum: 0 },
    ...Object.fromEntries(figures),
  };
  const data = { type: 'array', items: { type: 'object', properties } };
  const page = groups.length > 0 ? { page: groupPage } : {};
  return { type: 'object', properties: { data, ...page }, required: ['data'] };
}

/** Only where `limit` or `after` is given. */
const groupPage: Schema = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, description: 'How many groups the page has at most.' },
    has_next: { type: 'boolean', description: 'Whether there is a next page.' },
    next_cursor: { type: ['string', 'null'], description: 'The value of `after` for the next page; null on the last.' },
  },
  required: ['size', 'has_next', 'next_cursor'],
  description: 'There where `limit` or `after` is given.',
};

function keySchema(leaf: Leaf, unit: DateUnit | undefined): Schema {
  return unit === undefined || unit === 'hour' ? leaf.readSchema : { type: 'string' };
}

function figureSchema(kind: Aggregate, leaf: Leaf): Schema {
  return kind === 'countDistinct' ? { type: 'integer', minimum: 0 } : withNull(valueSchema(kind, leaf));
}

function valueSchema(kind: Aggregate, leaf: Leaf): Schema {
  const isInteger = leaf.name === 'int' || leaf.name === 'int64';
  if (kind === 'avg' && isInteger) return decimalLeaf.readSchema;
  return kind === 'sum' && isInteger ? { type: 'integer' } : leaf.readSchema;
}
