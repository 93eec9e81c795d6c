import { Problem } from '../../errors.ts';
import type { ListQuery } from '../list/parse-list-query.ts';
import { isThrough } from '../through/through-field.ts';
import type { ThroughReadOptions } from './read-options.ts';

/** The most matches that a list may have to be sorted in memory. */
export interface Bound {
  readonly max: number;
  /** 422: there are more. */
  exceeded(): Problem;
}

/**
 * The bound of a list that is sorted by values of related records, or that sorts what a text index has found. Undefined
 * if it has none. In the order of relevance, what is found is never more than a page.
 */
export function boundOfSort({ sort, search, window }: ListQuery, { maxSorted }: ThroughReadOptions): Bound | undefined {
  const byRelated = sort.some(({ field }) => isThrough(field)) ? maxSorted : Number.POSITIVE_INFINITY;
  const ofSearch = search?.terms && window.mode !== 'only' ? search.maxMatches : Number.POSITIVE_INFINITY;
  if (byRelated <= ofSearch) return Number.isFinite(byRelated) ? { max: byRelated, exceeded: () => tooManyToSort(byRelated) } : undefined;
  return { max: ofSearch, exceeded: () => tooManyFound(ofSearch, 'to be sorted', ', or leave out `sort`') };
}

/** 422: a search finds more than the list may look at. */
export function tooManyFound(max: number, purpose: string, hint = ''): Problem {
  return tooMany(max, ` \`q\``, purpose, `Look for more words, or narrow the list by filters${hint}.`);
}

function tooManyToSort(max: number): Problem {
  return tooMany(max, '', 'to be sorted by fields of related records', 'Narrow the list by filters, or sort it by its own fields.');
}

function tooMany(max: number, what: string, purpose: string, hint: string): Problem {
  const records = max === 1 ? 'one record matches' : `${max} records match`;
  return new Problem({ code: 'too_many_matches', detail: `More than ${records}${what}, too many ${purpose}. ${hint}` });
}
