import { afterHooks } from '../../middleware/after-hooks.ts';
import { beforeHooks } from '../../middleware/before-hooks.ts';
import type { ServerFields } from '../../middleware/check-create.ts';
import { deleted } from '../../middleware/deleted.ts';
import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { fields } from '../../middleware/fields.ts';
import { guards } from '../../middleware/guards.ts';
import { carried } from '../../middleware/hooks/carried.ts';
import { ifMatch } from '../../middleware/if-match.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { queryBody } from '../../middleware/query-body.ts';
import { scope } from '../../middleware/scope.ts';
import { withinTransaction } from '../../middleware/within-transaction.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import type { Chain } from './row.ts';

// The parts of chains that several operations have. What an operation does not use is not in its chain.

/** Makes a part of chains once for each resource: its operations have the same middlewares there. */
export function perResource<Part>(make: (r: CompiledResource) => Part): (r: CompiledResource) => Part {
  const made = new WeakMap<CompiledResource, Part>();
  return function partOf(r) {
    const part = made.get(r) ?? make(r);
    made.set(r, part);
    return part;
  };
}

/** The guards that are given for the operations of these names. */
export function guard(r: CompiledResource, names: readonly string[]): Chain {
  const asked = r.guardsOf(...names);
  return asked.length > 0 ? [guards(...asked)] : [];
}

/** The scope, of what is read and of what clients write. */
export const rows = perResource((r) => (r.isScoped ? [scope(r.model, r.scope, { writes: r.scopeWrites })] : []));

/** The scope of an operation that only reads. */
export const rowsToRead = perResource((r) => (r.isScoped ? [scope(r.model, r.scope, { writes: false })] : []));

/** The parameter that asks for deleted records. */
export const trash = (r: CompiledResource): Chain => (r.deletedGuards ? [deleted(r.model, r.deletedGuards)] : []);

/** The parameter that chooses fields of one record. */
export const choice = (r: CompiledResource): Chain => (r.fields ? [fields(r.model, r.includes)] : []);

/** The checks behind `match` require an object. */
export const body = perResource((r) =>
  jsonBody({ limit: r.maxBody, timeout: r.bodyTimeout, maxValues: r.maxValues, requireObject: false }),
);

/** The parameters of a list that stand in a body. */
export const readQuery = perResource((r) => queryBody({ timeout: r.bodyTimeout, maxValues: r.maxValues }));

export const match = perResource((r) => ifMatch({ required: r.preconditionRequired }));

export const prior = (r: CompiledResource, name: string): Chain =>
  r.beforeOf(name).length > 0 ? [beforeHooks(r.model, r.beforeOf(name))] : [];

export const hooks = (r: CompiledResource, name: string): Chain => (r.hooksOf(name).length > 0 ? [afterHooks(r.hooksOf(name))] : []);

/** The end of a chain that writes: the write, with the hooks in its transaction, the hooks after it, and the answer. */
export const writing = (r: CompiledResource, name: string, write: ResourceMiddleware, answering: ResourceMiddleware): Chain =>
  carrying(r, withinTransaction(write, r.withinOf(name), writes(r)), hooks(r, name), answering);

export const carrying = (r: CompiledResource, write: ResourceMiddleware, after: Chain, answering: ResourceMiddleware): Chain =>
  r.isCarried ? [carried(write, after, answering)] : [write, ...after, answering];

export const store = ({ db, maxTimeMS }: CompiledResource) => ({ db, maxTimeMS });
export const writes = (r: CompiledResource) => ({ ...store(r), references: r.references });
export const closed = ({ explicitWrites }: CompiledResource) => ({ explicitWrites });
export const rules = ({ explicitWrites, mergePatch }: CompiledResource) => ({ explicitWrites, mergePatch });
export const serverFields = (set: ServerFields<never> | undefined) => (set ? { serverFields: set } : {});
export const changing = <Rules>(r: CompiledResource, own: Rules) => ({ ...serverFields(r.serverFields.update), ...own });
