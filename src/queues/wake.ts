import type { Db } from 'mongodb';
import { ChangeFeed } from '../mongo/changes/change-feed.ts';

/** How a queue is told that there may be something to do. */
export interface WakeOptions {
  readonly db: Db;
  readonly collection: string;
  /** The mean time between two calls that nothing has caused, in milliseconds. */
  readonly poll: number;
}

/**
 * Calls a function when rows are written, by the change stream of the process, and from time to time: for rows whose
 * time has come, and where there is no change stream. It stops when the function is called that it returns.
 */
export function wakeUp({ db, collection, poll }: WakeOptions, wake: () => void): () => void {
  let leave: (() => void) | undefined;
  let timer: NodeJS.Timeout;
  let [isStopped, isListening] = [false, false];

  async function listen(): Promise<void> {
    isListening = true;
    try {
      const left = await ChangeFeed.of(db).listen(new Set([collection]), (change) => {
        if (!change?.keys || change.keys.has('releasedAt')) wake(); // a new row, or one that was released
      });
      if (isStopped) left();
      else leave = left;
    } catch {
      isListening = false; // a standalone server, or none that can be reached
    }
  }

  function tick(): void {
    if (isStopped) return;
    if (!isListening) void listen();
    wake();
    timer = setTimeout(tick, poll * (0.5 + Math.random())).unref();
  }

  tick();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    leave?.();
  };
}
