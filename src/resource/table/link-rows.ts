import { noContent } from '../../middleware/no-content.ts';
import { changeLink, checkLink, findOther } from '../../middleware/relations/change-link.ts';
import type { CompiledResource, LinkedArray } from '../define/compiled-resource.ts';
import { changing, closed, match, scoped, writes, writing } from './parts.ts';
import { type Chain, type Hooks, type Row, rowOf, type Unguarded } from './row.ts';

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
        isAdditive: kind === 'add',
        isIdempotent: true,
        chain: (hooks) => chainOf(r, link, kind, hooks),
      }),
    ),
  );
}

function chainOf(r: Unguarded, link: LinkedArray, kind: 'add' | 'remove', hooks: Hooks): Chain {
  return [
    ...scoped(r),
    match(r),
    findOther(link, kind === 'add'),
    checkLink(r.model, link, changing(r, closed(r))),
    ...writing(r, hooks, changeLink(r.model, link, kind, writes(r)), noContent()),
  ];
}
