import type { DocumentPart, OpenapiDocument, Schema } from '../../openapi/document.ts';
import { type Resolve, simplify, withDescription } from './input-schema.ts';
import { safeNames } from './safe-names.ts';
import type { Argument } from './tool.ts';

const maxArgumentName = 64;

/** The parts of the description from which the arguments of an operation are made. */
export interface Described {
  /** The path of the operation, with the parameters that all of its operations have. */
  readonly item: DocumentPart;
  readonly operation: DocumentPart;
  readonly method: string;
  readonly document: OpenapiDocument;
  readonly hasRevision: boolean;
  /** Whether the operation itself declares the parameters of its query string. */
  readonly hasOwnQuery: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** The headers that are arguments, by their name in lower case. */
const headerArguments = new Map([
  ['if-match', { name: 'if_match', description: 'The `revision` that you have read: if it has changed since, nothing is written.' }],
  [
    'idempotency-key',
    { name: 'idempotency_key', description: 'A text of your own for this write: the same text again does not write again.' },
  ],
]);

/** Descriptions of parameters that need more, or less, than the description of the api has. */
const words: Readonly<Record<string, string | undefined>> = {
  after: '`page.next_cursor` of the page before, with the same filters and sort.',
  before: undefined,
  id: undefined,
};

/**
 * The arguments of an operation, by the name that the client sees: of the path, of the query, of headers, and the
 * `body`.
 */
export function compileInputs({ item, operation, method, document, hasRevision, hasOwnQuery }: Described): ReadonlyMap<string, Argument> {
  const resolve: Resolve = (reference) => follow(document, reference) as Schema;
  const parameters = [item.parameters, operation.parameters]
    .flatMap((list) => (list ?? []) as readonly DocumentPart[])
    .map((part) => {
      const { $ref: reference } = part;
      return (typeof reference === 'string' ? follow(document, reference) : part) as unknown as Parameter;
    });
  const headers = method === 'GET' ? [] : parameters.flatMap((parameter) => inHeader(parameter, hasRevision)); // a model has nothing to compare
  const path = nameAll(parameters.filter((parameter) => parameter.in === 'path').map((parameter) => inPath(parameter, resolve)));
  const query = onceEach(parameters.filter((parameter) => parameter.in === 'query'));
  const others = nameAll(
    [
      ...query.filter((one) => !isFilter(one)).map((one) => (hasOwnQuery ? inOwnQuery : inQuery)(one, resolve)),
      ...headers,
      ...bodyOf(operation, resolve),
    ],
    path.keys(),
  );
  const filters = nameAll(
    query.filter(isFilter).map((one) => toFilter(one, resolve)),
    [...path.keys(), ...others.keys()],
  );
  // What identifies a record comes first, then what is looked for, then how it is shown.
  return new Map([...path, ...[...filters].map(([name, filter]) => [name, explain(name, filter)] as const), ...others]);
}

/** An argument with the name that it should have. */
type Named = readonly [wanted: string, argument: Argument];

function nameAll(arguments_: readonly Named[], taken: Iterable<string> = []): ReadonlyMap<string, Argument> {
  const wanted = arguments_.map(([name, argument]) => ({ wanted: name, subject: argument.name }));
  const names = safeNames(wanted, { maxLength: maxArgumentName, taken });
  return new Map(arguments_.map(([, argument]) => [names.get(argument.name) as string, argument]));
}

function follow(document: OpenapiDocument, reference: string): DocumentPart {
  const [, , kind = '', name = ''] = reference.split('/');
  return document.components[kind]?.[name.replaceAll('~1', '/').replaceAll('~0', '~')] as DocumentPart;
}

/** An array that the description has in two forms is one argument: `name[in][]`, whose items may have commas. */
function onceEach(parameters: readonly Parameter[]): Parameter[] {
  const whole = new Set(parameters.flatMap(({ name }) => (name.endsWith('[]') ? [name.slice(0, -2)] : [])));
  return parameters.filter(({ name }) => !whole.has(name)).map((one) => ({ ...one, name: one.name.replace(/\[\]$/, '') }));
}

/**
 * `near[location]` is no filter of one value: its description says what its numbers are. No operator is called `limit`
 * or `sort`: these are of included records.
 */
const isFilter = ({ name, schema }: Parameter): boolean => /(?<!\[(?:limit|sort))\]$/.test(name) && !('prefixItems' in schema);

/** `total_gte` for `total[gte]`, and `number` for `number[eq]`. */
function wantedName(name: string): string {
  return name.replace(/\[eq\]$/, '').replace(/\]$/, '');
}

function inPath({ name, schema }: Parameter, resolve: Resolve): Named {
  return [name, { in: 'path', name, required: true, schema: withoutLimits(simplify(schema, resolve)) }];
}

function inQuery({ name, schema, description, required = false }: Parameter, resolve: Resolve): Named {
  const text = name in words ? words[name] : firstSentence(description);
  return [
    wantedName(name),
    { in: 'query', name, required, schema: withDescription(name === 'sort' ? sortSchema(schema) : simplify(schema, resolve), text) },
  ];
}

/** A name such as `sort` has the meaning that the operation gives it. */
function inOwnQuery({ name, schema, description, required = false }: Parameter, resolve: Resolve): Named {
  return [
    name,
    { in: 'query', name, required, isOwn: true, schema: withDescription(simplify(schema, resolve), firstSentence(description)) },
  ];
}

/** The keys once, and not each in both directions. */
function sortSchema({ items }: Schema): Schema {
  const { enum: keys } = items as { readonly enum: readonly string[] };
  const ascending = keys.filter((key) => !key.startsWith('-'));
  return { type: 'array', items: { type: 'string' }, description: `Of ${ascending.join(', ')}; \`-\` in front is descending.` };
}

function toFilter({ name, schema, required = false }: Parameter, resolve: Resolve): Named {
  return [wantedName(name), { in: 'query', name, required, schema: withoutLimits(simplify(schema, resolve)) }];
}

/** How long the values of parameters may be is seldom worth the words. */
function withoutLimits({ minLength, maxLength, maxItems, ...schema }: Schema): Schema {
  return schema;
}

/** The name of an argument says what it filters by, unless it was cut or ends with a digest. */
function explain(argument: string, filter: Argument): Argument {
  const isTelling = argument === wantedName(filter.name).replaceAll(/[^a-zA-Z0-9_-]+/g, '_');
  return isTelling ? filter : { ...filter, schema: { ...filter.schema, description: `Filter ${filter.name}` } };
}

function inHeader({ in: where, name, required = false }: Parameter, hasRevision: boolean): Named[] {
  const argument = where === 'header' ? headerArguments.get(name.toLowerCase()) : undefined;
  if (!argument || (argument.name === 'if_match' && !hasRevision && !required)) return [];
  const type = argument.name === 'if_match' ? 'integer' : 'string';
  return [[argument.name, { in: 'header', name, required, schema: { type, description: argument.description } }]];
}

function bodyOf(operation: DocumentPart, resolve: Resolve): Named[] {
  const body = operation.requestBody as {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  const schema = body?.content['application/json']?.schema;
  if (!schema) return [];
  return [['body', { in: 'body', name: 'body', required: body.required === true, schema: simplify(schema, resolve) }]];
}

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text);
}
