import { ConfigurationError } from '../../errors.ts';
import { showName } from '../../hints.ts';
import type { FieldEntry } from '../node.ts';

/** A key of policies that a plug-in adds: what it lets clients do with the values of a field, if they may read it. */
export interface PolicyKey<Grant = unknown> {
  readonly name: string;
  /** Throws a `ConfigurationError` for a value that is not legal. `field` is the path of the field. */
  check(value: unknown, field: string): void;
  /**
   * What a field grants whose policy has the key, as the plug-in finds it in a `QueryField`; undefined if nothing.
   * Throws a `ConfigurationError` for a field whose type does not have it.
   */
  compile(entry: FieldEntry): Grant | undefined;
}

/** What plug-ins have made of the policy of a field. */
export type Grants = ReadonlyMap<PolicyKey, unknown>;

/** What a field grants by a key of its policy; undefined if nothing. */
export function grantOf<Grant>({ grants }: { readonly grants: Grants }, key: PolicyKey<Grant>): Grant | undefined {
  return grants.get(key) as Grant | undefined;
}

/** Throws a `ConfigurationError` unless a value of a policy is true or false. */
export function checkBoolean(value: unknown, option: string, field: string): void {
  if (typeof value !== 'boolean') throw new ConfigurationError(`\`policy.${option}\` of field \`${field}\` must be true or false.`);
}

/** Throws a `ConfigurationError` unless a value of a policy is true or an array of legal names. */
export function checkNames(given: unknown, option: string, legal: readonly string[], kind: string, field: string): void {
  if (given === true) return;
  if (!Array.isArray(given))
    throw new ConfigurationError(`\`policy.${option}\` of field \`${field}\` must be true or an array of ${kind}s.`);
  for (const name of given) {
    if (!legal.includes(name)) {
      throw new ConfigurationError(
        `\`policy.${option}\` of field \`${field}\` names the unknown ${kind} \`${showName(name)}\`. Allowed: ${legal.join(', ')}.`,
      );
    }
  }
}
