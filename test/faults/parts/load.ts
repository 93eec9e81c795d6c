import { randomFrom } from '../../support/fuzzing/random-from.ts';
import { newRecord } from './failing-commands.ts';
import { pick, seed } from './random.ts';
import { type Answer, flawOf } from './stage.ts';
import { type Ask, makeWrite, writeNames } from './things.ts';

const reads = ['/authors', '/authors?total=true&limit=2', '/things?sort=rank&limit=5'];

/** What is asked. */
export interface Asked {
  /** Makes records behind the service's back. */
  seed(...ids: readonly string[]): Promise<void>;
  ask(ask: Ask & { readonly token?: string }): Promise<Answer>;
}

/**
 * Clients that ask without a pause, most of them to write. Each begins its next request when it has the answer to the
 * last.
 */
export class Load {
  readonly #asked: Asked;
  readonly #records = Array.from({ length: 40 }, newRecord);
  /** A record can be removed once; when all are, the other writes go on. */
  readonly #removals = Array.from({ length: 300 }, () => makeWrite('delete', ''));
  readonly #random = randomFrom(seed);
  readonly #watchers = new Set<(answer: Answer) => void>();
  /** Answers whose form was wrong. */
  readonly flaws = new Set<string>();
  #clients: Promise<void>[] = [];
  #isStopping = false;

  private constructor(asked: Asked) {
    this.#asked = asked;
  }

  static async start(asked: Asked, clients: number): Promise<Load> {
    const load = new Load(asked);
    await asked.seed(...load.#records, ...load.#removals.map(({ token }) => token));
    load.#clients = Array.from({ length: clients }, () => load.#ask());
    return load;
  }

  /** Resolves when so many answers have arrived, from now on, that fulfil a condition. */
  until(count: number, condition: (answer: Answer) => boolean): Promise<void> {
    return new Promise((resolve) => {
      let left = count;
      const watch = (answer: Answer) => {
        if (!condition(answer) || --left > 0) return;
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
    });
  }

  /** Resolves when all answers are there. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#clients);
  }

  async #ask(): Promise<void> {
    while (!this.#isStopping) {
      const answer = await this.#asked.ask(this.#next());
      const flaw = flawOf(answer);
      if (flaw) this.flaws.add(flaw);
      for (const watch of this.#watchers) watch(answer);
      if (isBad(answer)) await new Promise((resolve) => setTimeout(resolve, 10)); // they come at once, and would fill the history
    }
  }

  #next(): Ask & { readonly token?: string } {
    const record = pick(this.#random, this.#records);
    if (this.#random() < 0.2) return { method: 'GET', path: pick(this.#random, [...reads, `/things/${record}?include=author`]) };
    const write = pick(this.#random, writeNames);
    return (write === 'delete' && this.#removals.pop()) || makeWrite(write === 'delete' ? 'patch' : write, record);
  }
}

export const isGood = ({ status = 0 }: Answer) => status >= 200 && status < 300;
/** No answer, or one that tells of the database. */
export const isBad = ({ status = 599 }: Answer) => status >= 500;
