import { ConfigurationError } from '../../errors.ts';
import { checkName } from '../define/field-name.ts';
import { type Policy, type ResolvedPolicy, resolvePolicy } from '../define/policy.ts';
import type { GivenSchema } from '../define/raw-schema.ts';
import { type CompiledField, join, type Node, type Slot } from '../node.ts';
import { checkFlag } from './check-field.ts';
import { checkPolicy } from './check-policy.ts';

/**
 * The keys of a map by which clients may filter, as fields that have nothing of their own but their type and operators.
 * Throws a {@link ConfigurationError} that names the map.
 */
export function compileFilterKeys(
  { filterKeys, policy, index }: GivenSchema,
  values: Slot,
  path: string,
): readonly CompiledField[] | undefined {
  if (filterKeys === undefined) return undefined;
  const names: unknown = filterKeys;
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === 'string') || new Set(names).size < names.length)
    throw new ConfigurationError(`\`filterKeys\` of \`${path}\` must be different keys: \`filterKeys: ['colour', 'size']\`.`);
  const { filter } = policy === undefined ? {} : checkPolicy(policy, path);
  if (filter === undefined)
    throw new ConfigurationError(`\`filterKeys\` of \`${path}\` needs \`policy.filter\`, which names the operators that its keys have.`);
  if (values.node.kind !== 'leaf')
    throw new ConfigurationError(`\`filterKeys\` of \`${path}\` needs single values: a filter does not compare objects, arrays or maps.`);
  return names.map((name: string) => {
    checkName(name, join(path, name), path);
    return { ...ofNothing, ...values, ref: undefined, name, key: name, index: checkFlag(index, 'index', path, true), policy: { filter } };
  });
}

/** A member of a map may be absent. Who reads and writes it, the map says. */
const ofNothing = {
  isId: false,
  optional: true,
  storeNone: false,
  immutable: false,
  unique: false,
  rules: undefined,
  maintained: undefined,
  kind: undefined,
  annotations: {},
  makeDefault: undefined,
} as const;

/** The policy of a field. With `filterKeys`, `policy.filter` is about the keys of the map. */
export function policyOf(policy: Policy, node: Node): ResolvedPolicy {
  const { filter, ...others } = resolvePolicy(policy);
  return filter === undefined || (node.kind === 'map' && node.filterKeys) ? others : { ...others, filter };
}
