import type { ProblemCode } from '../errors.ts';
import type { LeafNode } from '../model/node.ts';
import { objectIdLeaf, stringLeaf, uuidLeaf } from '../model/value/leaves.ts';
import { insertAccess } from '../model/write/access.ts';
import type { CompiledResource } from '../resource/compiled-resource.ts';
import type { Operation } from '../resource/resource-options.ts';
import type { ApiDescription } from './api-description.ts';
import type { Components } from './components.ts';
import type { Part, Schema } from './document.ts';
import { cachingHeaders, entityTag, ifFree, ifMatch, ifNoneMatch, ifStillMatch, link, location, unlessMatch } from './headers.ts';
import { fieldsParameters, includeParameter, listParameters, mayExceedInt64 } from './list-parameters.ts';
import { problemResponses } from './problem-responses.ts';
import type { RecordSchemas } from './record-schemas.ts';
import { readLeaf, textLeaf } from './value-schema.ts';

/** What the operations of a resource are described from. */
export interface ResourceContext {
  readonly api: ApiDescription;
  readonly resource: CompiledResource;
  /** References to its schemas. */
  readonly schemas: RecordSchemas;
  readonly components: Components;
  /** An operation's id, unique in the document. */
  operationId(operation: string): string;
}

/** What is particular to an operation. */
interface Particulars {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Part[];
  readonly body?: Part | undefined;
  readonly answers: Readonly<Record<string, Part>>;
  readonly problems: readonly ProblemCode[];
}

const methods: Readonly<Record<Operation, string>> = {
  list: 'get',
  get: 'get',
  create: 'post',
  patch: 'patch',
  put: 'put',
  delete: 'delete',
};

/** The paths of a resource, each with the operations that it serves. */
export function describeResource(context: ResourceContext): Record<string, Part> {
  const { api, resource } = context;
  const path = `${api.prefix}/${resource.path}`;
  const id = idParameter(resource);
  const all = describeOperations(context, ['list', 'create']);
  const one = describeOperations(context, ['get', 'patch', 'put', 'delete']);
  return {
    ...(Object.keys(all).length > 0 ? { [path]: all } : {}),
    ...(Object.keys(one).length > 0 ? { [`${path}/{id}`]: { parameters: [id], ...one } } : {}),
  };
}

/** The id in a path. */
export function idParameter({ model }: CompiledResource): Part {
  return { name: 'id', in: 'path', required: true, description: 'The id of the record.', schema: pathSchema(model.id) };
}

/** Only the spelling of `Location` leads to a record. */
function pathSchema({ leaf, node }: CompiledResource['model']['id']): Part {
  if (leaf === stringLeaf) return readLeaf(node as LeafNode);
  return { ...textLeaf(leaf), ...pathPatterns.get(leaf) };
}

