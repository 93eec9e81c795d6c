import { join, type Node, type ObjectNode } from '../node.ts';
import { holdsPrivate } from '../read/private-fields.ts';
import { type Access, holdsBlindValues } from './access.ts';
import { KeyMerge } from './key-merge.ts';
import type { BlindWrite, Changes } from './plan-changes.ts';

/**
 * Compiles what the changes of a client write that it may not read, at any depth. The function is undefined if the
 * client can write no such thing, and so is its result if these changes do not.
 */
export function compileBlindWrite(root: ObjectNode, access: Access): ((changes: Changes) => BlindWrite | undefined) | undefined {
  if (!holdsBlindValues(root, access)) return undefined;
  return function findBlindWrite({ assignments, embedded }) {
    const into = embedded.map(({ path }) => ({ path, value: intoObject }));
    const found = [...into, ...assignments].flatMap(({ path, value }) => findHidden(root, path.split('.'), value) ?? []);
    return found.length === 0 ? undefined : { names: found.flatMap(({ name, isOfNobody }) => (isOfNobody ? [] : [name])) };
  };
}

/** Writes nothing yet: the keys of an embedded object are assignments of their own. */
const intoObject = new KeyMerge({ keys: new Map(), whole: {} });

interface Hidden {
  readonly name: string;
  /** Whether no client may read it. */
  readonly isOfNobody: boolean;
}

/** What is hidden of the field that is written at a path of stored keys. */
function findHidden(node: Node, [key, ...rest]: readonly string[], value: unknown, at = nothingHidden): Hidden | undefined {
  if (key === undefined) return at.isHidden || writesPrivate(node, value) ? at : undefined;
  const field = node.kind === 'object' ? node.fields.find((one) => one.key === key) : undefined;
  if (!field) return undefined;
  const { policy, rules } = field;
  const isHidden = at.isHidden || policy.private === true;
  const isOfNobody = at.isOfNobody || (policy.private === true && rules?.read === undefined);
  return findHidden(field.node, rest, value, { name: join(at.name, field.name), isHidden, isOfNobody });
}

const nothingHidden = { name: '', isHidden: false, isOfNobody: false };

/** A value that is written as a whole replaces what is hidden in it, and a merge writes the keys that it has. */
function writesPrivate(node: Node, value: unknown): boolean {
  if (!(value instanceof KeyMerge)) return holdsPrivate(node);
  return [...value.keys].some(([key, one]) => {
    if (node.kind === 'map') return writesPrivate(node.values.node, one);
    const field = node.kind === 'object' ? node.fields.find((member) => member.key === key) : undefined;
    return field !== undefined && (field.policy.private === true || writesPrivate(field.node, one));
  });
}
