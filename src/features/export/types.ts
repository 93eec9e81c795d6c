/** The media types of a list that is exported. */
export const exportTypes = ['application/x-ndjson', 'text/csv'] as const;

/** One of {@link exportTypes}. */
export type ExportType = (typeof exportTypes)[number];

/** The key of `guardsFor` for exports, and the name of the operation. */
export const exportName = 'export';

/** {@link exportName} as a type. */
export type ReadOfExport = typeof exportName;

/** How the list of a resource is exported. */
export interface ExportOptions {
  /** The most records that an export may have. More are answered with 422. @default 100,000 */
  readonly max?: number;
  /**
   * Whether a `'` is put before text in CSV that a spreadsheet would take for a formula: text that begins with `=`,
   * `+`, `-`, `@`, a tab or a carriage return.
   * @default true
   */
  readonly disarm?: boolean;
}

/** The option of a resource for the export of its list. */
export interface OfExport {
  /**
   * Answers the list whole, as a stream of NDJSON or CSV, if `Accept` asks for it: with its filters, sort, scope and
   * guards, and those of `guardsFor.export`. A resource with hooks in `after` of `list` cannot have it. See
   * `docs/reference/export.md`.
   * @default none: every `Accept` gets a page
   *
   * @example
   * export: { max: 100_000 }
   */
  readonly export?: ExportOptions;
}
