import { BSON } from 'mongodb';
import { Problem } from '../../src/errors.ts';
import { parseJson } from '../../src/http/json.ts';
import { type CompiledModel, compileModel } from '../../src/model/compile/compile-model.ts';
import { defineModel } from '../../src/model/define/define-model.ts';
import type { Field, Fields, RawSchema } from '../../src/model/define/schema.ts';
import { absent } from '../../src/model/node.ts';
import { compileCreate, compilePatch, compilePut, type WriteRules } from '../../src/model/write/compile-writes.ts';
import type { Assignment, Changes } from '../../src/model/write/plan-changes.ts';
import type { FieldError } from '../../src/rules.ts';

/** A compiled model of these fields. */
export function modelOf(fields: Fields): CompiledModel {
  return compileModel(defineModel('Thing', { collection: 'things', fields }));
}

/** A compiled model with one field, called `value`. */
export function modelWith(field: Field | RawSchema): CompiledModel {
  return modelOf({ value: field });
}

/** The errors of the problem that a call throws; fails where it throws nothing or anything else. */
export function errorsOf(call: () => unknown): readonly FieldError[] {
  try {
    call();
  } catch (error) {
    if (error instanceof Problem && error.code === 'validation_failed') return error.errors ?? [];
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The errors as `field message` lines, which is how a reader of a test sees them best. */
export function refusals(call: () => unknown): string[] {
  return errorsOf(call).map(({ field, message }) => `${field} ${message}`);
}

const body = (json: string | object): unknown => parseJson(typeof json === 'string' ? json : JSON.stringify(json));

/** What a create stores of a body, without the id that the service makes. */
export function create(model: CompiledModel, json: string | object, server?: Record<string, unknown>, rules?: WriteRules) {
  const { _id, ...stored } = compileCreate(model, rules)(body(json), server);
  return stored;
}

/** The plan of a patch. */
export function patch(model: CompiledModel, json: string | object, rules?: WriteRules): Changes {
  return compilePatch(model, rules)(body(json));
}

/** The plan of a put. */
export function put(model: CompiledModel, json: string | object, rules?: WriteRules): Changes {
  return compilePut(model, rules)(body(json));
}

/** What is said of an object that the body does not suffice to create. */
export function incomplete(field: string, ...missing: string[]): FieldError {
  return { field, rule: 'incomplete', message: `does not exist yet; to create it, send also ${missing.join(', ')}`, params: { missing } };
}

/** Assignments as an object: a path to its value, or to `absent`. */
export function assigned(changes: Changes): Record<string, unknown> {
  return Object.fromEntries(changes.assignments.map(({ path, value }: Assignment) => [path, value === absent ? 'absent' : value]));
}

/** The stored value as it comes back from the database, read as the library reads. */
export function readBack(stored: Record<string, unknown>): Record<string, unknown> {
  return BSON.deserialize(BSON.serialize(stored), { useBigInt64: true, promoteBuffers: false, bsonRegExp: true });
}

const elementTypes: Readonly<Record<number, string>> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  16: 'int',
  18: 'long',
  19: 'decimal',
};

/** The name of the BSON type under which the driver stores a value. */
export function bsonTypeOf(value: unknown): string | undefined {
  return elementTypes[BSON.serialize({ value })[4] as number];
}
