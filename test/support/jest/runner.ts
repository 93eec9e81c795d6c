import { createRunner } from 'jest-light-runner';
import type { CallbackTestRunner, CallbackTestRunnerInterface } from 'jest-runner';

type Given = ConstructorParameters<typeof CallbackTestRunner>;
type Asked = Parameters<CallbackTestRunnerInterface['runTests']>;

const LightRunner = createRunner({ runtime: 'child_process' });

/** A process that runs one file after the other. They share its modules. With `--runInBand`, it is this process. */
class Worker extends LightRunner {
  constructor([config, context]: Given) {
    super(config.maxWorkers === 1 ? config : { ...config, maxWorkers: 2 }, context); // of this it takes where to run
    this._globalConfig = { ...config, maxWorkers: 1 }; // and of this, how many processes to start
  }

  async end(): Promise<void> {
    for (const { pool } of this._testRunners.values()) await pool.destroy();
  }
}

/**
 * A file called `.clock.test.ts` replaces timers, and has a process of its own: the timer that all requests of a
 * process share would be one of those, and the requests of other files would wait for it forever.
 */
const needsOwnProcess = (path: string) => path.endsWith('.clock.test.ts');

/**
 * Runs files in processes of jest-light-runner, where they share modules: to load them for each file would take as long
 * as to run it. A pool of its own has one process: of several, version 0.7 may give its first message to one that does
 * not listen yet, and waits forever.
 */
export default class Runner implements CallbackTestRunnerInterface {
  readonly #given: Given;

  constructor(...given: Given) {
    this.#given = given;
  }

  async runTests(...[tests, watcher, onStart, onResult, onFailure]: Asked): Promise<void> {
    const [{ maxWorkers }] = this.#given;
    const queue = tests.values();
    const work = async () => {
      const shared = new Worker(this.#given);
      for (const test of queue) {
        if (watcher.isInterrupted()) break;
        const worker = needsOwnProcess(test.path) ? new Worker(this.#given) : shared;
        await onStart(test);
        await worker._runTest(test).then(
          (result) => onResult(test, result),
          (error) => onFailure(test, error),
        );
        if (worker !== shared) await worker.end();
      }
      await shared.end();
    };
    await Promise.all(Array.from({ length: Math.min(maxWorkers, tests.length) }, work));
  }
}
