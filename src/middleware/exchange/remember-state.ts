import type { Context, Slots } from './context.ts';
import { exchangeOf } from './exchange.ts';

/**
 * Takes back what is set from here on, if the attempt of a transaction that the request is in is not committed: its
 * slots and its answer, and what is added to `ctx.state` and to slots that grow. Neither another attempt nor an error
 * finds any of it. Other objects that were changed in place keep their changes.
 *
 * Called at the beginning of each attempt in which functions of the application run.
 */
export function takeBackIfLost(ctx: Context): void {
  const exchange = exchangeOf(ctx); // created here if it was not before: it holds the transaction, and must not be taken back
  const takeBack = [rememberOwn(ctx), rememberOwn(ctx.state ?? {}), rememberGrown(ctx), rememberAnswer(ctx)];
  exchange.work.transaction?.onRollback(() => {
    if (!exchange.isGivenUp) for (const one of takeBack) one();
  });
}

/** Remembers the answer of a request, and returns a function that takes back what was set of it since. */
export function rememberAnswer(ctx: Context): () => void {
  const exchange = exchangeOf(ctx);
  const { req, res, response } = ctx;
  const takeBackBody = rememberOwn(response);
  const headers = { ...res.getHeaders() };
  const status = { statusCode: res.statusCode, ...(req.httpVersionMajor < 2 && { statusMessage: res.statusMessage }) };
  return function takeBack() {
    if (exchange.isGivenUp) return; // it has its answer
    takeBackBody();
    if (res.headersSent) return;
    for (const name of res.getHeaderNames()) if (!Object.hasOwn(headers, name)) res.removeHeader(name);
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
    Object.assign(res, status);
  };
}

/** A slot whose object is added to in place, and never taken from. */
type Growing = { [Slot in keyof Slots]-?: NonNullable<Slots[Slot]> extends Set<infer _> | unknown[] ? Slot : never }[keyof Slots];

const growing = Object.keys({
  openedGuards: true,
  heldModels: true,
  noted: true,
  readIds: true,
} satisfies Record<Growing, true>) as Growing[];

/** Nothing is copied: it is enough to know how much there was. */
function rememberGrown(ctx: Context): () => void {
  const known = growing.map((slot) => ({ all: ctx[slot], size: ctx[slot]?.size }));
  return function takeAway() {
    for (const { all, size } of known) for (const one of [...(all ?? [])].slice(size)) all?.delete(one as never);
  };
}

/** Remembers the own properties of an object, and returns a function that restores them. */
function rememberOwn(object: object): () => void {
  const own = Object.getOwnPropertyDescriptors(object);
  return function restore() {
    for (const key of Reflect.ownKeys(object)) if (!Object.hasOwn(own, key)) Reflect.deleteProperty(object, key);
    for (const key of Reflect.ownKeys(own)) Reflect.defineProperty(object, key, own[key as string] as PropertyDescriptor);
  };
}
