import { ConfigurationError } from '../../errors.ts';
import { policyKeys } from '../../features/policies.ts';
import { didYouMean } from '../../hints.ts';
import { isPrivate, isRuleName, type Policy } from '../define/policy.ts';
import { operators } from '../operators/operators.ts';
import { checkBoolean, checkNames } from './policy-key.ts';

type Check = (value: unknown, option: string, field: string) => void;

/** What of a policy is about the values that clients read. */
const ofShown: readonly (readonly [option: string, check: Check])[] = [
  ['filter', (value, option, field) => checkNames(value, option, operators, 'operator', field)],
  ['sort', checkBoolean],
  ...policyKeys.map(({ name, check }) => [name, (value: unknown, _option: string, field: string) => check(value, field)] as const),
];

const checks: ReadonlyMap<string, Check> = new Map([
  ['read', checkAllowed],
  ['insert', checkAllowed],
  ['update', checkAllowed],
  ['private', checkBoolean],
  ...ofShown,
]);
const options = [...checks.keys()];

/** What of a policy only a stored field can have. */
export const ofStored: readonly string[] = ['insert', 'update', ...ofShown.map(([option]) => option)];

/**
 * Checks a policy that TypeScript may not have checked. Throws a {@link ConfigurationError} that names the option and
 * the legal values.
 */
export function checkPolicy(policy: unknown, field: string): Policy {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    throw new ConfigurationError(`\`policy\` of field \`${field}\` must be an object.`);
  }
  for (const [option, value] of Object.entries(policy)) {
    const check = checks.get(option);
    if (!check) {
      throw new ConfigurationError(
        `\`policy.${option}\` of field \`${field}\` is not a policy option${didYouMean(option, options, `. Allowed: ${options.join(', ')}.`)}`,
      );
    }
    check(value, option, field);
  }
  const checked = copyOf(policy);
  if (checked.private !== undefined && checked.read !== undefined && checked.private !== (checked.read === false))
    throw new ConfigurationError(`\`policy\` of field \`${field}\`: \`private: true\` means \`read: false\`. Say only one of them.`);
  const shown = ofShown.map(([option]) => option).filter((option) => (checked as Readonly<Record<string, unknown>>)[option]);
  if (isPrivate(checked) && shown.length > 0) {
    const named = shown.map((option) => `\`policy.${option}\``).join(' and ');
    throw new ConfigurationError(`Field \`${field}\` is private: ${named} would show its values. Leave that out.`);
  }
  return checked;
}

function checkAllowed(value: unknown, option: string, field: string): void {
  if (typeof value === 'boolean') return;
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0 || !names.every(isRuleName))
    throw new ConfigurationError(
      `\`policy.${option}\` of field \`${field}\` must be true, false, the name of a rule or an array of such names: letters, digits, \`-\` and \`_\`.`,
    );
}

/** Views are compiled later: what an app has done to its arrays and objects by then must not show a field to others. */
function copyOf(policy: Policy): Policy {
  const copies = Object.entries(policy).map(([option, value]) => {
    const copy: unknown = Array.isArray(value) ? [...value] : typeof value === 'object' ? { ...value } : value;
    return [option, copy] as const;
  });
  return Object.fromEntries(copies);
}
