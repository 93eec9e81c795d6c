import { changeKinds, compileHistoryFields, namesOfHistory, revisionLeaf } from '../../model/compile/history-fields.ts';
import { spellReferences } from '../../model/relations/held-references.ts';
import { dateLeaf } from '../../model/value/leaves.ts';
import type { Schema } from '../../openapi/document.ts';
import { json, type Particulars, type ResourceContext } from '../../openapi/operations/describe-operation.ts';
import type { DescribedReads, Variation } from '../../openapi/operations/describe-plugin.ts';
import { cachingHeaders, link } from '../../openapi/operations/headers.ts';
import { listParameters } from '../../openapi/schemas/list-parameters.ts';
import { pageSchema } from '../../openapi/schemas/page-schema.ts';
import { parameter } from '../../openapi/schemas/parameter.ts';
import { textLeaf } from '../../openapi/schemas/value-schema.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { cursorPaging } from '../../resource/define/paging.ts';
import { atName } from './as-it-was.ts';

/** The changes of a record are an operation, and the record as it was is told of with the record. */
export const historiesDescribed: DescribedReads = {
  operations: { history: describeHistory },
  variants: { 'get.at': describeState },
};

/** Describes the list of the changes of a record. */
function describeHistory({ resource, components }: ResourceContext): Particulars {
  const { name } = resource.model;
  const ofEntries = entriesOf(resource);
  const data = { type: 'array', items: entrySchema(resource) };
  return {
    summary: `List the changes of one ${name}`,
    description: `The changes of the record that the caller may see, the last one first: when each was made and by whom, and the values before and after it.`,
    parameters: listParameters(ofEntries, true),
    answers: {
      200: {
        description: 'A page of changes.',
        headers: { Link: link(components), ...cachingHeaders(components, resource.caching) },
        content: json({ type: 'object', properties: { data, page: pageSchema(ofEntries) }, required: ['data', 'page'] }),
      },
    },
  };
}

/** The parameter of get that asks for the record as it was, and what stands beside that. */
function describeState({ resource: { model } }: ResourceContext): Variation {
  const description = 'The revision at which the record is shown. Without it, it is the present one. An earlier one has no `ETag`.';
  const parameters = [parameter(atName, description, textLeaf(revisionLeaf(model)))];
  if (spellReferences(model.root).length === 0) return { parameters };
  const ofErased = 'Of an earlier state: the fields that held references to records which were purged since. No id is shown there.';
  return { parameters, beside: { erased: erasedNames(ofErased) } };
}

function erasedNames(description: string): Schema {
  return { type: 'array', items: { type: 'string' }, description };
}

/** The resource as if its list were that of changes. */
function entriesOf(resource: CompiledResource): CompiledResource {
  const { model, includes } = resource;
  return {
    ...resource,
    model: { ...model, clientFields: compileHistoryFields(model).fields, parts: new Map() },
    includes: { ...includes, names: [] },
    paging: cursorPaging(),
    through: undefined,
    listOptions: {},
    fields: false,
  };
}

function entrySchema({ model }: CompiledResource): Schema {
  const paths = namesOfHistory(model);
  const text = { type: 'string' };
  const digest = { ...text, description: 'In the place of a value that was too large to be kept: whether two of them were the same.' };
  const erased = erasedNames('The fields that have lost references here, because the records were purged that they led to.');
  const change = {
    path: { ...text, ...(paths.length > 0 && { enum: paths }) },
    before: { description: 'Missing if there was no value.' },
    before_digest: digest,
    before_erased: erased,
    after: { description: 'Missing if there was no value.' },
    after_digest: digest,
    after_erased: erased,
  };
  const properties = {
    revision: revisionLeaf(model).readSchema,
    at: dateLeaf.readSchema,
    change: { ...text, enum: changeKinds },
    operation: { ...text, description: 'The operation of the request. Missing for a change outside of requests.' },
    actor: { type: ['string', 'null'], description: 'Who has made the change. Null if nobody is known.' },
    request_id: text,
    changes: { type: 'array', items: { type: 'object', properties: change, required: ['path'] } },
  };
  return { type: 'object', properties, required: ['revision', 'at', 'change', 'actor', 'changes'] };
}
