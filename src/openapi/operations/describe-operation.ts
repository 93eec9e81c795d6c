import { problemsOf } from '../../middleware/exchange/descriptor.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { ServedResource, ServedRow } from '../../resource/serve-resource.ts';
import { type Row, type RowsOfEndpoint, usualOf } from '../../resource/table/row.ts';
import type { ApiDescription } from '../api-description.ts';
import type { Components } from '../components.ts';
import type { DocumentPart } from '../document.ts';
import type { RecordSchemas } from '../schemas/record-schemas.ts';
import { cachingHeaders, entityTag } from './headers.ts';
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
  /** The id of an operation, unique in the document. */
  operationId(row: ServedRow): string;
}

/** The parts of a description that differ between operations. */
export interface Particulars {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly DocumentPart[];
  readonly body?: DocumentPart | undefined;
  /** Whether the body may be absent. @default false */
  readonly isBodyOptional?: boolean;
  /** The successful answers, by status. */
  readonly answers: DocumentPart;
}

/** Describes an endpoint. Its problems are those of the chains of its rows, and the 405 of the dispatch. */
export function describeOperation(context: ResourceContext, endpoint: RowsOfEndpoint<ServedRow>, particulars: Particulars): DocumentPart {
  const { resource } = context;
  const { method, rows } = endpoint;
  const usual = usualOf(endpoint);
  const { summary, description, body, isBodyOptional = false, answers } = particulars;
  const chain = [usual, ...rows.filter((row) => row !== usual)].flatMap((row) => row.whole());
  const parameters = [...(particulars.parameters ?? []), ...context.api.parametersOf(chain, context.components)];
  const problems = chain.flatMap((middleware) => problemsOf(middleware, method));
  return {
    operationId: context.operationId(usual),
    summary,
    description,
    tags: [resource.path],
    ...securityOf(context, usual),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !isBodyOptional, content: json(body) } } : {}),
    responses: { ...answers, ...problemResponses(['method_not_allowed', ...problems], context) },
  };
}

/** If nothing can refuse an anonymous request, no credentials are one of the alternatives. */
function securityOf({ api }: ResourceContext, row: Row): DocumentPart {
  return asksWho(row) || api.security.length === 0 ? {} : { security: [...api.security, {}] };
}

function asksWho({ asks, runs, isScoped, setsFields }: Row): boolean {
  return (
    asks.some(({ resource, names }) => resource.guardsOf(...names).length > 0) ||
    isScoped ||
    setsFields ||
    runs.names.some((name) => runs.resource.beforeOf(name).length > 0)
  );
}

/** The inputs of the description of an answer with a record. */
interface AnswerContext extends Pick<ResourceContext, 'schemas' | 'components'> {
  readonly resource: CompiledResource;
}

/** A record, with its entity tag. */
export function recordAnswer(
  context: AnswerContext,
  description: string,
  headers: DocumentPart = {},
  schema = context.schemas.read,
  beside: DocumentPart = {},
): DocumentPart {
  return { description, ...recordHeaders(context, headers), content: envelope({ data: schema }, beside) };
}

/** The headers of an answer with a record: an entity tag where the model has a revision, and who may keep it. */
export function recordHeaders({ resource, components }: AnswerContext, others: DocumentPart = {}): DocumentPart {
  const tag = resource.model.revision ? { ETag: entityTag(components) } : {};
  return { headers: { ...others, ...tag, ...cachingHeaders(components, resource.caching), ...others } };
}

function envelope(properties: DocumentPart, optional: DocumentPart = {}): DocumentPart {
  return json({ type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) });
}

/** The content of a JSON body. */
export function json(schema: DocumentPart): DocumentPart {
  return { 'application/json': { schema } };
}
