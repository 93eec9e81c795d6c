import { absent, join, type Slot } from '../node.ts';
import { compileItemHydrate } from '../read/hydrate.ts';
import { isObject, own } from '../value/plain-object.ts';
import { isSameValue } from '../value/same-value.ts';
import { KeyMerge } from './key-merge.ts';

/** Compiles what a hook sees of an assigned value: in document form, with null where a key is removed. */
export function compileShowAssigned(slot: Slot): (assigned: unknown) => unknown {
  const hydrate = compileItemHydrate(slot);
  const { node } = slot;
  const showMember = node.kind === 'map' && node.merge ? compileShowAssigned(node.values) : undefined;
  const fields = node.kind === 'object' ? node.fields.map((field) => ({ field, show: compileShowAssigned(field) })) : [];
  return function showAssigned(assigned) {
    if (assigned === absent) return null;
    if (!(assigned instanceof KeyMerge)) return hydrate(assigned);
    const { keys } = assigned;
    const members = showMember
      ? [...keys].map(([key, value]) => [key, showMember(value)] as const)
      : fields.flatMap(({ field: { name, key }, show }) => (keys.has(key) ? [[name, show(keys.get(key))] as const] : []));
    return Object.fromEntries(members);
  };
}

/**
 * The merge of a map as hooks have left it: `read` is what they left, as the server writes it, and `client` the plan of
 * the client. Keys that the hooks have not changed stay as the client's plan has them. Under any other key, an object
 * that the record does not have and that is not complete is a mistake of the hooks, unless the client's body was not
 * complete either.
 */
export function mergeLeft(read: unknown, client: unknown, left: unknown, shown: unknown, mistakeAt: (keys: string) => string): unknown {
  if (!(read instanceof KeyMerge)) return read;
  const before = client instanceof KeyMerge ? client.keys : new Map<string, unknown>();
  const keys = Array.from(read.keys, ([key, value]): [string, unknown] => {
    const isKept = before.has(key) && isSameValue(member(left, key), member(shown, key));
    return [key, isKept ? before.get(key) : blame(value, before.get(key), key, mistakeAt)];
  });
  return new KeyMerge({ ...read, keys: new Map(keys) });
}

function blame(value: unknown, client: unknown, at: string, mistakeAt: (keys: string) => string): unknown {
  if (!(value instanceof KeyMerge)) return value;
  const before = client instanceof KeyMerge ? client : undefined;
  const refused = before?.refused ?? [];
  const keys = Array.from(value.keys, ([key, one]): [string, unknown] => [
    key,
    blame(one, before?.keys.get(key), join(at, key), mistakeAt),
  ]);
  return new KeyMerge({ ...value, keys: new Map(keys), refused, mistake: refused.length > 0 ? undefined : mistakeAt(at) });
}

function member(value: unknown, key: string): unknown {
  return isObject(value) ? own(value, key) : undefined;
}
