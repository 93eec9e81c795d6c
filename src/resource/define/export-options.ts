import { ConfigurationError } from '../../errors.ts';
import { exportOptions } from '../../middleware/export-records.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { checkOptions } from '../../options.ts';
import { checkWholeList, exportName, type ListParts } from './whole-list.ts';

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

/** Reads `export` of a resource. Throws a {@link ConfigurationError} if it cannot be served. */
export function readExport(given: unknown, list: ListParts, where: string): CompiledExport | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) throw new ConfigurationError(`\`export\` of ${where} must be an object: { max, disarm }.`);
  const options = checkOptions(given as ExportOptions, exportOptions, `\`export\` of ${where}`);
  checkWholeList(exportName, list, 'exported', where);
  return options;
}
