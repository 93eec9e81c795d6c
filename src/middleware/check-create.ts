import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { isStoredObject } from '../model/value/stored-shape.ts';
import { insertAccess, openNames } from '../model/write/access.ts';
import { compileCreate, type WriteRules } from '../model/write/compile-writes.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { Called, Context, ResourceMiddleware } from './parts/context.ts';

/** Returns the values that the server sets on create, in document form. */
export type ServerFields<Ctx = Context> = (ctx: Ctx) => unknown;

/** Options of {@link checkCreate}. */
export interface CheckCreateOptions extends Pick<WriteRules, 'explicitWrites'> {
  /** Returns the values that the server sets on create. They replace what the client sends. */
  readonly serverFields?: Called<[ctx: Context], unknown>;
}

const legal: LegalOptions<CheckCreateOptions> = { serverFields: aFunction, explicitWrites: trueOrFalse };

/**
 * Validates `ctx.request.body` as a new record. It leaves the document to insert in `ctx.created`, with server fields, defaults, revision 0
 * and timestamps. 422 lists all errors at once.
 *
 * @example
 * router.post('/orders', jsonBody(), checkCreate(Order), insert(Order, { db }), record({ created: true }));
 */
export function checkCreate(model: ModelInput, options: CheckCreateOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`checkCreate`');
  const { serverFields, ...rules } = options;
  const compiled = asCompiled(model);
  const readCreate = compileCreate(compiled, rules);
  const access = insertAccess(rules);
  const open = new Set(openNames(compiled.fieldTable, access));
  // If the client chooses the id, it may be taken: `insert` then answers 412 to `If-None-Match: *`.
  const ofId = access.refusal(compiled.id) === undefined ? (['precondition_failed'] as const) : [];
  return canAnswer(['validation_failed', 'internal', ...ofId], async function checkCreate(ctx, next) {
    ctx.exchange?.throwIfGivenUp();
    const server = serverFields && asValues(await serverFields(ctx));
    ctx.created = readCreate(ctx.request.body, server);
    ctx.mayWrite = (name) => open.has(name) && !(server && Object.hasOwn(server, name.split('.', 1)[0] ?? ''));
    await next();
  });
}

/** A function that returns nothing has probably lost its `return`, or its object was parsed as a block: `() => { owner: 'ann' }`. */
function asValues(returned: unknown): Readonly<Record<string, unknown>> {
  if (isStoredObject(returned)) return returned;
  throw new Error(`\`serverFields\` returned ${describe(returned)}: it must return an object of values, \`{}\` where it sets none.`);
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? 'a string' : String(value);
  return Array.isArray(value) ? 'an array' : `a ${value.constructor.name}`;
}
