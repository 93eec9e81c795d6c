import { QueryErrors } from '../../http/query-errors.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import { Invalid } from '../../rules.ts';
import type { Visible } from '../lifecycle/lifecycle.ts';
import { givenTwice } from './parse-conditions.ts';

/** The parameter by which clients ask for deleted records, where they may. */
export const deletedName = 'deleted';

/** The values of the parameter. */
export const deletedValues = ['only', 'with'] as const satisfies readonly Visible[];

const unknownValue = new Invalid('enum', 'must be only or with', { values: deletedValues });

/** Whether a parameter asks for deleted records. `deleted[eq]` is a filter. */
export function isDeleted({ name, operator, isItem }: QueryParameter): boolean {
  return name === deletedName && operator === undefined && !isItem;
}

/** Reads the parameters that ask for deleted records. Throws `invalid_query` (400) for another value, or two. */
export function parseDeleted([given, ...others]: readonly QueryParameter[]): Visible {
  const errors = new QueryErrors();
  const value = deletedValues.find((one) => one === given?.value);
  if (others.length > 0) errors.push(givenTwice.at(deletedName));
  else if (value === undefined) errors.push(unknownValue.at(deletedName));
  errors.throwIfAny();
  return value ?? 'live';
}
