import { ConfigurationError } from '../../errors.ts';
import type { FieldSchema } from '../define/schema.ts';
import type { CompiledField, ObjectNode } from '../node.ts';
import { compileValueWriter } from '../read/write-json.ts';
import { isObject } from '../value/plain-object.ts';
import { serverAccess } from '../write/access.ts';
import { compileFieldReader } from '../write/read-value.ts';
import { Report } from '../write/report.ts';
import { compileObject } from './compile-schema.ts';

/** What an operation answers: a record of its model, nothing, or what a schema says. */
export type AnswerInput = 'record' | 'none' | FieldSchema | AnswerSchema;

/** The same, compiled. */
export type CompiledAnswer = 'record' | 'none' | AnswerSchema;

/** The schema of an answer that is no record. */
interface AnswerSchema {
  /** An object with the one field `data`, for the description. */
  readonly node: ObjectNode;
  /** The JSON of a value in document form; throws an Error that says where it is not what the schema says. */
  write(data: unknown): string;
}

/** Compiles what an operation answers; throws a {@link ConfigurationError} that names the field. */
export function compileAnswer(given: AnswerInput, what = '`handler`'): CompiledAnswer {
  if (given === 'record' || given === 'none') return given;
  if (!isObject(given))
    throw new ConfigurationError(`\`answer\` of ${what} must be 'record', 'none', or the schema of what stands in \`data\`.`);
  if (isCompiled(given)) return given;
  const node = compileObject({ type: 'object', properties: { data: given }, required: ['data'] }, 'answer');
  const field = node.byName.get('data') as CompiledField;
  const read = compileFieldReader(field, serverAccess);
  const write = compileValueWriter(field);
  return {
    node,
    write(data) {
      const report = new Report();
      const stored = read(data, 'data', report);
      if (report.errors.length === 0) return write(data === null ? null : stored);
      const wrong = report.errors.map((error) => `\`${error.field}\` ${error.message}`).join('; ');
      throw new Error(`An operation does not answer what its schema says: ${wrong}.`);
    },
  };
}

function isCompiled(given: object): given is AnswerSchema {
  return 'node' in given && 'write' in given && typeof given.write === 'function';
}
