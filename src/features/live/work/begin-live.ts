import { Readable } from 'node:stream';
import { notFound, type Problem } from '../../../errors.ts';
import type { Context } from '../../../middleware/exchange/context.ts';
import { exchangeOf } from '../../../middleware/exchange/exchange.ts';
import { ChangeFeed } from '../../../mongo/changes/change-feed.ts';
import type { LiveStreams } from '../live-streams.ts';
import { Callers, type Recheck } from './callers.ts';
import { Group, type LiveRequest } from './group.ts';
import type { State } from './state.ts';
import { Subscription, type Surroundings } from './subscription.ts';

/** What a `live` middleware gives to its streams. */
export interface LivePlan extends Pick<Surroundings, 'noteProblem' | 'describeProblem'> {
  /** Runs the chain. */
  ask(ctx: Context): Promise<unknown>;
  /** Finds out again who the caller is, before the chain is run again. */
  identify(ctx: Context): Promise<unknown>;
  /** What `identify` runs: those who share it may share what it finds out. */
  readonly again: readonly unknown[];
  readonly streams: LiveStreams;
  readonly db: Parameters<typeof ChangeFeed.of>[0];
  /** The groups of its streams, by what their members see. */
  readonly groups: Map<unknown, Group>;
}

/** By what finds them out again. */
const callersOf = new WeakMap<object, Callers>();

/** How many streams end in a millisecond when the service shuts down, and the longest time that this takes. */
const endedInAMillisecond = 1;
const longestEndMS = 3_000;

/**
 * Begins a live list, or a live record: whatever can be known to fail is answered as a problem before the first byte.
 * It is registered before it is read for the first time, so that no change falls between the two.
 *
 * A record that the caller does not see is 404, except for a client that was told that it is gone and waits for it. All
 * records that are not seen have the same state, so that its digest says nothing about any of them.
 */
export async function beginLive(ctx: Context, plan: LivePlan): Promise<void> {
  const exchange = exchangeOf(ctx);
  const { streams } = plan;
  const feed = ChangeFeed.of(plan.db);
  const callers = callersOf.get(plan.again) ?? new Callers();
  callersOf.set(plan.again, callers);
  // Whom a call in the process names, or who was found out above, depends on more.
  const isFoundByCredentials = plan.again.length > 0 && ctx.givenPrincipal === undefined;
  const credentials = isFoundByCredentials ? streams.credentialsOf(ctx) : undefined;
  const subscription = new Subscription(ctx, {
    noteProblem: plan.noteProblem,
    describeProblem: plan.describeProblem,
    streams,
    feed,
    ask: (below, wanted) => (wanted ? askNow(below, plan, callers, wanted) : askFirst(below, plan)),
    want: () => callers.want(credentials),
    groupOf: (asked, own) => groupOf(plan, asked, own),
  });
  const end = (reason: Problem) => subscription.shutDown(reason, Math.min(streams.places.taken / endedInAMillisecond, longestEndMS));
  exchange.whenOver(await streams.take(ctx, end));
  streams.add(subscription);
  exchange.whenOver(() => streams.open.delete(subscription));
  const state = await subscription.begin();
  const lastEventId = ctx.get('last-event-id');
  if (isGone(state) && lastEventId !== state.outline.digest) throw notFound();
  exchange.throwIfGivenUp();
  ctx.status = 200; // the app may have set another one
  ctx.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' });
  if (ctx.method === 'HEAD') {
    ctx.body = Readable.from([]);
    return;
  }
  exchange.isStreaming = true; // it tells its own errors
  exchange.answerBy(subscription.answer);
  ctx.body = subscription.open(state, lastEventId);
}

async function askFirst(ctx: Context, { ask }: LivePlan): Promise<number> {
  const since = performance.now();
  await ask(ctx);
  return since;
}

/** Asks in the state of the database of the last change: it may be the reason for asking. */
async function askNow(ctx: Context, { db, identify, ask }: LivePlan, callers: Callers, wanted: Recheck): Promise<number> {
  const session = ChangeFeed.of(db).session();
  exchangeOf(ctx).work.causal = session;
  try {
    const since = await callers.identify(ctx, wanted, identify);
    await ask(ctx);
    return since;
  } finally {
    exchangeOf(ctx).work.causal = undefined;
    await session.endSession();
  }
}

function isGone(state: State): boolean {
  return state.kind === 'record' && state.json === undefined;
}

function groupOf({ groups, db, streams }: LivePlan, { source }: LiveRequest, own: object): Group {
  const key = source.isShared && source.key !== undefined ? source.key : own;
  const group = groups.get(key) ?? new Group(ChangeFeed.of(db), streams, source, () => groups.delete(key));
  groups.set(key, group);
  return group;
}
