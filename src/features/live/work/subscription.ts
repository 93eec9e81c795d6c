import type { Problem, ProblemDocument } from '../../../errors.ts';
import type { Context } from '../../../middleware/exchange/context.ts';
import { ClientGone, type Exchange, exchangeOf } from '../../../middleware/exchange/exchange.ts';
import { renewReach } from '../../../middleware/reach/reach.ts';
import type { ChangeFeed } from '../../../mongo/changes/change-feed.ts';
import { Keeper } from '../kept-bytes.ts';
import { type LiveSource, sourceOf } from '../live-source.ts';
import type { LiveStreams } from '../live-streams.ts';
import { LiveAnswer } from './answer.ts';
import { AnsweredRights, jittered, notAsked, tooOld } from './answered-rights.ts';
import type { Recheck } from './callers.ts';
import { detach, untilGivenUp } from './detached.ts';
import { comment, endFrame, frameTo, retryFrame, sameFrame } from './frames.ts';
import type { Group, GroupMember, LiveRequest } from './group.ts';
import type { Outline } from './outline.ts';
import type { State } from './state.ts';
import { Timers } from './timers.ts';
import { Watch } from './watch.ts';

/** What a subscription needs of the middleware that began it. */
export interface Surroundings {
  /**
   * Runs the chain in a context of its own: for the first time below the request, later authenticated again for those
   * who want it. Returns since when the answer counts.
   */
  ask(ctx: Context, wanted: Recheck | undefined): Promise<number>;
  /** Wants the caller to be asked again. */
  want(): Recheck;
  /** The changes of the database. */
  readonly feed: ChangeFeed;
  /** The group of those who see the same. */
  groupOf(asked: LiveRequest, own: object): Group;
  /** Reports an error, and returns the problem that it means to the client. */
  noteProblem(ctx: Context, error: unknown): ProblemDocument;
  /** Returns the problem of an error that was reported already. */
  describeProblem(ctx: Context, error: unknown): ProblemDocument;
  readonly streams: Pick<LiveStreams, 'asking' | 'kept' | 'maxAge' | 'recheckEvery' | 'staleAfter'>;
}

/** How long a client may not hear anything, in milliseconds. */
const silenceMS = 15_000;
/** How often it is asked again at most, in milliseconds. */
const shortestAskMS = 1_000;
/** How long a question keeps its place before the next one is asked as well, in milliseconds. */
const longestTurnMS = 100;
/** How long it may take to ask again what a caller may see, in milliseconds. */
const patienceMS = 60_000;

/** One client and what it was sent. It ends with its connection, or with an event that says why. */
export class Subscription implements GroupMember {
  readonly answer: LiveAnswer;
  readonly #ctx: Context;
  readonly #around: Surroundings;
  readonly #timers = new Timers();
  readonly #rights: AnsweredRights;
  #asked: LiveRequest | undefined;
  #group: Group | undefined;
  readonly #question: Keeper<LiveSource>;
  /** The first state, until it is sent. */
  readonly #first: Keeper<State>;
  /** What the client was sent. None if it is sent the whole state next. */
  readonly #sent: Keeper<Outline>;
  /** The digest of the newest state that it was not sent, because it had not taken the one before. */
  #missed: string | undefined;
  #isOpen = false;
  #isOver = false;
  #reason: unknown;
  #isAsking = false;
  /** What it waits for until it is asked again. */
  #wanted: Recheck | undefined;
  readonly #watch: Watch;
  #lastAsk = Number.NEGATIVE_INFINITY;
  /** The context of the question that is not answered yet. */
  #asking: Exchange | undefined;

