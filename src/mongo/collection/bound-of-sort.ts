import type { Problem } from '../../errors.ts';
import type { ListQuery } from '../list/parse-list-query.ts';
import { type Bound, tooMany } from '../query/bound.ts';
import { isThrough } from '../through/through-field.ts';
import type { ThroughReadOptions } from './read-options.ts';

/**
 * The bound of a list that is sorted by values of related records, or in another order than that of a plug-in which
 * finds its records. Undefined if it has none.
 */
export function boundOfSort({ sort, further }: ListQuery, { maxSorted }: ThroughReadOptions): Bound | undefined {
  const byRelated = sort.some(({ field }) => isThrough(field)) ? { max: maxSorted, exceeded: () => tooManyToSort(maxSorted) } : undefined;
  const ofFurther = further?.order ? undefined : further?.bound;
  return byRelated && ofFurther && ofFurther.max < byRelated.max ? ofFurther : (byRelated ?? ofFurther);
}

function tooManyToSort(max: number): Problem {
  return tooMany(max, '', 'to be sorted by fields of related records', 'Narrow the list by filters, or sort it by its own fields.');
}
