import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';

/** Every filter operator of the list query string, in the order in which the documentation lists them. */
export const operators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix'] as const;

/** A filter operator: `field[op]=value` in a list's query string. */
export type Operator = (typeof operators)[number];

/** What a client may do with a field. It holds at any depth. */
export interface Policy {
  /** Settable on create. `false` closes it, `true` opens a private field or one under `explicitWrites`. */
  readonly insert?: boolean;
  /** Settable on patch and put. `false` closes it, `true` opens a private field or one under `explicitWrites`. */
  readonly update?: boolean;
  /** Never returned, filtered or sorted, in no OpenAPI schema; not writable unless `insert` or `update` say so. @default false */
  readonly private?: boolean;
  /** Operators allowed in the query string; `true` allows every one that fits the type. @default none */
  readonly filter?: true | readonly Operator[];
  /** May be used in `sort`. @default false */
  readonly sort?: boolean;
}

const flags = ['insert', 'update', 'private', 'sort'] as const;
const options = [...flags, 'filter'] as const;

/** Checks a policy at start-up, where TypeScript did not: {@link ConfigurationError} names the option and the legal values. */
export function checkPolicy(policy: unknown, field: string): Policy {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    throw new ConfigurationError(`\`policy\` of field \`${field}\` must be an object.`);
  }
  for (const [option, value] of Object.entries(policy)) {
    if (!(options as readonly string[]).includes(option)) {
      throw new ConfigurationError(
        `\`policy.${option}\` of field \`${field}\` is not a policy option${didYouMean(option, options, `: legal are ${options.join(', ')}.`)}`,
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
  if (!Array.isArray(filter)) throw new ConfigurationError(`\`policy.filter\` of field \`${field}\` must be true or a list of operators.`);
  for (const operator of filter) {
    if (!(operators as readonly unknown[]).includes(operator)) {
      throw new ConfigurationError(
        `\`policy.filter\` of field \`${field}\` names the unknown operator \`${String(operator)}\`: legal are ${operators.join(', ')}.`,
      );
    }
  }
}
