import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { refusalByPolicy, unknownField, type WriteRules } from '../../model/write/access.ts';
import type { CompiledOperation } from './compile-operations.ts';

/** Whether callers know an operation: the field that it is for is no unknown one to them. */
export function isKnown(operation: CompiledOperation, { root }: CompiledModel, rules: WriteRules): boolean {
  const field = operation.field && root.byName.get(operation.field.name);
  return !field || refusalByPolicy(field, rules) !== unknownField;
}

/** The rules on which it depends what callers read in the answer of an operation. */
export function answerRules({ answer }: CompiledOperation): readonly string[] {
  return typeof answer === 'object' ? answer.rules : [];
}

/** An operation as callers see it for whom only these rules hold. */
export function operationIn(operation: CompiledOperation, held: ReadonlySet<string>): CompiledOperation {
  const { answer } = operation;
  return typeof answer === 'object' && answer.rules.length > 0 ? { ...operation, answer: answer.seenBy(held) } : operation;
}
