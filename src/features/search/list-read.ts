import type { ErrorSink } from '../../http/query-errors.ts';
import { keyOf, type QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { partOf } from '../../model/compile/model-part.ts';
import { foldText } from '../../model/fold/fold-text.ts';
import type { Asked, PluginRules, ReadParameters } from '../../mongo/list/asked.ts';
import { givenTwice } from '../../mongo/list/parse-conditions.ts';
import { noRecord } from '../../mongo/predicate/predicate.ts';
import { Invalid } from '../../rules.ts';
import { byRank } from './list-order.ts';
import { askIndex } from './list-text.ts';
import { searchOfModel } from './model.ts';

const notText = new Invalid('type', 'must be a text', { type: 'string' });
const isBlank = new Invalid('required', 'must have a word to look for');
const notLive = new Invalid('not_available', 'is not available in a live list: what searches it does not tell of changes');
const notByRelevance = new Invalid('conflicting_parameter', 'cannot stand beside q: by relevance there is one page; give a sort', {
  with: 'q',
});

/** How a list is searched. */
interface SearchRules {
  /** Whether an engine outside of the database searches, which has its own syntax. */
  readonly isOutside: boolean;
  /** The most characters, in Unicode code points. */
  readonly maxLength: number;
  /** The most words and phrases. */
  readonly maxTerms: number;
  /** The most matches that are sorted by something else than relevance. */
  readonly maxMatches: number;
}

/** Compiles how `q` is read: as words and phrases for the text index, or as it is for an engine elsewhere. */
export function compileRead(model: CompiledModel, { isOutside, maxLength, maxTerms, maxMatches }: SearchRules): ReadParameters {
  const ofModel = partOf(model, searchOfModel);

  function read({ value, json = value }: QueryParameter, { isLive }: PluginRules): Asked | Invalid {
    if (isOutside && isLive) return notLive;
    if (typeof json !== 'string') return notText;
    if ([...value].length > maxLength) return new Invalid('maxLength', `must have at most ${maxLength} characters`, { limit: maxLength });
    const terms = termsIn(ofModel?.isFolded ? foldText(value) : value);
    if (terms.length === 0) return isBlank;
    if (isOutside || !ofModel) return { within: noRecord, text: value.trim(), order: byRank([], model) }; // until the engine is asked
    if (terms.length > maxTerms) return new Invalid('maxItems', `must have at most ${maxTerms} words and phrases`, { limit: maxTerms });
    return askIndex(terms, model, ofModel, maxMatches);
  }

  return ({ own: [given, ...twice], others }, rules, errors) => {
    const asked = twice.length > 0 ? givenTwice : read(given as QueryParameter, rules);
    if (asked instanceof Invalid) errors.push(asked.at(keyOf(given as QueryParameter)));
    refuseOtherPages(others, rules, errors);
    return { asked: asked instanceof Invalid ? undefined : asked, others };
  };
}

/** Refuses other pages than the first one of a search without a sort. */
function refuseOtherPages(others: readonly QueryParameter[], { paging, isWhole, isLive }: PluginRules, errors: ErrorSink): void {
  const isSetting = ({ name, operator, isItem }: QueryParameter) => operator === undefined && (!isItem || name === 'sort');
  const settings = new Set(others.filter(isSetting).map(({ name }) => name));
  if (!paging || isWhole || isLive || settings.has('sort')) return;
  for (const name of paging.mode === 'cursor' ? ['after', 'before'] : ['page'])
    if (settings.has(name)) errors.push(notByRelevance.at(name));
}

/** A quote that does not end goes on to the end of the text. */
const term = /"([^"]*)"?|[^\s"]+/gu;

/** The words, and the phrases in double quotes, all of which must be there. */
function termsIn(text: string): string[] {
  const all = [...text.matchAll(term)].map(([word, phrase = word]) => phrase.trim());
  return [...new Set(all)].filter((one) => one !== '');
}
