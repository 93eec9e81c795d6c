import { ConfigurationError } from '../../errors.ts';
import { exportOptions } from '../../middleware/export-records.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { checkOptions } from '../../options.ts';

/** The name of the operation that answers a list whole: a key of `guardsFor`. */
export const exportName = 'export';

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

/** {@link ExportOptions} with their defaults. */
export type CompiledExport = Required<ExportOptions>;

/** What the export of a resource depends on. */
interface Exporting {
  readonly given: unknown;
  readonly ops: readonly string[];
  /** The names of the custom operations. */
  readonly custom: readonly string[];
  /** Whether hooks run after the list. */
  readonly hasHooks: boolean;
}

/** Reads `export` of a resource. Throws a {@link ConfigurationError} if it cannot be served. */
export function readExport({ given, ops, custom, hasHooks }: Exporting, where: string): CompiledExport | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) throw new ConfigurationError(`\`export\` of ${where} must be an object: { max, disarm }.`);
  checkOptions(given as ExportOptions, exportOptions, `\`export\` of ${where}`);
  if (!ops.includes('list')) throw new ConfigurationError(`\`export\` of ${where} answers its list whole, but \`ops\` has no \`list\`.`);
  if (custom.includes(exportName))
    throw new ConfigurationError(`${where} has \`export\`, so that a custom operation cannot have this name: give it another one.`);
  if (hasHooks)
    throw new ConfigurationError(
      `${where} has \`export\`, and hooks in \`after\` of \`list\` (or \`read\`): they get a page of records, and cannot run on a stream. What they hide would be exported. Leave \`export\` out, or do without the hooks: fields can be hidden by \`policy\`, and records by \`scope\`.`,
    );
  return { max: 100_000, disarm: true, ...given };
}
