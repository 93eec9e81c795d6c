import type { PoliciesOfPlugins } from '../../features/policy-types.ts';
import type { Operator } from '../operators/operators.ts';

/**
 * Who may do something with a field: every caller, none, or those for whom one of the named rules of the service holds.
 */
export type Allowed<Rule extends string = string> = boolean | Rule | readonly Rule[];

/**
 * What clients may do with a field. A policy applies at any depth: to fields of embedded objects, and to those in
 * arrays and maps.
 *
 * @example
 * t.string({ policy: { update: false, filter: ['eq', 'in'], sort: true } })
 */
export interface Policy extends PoliciesOfPlugins {
  /**
   * Who reads the field. For every other caller the field does not exist: no answer shows it, and it can be neither
   * filtered nor sorted by, nor written unless `insert` or `update` says so.
   * @default true
   *
   * @example
   * t.decimal({ policy: { read: ['staff', 'finance'], insert: 'finance', update: 'finance' } })
   */
  readonly read?: Allowed;
  /**
   * Who may set the field on create.
   * @default true; false for `id`, for callers who cannot read the field, and in a resource with `explicitWrites`
   */
  readonly insert?: Allowed;
  /**
   * Who may set the field on patch and put.
   * @default true; false for an immutable field, for callers who cannot read the field, and in a resource with
   * `explicitWrites`
   */
  readonly update?: Allowed;
  /**
   * Hides the field from all clients, as `read: false` does: no answer shows it, no list filters or sorts by it, and
   * the OpenAPI description has it only where clients must send it. Clients cannot write it unless `insert` or `update`
   * says so. @default false
   */
  readonly private?: boolean;
  /** The operators by which a list may filter. `true` allows every operator that fits the type. @default none */
  readonly filter?: true | readonly Operator[];
  /** Whether a list may sort by this field. @default false */
  readonly sort?: boolean;
}

/** What a policy says to one caller. */
export interface ResolvedPolicy extends Pick<Policy, 'filter' | 'sort'>, PoliciesOfPlugins {
  readonly insert?: boolean | undefined;
  readonly update?: boolean | undefined;
  readonly private?: boolean | undefined;
}

/** The names of the rules in a policy. A permission that every caller has, or none, names none. */
export interface PolicyRules {
  readonly read?: readonly string[] | undefined;
  readonly insert?: readonly string[] | undefined;
  readonly update?: readonly string[] | undefined;
}

/** Whether a checked policy hides its field from every caller. */
export function isPrivate(policy: Policy): boolean {
  return policy.private === true || policy.read === false;
}

/** Whether a value can be the name of a rule. */
export function isRuleName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_][\w-]*$/.test(name);
}

/** The rules that a checked policy names; undefined if it says the same to every caller. */
export function rulesOf(policy: Policy): PolicyRules | undefined {
  const { read, insert, update } = policy;
  if (!(isNamed(read) || isNamed(insert) || isNamed(update))) return undefined;
  return { read: namesOf(read), insert: namesOf(insert), update: namesOf(update) };
}

function isNamed(allowed: Allowed | undefined): boolean {
  return allowed !== undefined && typeof allowed !== 'boolean';
}

function namesOf(allowed: Allowed | undefined): readonly string[] | undefined {
  if (allowed === undefined || typeof allowed === 'boolean') return undefined;
  return typeof allowed === 'string' ? [allowed] : allowed;
}

/** What a checked policy says to callers for whom every rule holds. */
export function resolvePolicy(policy: Policy): ResolvedPolicy {
  const { read: _read, private: _private, insert, update, ...shown } = policy;
  return {
    ...shown,
    ...(insert === undefined ? {} : { insert: insert !== false }),
    ...(update === undefined ? {} : { update: update !== false }),
    ...(isPrivate(policy) ? { private: true } : {}),
  };
}

/** What a policy says to callers for whom only some rules hold. `widest` is what it says if all of them hold. */
export function narrowPolicy(widest: ResolvedPolicy, rules: PolicyRules, held: ReadonlySet<string>): ResolvedPolicy {
  const holds = (names: readonly string[]) => names.some((name) => held.has(name));
  return {
    ...widest,
    ...(rules.read && !holds(rules.read) ? { private: true } : {}),
    ...(rules.insert ? { insert: holds(rules.insert) } : {}),
    ...(rules.update ? { update: holds(rules.update) } : {}),
  };
}
