import type { CompiledOperation } from './compile-operations.ts';

/** The rules on which it depends what callers read in the answer of an operation. */
export function answerRules({ answer }: CompiledOperation): readonly string[] {
  return typeof answer === 'object' ? answer.rules : [];
}

/** An operation as callers see it for whom only these rules hold. */
export function operationIn(operation: CompiledOperation, held: ReadonlySet<string>): CompiledOperation {
  const { answer } = operation;
  return typeof answer === 'object' && answer.rules.length > 0 ? { ...operation, answer: answer.seenBy(held) } : operation;
}
