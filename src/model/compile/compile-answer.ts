import { ConfigurationError } from '../../errors.ts';
import { adoptSchema } from '../define/adopt-schema.ts';
import { isForeign } from '../define/raw-schema.ts';
import type { AnySchema } from '../define/schema.ts';
import type { CompiledField, ObjectNode } from '../node.ts';
import { compileValueWriter } from '../read/write-json.ts';
import { isObject } from '../value/plain-object.ts';
import { serverAccess } from '../write/access.ts';
import { compileFieldReader } from '../write/read-value.ts';
import { Report } from '../write/report.ts';
import { compileObject } from './compile-schema.ts';

/** The answers that need no schema: one or several records of the model, a page of them, or nothing. */
const namedAnswers = ['record', 'records', 'page', 'none'] as const;
type NamedAnswer = (typeof namedAnswers)[number];

/** The answer of an operation: records of its model, nothing, or a value that a schema describes. */
export type AnswerInput = NamedAnswer | AnySchema | AnswerSchema;

/** A compiled {@link AnswerInput}. */
export type CompiledAnswer = NamedAnswer | AnswerSchema;

/** The compiled schema of an answer that is not a record, or several. */
interface AnswerSchema {
  /** An object whose only field is `data`, for the OpenAPI description. */
  readonly node: ObjectNode;
  /**
   * Writes the JSON text of a value in document form. Throws an Error that names the fields that do not match the
   * schema.
   */
  write(data: unknown): string;
}

/** Compiles the answer of an operation. Throws a {@link ConfigurationError} that names the field. */
export function compileAnswer(given: AnswerInput, what = '`handler`'): CompiledAnswer {
  if (isNamed(given)) return given;
  if (!isObject(given) && !isForeign(given))
    throw new ConfigurationError(`\`answer\` of ${what} must be 'record', 'records', 'page', 'none', or the schema of \`data\`.`);
  if (isCompiled(given)) return given;
  const node = compileObject({ type: 'object', properties: { data: adoptSchema(given, 'answer.data') }, required: ['data'] }, 'answer');
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
      throw new Error(`The answer of an operation does not match its schema: ${wrong}.`);
    },
  };
}

function isNamed(given: AnswerInput): given is NamedAnswer {
  return (namedAnswers as readonly unknown[]).includes(given);
}

function isCompiled(given: object): given is AnswerSchema {
  return 'node' in given && 'write' in given && typeof given.write === 'function';
}
