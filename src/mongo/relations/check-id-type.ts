import { ConfigurationError } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Reference } from '../../model/node.ts';
import type { Leaf } from '../../model/value/leaf.ts';

/** Refuses ids of another type than the target's: they would never match. */
export function checkIdType({ leaf, ref }: { readonly leaf: Leaf; readonly ref: Reference }, { id }: CompiledModel, where: string): void {
  if (kindOf(leaf) === kindOf(id.leaf)) return;
  throw new ConfigurationError(
    `${where}: ids of ${ref.model} are of type ${describe(id.leaf)}, not ${describe(leaf)}; say so by \`id\` of \`t.ref\`.`,
  );
}

/** Integers and floats compare by value, and an enum is a string. Every other type matches itself only. */
const kinds: ReadonlyMap<string, string> = new Map([
  ['int64', 'int'],
  ['float', 'int'],
  ['enum', 'string'],
]);

function kindOf({ name, storedAs, subtype }: Leaf): string {
  return `${kinds.get(name) ?? name} ${storedAs ?? subtype ?? ''}`;
}

function describe({ name, storedAs, subtype }: Leaf): string {
  if (subtype !== undefined) return `${name} with \`subtype: ${subtype}\``;
  return storedAs === undefined ? name : `${name} with \`storedAs: '${storedAs}'\``;
}
