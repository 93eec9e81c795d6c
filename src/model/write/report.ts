import { stringifyJson } from '../../http/json.ts';
import type { FieldError, Invalid } from '../../rules.ts';

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

  readonly #found: Map<object, Map<unknown, unknown>>;

  /** `other` is a report about the same body. */
  constructor(other?: Report) {
    this.#found = other ? other.#found : new Map();
  }

  /** What `find` finds out about an object for `who`: a body may be read more than once, and its checks run once. */
  once<T>(who: object, about: unknown, find: () => T): T {
    const found = this.#found.get(who) ?? new Map<unknown, unknown>();
    this.#found.set(who, found);
    if (!found.has(about)) found.set(about, find());
    return found.get(about) as T;
  }

  /** Those of the errors that a check over several fields has found. */
  readonly refusals: FieldError[] = [];

  /** How much was reported: it has grown when something is wrong. */
  get size(): number {
    return this.errors.length + this.incomplete.length + this.unset.length;
  }

  /** Adds what a check has found. */
  refuse(error: FieldError): void {
    this.refusals.push(error);
    this.#push(error);
  }

  add(path: string, invalid: Invalid): void {
    if (!this.isFull) this.#push(invalid.at(path));
  }

  #push(error: FieldError): void {
    if (this.isFull) return;
    this.errors.push(error);
    const { field, message, params } = error;
    this.#characters += field.length + message.length + (params === undefined ? 0 : stringifyJson(params).length);
  }
}
