import { validationFailed } from '../../errors.ts';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { guards } from '../../middleware/guards.ts';
import { requestPath } from '../../middleware/record.ts';
import { findParent } from '../../middleware/relations/find-parent.ts';
import { once } from '../../mistakes.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { Invalid } from '../../rules.ts';
import type { CompiledResource, NestedResource } from '../define/compiled-resource.ts';

/** Makes the chain of a standard operation. */
type MakeChain = (r: CompiledResource) => readonly ResourceMiddleware[];

/**
 * Makes the chains of the operations of `nested`, by their names: the record of the path is found within its own guards
 * and scope, and then the chain of the other resource runs, limited to the records that refer to it.
 */
export function nestedChains(
  r: CompiledResource,
  make: { readonly list: MakeChain; readonly query: MakeChain; readonly create: MakeChain },
): (readonly [name: string, make: () => readonly ResourceMiddleware[]])[] {
  return r.nested.flatMap((nested) => {
    const target = once(() => within(r, nested));
    return nested.operations.map(
      ({ name, kind }) => [name, () => [...checkParent(r, nested, kind === 'create'), ...make[kind](target())]] as const,
    );
  });
}

function checkParent(r: CompiledResource, { via, target }: NestedResource, latest: boolean): readonly ResourceMiddleware[] {
  const { model, db, maxTimeMS } = r;
  const own = r.guardsOf(r.shownBy ?? '');
  const scope = r.isScoped ? { scope: r.scope } : {};
  return [...(own.length > 0 ? [guards(...own)] : []), findParent(model, { db, maxTimeMS, child: target.model, via, latest, ...scope })];
}

/** The error for a client that does not know the field. */
const cannotRefer = new Invalid('reference', 'cannot refer to the record of the path').at('');

/** The other resource as it is served below a record: with cursors of its own, and the reference set by the server. */
function within(r: CompiledResource, { name, via, target }: NestedResource): CompiledResource {
  const { create: own } = target.serverFields;
  const isPrivate = target.model.fieldTable.get(via.name)?.isPrivate;
  async function create(ctx: Context): Promise<unknown> {
    const { parentId } = ctx;
    if (parentId instanceof Invalid) throw validationFailed([isPrivate ? cannotRefer : parentId.at(via.name)]);
    const values: unknown = own ? await (own as (ctx: Context) => unknown)(ctx) : {};
    const id = via.leaf?.toDocument(parentId);
    return isStoredObject(values) ? { ...values, [via.name]: via.inList ? [id] : id } : values;
  }
  const path = `${r.path}/${name}`;
  return {
    ...target,
    path,
    serverFields: { ...target.serverFields, create },
    location: (ctx, id) => [...requestPath(ctx).split('/').slice(0, -3), target.path, id].join('/'),
  };
}
