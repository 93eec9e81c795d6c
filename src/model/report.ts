import type { FieldError } from '../errors.ts';

/** An embedded object that was sent without all of its required keys. */
export interface Incomplete {
  readonly path: string;
  readonly keys: readonly string[];
}

/** More errors than this help nobody: a body of 1 MiB could otherwise ask for an answer of 50. */
const MAX_ERRORS = 100;

/** Nor more text: each error may name a path through the long key of a map. */
const MAX_CHARACTERS = 65_536;

/** Collects everything that is wrong with a body, so that it is told at once. */
export class Report {
  /** The first hundred errors. */
  readonly errors: FieldError[] = [];
  /** Missing keys, object by object, where the reader was told to keep them apart from the errors. */
  readonly incomplete: Incomplete[] = [];
  /** Required fields that were not sent, because the client may not send them: the deployer's fault, and not for the client's eyes. */
  readonly unset: string[] = [];

  /** Nothing more is collected: what only looks for errors may stop. */
  get isFull(): boolean {
    return this.errors.length >= MAX_ERRORS || this.#characters >= MAX_CHARACTERS;
  }

  #characters = 0;

  /** Those of the errors that a check over several fields has found. */
  readonly refusals: FieldError[] = [];

  /** How much was reported: it has grown when something is wrong. */
  get size(): number {
    return this.errors.length + this.incomplete.length + this.unset.length;
  }

  /** Adds what a check has found. */
  refuse(field: string, message: string): void {
    this.refusals.push({ field, message });
    this.add(field, message);
  }

  add(field: string, message: string): void {
    if (this.isFull) return;
    this.errors.push({ field, message });
    this.#characters += field.length + message.length;
  }
}
