import { changeKinds, compileHistoryFields, namesOfHistory, revisionLeaf } from '../../model/compile/history-fields.ts';
import { spellReferences } from '../../model/relations/held-references.ts';
import { dateLeaf } from '../../model/value/leaves.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { cursorPaging } from '../../resource/define/paging.ts';
import type { Part, Schema } from '../document.ts';
import { listParameters } from '../schemas/list-parameters.ts';
import { pageSchema } from '../schemas/page-schema.ts';
import { parameter } from '../schemas/parameter.ts';
import { textLeaf } from '../schemas/value-schema.ts';
import { json, type Particulars, type ResourceContext } from './describe-operation.ts';
import { cachingHeaders, link } from './headers.ts';

/** Describes the list of the changes of a record. */
export function describeHistory({ resource, components }: ResourceContext): Particulars {
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

/** The parameter of get that asks for the record as it was. */
export function atParameter({ history, model }: CompiledResource): Part[] {
  if (!history) return [];
  const description = 'The revision at which the record is shown. Without it, it is the present one. An earlier one has no `ETag`.';
  return [parameter('at', description, textLeaf(revisionLeaf(model)))];
}

/** What stands beside the record of get if it is shown as it was. */
export function erasedMember({ history, model }: CompiledResource): Record<string, Schema> {
  if (!history || spellReferences(model.root).length === 0) return {};
  const description = 'Of an earlier state: the fields that held references to records which were purged since. No id is shown there.';
  return { erased: erasedNames(description) };
}

function erasedNames(description: string): Schema {
  return { type: 'array', items: { type: 'string' }, description };
}

/** The resource as if its list were that of changes. */
function entriesOf(resource: CompiledResource): CompiledResource {
  const { model, includes } = resource;
  return {
    ...resource,
    model: { ...model, clientFields: compileHistoryFields(model).fields, search: undefined },
    includes: { ...includes, names: [] },
    paging: cursorPaging(),
    through: undefined,
    search: undefined,
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
