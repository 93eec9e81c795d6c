import type { Context } from '../../middleware/exchange/context.ts';

/** One operation of a batch, whose chain has run up to its write. */
export interface HeldOperation {
  readonly ctx: Context;
  /**
   * Its write, and its answer. Undefined if its chain has answered before: a middleware of the operation's `use` may do
   * that.
   */
  readonly step: (() => Promise<void>) | undefined;
  /** Continues the chain after the commit with the hooks of `after`. Resolves when it has ended. */
  goOn(): Promise<void>;
  /** Ends the chain, because nothing is written. */
  giveUp(reason: unknown): void;
}

/**
 * Runs the chain of an operation until it comes to its write, and holds it there. Rejects with what the chain throws
 * before.
 */
export async function holdAtWrite(ctx: Context, run: (ctx: Context) => Promise<void>): Promise<HeldOperation> {
  let goOn: () => void = () => undefined;
  let giveUp: (reason: unknown) => void = () => undefined;
  const committed = new Promise<void>((resolve, reject) => {
    goOn = resolve;
    giveUp = reject;
  });
  committed.catch(() => undefined); // its chain may be gone, and no longer wait for it
  let ended: Promise<void> = Promise.resolve();
  const step = await new Promise<HeldOperation['step']>((resolve, reject) => {
    ctx.carryOut = (write) => {
      resolve(write);
      return committed;
    };
    ended = run(ctx);
    ended.then(() => resolve(undefined), reject);
  });
  return {
    ctx,
    step,
    goOn() {
      goOn();
      return ended;
    },
    giveUp,
  };
}
