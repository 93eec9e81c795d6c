import type { ResourceContext } from '../../openapi/operations/describe-operation.ts';
import type { DescribedReads, Variation } from '../../openapi/operations/describe-plugin.ts';
import { facetOf } from '../../resource/define/facet.ts';
import { readExport } from './options.ts';

/** Exports are told of with the lists in whose place they are answered. */
export const exportsDescribed: DescribedReads = {
  variants: { 'list.export': describeExport, 'list.export.query': describeExport },
};

/** The media types are not among those of the list: generated clients would take every page for a page or a text. */
function describeExport({ resource }: ResourceContext): Variation {
  const max = facetOf(resource, readExport)?.max;
  return {
    description: ` With \`Accept: application/x-ndjson\` or \`text/csv\` the answer is a stream of all of them instead, at most ${max}, without the parameters of pages.`,
  };
}
