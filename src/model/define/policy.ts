import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';

/** Every filter operator of a list's query string, in the order of the documentation. */
export const operators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix'] as const;

/** A filter operator: `field[op]=value` in a list's query string. */
export type Operator = (typeof operators)[number];

/**
 * What clients may do with a field. A policy applies at any depth: to fields of embedded objects, and to those in
 * arrays and maps.
 *
 * @example
 * t.string({ policy: { update: false, filter: ['eq', 'in'], sort: true } })
 */
export interface Policy {
  /**
   * Whether a create may set the field.
   * @default true; false for `id`, for a private field, and in a resource with `explicitWrites`
   */
  readonly insert?: boolean;
  /**
   * Whether patch and put may set the field.
   * @default true; false for an immutable or private field, and in a resource with `explicitWrites`
   */
  readonly update?: boolean;
  /**
   * Hides the field from clients: no answer shows it, no list filters or sorts by it, and the OpenAPI description has
   * it only where clients must send it. Clients cannot write it unless `insert` or `update` is true. @default false
   */
  readonly private?: boolean;
  /** The operators by which a list may filter. `true` allows every operator that fits the type. @default none */
  readonly filter?: true | readonly Operator[];
  /** Whether a list may sort by this field. @default false */
  readonly sort?: boolean;
}

const flags = ['insert', 'update', 'private', 'sort'] as const;
const options = [...flags, 'filter'] as const;

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
    if (option === 'filter') checkOperators(value, field);
    else if (typeof value !== 'boolean') throw new ConfigurationError(`\`policy.${option}\` of field \`${field}\` must be true or false.`);
  }
  const checked: Policy = policy;
  if (checked.private && (checked.filter || checked.sort)) {
    throw new ConfigurationError(
      `Field \`${field}\` is private: \`policy.filter\` and \`policy.sort\` would show its values. Remove them.`,
    );
  }
  return checked;
}

function checkOperators(filter: unknown, field: string): void {
  if (filter === true) return;
  if (!Array.isArray(filter))
    throw new ConfigurationError(`\`policy.filter\` of field \`${field}\` must be true or an array of operators.`);
  for (const operator of filter) {
    if (!(operators as readonly unknown[]).includes(operator)) {
      throw new ConfigurationError(
        `\`policy.filter\` of field \`${field}\` names the unknown operator \`${String(operator)}\`. Allowed: ${operators.join(', ')}.`,
      );
    }
  }
}
