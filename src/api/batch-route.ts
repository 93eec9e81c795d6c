import { batch } from '../batch/batch.ts';
import { batchReplays } from '../batch/batch-replays.ts';
import type { CreatedId } from '../batch/refs.ts';
import { parseJson } from '../http/json.ts';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { problemsOf } from '../middleware/exchange/descriptor.ts';
import { composeChain } from '../middleware/exchange/step.ts';
import { setReplays } from '../middleware/idempotency/replays.ts';
import { inFlightLimit, limitEach, type NameClient } from '../middleware/in-flight-limit.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { idToJson } from '../model/value/number-in-path.ts';
import { spellId } from '../mongo/stored-record.ts';
import type { BatchDescription } from '../openapi/api-description.ts';
import type { ApiSettings } from '../resource/define/compiled-resource.ts';
import type { ServedResource } from '../resource/serve-resource.ts';
import type { ConcurrencyOptions } from './api-options.ts';
import type { Dispatch } from './dispatch.ts';
import type { BatchLimits } from './read-options.ts';
import type { Route } from './route.ts';

/**
 * A batch may take as long as many requests: all of them leave half of `total` to other requests, and those of a client
 * half of `each`.
 */
function limitPlaces({ total, each, by }: Partial<ConcurrencyOptions<never>>) {
  const half = (places: number) => Math.ceil(places / 2);
  return {
    ofAll: total === undefined ? [] : [inFlightLimit(half(total))],
    ofEach: each === undefined ? [] : [limitEach(half(each), by as NameClient, 'batches')],
  };
}

/** Compiles what a batch runs through, for its route and its description. */
export function compileBatch(
  resources: readonly ServedResource[],
  before: readonly ResourceMiddleware[],
  { maxOperations, maxBytes, maxAnswerBytes }: BatchLimits,
  { db, maxTimeMS, bodyTimeout, maxValues, idempotency }: ApiSettings,
  dispatch: () => Dispatch,
  concurrency: Partial<ConcurrencyOptions<never>>,
): BatchDescription {
  const places = limitPlaces(concurrency);
  const making = new Map(
    resources.flatMap(({ path, model, rows }) => rows.filter((row) => row.makesRecord).map(({ name }) => [`${path} ${name}`, model])),
  );
  const run = (ctx: Context, path: string) => dispatch().run(ctx, path, ended, 'runInBatch');
  const readmit = (ctx: Context, path: string) => dispatch().run(ctx, path, ended, 'readmit');
  function idCreated({ operation }: Context, id: unknown): CreatedId | undefined {
    const model = operation && making.get(`${operation.resource} ${operation.name}`);
    return model && id !== undefined ? { text: spellId(model, id), value: parseJson(idToJson(model.id.leaf, id)) } : undefined;
  }
  const createdId = (ctx: Context) => idCreated(ctx, ctx.created?._id);
  const chain = [
    ...places.ofAll, // around `requestTimeout`: a batch that was given up has no place
    ...before,
    ...places.ofEach,
    jsonBody({ limit: maxBytes, timeout: bodyTimeout, maxValues, requireObject: false }),
    ...(idempotency ? [setReplays(batchReplays({ maxOperations, readmit, idCreated })), idempotency] : []),
    batch({ db, maxTimeMS, maxOperations, maxAnswerBytes, run, createdId }),
  ];
  const ofMembers = () =>
    resources.flatMap((one) =>
      one.rows
        .filter(({ isMember }) => isMember)
        .flatMap(({ method, chain }) => chain().flatMap((middleware) => problemsOf(middleware, method))),
    );
  return { chain, maxOperations, ofMembers };
}

/** The route of batches. */
export function compileBatchRoute({ chain }: BatchDescription): Route {
  return { method: 'POST', path: '/', name: 'batch', readsJson: true, run: composeChain(chain) };
}

async function ended(): Promise<void> {}
