import { problemsOf } from '../../middleware/exchange/descriptor.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { exportChainOf } from '../../resource/export-chains.ts';
import type { ServedResource } from '../../resource/serve-resource.ts';
import type { ApiDescription } from '../api-description.ts';
import type { Components } from '../components.ts';
import type { Part } from '../document.ts';
import type { RecordSchemas } from '../schemas/record-schemas.ts';
import { cachingHeaders, entityTag, idempotencyKey } from './headers.ts';
import { problemResponses } from './problem-responses.ts';

/** The inputs of the description of a resource's operations. */
export interface ResourceContext {
  readonly api: ApiDescription;
  readonly resource: ServedResource;
  /** References to the schemas of the resource at a path. */
  schemasOf(path: string): RecordSchemas;
  /** References to its schemas. */
  readonly schemas: RecordSchemas;
  readonly components: Components;
  /** An operation's id, unique in the document. */
  operationId(operation: string): string;
}

/** The parts of a description that differ between operations. */
export interface Particulars {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Part[];
  readonly body?: Part | undefined;
  /** Whether the body may be absent. @default false */
  readonly isBodyOptional?: boolean;
  /** The successful answers, by status. */
  readonly answers: Part;
}

/**
 * Describes an operation, standard or custom. Its problems are those of its chain, and the 405 of the dispatch. `asked`
 * are the operations whose guards, scope and functions it asks.
 */
export function describeOperation(
  context: ResourceContext,
  name: string,
  method: string,
  particulars: Particulars,
  asked: readonly Asked[] = [{ resource: context.resource, operation: name }],
): Part {
  const { resource } = context;
  const { summary, description, body, isBodyOptional = false, answers } = particulars;
  const chain = [...resource.chainOf(name), ...resource.chainOf(exportChainOf.get(name) ?? ''), ...resource.keptChainOf(name)];
  const parameters = [...(particulars.parameters ?? []), ...idempotencyKey(context.api, chain, context.components)];
  const problems = chain.flatMap((middleware) => problemsOf(middleware, method));
  return {
    operationId: context.operationId(name),
    summary,
    description,
    tags: [resource.path],
    ...securityOf(context, asked),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !isBodyOptional, content: json(body) } } : {}),
    responses: { ...answers, ...problemResponses(['method_not_allowed', ...problems], context) },
  };
}

/** An operation of a resource that decides who may do what. */
interface Asked {
  readonly resource: CompiledResource;
  readonly operation: string;
}

/** If nothing can refuse an anonymous request, no credentials are one of the alternatives. */
function securityOf({ api }: ResourceContext, asked: readonly Asked[]): Part {
  return asked.some(asksWho) || api.security.length === 0 ? {} : { security: [...api.security, {}] };
}

function asksWho({ resource, operation }: Asked): boolean {
  const isScoped = resource.isScoped && (operation !== 'create' || resource.scopeWrites);
  return (
    resource.guardsOf(operation).length > 0 || isScoped || hasServerFields(resource, operation) || resource.beforeOf(operation).length > 0
  );
}

function hasServerFields({ serverFields, operations }: CompiledResource, operation: string): boolean {
  if (operation === 'create') return serverFields.create !== undefined;
  const isStep = operations.some(({ name, counter }) => name === operation && counter);
  return (isStep || ['patch', 'put', 'patchMany'].includes(operation)) && serverFields.update !== undefined;
}

/** The inputs of the description of an answer with a record. */
interface AnswerContext extends Pick<ResourceContext, 'schemas' | 'components'> {
  readonly resource: CompiledResource;
}

/** A record, with its entity tag. */
export function recordAnswer(context: AnswerContext, description: string, headers: Part = {}, schema = context.schemas.read): Part {
  return { description, ...recordHeaders(context, headers), content: envelope({ data: schema }) };
}

/** The headers of an answer with a record: an entity tag where the model has a revision, and who may keep it. */
export function recordHeaders({ resource, components }: AnswerContext, others: Part = {}): Part {
  const tag = resource.model.revision ? { ETag: entityTag(components) } : {};
  return { headers: { ...others, ...tag, ...cachingHeaders(components, resource.caching), ...others } };
}

function envelope(properties: Part): Part {
  return json({ type: 'object', properties, required: Object.keys(properties) });
}

/** The content of a JSON body. */
export function json(schema: Part): Part {
  return { 'application/json': { schema } };
}
