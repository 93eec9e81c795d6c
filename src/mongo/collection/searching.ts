import { inspect } from 'node:util';
import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { isServerError, serverCodes } from '../driver/server-error.ts';
import { formatKey } from '../indexes/index-plan.ts';
import type { ListQuery } from '../list/parse-list-query.ts';
import type { SortKey } from '../query/position.ts';
import type { Search } from '../query/search.ts';
import { temporaryKey } from '../through/through-stages.ts';

/** A sort with the stages that compute one of its keys. */
interface Ranked {
  readonly sort: readonly SortKey[];
  readonly stages: readonly BsonDocument[];
}

/** The order of ids that an engine outside of the database has found. Undefined if a list has another order. */
export function rankIds({ window, search, sort }: ListQuery, model: CompiledModel): Ranked | undefined {
  if (window.mode !== 'only' || !search?.ids) return undefined;
  const as = temporaryKey(model, 0);
  const [id] = sort as readonly [SortKey]; // there is no other key
  const rank = { ...id, field: { ...id.field, path: as } satisfies QueryField };
  return { sort: [rank], stages: [{ $set: { [as]: { $indexOfArray: [{ $literal: search.ids }, '$_id'] } } }] };
}

/** Says which index is missing, or is not the one that the model describes, if that is why a search has failed. */
export function explainSearch(error: unknown, { search, name, collection }: CompiledModel, asked: Search | undefined): unknown {
  const isMissing = isServerError(error, serverCodes.indexNotFound);
  if (!asked?.terms || !search || !(isMissing || isServerError(error, serverCodes.noQueryExecutionPlans))) return error;
  const what = isMissing ? 'has no text index' : 'has another text index';
  const call = `db.collection(${JSON.stringify(collection)}).createIndex(${formatKey(search.key)}, ${inspect(search.options, { breakLength: Number.POSITIVE_INFINITY })})`;
  return new Error(
    `The collection \`${collection}\` ${what}, so that \`search\` of ${name} fails. Call \`applyIndexes(api)\`, or: ${call}`,
    {
      cause: error,
    },
  );
}
