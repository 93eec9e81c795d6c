import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { noContent } from '../../middleware/no-content.ts';
import { changeLink, checkLink, findOther } from '../../middleware/relations/change-link.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import type { WriteParts } from '../define/write-parts.ts';

type Chain = readonly ResourceMiddleware[];

/** Makes the chains that write one element of an array of references: a patch with the other record for a body. */
export function linkChains(
  r: CompiledResource,
  { guard, rows, match, writing }: Omit<WriteParts, 'prior'>,
): (readonly [name: string, make: () => Chain])[] {
  const { model, db, maxTimeMS, references, explicitWrites } = r;
  const serverFields = r.serverFields.update;
  return r.links.flatMap((link) =>
    link.operations.map(({ name, kind }) => [
      name,
      () => [
        ...guard(r, 'patch'),
        ...rows(r),
        match(r),
        findOther(link, kind === 'add'),
        checkLink(model, link, { explicitWrites, ...(serverFields && { serverFields }) }),
        ...writing(r, 'patch', changeLink(model, link, kind, { db, maxTimeMS, references }), noContent()),
      ],
    ]),
  );
}
