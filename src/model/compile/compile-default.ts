import { ConfigurationError } from '../../errors.ts';
import type { GivenSchema } from '../define/raw-schema.ts';
import type { CompiledField } from '../node.ts';
import { serverAccess } from '../write/access.ts';
import { compileFieldReader, type ReadValue } from '../write/read-value.ts';
import { Report } from '../write/report.ts';

/**
 * Compiles the default of a field into a function that returns the stored value, a new one for every record. A default
 * is in document form, or else in JSON form (`'2026-01-31T12:00:00Z'` for a date). A constant is checked here. The
 * value that a function returns is checked each time: a wrong one is a mistake of the application, and so a plain Error
 * (500).
 */
export function compileDefault(field: CompiledField, schema: GivenSchema, path: string): CompiledField['makeDefault'] {
  const given = schema.default;
  if (given === undefined) return undefined;
  const read = compileFieldReader(field, serverAccess);
  if (typeof given === 'function') return () => readDefault(read, given(), path, Error);
  const reader = fits(read, given, path) ? read : compileFieldReader(field, { ...serverAccess, source: 'json' });
  const stored = readDefault(reader, given, path, ConfigurationError);
  const isShareable = typeof stored !== 'object' || stored === null;
  return isShareable ? () => stored : () => readDefault(reader, given, path, Error);
}

function fits(read: ReadValue, value: unknown, path: string): boolean {
  const report = new Report();
  read(value, path, report);
  return report.errors.length === 0;
}

function readDefault(read: ReadValue, value: unknown, path: string, Failure: new (message: string) => Error): unknown {
  const report = new Report();
  const stored = read(value, path, report);
  const [error] = report.errors;
  if (error) throw new Failure(`The \`default\` of \`${path}\` does not fit: \`${error.field}\` ${error.message}.`);
  return stored;
}
