import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';

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
