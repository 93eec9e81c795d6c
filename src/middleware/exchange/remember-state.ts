import type { Context, Slots } from './context.ts';
import { exchangeOf } from './exchange.ts';

/**
 * Slots that outlive a lost attempt. Guards are asked once for a request, and the application may still hold private
 * fields that it has read.
 */
const lasting: ReadonlySet<PropertyKey> = new Set<keyof Slots>(['reach', 'openedGuards', 'heldModels']);

/**
 * Takes back what is set from here on, if the attempt of a transaction that the request is in is not committed: its
 * slots, its answer, and which records were noted. Neither another attempt nor an error finds any of it. Objects that
 * were changed in place, such as `ctx.state`, keep their changes: guards and scopes leave something there, too, and are
 * not asked again.
 *
 * Called at the beginning of each attempt in which functions of the application run.
 */
export function takeBackIfLost(ctx: Context): void {
  const exchange = exchangeOf(ctx); // created here if it was not before: it holds the transaction, and must not be taken back
  const { res, principal } = ctx;
  const [takeBackSlots, forgetNoted, takeBackAnswer] = [rememberOwn(ctx), rememberNoted(ctx), rememberAnswer(ctx)];
  exchange.work.transaction?.onRollback(() => {
    if (exchange.isGivenUp) return;
    const isSameCaller = ctx.principal === principal;
    const answersItself = res.headersSent; // it goes on
    takeBackSlots((slot) => (isSameCaller && lasting.has(slot)) || (answersItself && slot === 'respond'));
    forgetNoted();
    takeBackAnswer();
  });
}

/** Remembers the answer of a request, and returns a function that takes back what was set of it since. */
export function rememberAnswer(ctx: Context): () => void {
  const exchange = exchangeOf(ctx);
  const { req, res, response } = ctx;
  const takeBackBody = rememberOwn(response);
  // `ctx.cookies` and `appendHeader` add to an array in place.
  const headers = Object.entries(res.getHeaders()).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value] as const);
  const names = new Set(headers.map(([name]) => name));
  const status = { statusCode: res.statusCode, ...(req.httpVersionMajor < 2 && { statusMessage: res.statusMessage }) };
  return function takeBack() {
    if (exchange.isGivenUp) return; // it has its answer
    takeBackBody();
    if (res.headersSent) return;
    for (const name of res.getHeaderNames()) if (!names.has(name)) res.removeHeader(name);
    for (const [name, value] of headers) if (value !== undefined) res.setHeader(name, value);
    Object.assign(res, status);
  };
}

/** Another attempt notes the records of its own answer. */
function rememberNoted({ noted }: Context): () => void {
  const size = noted?.size;
  return function forgetSince() {
    for (const record of [...(noted ?? [])].slice(size)) noted?.delete(record);
  };
}

/**
 * Remembers the own properties of an object, and returns a function that restores them, but for those that stay as they
 * are.
 */
function rememberOwn(object: object): (stays?: (key: PropertyKey) => boolean) => void {
  const own = Object.getOwnPropertyDescriptors(object);
  return function restore(stays = () => false) {
    const toRestore = (of: object) => Reflect.ownKeys(of).filter((key) => !stays(key));
    for (const key of toRestore(object)) if (!Object.hasOwn(own, key)) Reflect.deleteProperty(object, key);
    for (const key of toRestore(own)) Reflect.defineProperty(object, key, own[key as string] as PropertyDescriptor);
  };
}
