import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useProgram } from '../processes/use-program.ts';
import type { Said } from './board-process.ts';

/** The board in a process of its own. */
export interface BoardProcess {
  readonly port: number;
  readonly process: ChildProcess;
  /** What it holds now. */
  held(): Promise<Said>;
  kill(): Promise<void>;
}

/** Gives a test file the board as processes of their own, which end after its last test. */
export function useBoardProcess(): (uri: string, database: string, options?: object) => Promise<BoardProcess> {
  const program = useProgram(join(import.meta.dirname, 'board-process.ts'));
  const started: BoardProcess[] = [];
  afterAll(async () => {
    for (const one of started) await one.kill();
  });
  return async (uri, database, options = {}) => {
    const child = fork(program, [uri, database, JSON.stringify(options)], { execArgv: ['--expose-gc'] });
    const gone = once(child, 'exit').then(() => Promise.reject(new Error('the process of the board has ended')));
    gone.catch(() => undefined);
    const hear = async (): Promise<Said> => (await Promise.race([once(child, 'message'), gone]))[0];
    const { port } = await hear();
    const board: BoardProcess = {
      port,
      process: child,
      held() {
        const said = hear();
        child.send('held');
        return said;
      },
      async kill() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
      },
    };
    started.push(board);
    return board;
  };
}
