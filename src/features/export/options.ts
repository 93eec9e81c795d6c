import { ConfigurationError } from '../../errors.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { checkOptions } from '../../options.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import { checkWholeList } from '../../resource/define/whole-list.ts';
import { exportOptions } from './export-records.ts';
import { type ExportOptions, exportName } from './types.ts';

/** Reads `export` of a resource. Throws a {@link ConfigurationError} if it cannot be served. */
export function readExport({ given, list, where }: ResourceParts): Required<ExportOptions> | undefined {
  const { export: exported } = given(exportName);
  if (exported === undefined) return undefined;
  if (!isObject(exported)) throw new ConfigurationError(`\`export\` of ${where} must be an object: { max, disarm }.`);
  const options = checkOptions(exported as ExportOptions, exportOptions, `\`export\` of ${where}`);
  checkWholeList(exportName, list(), 'exported', where);
  return options;
}
