import { afterHooks } from '../../middleware/after-hooks.ts';
import { beforeHooks } from '../../middleware/before-hooks.ts';
import type { ServerFields } from '../../middleware/check-create.ts';
import { deleted } from '../../middleware/deleted.ts';
import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { fields } from '../../middleware/fields.ts';
import { carried } from '../../middleware/hooks/carried.ts';
import { ifMatch } from '../../middleware/if-match.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { queryBody } from '../../middleware/query-body.ts';
import { scope } from '../../middleware/scope.ts';
import { withinTransaction } from '../../middleware/within-transaction.ts';
import type { Chain, Hooks, Unguarded } from './row.ts';

// The parts of chains that several operations have. What an operation does not use is not in its chain.

/** Makes a part of chains once for each resource: its operations have the same middlewares there. */
function perResource<Part>(make: (r: Unguarded) => Part): (r: Unguarded) => Part {
  const made = new WeakMap<Unguarded, Part>();
  return function partOf(r) {
    const part = made.get(r) ?? make(r);
    made.set(r, part);
    return part;
  };
}

/** The scope, of what is read and of what clients write. */
export const scoped = perResource((r) => (r.isScoped ? [scope(r.model, r.scope, { writes: r.scopeWrites })] : []));

/** The scope of an operation that only reads. */
export const scopedToRead = perResource((r) => (r.isScoped ? [scope(r.model, r.scope, { writes: false })] : []));

/** The parameter that asks for deleted records. */
export const trash = (r: Unguarded): Chain => (r.deletedGuards ? [deleted(r.model, r.deletedGuards)] : []);

/** The parameter that chooses fields of one record. */
export const choice = (r: Unguarded): Chain => (r.fields ? [fields(r.model, r.includes)] : []);

/** The checks behind `match` require an object. */
export const body = perResource((r) =>
  jsonBody({ limit: r.maxBody, timeout: r.bodyTimeout, maxValues: r.maxValues, requireObject: false }),
);

/** The parameters of a list that stand in a body. */
export const readQuery = perResource((r) => queryBody({ timeout: r.bodyTimeout, maxValues: r.maxValues }));

export const match = perResource((r) => ifMatch({ required: r.preconditionRequired }));

/** The hooks before a write. */
export const preceding = ({ model }: Unguarded, { before }: Hooks): Chain => (before.length > 0 ? [beforeHooks(model, before)] : []);

/** The hooks after an operation. */
export const following = ({ after }: Pick<Hooks, 'after'>): Chain => (after.length > 0 ? [afterHooks(after)] : []);

/** The end of a chain that writes: the write, with the hooks in its transaction, the hooks after it, and the answer. */
export const writing = (r: Unguarded, { within, after }: Hooks, write: ResourceMiddleware, answering: ResourceMiddleware): Chain =>
  carrying(r, withinTransaction(write, within, writes(r)), following({ after }), answering);

export const carrying = (r: Unguarded, write: ResourceMiddleware, after: Chain, answering: ResourceMiddleware): Chain =>
  r.isCarried ? [carried(write, after, answering)] : [write, ...after, answering];

export const store = ({ db, maxTimeMS }: Unguarded) => ({ db, maxTimeMS });
export const writes = (r: Unguarded) => ({ ...store(r), references: r.references });
export const closed = ({ explicitWrites }: Unguarded) => ({ explicitWrites });
export const rules = ({ explicitWrites, mergePatch }: Unguarded) => ({ explicitWrites, mergePatch });
export const serverFields = (set: ServerFields<never> | undefined) => (set ? { serverFields: set } : {});
export const changing = <Rules>(r: Unguarded, own: Rules) => ({ ...serverFields(r.serverFields.update), ...own });
