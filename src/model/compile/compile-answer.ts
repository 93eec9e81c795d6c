import { ConfigurationError } from '../../errors.ts';
import { keepLatest } from '../../keep-latest.ts';
import { adoptSchema } from '../define/adopt-schema.ts';
import { isForeign } from '../define/raw-schema.ts';
import type { AnySchema } from '../define/schema.ts';
import type { CompiledField, ObjectNode } from '../node.ts';
import { changeFields, showNull } from '../read/change-fields.ts';
import { compileValueWriter } from '../read/write-json.ts';
import { isObject } from '../value/plain-object.ts';
import { serverAccess } from '../write/access.ts';
import { compileFieldReader } from '../write/read-value.ts';
import { Report } from '../write/report.ts';
import { compileObject } from './compile-schema.ts';
import { narrowFields, readRules } from './field-rules.ts';

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
  /** The rules on which it depends which of its fields a caller reads. */
  readonly rules: readonly string[];
  /** The same for callers for whom only these rules hold. */
  seenBy(held: ReadonlySet<string>): AnswerSchema;
  /**
   * Writes the JSON text of a value in document form, without the fields that its policies hide. Throws an Error that
   * names the fields that do not match the schema.
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
  if (!node.byName.has('data'))
    throw new ConfigurationError(`\`answer\` of ${what} cannot be a computed field: it is made of other fields of its object.`);
  const { policy, rules } = node.byName.get('data') as CompiledField;
  if (policy.private || rules?.read)
    throw new ConfigurationError(`\`answer\` of ${what} is hidden by its own \`policy\`: give the operation a guard.`);
  return compileWriter(node, readRules(node));
}

/** Most views of an answer that are kept. */
const mostViews = 32;

function compileWriter(node: ObjectNode, rules: readonly string[]): AnswerSchema {
  const data = node.byName.get('data') as CompiledField;
  const read = compileFieldReader(changeFields(data, mayLackHidden), { ...serverAccess, takesNull: true });
  const write = compileValueWriter(changeFields(data, showNull));
  const viewOf = keepLatest((held) => compileWriter(narrowFields(node, new Set(held.split(' '))), []), mostViews);
  return {
    node,
    rules,
    seenBy: (held) => viewOf(rules.filter((rule) => held.has(rule)).join(' ')),
    write(value) {
      const report = new Report();
      const stored = read(value, 'data', report);
      if (report.errors.length === 0) return write(value === null ? null : stored);
      throw new Error(`The answer of an operation does not match its schema: ${report.text}.`);
    },
  };
}

/** A record in the caller's view has no hidden fields. */
function mayLackHidden(field: CompiledField): CompiledField {
  return field.policy.private ? { ...field, optional: true } : field;
}

function isNamed(given: AnswerInput): given is NamedAnswer {
  return (namedAnswers as readonly unknown[]).includes(given);
}

function isCompiled(given: object): given is AnswerSchema {
  return 'node' in given && 'write' in given && typeof given.write === 'function';
}
