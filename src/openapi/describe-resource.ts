import { descriptions } from '../features/descriptions.ts';
import { own } from '../model/value/plain-object.ts';
import { queryMethods } from '../resource/define/endpoints.ts';
import { operations } from '../resource/define/standard-operations.ts';
import type { ServedRow } from '../resource/serve-resource.ts';
import { endpointsOf, isOfRecord, type RowSubject, type RowsOfEndpoint, templateOf, usualOf } from '../resource/table/row.ts';
import type { DocumentPart } from './document.ts';
import { describeCustom } from './operations/describe-custom.ts';
import { describeOperation, type Particulars, type ResourceContext } from './operations/describe-operation.ts';
import { describePlugin, type Variants } from './operations/describe-plugin.ts';
import { describeQuery, describeStandard } from './operations/describe-standard.ts';
import { describeNested } from './relations/describe-nested.ts';
import { idParameter, otherParameter } from './schemas/id-parameter.ts';

/** The paths of a resource, each with its operations. OpenAPI 3.1 does not know the method QUERY. */
export function describeResource(context: ResourceContext): Record<string, DocumentPart> {
  const { api, resource } = context;
  const described = endpointsOf(resource.rows).filter(({ method }) => !queryMethods.includes(method));
  const paths: Record<string, DocumentPart> = {};
  for (const endpoint of sortForReaders(described)) {
    const { subject } = usualOf(endpoint);
    const path = templateOf(`${api.prefix}/${resource.path}`, endpoint.path);
    const parameters = parametersOf(context, endpoint.path, subject);
    const operation = describeOperation(context, endpoint, particularsOf(context, usualOf(endpoint), variantsOf(context, endpoint)));
    paths[path] = { ...paths[path], ...(parameters.length > 0 && { parameters }), [endpoint.method.toLowerCase()]: operation };
  }
  return paths;
}

/**
 * The paths of the library in the order in which they are told, then those of the application, of relations and of
 * plug-ins.
 */
function sortForReaders(endpoints: readonly RowsOfEndpoint<ServedRow>[]): readonly RowsOfEndpoint<ServedRow>[] {
  const rankOf = (row: ServedRow) => (ranks.get(row.subject.kind) ?? placeOf(row)) * 100 + withinPath(row.subject);
  return [...endpoints].sort((one, other) => rankOf(usualOf(one)) - rankOf(usualOf(other)));
}

const told = ['/', '/query', '/:id', '/:id/restore'];

/** The reads of plug-ins come after those of the same: of the list, or of a record. */
function placeOf({ subject, path }: ServedRow): number {
  return subject.kind === 'read' ? told.indexOf(isOfRecord(path) ? '/:id' : '/query') + 0.5 : told.indexOf(path);
}

const ranks: ReadonlyMap<RowSubject['kind'], number> = new Map(
  (['custom', 'nested', 'plugin'] as const).map((kind, index) => [kind, told.length + index]),
);

function withinPath(subject: RowSubject): number {
  return subject.kind === 'standard' ? operations.indexOf(subject.operation) : 0;
}

/** What plug-ins tell of those of their rows that answer some requests of an endpoint. */
function variantsOf(context: ResourceContext, { rows }: RowsOfEndpoint<ServedRow>): Variants {
  const told = rows.flatMap(({ name }) => descriptions.flatMap(({ variants = {} }) => own(variants, name)?.(context) ?? []));
  return {
    description: told.map(({ description = '' }) => description).join(''),
    parameters: told.flatMap(({ parameters = [] }) => parameters),
    headers: told.flatMap(({ headers = [] }) => headers),
    answer: told.map(({ answer = '' }) => answer).join(''),
    content: Object.assign({}, ...told.map(({ content }) => content)),
    beside: Object.assign({}, ...told.map(({ beside }) => beside)),
    isNegotiated: rows.some(({ when }) => when && 'accept' in when),
  };
}

function particularsOf(context: ResourceContext, { name, subject }: ServedRow, variants: Variants): Particulars {
  switch (subject.kind) {
    case 'standard':
      return describeStandard(context, subject.operation, variants);
    case 'query':
      return describeQuery(context, variants);
    case 'read':
      return describeRead(context, name);
    case 'custom':
      return describeCustom(context, subject.operation);
    case 'nested':
      return describeNested(context, subject.nested, subject.part);
    case 'plugin':
      return describePlugin(context, subject);
    case 'variant':
      throw new Error('A variant of an answer is described with the answer.');
  }
}

function describeRead(context: ResourceContext, name: string): Particulars {
  const [describe] = descriptions.flatMap(({ operations = {} }) => own(operations, name) ?? []);
  if (!describe) throw new Error(`The plug-in that has \`${name}\` does not describe it.`);
  return describe(context);
}

function parametersOf({ resource }: ResourceContext, path: string, subject: RowSubject): DocumentPart[] {
  const names = (path.match(/:\w+/g) ?? []).map((name) => name.slice(1));
  return names.map((name) => {
    if (name === 'id') return idParameter(resource);
    const other = subject.kind === 'plugin' && own(subject.others, name);
    if (other) return otherParameter(name, other.model);
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}
