/** The timers of a stream, which end with it. */
export class Timers {
  readonly #running = new Set<NodeJS.Timeout>();

  every(ms: number, run: () => unknown): void {
    this.#running.add(setInterval(run, ms));
  }

  /** Runs a function once: as soon as possible if the time is over already. */
  after(ms: number, run: () => void): void {
    const timer = setTimeout(
      () => {
        this.#running.delete(timer);
        run();
      },
      Math.max(ms, 0),
    );
    this.#running.add(timer);
  }

  clear(): void {
    for (const timer of this.#running) clearTimeout(timer); // which also ends intervals
    this.#running.clear();
  }
}
