import { invalidQuery } from '../errors.ts';
import type { FieldError } from '../rules.ts';

/**
 * The most errors of an answer. Each may list the legal values, so that 15 KB of query string could cause megabytes.
 */
export const maxErrors = 20;

/** Collects the errors of a query string: {@link QueryErrors}, or an array. */
export type ErrorSink = Pick<QueryErrors, 'push'>;

/** Collects the first 20 errors of a query string, so that they are reported together. */
export class QueryErrors {
  readonly #errors: FieldError[] = [];

  /** Adds an error. Throws `invalid_query` (400) when there are 20. */
  push(error: FieldError): void {
    this.#errors.push(error);
    if (this.#errors.length >= maxErrors) this.throwIfAny();
  }

  /** Throws `invalid_query` (400) if there are errors. */
  throwIfAny(): void {
    if (this.#errors.length > 0) throw invalidQuery(this.#errors);
  }
}
