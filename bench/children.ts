import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A process of the benchmark that answers each message with one. */
export class Child<Ask extends object, Answer> {
  readonly #process: ChildProcess;

  constructor(file: string, args: readonly string[] = [], execArgv: readonly string[] = []) {
    this.#process = fork(join(import.meta.dirname, file), [...args], {
      // What runs as JavaScript is measured without a loader.
      execArgv: [...(file.endsWith('.ts') ? ['--import', 'tsx'] : []), ...execArgv],
      stdio: ['ignore', 2, 2, 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
  }

  /** The next message. Rejects when the process ends instead. */
  async next<T = Answer>(): Promise<T> {
    const stop = new AbortController();
    try {
      const [value] = await Promise.race([
        once(this.#process, 'message', { signal: stop.signal }),
        once(this.#process, 'exit', { signal: stop.signal }).then(([code]) => {
          throw new Error(`a process of the benchmark ended with ${code}`);
        }),
      ]);
      return value as T;
    } finally {
      stop.abort();
    }
  }

  ask(message: Ask): Promise<Answer> {
    const answer = this.next();
    this.#process.send(message);
    return answer;
  }

  /** The only message of a process that has nothing else to say. */
  async only<T>(): Promise<T> {
    const message = await this.next<T>();
    this.stop();
    return message;
  }

  stop(): void {
    this.#process.disconnect();
  }
}
