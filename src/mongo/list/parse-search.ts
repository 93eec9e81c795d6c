import type { ErrorSink } from '../../http/query-errors.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import { Invalid } from '../../rules.ts';
import type { Search } from '../query/search.ts';
import { givenTwice } from './parse-conditions.ts';

/** The parameter that searches, in lists that have it. */
export const searchName = 'q';

/** How a list is searched. */
export interface SearchRules {
  /** The most words and phrases. */
  readonly maxTerms: number;
  /** The most characters, in Unicode code points. */
  readonly maxLength: number;
  /** The most matches that are sorted by something else than relevance. */
  readonly maxMatches: number;
  /** Whether an engine outside of the database searches, which has its own syntax. */
  readonly isOutside: boolean;
}

/** Whether a parameter is the one that searches. A field of this name may have other operators. */
export function isSearch({ name, operator, isItem }: QueryParameter): boolean {
  return name === searchName && operator === undefined && !isItem;
}

const notText = new Invalid('type', 'must be a text', { type: 'string' });
const isBlank = new Invalid('required', 'must have a word to look for');

/** Parses what a list is searched for: words, and phrases in double quotes, all of which must be there. */
export function parseSearch(
  [given, ...others]: readonly QueryParameter[],
  { maxTerms, maxLength, maxMatches, isOutside }: SearchRules,
  errors: ErrorSink,
): Search | undefined {
  const refuse = (found: Invalid): undefined => void errors.push(found.at(searchName));
  if (!given) return undefined;
  if (others.length > 0) return refuse(givenTwice);
  const { value, json = value } = given;
  if (typeof json !== 'string') return refuse(notText);
  if ([...value].length > maxLength)
    return refuse(new Invalid('maxLength', `must have at most ${maxLength} characters`, { limit: maxLength }));
  const terms = termsIn(value);
  if (terms.length === 0) return refuse(isBlank);
  if (isOutside) return { text: value.trim(), maxMatches };
  if (terms.length > maxTerms)
    return refuse(new Invalid('maxItems', `must have at most ${maxTerms} words and phrases`, { limit: maxTerms }));
  return { text: JSON.stringify(terms), terms, maxMatches };
}

/** A quote that does not end goes on to the end of the text. */
const term = /"([^"]*)"?|[^\s"]+/gu;

function termsIn(text: string): string[] {
  const all = [...text.matchAll(term)].map(([word, phrase = word]) => phrase.trim());
  return [...new Set(all)].filter((one) => one !== '');
}
