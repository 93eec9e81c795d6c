import { type Api, openapiDocument } from '../../src/index.ts';
import type { ServedRow } from '../../src/resource/serve-resource.ts';
import { templateOf } from '../../src/resource/table/row.ts';
import type { Any } from '../support/any.ts';

/** Members of a schema that neither ask anything of a value nor change what is served. */
const remarks = ['description', 'title', 'example', 'examples', 'default'];
const schemasByName = ['properties', 'patternProperties', 'dependentSchemas'];
const schemasInOrder = ['anyOf', 'allOf', 'oneOf', 'prefixItems'];
const schemaMembers = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'];

/**
 * What a client can meet in an api, a line each: the kinds of its rows, and of its document the forms and the names of
 * parameters, media types, statuses, headers, and the keywords of schemas, each with the type that it is about, in what
 * is sent and in what is answered. Names that an application has chosen are no features. `excluded` are paths of the
 * document that do not count.
 */
export function featuresOf(api: Api<never>, excluded: readonly string[] = []): ReadonlySet<string> {
  const document: Any = openapiDocument(api);
  const { prefix, resources } = api.description;
  const rows = resources.flatMap(({ path, rows }) => rows.map((row) => ({ row, path: templateOf(`${prefix}/${path}`, row.path) })));
  const custom = new Set(rows.filter(({ row }) => row.subject.kind === 'custom').map(({ row, path }) => `${row.method} ${path}`));
  const features = new Set(rows.map(({ row }) => kindOf(row)));
  const seen = new Set<string>();

  function resolve(part: Any): Any {
    if (part?.$ref === undefined) return part;
    const keys: string[] = part.$ref.slice(2).split('/');
    return resolve(keys.reduce((within, key) => within[key.replaceAll('~1', '/').replaceAll('~0', '~')], document));
  }

  function addSchema(way: 'sent' | 'answered', schema: Any): void {
    if (typeof schema !== 'object') return;
    if (schema.$ref !== undefined) {
      const place = `${way} ${schema.$ref}`;
      if (!seen.has(place)) {
        seen.add(place);
        addSchema(way, resolve(schema));
      }
      return;
    }
    for (const keyword of Object.keys(schema)) if (!remarks.includes(keyword)) features.add(`${way}: ${keyword} of ${typeOf(schema)}`);
    const inner = [
      ...schemasByName.flatMap((keyword) => Object.values(schema[keyword] ?? {})),
      ...schemasInOrder.flatMap((keyword) => schema[keyword] ?? []),
      ...schemaMembers.map((keyword) => schema[keyword]),
    ];
    for (const one of inner) addSchema(way, one);
  }

  function addParameter(parameter: Any, isOfApplication: boolean): void {
    const { name, in: place, required = false, style = 'simple', explode = true, schema } = parameter;
    const [, operator] = /\[(\w+)\](?:\[\])?$/.exec(name) ?? [];
    const value = resolve(schema);
    const items = value.items ? ` of ${typeOf(resolve(value.items))}` : '';
    features.add(`parameter: ${[place, style, explode, required, operator, typeOf(value)].join(' ')}${items}`);
    if (operator === undefined && !isOfApplication) features.add(`parameter: ${place} ${name}`);
    addSchema('sent', schema);
  }

  function addContent(way: 'sent' | 'answered', content: Any = {}): void {
    for (const [type, { schema }] of Object.entries<Any>(content)) {
      features.add(`${way}: ${type}`);
      addSchema(way, schema);
    }
  }

  for (const [path, { parameters: shared = [], ...operations }] of Object.entries<Any>(document.paths)) {
    if (excluded.includes(path)) continue;
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries<Any>(operations)) {
      const isOfApplication = custom.has(`${method.toUpperCase()} ${path}`);
      for (const parameter of [...shared, ...parameters]) addParameter(resolve(parameter), isOfApplication);
      if (!rows.some((one) => one.path === path)) features.add(`beside resources: ${method} ${path.slice(prefix.length)}`);
      addContent('sent', resolve(requestBody)?.content);
      for (const [status, response] of Object.entries<Any>(responses)) {
        const { headers = {}, content } = resolve(response);
        features.add(`answered: ${status}`);
        for (const name of Object.keys(headers)) features.add(`answered: header ${name}`);
        addContent('answered', content);
      }
    }
  }
  for (const { type, scheme } of Object.values<Any>(document.components.securitySchemes ?? {})) features.add(`security: ${type} ${scheme}`);
  return features;
}

/** What a row is about, without a name that an application has chosen. */
function kindOf({ subject, method, path, when }: ServedRow): string {
  switch (subject.kind) {
    case 'standard':
      return `row: ${subject.operation}`;
    case 'nested':
      return `row: ${subject.kind} ${subject.part}`;
    case 'custom':
      return `row: ${subject.operation.field ? 'step' : 'custom'} ${method} of ${path.includes('/:id') ? 'a record' : 'a resource'}`;
    case 'plugin':
      return `row: ${subject.name}`;
    case 'variant':
      return `row: ${method} with ${JSON.stringify(when)}`;
    default:
      return `row: ${subject.kind}`;
  }
}

function typeOf({ type = 'any', format }: Any): string {
  return [[type].flat().join('|'), format].filter((part) => part !== undefined).join(':');
}
