import type { ProblemCode } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { tooManyFound } from '../../mongo/collection/bound-of-sort.ts';
import type { SearchRules } from '../../mongo/list/parse-search.ts';
import { maxBytesOfIds } from '../../mongo/list/plan-page.ts';
import type { SortKey } from '../../mongo/query/position.ts';
import type { Search } from '../../mongo/query/search.ts';
import { aFunction, aWholeNumber, byDefault, type Filled, orUndefined } from '../../options.ts';
import { Invalid } from '../../rules.ts';
import type { AnswersProblems, Called, Context } from './context.ts';
import { problemsOf } from './descriptor.ts';

/** The limits of searches by `q`. */
export interface SearchLimits {
  /** The most characters of `q`, up to 1,000. More are 400. @default 200 */
  readonly maxSearchLength?: number;
  /** The most words and phrases of `q`, up to 32. More are 400. @default 8 */
  readonly maxSearchTerms?: number;
  /**
   * The most matches of a search that has a `sort`, and the most ids of an engine outside of the database, up to
   * 10,000. More are 422.
   *
   * @default 10,000
   */
  readonly maxSearchMatches?: number;
}

/** Returns the ids of the records that match a text, the best first. */
export type FindIds = Called<[q: string, ctx: Context], unknown>;

/** The options by which a list is searched. */
export interface SearchOptions extends SearchLimits {
  /**
   * Finds the ids of the records that match `q` by an engine outside of the database, the best first. They are read
   * within the scope and the filters of the list. A model with `search` cannot have it.
   *
   * @default lists of a model with `search` look into its text index, and others have no `q`
   */
  readonly search?: FindIds;
}

/** The limits, with their defaults. */
export const searchLimits = {
  maxSearchLength: byDefault(200, aWholeNumber(1, 1_000, ' of characters')),
  maxSearchTerms: byDefault(8, aWholeNumber(1, 32, ' of words')),
  maxSearchMatches: byDefault(10_000, aWholeNumber(1, 10_000, ' of records')),
};

/** The legal values of the options. */
export const searchOptions = { search: orUndefined(aFunction), ...searchLimits };

/** How a list is searched as some callers see it. Undefined if it has no `q`. */
export interface Searching {
  readonly rules: SearchRules;
  /** The problems that a search adds to those of the list. */
  readonly problems: (method: string) => readonly ProblemCode[];
  /** Asks an engine outside of the database, for a list in this order. Undefined if there is none. */
  readonly ask?: (search: Search, sort: readonly SortKey[], ctx: Context) => Promise<Search>;
}

/** Compiles how the list of a model is searched. */
export function compileSearching(model: CompiledModel, options: Filled<SearchOptions, typeof searchLimits>): Searching | undefined {
  const { search: find, maxSearchLength: maxLength, maxSearchTerms: maxTerms, maxSearchMatches: maxMatches } = options;
  if (!find && !model.search) return undefined;
  const rules = { maxLength, maxTerms, maxMatches, isOutside: find !== undefined };
  if (!find) return { rules, problems: () => [] };
  const problems = (method: string) => ['internal', 'too_many_matches', ...problemsOf(find as AnswersProblems, method)] as const;
  return { rules, problems, ask: (search, sort, ctx) => ask(find, model, { search, sort }, ctx) };
}

/**
 * Asks an engine for ids. Those that no record of the model can have are left out: the engine may be behind. Throws
 * `too_many_matches` (422) for too many, and a plain Error (500) for a result that is no array of ids.
 */
async function ask(
  find: FindIds,
  model: CompiledModel,
  { search, sort }: { readonly search: Search; readonly sort: readonly SortKey[] },
  ctx: Context,
): Promise<Search> {
  ctx.exchange?.throwIfGivenUp();
  const found = await find(search.text, ctx);
  ctx.exchange?.throwIfGivenUp();
  if (!Array.isArray(found))
    throw new Error(`\`search\` of ${model.name} must return an array of ids; it has returned ${describe(found)}.`);
  if (found.length > search.maxMatches) throw tooManyFound(search.maxMatches, 'to look at');
  const ids = new Map<string, unknown>();
  let room = maxBytesOfIds / Math.max(sort.length, 1); // each key of a sort has a range, which repeats the ids
  for (const one of found) {
    const id = castId(one, model);
    if (id instanceof Invalid) continue;
    const text = model.id.leaf.toJson(id);
    if (ids.has(text)) continue;
    room -= Buffer.byteLength(text);
    if (room < 0) throw tooManyFound(ids.size, 'to look at');
    ids.set(text, id);
  }
  return { ...search, ids: [...ids.values()] };
}

function castId(one: unknown, { id: { leaf }, name }: CompiledModel): unknown {
  const id = leaf.fromDocument(one);
  if (!(id instanceof Invalid)) return id;
  if (typeof one === 'string') return leaf.fromText(one);
  if (
    typeof one === 'number' ||
    typeof one === 'bigint' ||
    (typeof one === 'object' && one !== null && !isObject(one) && !Array.isArray(one))
  )
    return id;
  throw new Error(`\`search\` of ${name} must return an array of ids; it has ${describe(one)} among them.`);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return value === null || typeof value !== 'object' ? String(value) : 'an object';
}
