import type { ApiParts } from '../../api/plugin.ts';
import { parseJson } from '../../http/json.ts';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { setReplays } from '../../middleware/exchange/replays.ts';
import { inFlightLimit, limitEach, type NameClient } from '../../middleware/in-flight-limit.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { spellId } from '../../mongo/stored-record.ts';
import type { BatchOptions } from './api-types.ts';
import { batch } from './batch.ts';
import { batchReplays } from './batch-replays.ts';
import type { CreatedId } from './refs.ts';

/**
 * A batch may take as long as many requests: all of them leave half of `total` to other requests, and those of a client
 * half of `each`.
 */
function limitPlaces({ total, each, by }: ReturnType<ApiParts['concurrency']>) {
  const half = (places: number) => Math.ceil(places / 2);
  return {
    ofAll: total === undefined ? [] : [inFlightLimit(half(total))],
    ofEach: each === undefined ? [] : [limitEach(half(each), by as NameClient, 'batches')],
  };
}

/** Compiles what a batch runs through, for its route and its description. */
export function compileChain(api: ApiParts, { maxOperations, maxBytes, maxAnswerBytes }: Required<BatchOptions>): ResourceMiddleware[] {
  const { db, maxTimeMS, bodyTimeout, maxValues, again } = api.settings();
  const places = limitPlaces(api.concurrency());
  const making = new Map(
    api.resources().flatMap(({ path, model, rows }) => rows.filter((row) => row.makesRecord).map(({ name }) => [`${path} ${name}`, model])),
  );
  const run = (ctx: Context, path: string) => api.dispatch().run(ctx, path, ended, 'runInBatch');
  const readmit = (ctx: Context, path: string) => api.dispatch().run(ctx, path, ended, 'readmit');
  function idCreated({ operation }: Context, id: unknown): CreatedId | undefined {
    const model = operation && making.get(`${operation.resource} ${operation.name}`);
    return model && id !== undefined ? { text: spellId(model, id), value: parseJson(idToJson(model.id.leaf, id)) } : undefined;
  }
  const createdId = (ctx: Context) => idCreated(ctx, ctx.created?._id);
  return [
    ...places.ofAll, // around `requestTimeout`: a batch that was given up has no place
    ...api.before(),
    ...places.ofEach,
    jsonBody({ limit: maxBytes, timeout: bodyTimeout, maxValues, requireObject: false }),
    ...(again ? [setReplays(batchReplays({ maxOperations, readmit, idCreated })), again.middleware] : []),
    batch({ db, maxTimeMS, maxOperations, maxAnswerBytes, run, createdId }),
  ];
}

async function ended(): Promise<void> {}
