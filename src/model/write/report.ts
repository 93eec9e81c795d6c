import { stringifyJson } from '../../http/json.ts';
import type { FieldError, Invalid } from '../../rules.ts';

/** An embedded object that was sent without some of its required keys. */
export interface Incomplete {
  readonly path: string;
  readonly keys: readonly string[];
}

/** Limits the size of an answer: the errors of a body of 1 MiB could otherwise have 50 MiB. */
const MAX_ERRORS = 100;

/** Limits the text of all errors, because the path of each error may have a long key of a map. */
const MAX_CHARACTERS = 65_536;

/** Collects the errors of a body, so that one answer can have all of them. */
export class Report {
  /** The first errors, up to the limits of a report. */
  readonly errors: FieldError[] = [];
  /** Objects with missing keys, if the access has `incompleteObjects`. They are not in `errors`. */
  readonly incomplete: Incomplete[] = [];
  /**
   * Required fields that are missing because the client may not send them. This is a mistake of the application, and
   * must not be shown to clients.
   */
  readonly unset: string[] = [];

  /** Whether the report collects no more errors. A function that only looks for errors may stop then. */
  get isFull(): boolean {
    return this.errors.length >= MAX_ERRORS || this.#characters >= MAX_CHARACTERS;
  }

  #characters = 0;

  readonly #results: Map<object, Map<unknown, unknown>>;

  /** `other` is a report about the same body: both share the results of {@link once}. */
  constructor(other?: Report) {
    this.#results = other ? other.#results : new Map();
  }

  /**
   * Runs a check of `node` on a value that was sent, once for each value: a body may be read more than once. Returns
   * its result.
   */
  once<T>(node: object, sent: unknown, runCheck: () => T): T {
    const results = this.#results.get(node) ?? new Map<unknown, unknown>();
    this.#results.set(node, results);
    if (!results.has(sent)) results.set(sent, runCheck());
    return results.get(sent) as T;
  }

  /** The errors that a `check` has found. */
  readonly refusals: FieldError[] = [];

  /** The errors as one text, for a developer. */
  get text(): string {
    return this.errors.map((error) => `\`${error.field}\` ${error.message}`).join('; ');
  }

  /** The number of problems of all kinds: it grows with each error. */
  get size(): number {
    return this.errors.length + this.incomplete.length + this.unset.length;
  }

  /** Adds an error that a `check` has found. */
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
