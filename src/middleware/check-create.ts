import type { ModelInput } from '../model/compile/compile-model.ts';
import { insertAccess, openNames } from '../model/write/access.ts';
import { compileCreate, type ReadCreate, type WriteRules } from '../model/write/compile-writes.ts';
import { pause } from '../mongo/driver/turn.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { serverValuesOf } from './body/server-values.ts';
import type { Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { perView } from './exchange/in-view.ts';
import { step } from './exchange/step.ts';
import { isOpenTo } from './relations/writer.ts';

/** Returns the values that the server sets, in document form. It may be async. */
export type ServerFields<Ctx = Context> = (ctx: Ctx) => unknown;

/** Options of {@link checkCreate}. */
export interface CheckCreateOptions extends Pick<WriteRules, 'explicitWrites'> {
  /** Returns the values that the server sets on create. They replace what the client sends. */
  readonly serverFields?: Called<[ctx: Context], unknown>;
  /**
   * Whether required fields that clients may not send may still be missing, because hooks of `beforeHooks` set them.
   * The check of such a record then runs behind the hooks. Otherwise, a missing one is an Error (500).
   * @default false
   */
  readonly allowMissing?: boolean;
}

const legal: LegalOptions<CheckCreateOptions> = { serverFields: aFunction, explicitWrites: trueOrFalse, allowMissing: trueOrFalse };

/**
 * Validates `ctx.request.body` as a new record. It leaves the document to insert in `ctx.created`, with server fields,
 * defaults, revision 0 and timestamps. 422 lists all errors at once.
 *
 * @example
 * router.post('/orders', jsonBody(), checkCreate(Order), insert(Order, { db }), record({ created: true }));
 */
export function checkCreate(model: ModelInput, options: CheckCreateOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`checkCreate`');
  const { serverFields, allowMissing = false, ...rules } = options;
  return perView(model, [], (compiled) => {
    let reader: ReadCreate | undefined; // has no mistakes of its own, and many operations are never called
    const access = insertAccess(rules);
    const open = new Set(openNames(compiled.fieldTable, access));
    // If the client chooses the id, it may be taken: `insert` then answers 412 to `If-None-Match: *`.
    const ofId = access.refusal(compiled.id) === undefined ? (['precondition_failed'] as const) : [];
    return step({ problems: ['validation_failed', 'internal', ...ofId], leaves: ['created'] }, async function checkCreate(ctx) {
      ctx.exchange?.throwIfGivenUp();
      const server = serverFields && (await serverValuesOf(serverFields, ctx));
      const missing = allowMissing ? [] : undefined;
      reader ??= compileCreate(compiled, rules);
      ctx.created = reader(ctx.request.body, server, missing);
      if (missing) ctx.isIncomplete = missing.length > 0;
      ctx.mayWrite = isOpenTo(open, server);
      if (ctx.isLargeBody) await pause();
    });
  });
}
