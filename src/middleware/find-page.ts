import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { openStore } from '../mongo/store.ts';
import { isDevelopment } from '../mongo/watch-scans.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from './check-options.ts';
import { whileConnected } from './client-gone.ts';
import { needed, type ResourceMiddleware } from './context.ts';
import { type FindOptions, findOptions } from './find-record.ts';

/** Options of {@link findPage}. */
export interface FindPageOptions extends FindOptions {
  /**
   * Warns of lists that look through the collection, once for each kind of list, with the index that would help (`process.emitWarning`).
   * @default whether `NODE_ENV` is `development` or not set
   */
  readonly warnOnScan?: boolean;
}

const legal: LegalOptions<FindPageOptions> = { ...findOptions, warnOnScan: trueOrFalse };

/**
 * Finds the page that `ctx.listQuery` asks for, within `ctx.scope`, and leaves it in `ctx.page`. The read is aborted when the client has
 * gone.
 *
 * @example
 * router.get('/orders', listQuery(Order, cursorPaging()), findPage(Order, { db }), page());
 */
export function findPage(model: ModelInput, options: FindPageOptions): ResourceMiddleware {
  checkOptions(options, legal, '`findPage`');
  const { fetchPrivate = false, warnOnScan = isDevelopment(), ...database } = options;
  const store = openStore(asCompiled(model), { ...database, warnOnScan });
  return async function findPage(ctx, next) {
    const query = needed(ctx.listQuery, 'listQuery', 'findPage');
    ctx.page = await whileConnected(ctx, (signal) => store.findPage(query, ctx.scope, { fetchPrivate, signal }));
    await next();
  };
}
