import type { ProblemCode } from '../errors.ts';
import type { CompiledOperation } from '../resource/compile-operations.ts';
import {
  bodyProblems,
  changeProblems,
  commonProblems,
  idParameter,
  json,
  type ResourceContext,
  recordAnswer,
  recordHeaders,
  securityOf,
} from './describe-resource.ts';
import type { Part } from './document.ts';
import { cachingHeaders, ifMatch, ifNoneMatch, ifStillMatch, unlessMatch } from './headers.ts';
import { problemResponses } from './problem-responses.ts';

/** The paths of a resource's custom operations: `<prefix>/<resource>/{id}/<name>` unless they say otherwise. */
export function describeCustom(context: ResourceContext): Record<string, Part> {
  const { api, resource } = context;
  const paths: Record<string, Part> = {};
  for (const operation of resource.operations) {
    const below = operation.path === '/' ? '' : operation.path.replaceAll(/:(\w+)/g, '{$1}');
    const path = `${api.prefix}/${resource.path}${below}`;
    const parameters = parametersOf(context, operation);
    paths[path] = {
      ...paths[path],
      ...(parameters.length > 0 ? { parameters } : {}),
      [methodOf(operation)]: describeOperation(context, operation),
    };
  }
  return paths;
}

function methodOf({ method }: CompiledOperation): string {
  return method.toLowerCase();
}

function parametersOf({ resource }: ResourceContext, { path }: CompiledOperation): Part[] {
  const names = (path.match(/:\w+/g) ?? []).map((name) => name.slice(1));
  return names.map((name) => (name === 'id' ? idParameter(resource) : { name, in: 'path', required: true, schema: { type: 'string' } }));
}

function describeOperation(context: ResourceContext, operation: CompiledOperation): Part {
  const { resource, schemas } = context;
  const { name, summary } = operation;
  const body = schemas.bodies?.[name];
  const headers = headersOf(context, operation);
  return {
    operationId: context.operationId(name),
    summary,
    description: summary, // linters ask for both, and there is no more to say
    tags: [resource.path],
    ...securityOf(context, name),
    ...(headers.length > 0 ? { parameters: headers } : {}),
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      ...answersOf(context, operation),
      ...problemResponses([...problemsOf(context, operation), ...commonProblems(context, name, methodOf(operation))], context),
    },
  };
}

function headersOf(context: ResourceContext, operation: CompiledOperation): Part[] {
  if (!isOfRecord(operation)) return [];
  const { components } = context;
  if (operation.method !== 'GET') return [ifMatch(context), unlessMatch(components)];
  return [...(mayHaveTag(context, operation) ? [ifNoneMatch(components)] : []), ifStillMatch(components)];
}

function isOfRecord({ path }: CompiledOperation): boolean {
  return path.split('/').includes(':id');
}

function mayHaveTag({ resource }: ResourceContext, operation: CompiledOperation): boolean {
  return (
    resource.model.revision !== undefined && isOfRecord(operation) && (operation.answer === 'record' || operation.answer === undefined)
  );
}

/** Where nobody said what it answers, it may be anything, or nothing. */
function answersOf(context: ResourceContext, operation: CompiledOperation): Part {
  const { name, method, answer } = operation;
  const headers = cachingHeaders(context.components, context.resource.caching);
  const done = { 204: { description: 'It is done.', headers } };
  if (answer === 'none') return done;
  const known =
    method === 'GET' && mayHaveTag(context, operation)
      ? { 304: { description: 'It is still what `If-None-Match` names.', ...recordHeaders(context) } }
      : {};
  if (answer === 'record') return { 200: recordAnswer(context, 'The record as it is now.'), ...known };
  const schema = context.schemas.answers?.[name];
  if (schema) return { 200: { description: 'What it answers.', headers, content: json(schema) } };
  const anything = { type: 'object', properties: { data: {} }, required: ['data'] };
  const tag = { description: 'The revision of a record that is answered (RFC 9110 §8.8.3).', schema: { type: 'string' } };
  return {
    200: {
      description: 'What it answers.',
      headers: { ...(mayHaveTag(context, operation) ? { ETag: tag } : {}), ...headers },
      content: json(anything),
    },
    ...done,
    ...known,
  };
}

function problemsOf(context: ResourceContext, operation: CompiledOperation): ProblemCode[] {
  const ofBody = operation.body === undefined ? [] : bodyProblems;
  const ofWrite: readonly ProblemCode[] = operation.method === 'GET' ? [] : ['duplicate_key'];
  if (!isOfRecord(operation)) return [...ofBody, ...ofWrite, 'malformed_header'];
  if (operation.method === 'GET') return [...ofBody, 'malformed_header', 'not_found', 'precondition_failed', 'database_timeout'];
  return [...ofBody, ...ofWrite, ...changeProblems(context), 'validation_failed'];
}
