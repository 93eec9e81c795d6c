import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { useProgram } from '../../support/processes/use-program.ts';
import { appName, type Deployment } from './mongods.ts';
import type { Said, Settings, State, Told } from './service-process.ts';
import { send } from './stage.ts';

/** Starts a {@link Service} of a test file. */
type StartService = (deployment: Deployment, database: string, maxConcurrency?: number) => Promise<Service>;

/** Gives a test file the program of the service. */
export function useService(): StartService {
  const program = useProgram(join(import.meta.dirname, 'service-process.ts'));
  return (deployment, database, maxConcurrency = 1_000) => Service.start(program, deployment, database, maxConcurrency);
}

/** The service as a process of its own, which can be killed, and whose memory is nobody else's. */
export class Service {
  readonly port: number;
  readonly maxConcurrency: number;
  readonly #process: ChildProcess;
  readonly #said: EventEmitter;

  private constructor(child: ChildProcess, said: EventEmitter, port: number, maxConcurrency: number) {
    this.#process = child;
    this.#said = said;
    this.port = port;
    this.maxConcurrency = maxConcurrency;
  }

  static async start(program: string, { uri, onStop }: Deployment, database: string, maxConcurrency: number): Promise<Service> {
    const settings: Settings = { uri: `${uri}&appName=${appName}`, database, maxConcurrency };
    const child = fork(program, [JSON.stringify(settings)], { execArgv: ['--expose-gc'] });
    const said = new EventEmitter();
    child.on('message', (message: Said) => said.emit(message.what, message));
    const [{ port }] = (await Promise.race([once(said, 'listening'), once(child, 'exit').then(() => [{}])])) as [{ port?: number }];
    if (port === undefined) throw new Error('the service has not started');
    const service = new Service(child, said, port, maxConcurrency);
    onStop(() => service.kill());
    return service;
  }

  /** Ends it as a crash of the machine does. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }

  /**
   * Resolves when all connections are gone and `observe` has heard of every request; after ten seconds all the same.
   */
  async untilQuiet(): Promise<State> {
    const quiet = once(this.#said, 'quiet');
    this.#tell('untilQuiet');
    return (await quiet)[0].state;
  }

  /** Bytes of its heap, when all garbage is gone. */
  async measureHeap(): Promise<number> {
    const heap = once(this.#said, 'heap');
    this.#tell('measureHeap');
    return (await heap)[0].used;
  }

  /**
   * How many requests it lets in at a time, when what runs for clients that have gone has ended: all of them, or after
   * ten seconds those that are back.
   */
  async countPlaces(): Promise<number> {
    const end = performance.now() + 10_000;
    for (;;) {
      const count = await this.#tryPlaces();
      if (count === this.maxConcurrency || performance.now() > end) return count;
    }
  }

  /** As many requests as there are places, and one more: each is held or refused. */
  async #tryPlaces(): Promise<number> {
    let holding = 0;
    let refused = 0;
    const asked = this.maxConcurrency + 1;
    const answers: Promise<void>[] = [];
    const all = new Promise<void>((resolve) => {
      const settle = () => holding + refused === asked && resolve();
      this.#said.on('holding', () => {
        holding++;
        settle();
      });
      const ask = async () => {
        const headers = { 'x-hold': '1', 'x-request-id': randomUUID() };
        if ((await send(this.port, { method: 'GET', path: '/authors?limit=1', headers })).status !== 503) return;
        refused++;
        settle();
      };
      while (answers.length < asked) answers.push(ask());
    });
    await all;
    this.#said.removeAllListeners('holding');
    this.#tell('release');
    await Promise.all(answers);
    return holding;
  }

  #tell(told: Told): void {
    this.#process.send(told);
  }
}
