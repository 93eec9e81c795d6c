import type { Any } from './any.ts';

/**
 * What a request has asked about its caller, in order: scopes (`tasks`), and guards of Get (`?tasks`), with `/store`
 * where the context is one of a store's own, and `@tx1` within the first attempt of a transaction. `|` stands before
 * the first command.
 */
export class Asked {
  #events: string[] = [];
  #attempts: unknown[] = [];

  /** Forgets the request before. */
  clear(): void {
    this.#events = [];
    this.#attempts = [];
  }

  note(name: string, ctx: Any): void {
    const attempt = ctx.exchange?.work.transaction;
    if (attempt && !this.#attempts.includes(attempt)) this.#attempts.push(attempt);
    const where = attempt ? `@tx${this.#attempts.indexOf(attempt) + 1}` : '';
    this.#events.push(`${name}${Object.hasOwn(ctx, 'req') || Object.hasOwn(ctx, 'res') ? '' : '/store'}${where}`);
  }

  noteCommand(): void {
    if (!this.#events.includes('|')) this.#events.push('|');
  }

  toString(): string {
    return this.#events.join(' ');
  }
}
