import { noContent } from '../../middleware/no-content.ts';
import { changeLink, checkLink, findOther } from '../../middleware/relations/change-link.ts';
import type { CompiledResource, LinkedArray } from '../define/compiled-resource.ts';
import { changing, closed, guard, match, rows, writes, writing } from './parts.ts';
import { type Chain, type Row, rowOf } from './row.ts';

/** The operations that write one element of an array of references: each is a patch without a body. */
export function linkRows(r: CompiledResource): Row[] {
  const ofPatch = { resource: r, names: ['patch'] };
  return r.links.flatMap((link) =>
    link.operations.map(({ name, kind, method, path }) =>
      rowOf(r, {
        name,
        method,
        path,
        subject: { kind: 'link', link, part: kind },
        asks: [ofPatch],
        runs: ofPatch,
        setsFields: r.serverFields.update !== undefined,
        isHidable: true,
        chain: () => chainOf(r, link, kind, ofPatch.names),
      }),
    ),
  );
}

function chainOf(r: CompiledResource, link: LinkedArray, kind: 'add' | 'remove', asked: readonly string[]): Chain {
  return [
    ...guard(r, asked),
    ...rows(r),
    match(r),
    findOther(link, kind === 'add'),
    checkLink(r.model, link, changing(r, closed(r))),
    ...writing(r, 'patch', changeLink(r.model, link, kind, writes(r)), noContent()),
  ];
}