  constructor(ctx: Context, around: Surroundings) {
    this.#ctx = ctx;
    this.#around = around;
    const { kept } = around.streams;
    this.answer = new LiveAnswer(kept, () => this.#catchUp());
    [this.#question, this.#first, this.#sent] = [new Keeper(kept), new Keeper(kept), new Keeper(kept)];
    this.#rights = new AnsweredRights(
      around.streams.recheckEvery,
      () => this.recheck(),
      () => this.#end(notAsked()),
    );
    this.#watch = new Watch(around.feed, around.streams.staleAfter, () => this.recheck());
    exchangeOf(ctx).whenOver(() => this.#close());
  }

  /** The principal whom the stream was last asked for. */
  get principal(): unknown {
    return (this.#asked?.ctx ?? this.#ctx).principal;
  }

  /** Asks what the caller may see. Throws what the chain throws, and why the stream is over already. */
  async #ask(wanted?: Recheck): Promise<LiveRequest> {
    const { openedGuards, rules } = this.#ctx;
    const ctx = detach(this.#ctx); // it knows nothing of what was asked below the middlewares that it stands under
    renewReach(ctx, wanted ? { openedGuards, rules } : { openedGuards });
    let since: number;
    const timer = setTimeout(() => ctx.exchange.giveUp(), patienceMS);
    this.#asking = ctx.exchange;
    try {
      since = await Promise.race([this.#around.ask(ctx, wanted), untilGivenUp(ctx)]);
    } catch (error) {
      ctx.exchange.end();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#asking = undefined;
    }
    const source = sourceOf(ctx);
    if (!source) throw new Error('The chain of `live` must end with `liveRead`.');
    this.#rights.renew(since);
    return { ctx, source };
  }

  /** Asks again when it is this one's turn. One whose answer takes long lets the next one ask meanwhile. */
  async #askInTurn(): Promise<LiveRequest> {
    const leave = await this.#around.streams.asking.enter();
    const timer = setTimeout(leave, longestTurnMS);
    const wanted = this.#wanted ?? this.#around.want();
    try {
      if (this.#isOver) throw this.#reason ?? new ClientGone();
      this.#wanted = undefined;
      this.#lastAsk = performance.now();
      return await this.#ask(wanted);
    } finally {
      wanted.leave();
      clearTimeout(timer);
      leave();
    }
  }

  /**
   * Asks what the caller may see, and reads the first state. The caller is asked once more before it is shown, if its
   * rights were to be asked again meanwhile, or the reading took too long. Throws what the chain or the reading throws,
   * `overloaded` if the streams would keep too much, and why it is over already: its client did not wait.
   */
  async begin(): Promise<State> {
    try {
      let state = this.#keepFirst(await this.#join(await this.#ask()));
      if (this.#wanted || this.#rights.haveLapsed) {
        const other = await this.#comply(await this.#askInTurn());
        if (other) state = this.#keepFirst(other);
      }
      if (this.#rights.haveLapsed) throw notAsked();
      if (!this.#isOver) return state;
    } catch (error) {
      if (!this.#isOver) throw error;
    }
    throw this.#reason ?? new ClientGone();
  }

  /** Begins the answer with the first state. */
  open(state: State, lastEventId: string): LiveAnswer {
    const { maxAge } = this.#around.streams;
    this.#isOpen = true;
    const { outline } = state;
    this.answer.send(retryFrame(), lastEventId === outline.digest ? sameFrame(state) : frameTo(state, undefined));
    this.#sent.keep(outline);
    this.#first.keep(undefined);
    if (this.#missed === outline.digest) this.#missed = undefined;
    this.#timers.every(silenceMS, () => this.answer.isWanted && this.answer.send(comment));
    this.#timers.after(jittered(maxAge), () => this.#end(tooOld()));
    this.#rights.watch();
    if (this.#wanted) this.#planAsk();
    if (this.#asked?.source.watched.length) this.recheck(); // something may have changed between the question and the stream
    return this.answer;
  }

  offer(state: State): void {
    if (this.#isOver) return;
    const { outline } = state;
    const isNew = outline.digest !== this.#sent.one?.digest;
    if (isNew && !this.#maySend) {
      // A client that misses several states reads too slowly: it will be sent the whole state.
      if (this.#isOpen && this.#missed !== undefined && this.#missed !== outline.digest) this.#sent.keep(undefined);
      this.#missed = outline.digest;
      return;
    }
    this.#missed = undefined;
    if (isNew) this.answer.send(frameTo(state, this.#sent.one));
    this.#sent.keep(outline);
  }

  fail(error: unknown): void {
    this.#end(error, () => this.describe(error));
  }

  describe(error: unknown): ProblemDocument {
    return this.#around.describeProblem(this.#ctx, error);
  }

  report(error: unknown): ProblemDocument {
    return this.#around.noteProblem(this.#ctx, error);
  }

  /** Asks again what the caller may see: now, unless it was just asked. One that begins is asked before it opens. */
  recheck(): void {
    if (this.#isOver) return;
    const before = this.#wanted;
    this.#wanted = this.#around.want(); // what was found out about others since the first time may be too old
    before?.leave();
    if (before) return;
    if (this.#isOpen && !this.#isAsking) this.#planAsk();
  }

  /** Ends the stream within this time, in milliseconds: all clients at once would come again at once. */
  shutDown(reason: Problem, within: number): void {
    if (within === 0) this.#end(reason);
    else this.#timers.after(Math.random() * within, () => this.#end(reason));
  }

  #planAsk(): void {
    this.#timers.after(this.#lastAsk + shortestAskMS - performance.now(), () => void this.#askAgain());
  }

  async #askAgain(): Promise<void> {
    this.#isAsking = true;
    try {
      const state = await this.#comply(await this.#askInTurn());
      if (state) this.offer(state);
    } catch (error) {
      this.#end(error);
    } finally {
      this.#isAsking = false;
      if (this.#wanted && !this.#isOver) this.#planAsk();
    }
  }

  /** Goes on with what the caller may see now. Returns the state of it, if that is something else than before. */
  async #comply(asked: LiveRequest): Promise<State | undefined> {
    const before = this.#asked?.source;
    if (before?.key === undefined || asked.source.key !== before.key) {
      this.#group?.leave(this);
      this.#missed = undefined; // it was read for what the caller might see before
      return await this.#join(asked);
    }
    if (!this.#isOver) this.#group?.renew(this, asked);
    this.#setAsked(asked);
    if (await this.#watch.follow(asked.source)) this.recheck(); // of others, nothing was heard until now
    return undefined;
  }

  async #join(asked: LiveRequest): Promise<State> {
    this.#setAsked(asked);
    if (!this.#isOver && (await this.#watch.follow(asked.source)) && this.#isOpen) this.recheck();
    if (this.#isOver) throw new ClientGone(); // nobody would leave the group
    this.#group = this.#around.groupOf(asked, this);
    return this.#group.join(this, asked);
  }

  #setAsked(asked: LiveRequest): void {
    this.#question.keep(this.#isOver ? undefined : asked.source);
    this.#asked?.ctx.exchange.end();
    this.#asked = asked;
    if (this.#isOver) asked.ctx.exchange.end();
  }

  /** Whether the client has taken what it was sent before, and may be sent more. */
  get #maySend(): boolean {
    return this.#isOpen && this.answer.isWanted && !this.#isOver && !this.#rights.haveLapsed;
  }

  /** The client has taken what it was sent. What it has missed meanwhile is not kept: it is read again. */
  #catchUp(): void {
    if (this.#missed !== undefined && this.#maySend) this.#group?.catchUp(this);
  }

  #keepFirst(state: State): State {
    if (this.#isOver) return state;
    this.#first.keep(state);
    this.#around.streams.kept.refuseIfExceeded();
    return state;
  }

  #end(error: unknown, problemOf = () => this.report(error)): void {
    if (this.#isOver) return;
    this.#reason = error;
    this.#close();
    if (this.#isOpen) this.answer.finish(endFrame(problemOf()));
  }

  #close(): void {
    this.#isOver = true;
    this.#timers.clear();
    this.#watch.stop();
    this.#wanted?.leave();
    this.#rights.stop();
    this.#asking?.giveUp();
    this.#group?.leave(this);
    this.#asked?.ctx.exchange.end();
    for (const keeper of [this.#question, this.#first, this.#sent]) keeper.keep(undefined);
  }
}
