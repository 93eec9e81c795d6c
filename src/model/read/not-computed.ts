/** The error of a computed field: its `get` has thrown, or has returned what does not fit its type. */
export class NotComputed extends Error {
  readonly #path: string;
  readonly #why: string;

  constructor(path: string, why: string, options?: ErrorOptions) {
    super(`The computed field \`${path}\` ${why}.`, options);
    this.name = 'NotComputed';
    this.#path = path;
    this.#why = why;
  }

  /** The same error, which also says of which record. */
  of(model: string, id: string): NotComputed {
    return new NotComputed(`${this.#path}\` of the record \`${id}\` of \`${model}`, this.#why, { cause: this.cause });
  }
}
