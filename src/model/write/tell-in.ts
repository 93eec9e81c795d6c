import type { FieldError, Invalid } from '../../rules.ts';
import type { CompiledField, ObjectNode } from '../node.ts';
import { lacks } from './creation.ts';
import { describeUnknown } from './read-value.ts';
import { isSeen, nodeAt, objectIn, type Subject } from './subject.ts';

/**
 * An error as a caller is told it: its message names no field that the caller does not see. Undefined if it is about
 * such a field. `root` is the record in the caller's view.
 */
export function tellIn(root: ObjectNode, error: FieldError, subject: Subject): FieldError | undefined {
  if (!isSeen(root, subject)) return undefined;
  const object = objectIn(nodeAt(root, subject.ways[0] ?? []) ?? root);
  const isHidden = (name: unknown) => object?.byName.get(String(name))?.policy.private === true;
  const { suggestion, missing } = (error.params ?? {}) as { readonly suggestion?: unknown; readonly missing?: unknown };
  if (error.rule === 'unknown_field' && isHidden(suggestion)) return reword(error, describeUnknown(subject.key ?? '', fieldsIn(object)));
  if (error.rule !== 'incomplete' || !Array.isArray(missing) || !missing.some(isHidden)) return error;
  const seen = missing.filter((name) => !isHidden(name));
  return seen.length > 0 ? reword(error, lacks(seen)) : undefined;
}

/** The fields that may be meant by a misspelt name. */
function fieldsIn({ fields }: ObjectNode = { kind: 'object', name: undefined, fields: [], byName: new Map() }): readonly CompiledField[] {
  return fields.filter(({ policy, maintained, isId }) => !policy.private && !maintained && !isId);
}

function reword({ field }: FieldError, { rule, message, params }: Invalid): FieldError {
  return { field, message, rule, ...(params && { params }) };
}
