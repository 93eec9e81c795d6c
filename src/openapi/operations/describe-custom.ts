import { own } from '../../model/value/plain-object.ts';
import type { CompiledOperation } from '../../resource/define/compile-operations.ts';
import type { DocumentPart, Schema } from '../document.ts';
import { ownPageSchema } from '../schemas/page-schema.ts';
import { queryParameters } from '../schemas/query-parameters.ts';
import { json, type Particulars, type ResourceContext, recordAnswer, recordHeaders } from './describe-operation.ts';
import { cachingHeaders, ifMatch, ifNoneMatch, ifStillMatch, location, unlessMatch } from './headers.ts';

/** Describes a custom operation, or one that a plug-in has for a field. */
export function describeCustom(context: ResourceContext, operation: CompiledOperation): Particulars {
  const { name, summary, description = summary } = operation; // linters ask for both, and there may be no more to say
  return {
    summary,
    description,
    parameters: [
      ...(operation.query ? queryParameters(operation.query, context.resource.filterLimits.maxFilterValues) : []),
      ...headersOf(context, operation),
    ],
    body: own(context.schemas.bodies ?? {}, name),
    isBodyOptional: operation.isBodyOptional,
    answers: answersOf(context, operation),
  };
}

function headersOf(context: ResourceContext, operation: CompiledOperation): DocumentPart[] {
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

function locationOf({ components }: ResourceContext, { status }: CompiledOperation): DocumentPart {
  return status === 201 ? { Location: location(components) } : {};
}

const several = { records: 'Records, as the caller may see them.', page: 'A page of records, as the caller may see them.' } as const;

function severalSchema({ schemas }: ResourceContext, answer: 'records' | 'page'): Schema {
  const properties = { data: { type: 'array', items: schemas.read }, ...(answer === 'page' ? { page: ownPageSchema } : {}) };
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** An operation without `answer` may answer anything, or nothing. */
function answersOf(context: ResourceContext, operation: CompiledOperation): DocumentPart {
  const { name, method, answer, status } = operation;
  const headers = cachingHeaders(context.components, context.resource.caching);
  const done = { [status ?? 204]: { description: 'It is done.', headers } };
  if (answer === 'none') return done;
  const known =
    method === 'GET' && mayHaveTag(context, operation)
      ? { 304: { description: 'It is still what `If-None-Match` names.', ...recordHeaders(context) } }
      : {};
  if (answer === 'record')
    return { [status ?? 200]: recordAnswer(context, 'The record as it is now.', locationOf(context, operation)), ...known };
  if (answer === 'records' || answer === 'page')
    return { [status ?? 200]: { description: several[answer], headers, content: json(severalSchema(context, answer)) } };
  const schema = own(context.schemas.answers ?? {}, name);
  if (schema) return { [status ?? 200]: { description: 'What it answers.', headers, content: json(schema) } };
  const anything = { type: 'object', properties: { data: {} }, required: ['data'] };
  const tag = { description: 'The revision of a record that is answered (RFC 9110 §8.8.3).', schema: { type: 'string' } };
  return {
    ...done,
    [status ?? 200]: {
      description: 'What it answers.',
      headers: { ...(mayHaveTag(context, operation) ? { ETag: tag } : {}), ...headers },
      content: json(anything),
    },
    ...known,
  };
}