const pathPatterns = new Map<unknown, Part>([
  [objectIdLeaf, { pattern: '^[0-9a-f]{24}$' }],
  [uuidLeaf, { pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' }],
]);

function describeOperations(context: ResourceContext, operations: readonly Operation[]): Record<string, Part> {
  const served = operations.filter((operation) => context.resource.ops.includes(operation));
  return Object.fromEntries(served.map((operation) => [methods[operation], describeOperation(context, operation)]));
}

function describeOperation(context: ResourceContext, operation: Operation): Part {
  const { resource } = context;
  const { summary, description, parameters, body, answers, problems } = particulars[operation](context);
  return {
    operationId: context.operationId(operation),
    summary,
    description,
    tags: [resource.path],
    ...securityOf(context, operation),
    ...(parameters ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: { ...answers, ...problemResponses([...problems, ...commonProblems(context, operation, methods[operation])], context) },
  };
}

/** Where nothing can refuse an anonymous request, no credentials are an alternative. */
export function securityOf({ api, resource }: ResourceContext, operation: string): Part {
  const isScoped = resource.isScoped && (operation !== 'create' || resource.scopeWrites);
  const asksWho = resource.guardsOf(operation).length > 0 || isScoped || (operation === 'create' && resource.serverFields !== undefined);
  return asksWho || api.security.length === 0 ? {} : { security: [...api.security, {}] };
}

/** What every operation can answer. */
export function commonProblems({ api, resource }: ResourceContext, operation: string, method: string): ProblemCode[] {
  const isGuarded = resource.guardsOf(operation).length > 0;
  return [
    ...(api.authenticates || isGuarded ? (['unauthorized'] as const) : []),
    ...(isGuarded ? (['forbidden'] as const) : []),
    ...(api.refusesCrossOrigin && method !== 'get' ? (['cross_origin'] as const) : []),
    ...(api.isLimited ? (['overloaded'] as const) : []),
    'method_not_allowed',
    'internal',
    'request_given_up',
    'database_unavailable',
  ];
}

/** Of a body. */
export const bodyProblems: readonly ProblemCode[] = [
  'malformed_json',
  'body_timeout',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
];

/** Of a write to a record that exists: the last three because a miss is explained by a read, and a race is tried again a few times only. */
export function changeProblems({ resource }: ResourceContext): ProblemCode[] {
  const missing: readonly ProblemCode[] = resource.preconditionRequired ? ['precondition_required'] : [];
  return ['malformed_header', ...missing, 'not_found', 'precondition_failed', 'write_outcome_unknown', 'database_timeout', 'overloaded'];
}

const particulars: Readonly<Record<Operation, (context: ResourceContext) => Particulars>> = {
  list(context) {
    const { resource, schemas, components } = context;
    return {
      summary: `List ${resource.model.name} records`,
      description: 'One page of the records that the caller may see and that match every filter.',
      parameters: listParameters(resource),
      answers: {
        200: {
          description: 'A page of records.',
          headers: { Link: link(components), ...cachingHeaders(components, resource.caching) },
          content: json(schemas.page as Schema),
        },
      },
      problems: [
        'invalid_query',
        ...(resource.paging.mode === 'cursor' ? (['invalid_cursor'] as const) : []),
        'database_timeout',
        ...(mayExceedInt64(resource) ? (['validation_failed'] as const) : []),
      ],
    };
  },

  get(context) {
    const { resource, components } = context;
    const notModified = { 304: { description: 'The record is still the one that `If-None-Match` names.', ...recordHeaders(context) } };
    const parameters = [
      ...(resource.model.revision ? [ifNoneMatch(components)] : []),
      ifStillMatch(components),
      ...fieldsParameters(resource),
      ...includeParameter(resource),
    ];
    return {
      summary: `Get one ${resource.model.name}`,
      description: 'The record with this id.',
      parameters,
      answers: { 200: recordAnswer(context, 'The record.', {}, context.schemas.selected), ...(resource.model.revision ? notModified : {}) },
      problems: ['malformed_header', 'invalid_query', 'not_found', 'precondition_failed', 'database_timeout'],
    };
  },

  create(context) {
    const { resource, schemas, components } = context;
    return {
      summary: `Create one ${resource.model.name}`,
      description: 'Stores a new record. What is left out takes its default.',
      ...(choosesId(resource) ? { parameters: [ifFree(components)] } : {}),
      body: schemas.create,
      answers: { 201: recordAnswer(context, 'The new record.', { Location: location(components) }) },
      problems: [
        ...bodyProblems,
        'malformed_header',
        ...(choosesId(resource) ? (['precondition_failed'] as const) : []),
        'duplicate_key',
        'write_outcome_unknown',
      ],
    };
  },

  patch(context) {
    const { resource, schemas } = context;
    const embedded = resource.mergePatch ? 'are merged into (RFC 7396)' : 'are replaced by what is sent';
    return {
      summary: `Change one ${resource.model.name}`,
      description: `Changes the fields that are sent, at once; null clears. Embedded objects ${embedded}; lists and maps are replaced.`,
      parameters: [ifMatch(context), unlessMatch(context.components)],
      body: schemas.patch,
      answers: { 200: recordAnswer(context, 'The record as it is now.') },
      problems: [...bodyProblems, ...changeProblems(context), 'duplicate_key'],
    };
  },

  put(context) {
    const { resource, schemas } = context;
    return {
      summary: `Replace one ${resource.model.name}`,
      description: 'Replaces everything that the caller may change, at once: what is left out returns to its default.',
      parameters: [ifMatch(context), unlessMatch(context.components)],
      body: schemas.put,
      answers: { 200: recordAnswer(context, 'The record as it is now.') },
      problems: [...bodyProblems, ...changeProblems(context), 'duplicate_key'],
    };
  },

  delete(context) {
    return {
      summary: `Delete one ${context.resource.model.name}`,
      description: 'Deletes the record with this id.',
      parameters: [ifMatch(context), unlessMatch(context.components)],
      answers: { 204: { description: 'The record is deleted.' } },
      problems: changeProblems(context),
    };
  },
};

/** Whether clients choose the ids of the records that they create. */
function choosesId({ model, explicitWrites }: CompiledResource): boolean {
  return insertAccess({ explicitWrites }).refusal(model.id) === undefined;
}

/** A record, with its entity tag. */
export function recordAnswer(context: ResourceContext, description: string, headers: Part = {}, schema = context.schemas.read): Part {
  return { description, ...recordHeaders(context, headers), content: envelope({ data: schema }) };
}

/** The headers of an answer with a record: an entity tag where the model has a revision, and who may keep it. */
export function recordHeaders({ resource, components }: ResourceContext, others: Part = {}): Part {
  const tag = resource.model.revision ? { ETag: entityTag(components) } : {};
  return { headers: { ...others, ...tag, ...cachingHeaders(components, resource.caching) } };
}

function envelope(properties: Part): Part {
  return json({ type: 'object', properties, required: Object.keys(properties) });
}

/** The content of a JSON body. */
export function json(schema: Part): Part {
  return { 'application/json': { schema } };
}
