import { invalidQuery } from '../errors.ts';
import type { FieldError } from '../rules.ts';

/** More errors than this help nobody, and each may list what is legal: 15 KB of query string could ask for megabytes. */
export const maxErrors = 20;

/** What takes the errors of a query string: {@link QueryErrors}, or a plain list. */
export type ErrorSink = Pick<QueryErrors, 'push'>;

/** Collects everything that is wrong with a query string, so that it is told at once: its first 20 errors. */
export class QueryErrors {
  readonly #errors: FieldError[] = [];

  /** Throws `invalid_query` (400) when there have been enough: nothing else is looked at then. */
  push(error: FieldError): void {
    this.#errors.push(error);
    if (this.#errors.length >= maxErrors) this.throwIfAny();
  }

  /** Throws `invalid_query` (400) with what was collected. */
  throwIfAny(): void {
    if (this.#errors.length > 0) throw invalidQuery(this.#errors);
  }
}
