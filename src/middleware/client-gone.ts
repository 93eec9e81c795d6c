import type { Context } from './context.ts';

/** The client has gone before its answer was there. Nobody reads what `problems()` makes of it, and no log shows a bug. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  /** As nginx logs it; no client ever sees it. */
  readonly status = 499;
  /** Koa's mark for errors that are not the service's. */
  readonly expose = true;

  constructor() {
    super('The client has gone.');
  }
}

/**
 * Runs a read for as long as its client waits for it: the signal is aborted, and {@link ClientGone} thrown, when the connection closes
 * before the answer. For reads only: a write that is cut off may be carried out all the same.
 *
 * @example
 * ctx.body = await whileConnected(ctx, (signal) => reports.aggregate(pipeline, { signal }).toArray());
 */
export async function whileConnected<T>({ res }: Context, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const leave = () => controller.abort(new ClientGone());
  if (res.closed) throw new ClientGone();
  res.once('close', leave);
  try {
    return await read(controller.signal);
  } finally {
    res.off('close', leave);
  }
}
