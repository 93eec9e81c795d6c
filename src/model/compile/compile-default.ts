import { ConfigurationError } from '../../errors.ts';
import type { GivenSchema } from '../define/raw-schema.ts';
import type { CompiledField } from '../node.ts';
import { serverAccess } from '../write/access.ts';
import { compileFieldReader, type ReadValue } from '../write/read-value.ts';
import { Report } from '../write/report.ts';

/**
 * Compiles a field's default into a function that makes the stored value, anew for every record. A default is a value as handlers hold it,
 * or JSON where it does not fit as such (`'2026-01-31T12:00:00Z'` for a date); it is checked now. What a function makes is checked when it is
 * called, and is the deployer's fault then: an Error without a code, which is a 500.
 */
export function compileDefault(field: Omit<CompiledField, 'makeDefault'>, schema: GivenSchema, path: string): CompiledField['makeDefault'] {
  const given = schema.default;
  if (given === undefined) return undefined;
  const whole = { ...field, makeDefault: undefined };
  const read = compileFieldReader(whole, serverAccess);
  if (typeof given === 'function') return () => readDefault(read, given(), path, Error);
  const reader = fits(read, given, path) ? read : compileFieldReader(whole, { ...serverAccess, source: 'json' });
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
