import type { Db } from 'mongodb';
import { askWithin } from './ask-within.ts';

/** How long the database has to answer whether it is there, in milliseconds. */
const limitMS = 1_000;

/**
 * Asks the database whether it is there: false where it has not answered within a second. Those who ask while another one waits get the same
 * answer, so that probes cost one command at a time, however many there are.
 */
export function compilePing(db: Db): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  return function ping() {
    asked ??= isThere(db).finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

async function isThere(db: Db): Promise<boolean> {
  const readPreference = db.readPreference ?? 'primary'; // of the commands of an api: a secondary may suffice for them
  try {
    await askWithin(limitMS, (signal) => db.command({ ping: 1 }, { signal, readPreference }));
    return true;
  } catch {
    return false;
  }
}
