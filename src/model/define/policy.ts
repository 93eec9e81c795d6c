import { ConfigurationError } from '../../errors.ts';
import { didYouMean, showName } from '../../hints.ts';
import { type Operator, operators } from '../operators/operators.ts';
import { type Aggregate, aggregates } from './aggregates.ts';

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
export interface Policy {
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
  /**
   * What an aggregate of the list may tell of the field: the sum and average of numbers, and the least and greatest
   * value of numbers and dates. `true` allows everything that fits the type. The resource must have `aggregate`.
   * @default none
   *
   * @example
   * t.decimal({ policy: { aggregate: ['sum', 'max'] } })
   */
  readonly aggregate?: true | readonly Aggregate[];
  /** Whether an aggregate of the list may group by this field; dates are grouped by month, day, …. @default false */
  readonly group?: boolean;
  /**
   * Whether a list finds the records around a place by this point, and within how many metres at most: from 1 to
   * 20,000,000. It needs an index, which `applyIndexes(api)` creates. See `docs/reference/near.md`.
   * @default none
   *
   * @example
   * t.point({ policy: { near: { maxMetres: 50_000 } } })
   */
  readonly near?: NearPolicy;
}

/** How a list finds records around a place. */
export interface NearPolicy {
  /** The largest radius that a client may ask for, in metres. */
  readonly maxMetres: number;
}

/** What a policy says to one caller. */
export interface ResolvedPolicy extends Pick<Policy, 'filter' | 'sort' | 'aggregate' | 'group' | 'near'> {
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

const flags = ['private', 'sort', 'group'] as const;
const permissions = ['read', 'insert', 'update'] as const;
const options = [...permissions, ...flags, 'filter', 'aggregate', 'near'] as const;

/** The least radius around a place, in metres. */
export const leastMetres = 1;

/** Half of the way around the Earth is a little longer. */
const mostMetres = 20_000_000;

/**
 * Checks a policy that TypeScript may not have checked. Throws a {@link ConfigurationError} that names the option and
 * the legal values.
 */
export function checkPolicy(policy: unknown, field: string): Policy {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    throw new ConfigurationError(`\`policy\` of field \`${field}\` must be an object.`);
  }
  for (const [option, value] of Object.entries(policy)) {
    if (!(options as readonly string[]).includes(option)) {
      throw new ConfigurationError(
        `\`policy.${option}\` of field \`${field}\` is not a policy option${didYouMean(option, options, `. Allowed: ${options.join(', ')}.`)}`,
      );
    }
    if (option === 'filter') checkNames(value, 'filter', operators, 'operator', field);
    else if (option === 'aggregate') checkNames(value, 'aggregate', aggregates, 'figure', field);
    else if (option === 'near') checkNear(value, field);
    else if ((flags as readonly string[]).includes(option)) checkFlag(value, option, field);
    else checkAllowed(value, option, field);
  }
  const checked = copyOf(policy);
  if (checked.private !== undefined && checked.read !== undefined && checked.private !== (checked.read === false))
    throw new ConfigurationError(`\`policy\` of field \`${field}\`: \`private: true\` means \`read: false\`. Say only one of them.`);
  const shown = (['filter', 'sort', 'aggregate', 'group', 'near'] as const).filter((option) => checked[option]);
  if (isPrivate(checked) && shown.length > 0) {
    const named = shown.map((option) => `\`policy.${option}\``).join(' and ');
    throw new ConfigurationError(`Field \`${field}\` is private: ${named} would show its values. Leave that out.`);
  }
  return checked;
}

function isPrivate(policy: Policy): boolean {
  return policy.private === true || policy.read === false;
}

function checkFlag(value: unknown, option: string, field: string): void {
  if (typeof value !== 'boolean') throw new ConfigurationError(`\`policy.${option}\` of field \`${field}\` must be true or false.`);
}

function checkNear(value: unknown, field: string): void {
  const { maxMetres, ...others } = (value ?? {}) as Partial<NearPolicy>;
  const isRadius = typeof maxMetres === 'number' && maxMetres >= leastMetres && maxMetres <= mostMetres;
  if (!isRadius || Object.keys(others).length > 0)
    throw new ConfigurationError(
      `\`policy.near\` of field \`${field}\` must be { maxMetres }, the largest radius in metres: from ${leastMetres} to ${mostMetres}.`,
    );
}

function checkAllowed(value: unknown, option: string, field: string): void {
  if (typeof value === 'boolean') return;
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0 || !names.every(isRuleName))
    throw new ConfigurationError(
      `\`policy.${option}\` of field \`${field}\` must be true, false, the name of a rule or an array of such names: letters, digits, \`-\` and \`_\`.`,
    );
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

/** Views are compiled later: what an app has done to its arrays and objects by then must not show a field to others. */
function copyOf(policy: Policy): Policy {
  const copies = Object.entries(policy).map(([option, value]) => {
    const copy: unknown = Array.isArray(value) ? [...value] : typeof value === 'object' ? { ...value } : value;
    return [option, copy] as const;
  });
  return Object.fromEntries(copies);
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
  const { filter, sort, aggregate, group, near, insert, update } = policy;
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(sort === undefined ? {} : { sort }),
    ...(aggregate === undefined ? {} : { aggregate }),
    ...(group === undefined ? {} : { group }),
    ...(near === undefined ? {} : { near }),
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

function checkNames(given: unknown, option: string, legal: readonly string[], kind: string, field: string): void {
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
