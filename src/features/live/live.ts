import { ConfigurationError } from '../../errors.ts';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { described, problemsOf } from '../../middleware/exchange/descriptor.ts';
import { checkOrder } from '../../middleware/exchange/order.ts';
import { composeChain } from '../../middleware/exchange/step.ts';
import { describeProblem, noteProblem } from '../../middleware/problems.ts';
import { asDb, type Database } from '../../mongo/driver/database.ts';
import { anArrayOf, checkedLater, checkOptions, checkValue, type LegalOptions, orUndefined } from '../../options.ts';
import { LiveStreams, liveStreams } from './live-streams.ts';
import type { Group } from './work/group.ts';

/** Options of {@link live}. */
export interface LiveOptions {
  /** The database whose changes are heard. It must be that of the models, and a replica set. */
  readonly db: Database;
  /**
   * Middlewares that find out again who the caller is, before the chain is run again: `authenticate` and `rules`.
   *
   * @default none: the caller stays whom the middlewares above have found
   */
  readonly again?: readonly ResourceMiddleware[];
  /** The places of the streams, as `liveStreams` returns them. @default those of `liveStreams()`, of its own */
  readonly streams?: LiveStreams;
}

type Run = (ctx: Context) => Promise<unknown>;

const middlewares = anArrayOf('middlewares', (one) => typeof one === 'function');
const legal: LegalOptions<LiveOptions> = {
  db: checkedLater,
  again: middlewares,
  streams: orUndefined([(value) => value instanceof LiveStreams, 'what `liveStreams()` returns']),
};

/**
 * Answers with a stream of server-sent events (`text/event-stream`) that keeps a list or a record true: first its whole
 * state, as the ordinary answer would show it, then what has changed. A change in the database only says that the state
 * has to be read again: what is sent is what `chain` reads, with its guards, scope and view. The chain ends with
 * {@link liveRead}. It is run again every `recheckEvery`, and its first refusal ends the stream.
 *
 * `Last-Event-ID` is compared with the state, in any process and after any time: if nothing has changed, the first
 * event is `same`. See `docs/reference/live.md` for the events.
 *
 * 501 `replica_set_required` on a standalone server, 503 `overloaded` without a place.
 *
 * @example
 * const query = listQuery(Order, cursorPaging(), { isLive: true });
 * router.get('/orders/live', live([scope(Order, ownRows), query, liveRead(Order, [findPage(Order, { db })])], { db }));
 */
export function live(chain: readonly ResourceMiddleware[], options: LiveOptions): ResourceMiddleware {
  checkValue('The chain of `live`', chain, middlewares);
  checkOptions(options, legal, '`live`');
  checkOrder(chain, 'The chain of `live`');
  const { again = [], streams = liveStreams() } = options;
  const db = asDb(options.db);
  const [run, runAgain] = [composeChain(chain), composeChain(again)];
  if (db.client.options?.maxPoolSize === 1)
    throw new ConfigurationError(
      '`live` needs a `MongoClient` with a `maxPoolSize` of at least 2: its change stream keeps one connection.',
    );
  const groups = new Map<unknown, Group>();
  const [ask, identify] = [run, runAgain].map((one) => (ctx: Context) => one(ctx, async () => undefined)) as [Run, Run];
  const problems = (method: string) => [...chain.flatMap((one) => problemsOf(one, method)), ...ofLive];
  return described({ problems }, async function live(ctx) {
    const { beginLive } = await import('./work/begin-live.ts');
    await beginLive(ctx, { streams, db, groups, ask, identify, again, noteProblem, describeProblem });
  });
}

const ofLive = ['replica_set_required', 'overloaded', 'too_many_requests', 'shutting_down', 'database_unavailable'] as const;
