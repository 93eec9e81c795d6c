/** The languages that MongoDB knows words of, and `none`. */
export const searchLanguages = [
  'none',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'turkish',
] as const;

/** A language of {@link ModelSearch}. */
export type SearchLanguage = (typeof searchLanguages)[number];

/** The texts of a model that the parameter `q` of its lists looks through, by one text index. */
export interface ModelSearch<Name extends string = string> {
  /**
   * The fields, each with its weight: a whole number from 1 to 99,999. They are strings or arrays of strings, also
   * within embedded objects. A caller who may not read one of them has no `q`.
   */
  readonly fields: { readonly [Field in Name]?: number };
  /**
   * Whose stop words (`the`) and endings the index leaves out: with `english`, `cow` finds `cows`, but `cows` does not
   * find `cow`. `none` leaves out nothing.
   * @default 'none'
   */
  readonly language?: SearchLanguage;
  /**
   * Those of the `scopeFields` that the scope of every resource over the model compares with one value in every
   * request: never by `in` of several, and never `everything`. The index begins with them, so that a search reads
   * nothing of other scopes. A search in another scope is answered with 500.
   * @default none: a search reads the matches of all scopes, and leaves out those of others
   */
  readonly scopeFields?: readonly Name[];
}

/** The option of models by which their texts are searched. */
export const searchOption = 'search';

/** The option of models for searches by a text index. */
export interface OfTexts<Name extends string> {
  /**
   * The texts that clients search by `q=` in the lists of the model. `applyIndexes` creates the text index. See
   * `docs/reference/search.md`.
   * @default none: lists have no `q`
   *
   * @example
   * search: { fields: { number: 10, status: 1 }, scopeFields: ['owner'] }
   */
  readonly search?: ModelSearch<Name>;
}
