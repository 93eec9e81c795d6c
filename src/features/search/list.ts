import { listNames } from '../../hints.ts';
import type { AnswersProblems } from '../../middleware/exchange/context.ts';
import { problemsOf } from '../../middleware/exchange/descriptor.ts';
import type { FilledOptions, ListPlugin } from '../../middleware/exchange/list-plugin.ts';
import { partOf } from '../../model/compile/model-part.ts';
import { stringLeaf } from '../../model/value/leaves.ts';
import { aFunction, aWholeNumber, byDefault, orUndefined } from '../../options.ts';
import { type CompiledSearch, searchOfModel } from './model.ts';

/** The parameter that searches, in lists that have it. */
const searchName = 'q';

/** Lists that clients search by `q`: by the text index of the model, or by an engine of the application. */
export const searchList: ListPlugin = {
  ofResources: { search: [aFunction[0], 'a function that returns ids'] },
  ofMiddlewares: { search: orUndefined(aFunction) },
  limits: {
    maxSearchLength: byDefault(200, aWholeNumber(1, 1_000, ' of characters')),
    maxSearchTerms: byDefault(8, aWholeNumber(1, 32, ' of words')),
    maxSearchMatches: byDefault(10_000, aWholeNumber(1, 10_000, ' of records')),
  },
  addTo(model, options) {
    const { search: find, maxSearchLength: maxLength, maxSearchTerms: maxTerms, maxSearchMatches: maxMatches } = options;
    const text = partOf(model, searchOfModel);
    if (!find && !text) return undefined;
    const parameters = [{ name: searchName, finds: true, describe: () => [describe(text, options)] }];
    const rules = { isOutside: find !== undefined, maxLength, maxTerms, maxMatches };
    const load = async () => (await import('./list-read.ts')).compileRead(model, rules);
    if (!find) return { parameters, problems: () => ['too_many_matches'], load };
    return {
      parameters,
      problems: (method) => ['internal', 'too_many_matches', ...problemsOf(find as AnswersProblems, method)],
      load,
      ask: async (...asking) => (await import('./ask-engine.ts')).askEngine(find, model, options, ...asking),
    };
  },
};

function describe(text: CompiledSearch | undefined, { search, maxSearchLength: maxLength, maxSearchTerms }: FilledOptions) {
  const terms = `Words and "phrases" that must all be there, at most ${maxSearchTerms}.`;
  const what = search ? 'What to search for.' : `${terms} They are looked for in ${listNames(text?.fields ?? [])}.`;
  const order = 'In a list without `sort`, the best matches come first, in one page only.';
  return { name: searchName, description: `${what} ${order}`, schema: { ...stringLeaf.textSchema, minLength: 1, maxLength } };
}
