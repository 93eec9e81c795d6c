import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { findMongod } from '../../dev/find-mongod.ts';

/** The path of a mongod, also while another one runs for the tests. */
export async function mongodBinary(): Promise<string> {
  const { MONGODB_URI } = process.env;
  delete process.env.MONGODB_URI;
  try {
    const found = await findMongod(() => {});
    return 'mongod' in found ? found.mongod : '';
  } finally {
    process.env.MONGODB_URI = MONGODB_URI;
  }
}

/** What a process answers, as soon as it does: `ask` rejects before. */
export async function untilAnswered<Result>(child: ChildProcess, ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (child.exitCode !== null)
        throw new Error(`The process has ended with ${child.exitCode}: ${child.stderr?.read() ?? ''}`, { cause: error });
      await setTimeout(50);
    }
  }
}
