import { validationFailed } from '../../errors.ts';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { requestPath } from '../../middleware/record.ts';
import { findParent } from '../../middleware/relations/find-parent.ts';
import { once } from '../../mistakes.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { Invalid } from '../../rules.ts';
import type { CompiledResource, NestedResource } from '../define/compiled-resource.ts';
import { makesRecord } from '../define/standard-operations.ts';
import { queryName } from '../define/whole-list.ts';
import { chains, queried } from './chains.ts';
import { store } from './parts.ts';
import { limitOf, type Row, rowOf, type Unguarded } from './row.ts';

/** The chains of the other resource, with the names by which their guards are found. */
const parts = {
  list: { names: ['list'], make: chains.list },
  query: { names: ['list', queryName], make: queried },
  create: { names: ['create'], make: chains.create },
};

/**
 * The operations of `nested`: the guards of both resources are asked, the record of the path is found within its own
 * scope, and then the chain of the other resource runs, limited to the records that refer to it.
 */
export function nestedRows(r: CompiledResource): Row[] {
  const shownBy = r.shownBy ? [r.shownBy] : [];
  return r.nested.flatMap((nested) => {
    const { target, name: relation } = nested;
    const below = once(() => within(r, nested));
    return nested.operations.map(({ name, kind, like, method, path }) => {
      const { names, make } = parts[kind];
      const makes = makesRecord(like);
      const list = `${relation}.list`;
      return rowOf(r, {
        name,
        method,
        path,
        subject: { kind: 'nested', nested, part: kind },
        ...(kind === 'query' && { operation: list, twinOf: list, mayBeRecord: true }),
        asks: [
          // before anything is read: who may not ask learns nothing about the record
          { resource: r, names: shownBy },
          { resource: target, names },
        ],
        runs: { resource: target, names: [like] },
        isScoped: r.isScoped || (target.isScoped && (!makes || target.scopeWrites)),
        setsFields: makes && target.serverFields.create !== undefined,
        fieldsOf: [r, target],
        mayNameRelations: true,
        isHidable: true,
        readsJson: kind !== 'list',
        isAdditive: makes,
        maxTimeMS: limitOf(target),
        chain: (hooks) => [parent(r, nested, makes), ...make(below(), hooks)],
      });
    });
  });
}

function parent(r: Unguarded, { via, target }: NestedResource, latest: boolean): ResourceMiddleware {
  const scope = r.isScoped ? { scope: r.scope } : {};
  return findParent(r.model, { ...store(r), child: target.model, via, latest, ...scope });
}

/** The error for a client that does not know the field. */
const cannotRefer = new Invalid('reference', 'cannot refer to the record of the path').at('');

/** The other resource as it is served below a record: with its own cursors, and the reference set by the server. */
function within(r: Unguarded, { name, via, target }: NestedResource): Unguarded {
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
