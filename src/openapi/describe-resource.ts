import { descriptions } from '../features/descriptions.ts';
import { own } from '../model/value/plain-object.ts';
import { queryMethods } from '../resource/define/endpoints.ts';
import { operations } from '../resource/define/standard-operations.ts';
import type { ServedRow } from '../resource/serve-resource.ts';
import { endpointsOf, type RowsOfEndpoint, type Subject, templateOf, usualOf } from '../resource/table/row.ts';
import type { Part } from './document.ts';
import { describeAggregate } from './operations/describe-aggregate.ts';
import { describeCustom } from './operations/describe-custom.ts';
import { describeHistory } from './operations/describe-history.ts';
import { describeOperation, type Particulars, type ResourceContext } from './operations/describe-operation.ts';
import { describePlugin, type Variants } from './operations/describe-plugin.ts';
import { describeQuery, describeStandard } from './operations/describe-standard.ts';
import { describeNested } from './relations/describe-nested.ts';
import { idParameter, otherParameter } from './schemas/id-parameter.ts';

/** The paths of a resource, each with its operations. OpenAPI 3.1 does not know the method QUERY. */
export function describeResource(context: ResourceContext): Record<string, Part> {
  const { api, resource } = context;
  const described = endpointsOf(resource.rows).filter(({ method }) => !queryMethods.includes(method));
  const paths: Record<string, Part> = {};
  for (const endpoint of sortForReaders(described)) {
    const { subject } = usualOf(endpoint);
    const path = templateOf(`${api.prefix}/${resource.path}`, endpoint.path);
    const parameters = parametersOf(context, endpoint.path, subject);
    const operation = describeOperation(context, endpoint, particularsOf(context, subject, variantsOf(context, endpoint)));
    paths[path] = { ...paths[path], ...(parameters.length > 0 && { parameters }), [endpoint.method.toLowerCase()]: operation };
  }
  return paths;
}

/**
 * The paths of the library in the order in which they are told, then those of the application, of relations and of
 * plug-ins.
 */
function sortForReaders(endpoints: readonly RowsOfEndpoint<ServedRow>[]): readonly RowsOfEndpoint<ServedRow>[] {
  const rankOf = ({ subject, path }: ServedRow) => (ranks.get(subject.kind) ?? told.indexOf(path)) * 100 + withinPath(subject);
  return [...endpoints].sort((one, other) => rankOf(usualOf(one)) - rankOf(usualOf(other)));
}

const told = ['/', '/query', '/aggregate', '/:id', '/:id/history', '/:id/restore'];
const ranks: ReadonlyMap<Subject['kind'], number> = new Map(
  (['custom', 'nested', 'plugin'] as const).map((kind, index) => [kind, told.length + index]),
);

function withinPath(subject: Subject): number {
  return subject.kind === 'standard' ? operations.indexOf(subject.operation) : 0;
}

/** What plug-ins tell of those of their rows that answer some requests of an endpoint. */
function variantsOf(context: ResourceContext, { rows }: RowsOfEndpoint<ServedRow>): Variants {
  const told = rows.flatMap(({ name }) => descriptions.flatMap(({ variants }) => own(variants, name)?.(context) ?? []));
  return {
    description: told.map(({ description }) => description).join(''),
    isNegotiated: rows.some(({ when }) => when && 'accept' in when),
  };
}

function particularsOf(context: ResourceContext, subject: Subject, variants: Variants): Particulars {
  switch (subject.kind) {
    case 'standard':
      return describeStandard(context, subject.operation, variants);
    case 'query':
      return describeQuery(context, variants);
    case 'aggregate':
      return describeAggregate(context);
    case 'history':
      return describeHistory(context);
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

function parametersOf({ resource }: ResourceContext, path: string, subject: Subject): Part[] {
  const names = (path.match(/:\w+/g) ?? []).map((name) => name.slice(1));
  return names.map((name) => {
    if (name === 'id') return idParameter(resource);
    const other = subject.kind === 'plugin' && own(subject.others, name);
    if (other) return otherParameter(name, other.model);
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
}
