import type { Problem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { OwnOrder } from '../../mongo/list/asked.ts';
import { tooMany } from '../../mongo/query/bound.ts';
import { temporaryKey } from '../../mongo/through/through-stages.ts';

/** The order by how well records match. The name of the first key has no meaning to the database. */
export const byRelevance: OwnOrder = {
  by: [
    ['score', { $meta: 'textScore' }],
    ['_id', 1],
  ],
  keys: ['_id'],
};

/** The order of ids that an engine outside of the database has found. */
export function byRank(ids: readonly unknown[], model: CompiledModel): OwnOrder {
  const rank = temporaryKey(model, 0);
  return { by: [[rank, 1]], keys: [rank], compute: [{ $set: { [rank]: { $indexOfArray: [{ $literal: ids }, '$_id'] } } }] };
}

/** 422: a search finds more than the list may look at. */
export function tooManyFound(max: number, purpose: string, hint = ''): Problem {
  return tooMany(max, ` \`q\``, purpose, `Look for more words, or narrow the list by filters${hint}.`);
}
