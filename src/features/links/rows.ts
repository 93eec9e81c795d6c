import { noContent } from '../../middleware/no-content.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { facetOf } from '../../resource/define/facet.ts';
import { changing, closed, match, scoped, writes, writing } from '../../resource/table/parts.ts';
import { type Chain, type Hooks, type PluginWrite, type Row, rowOf, type Unguarded } from '../../resource/table/row.ts';
import { changeLink, checkLink, findOther } from './change-link.ts';
import { linkEndpoints } from './endpoints.ts';
import { guardedAs, type LinkedArray, linkArrays } from './facet.ts';

/** The operations that write one element of an array of references: each is a patch without a body. */
export function linkRows(r: CompiledResource): Row[] {
  const ofPatch = { resource: r, names: [guardedAs] };
  return facetOf(r, linkArrays).flatMap((link) =>
    linkEndpoints(link.name).map(({ name, kind, method, path }) =>
      rowOf(r, {
        name,
        method,
        path,
        subject: { kind: 'plugin', name: `link ${kind}`, others: { other: link.source }, ...words[kind](r, link) },
        asks: [ofPatch],
        runs: ofPatch,
        setsFields: r.serverFields.update !== undefined,
        isHidable: true,
        isAdditive: kind === 'add',
        isIdempotent: true,
        chain: (hooks) => chainOf(r, link, kind, hooks),
      }),
    ),
  );
}

type Words = Pick<PluginWrite, 'summary' | 'description' | 'done'>;

const words: Readonly<Record<'add' | 'remove', (r: CompiledResource, link: LinkedArray) => Words>> = {
  add: ({ model }, { field, source }) => ({
    summary: `Add one ${source.model.name} to one ${model.name}`,
    description: `Adds the id of the other record to \`${field.name}\`, unless it is there already.`,
    done: `The id is in \`${field.name}\`.`,
  }),
  remove: ({ model }, { field, source }) => ({
    summary: `Remove one ${source.model.name} from one ${model.name}`,
    description: `Removes the id of the other record from \`${field.name}\`, if it is there. The other record stays.`,
    done: `The id is not in \`${field.name}\`.`,
  }),
};

function chainOf(r: Unguarded, link: LinkedArray, kind: 'add' | 'remove', hooks: Hooks): Chain {
  return [
    ...scoped(r),
    match(r),
    findOther(link, kind === 'add'),
    checkLink(r.model, link, changing(r, closed(r))),
    ...writing(r, hooks, changeLink(r.model, link, kind, writes(r)), noContent()),
  ];
}
