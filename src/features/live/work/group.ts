import type { ProblemDocument } from '../../../errors.ts';
import type { Interest } from '../../../mongo/changes/by-values.ts';
import type { CollectionChange } from '../../../mongo/changes/change.ts';
import type { ChangeFeed } from '../../../mongo/changes/change-feed.ts';
import { Turn } from '../../../mongo/driver/turn.ts';
import { Keeper } from '../kept-bytes.ts';
import type { LiveSource } from '../live-source.ts';
import type { LiveStreams } from '../live-streams.ts';
import { detach } from './detached.ts';
import { type Behind, interestIn, isAbout, nothingOf } from './interest.ts';
import type { Outline } from './outline.ts';
import { listStateOf, recordStateOf, type State } from './state.ts';

/** One of those who are sent the state of a group. */
export interface GroupMember {
  /** The state has been read again. */
  offer(state: State): void;
  /** It could not be read, because of this error: what that means to the client. */
  describe(error: unknown): ProblemDocument;
  /** The same, and reports the error: the members need only one report. */
  report(error: unknown): ProblemDocument;
  /** It cannot be read any more, because of this error, which was reported. */
  fail(error: unknown): void;
}

/** A context in which the chain of a member was run, and how it says that the state is read. */
export interface LiveRequest {
  readonly ctx: ReturnType<typeof detach>;
  readonly source: LiveSource;
}

/** The shortest time between two reads, in milliseconds. A read that takes longer is followed by a pause as long. */
const intervalMS = 250;
/** When events were lost, all groups are read again: spread over this time, in milliseconds. */
const spreadMS = 1_000;
const firstPauseMS = 500;
const longestPauseMS = 30_000;
/** For how long a state is tried to be read again, in milliseconds. */
const patienceMS = 60_000;

interface Waiting {
  readonly member: GroupMember;
  resolve(state: State): void;
  reject(error: unknown): void;
}

/**
 * The subscriptions that see the same: their state is read once for all of them, on behalf of one. A change only says
 * that it has to be read again; the chain of the list decides what is sent.
 */
export class Group {
  readonly #source: LiveSource;
  readonly #feed: ChangeFeed;
  readonly #streams: Pick<LiveStreams, 'reading' | 'kept'>;
  readonly #members = new Map<GroupMember, LiveRequest>();
  readonly #listening: Promise<() => void>;
  readonly #whenEmpty: () => void;
  #waiting: Waiting[] = [];
  /** The outline of the state that was read last. */
  readonly #state: Keeper<Outline>;
  #behind: Behind;
  /** Of which changes the state has to hear. Undefined for all. */
  #interest: Interest | undefined;
  readonly #nothing: Interest;
  #isReading = false;
  #isStale = false;
  #nextRead = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #failedSince: number | undefined;
  #timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined;

  constructor(feed: ChangeFeed, streams: Pick<LiveStreams, 'reading' | 'kept' | 'staleAfter'>, source: LiveSource, whenEmpty: () => void) {
    this.#feed = feed;
    this.#streams = streams;
    this.#state = new Keeper(streams.kept);
    this.#source = source;
    this.#nothing = nothingOf(source);
    this.#whenEmpty = whenEmpty;
    const { model, related } = source;
    this.#listening = feed.listen(new Set([model.collection, ...related]), this.#hear, streams.staleAfter);
    this.#listening.catch(() => undefined); // whoever joins is told
  }

  /** Adds a member, and returns a state that was read after it has come. */
  async join(member: GroupMember, asked: LiveRequest): Promise<State> {
    this.#members.set(member, asked);
    try {
      await this.#listening;
      if (!this.#members.has(member)) throw gone();
      return await new Promise((resolve, reject) => {
        this.#waiting.push({ member, resolve, reject });
        this.#schedule();
      });
    } catch (error) {
      this.leave(member);
      throw error;
    }
  }

  /** A member was asked again what it may see, and it is the same. */
  renew(member: GroupMember, asked: LiveRequest): void {
    if (!this.#members.has(member)) return;
    this.#members.set(member, asked);
    if (!this.#source.isShared) this.#markStale(0); // what hooks show may depend on more
  }

  leave(member: GroupMember): void {
    if (!this.#members.delete(member)) return;
    const own = this.#waiting.filter((one) => one.member === member);
    this.#waiting = this.#waiting.filter((one) => one.member !== member);
    for (const { reject } of own) reject(gone());
    if (this.#members.size > 0) return;
    clearTimeout(this.#timer?.handle);
    this.#setState(undefined);
    this.#listening.then(
      (leave) => leave(),
      () => undefined,
    );
    this.#whenEmpty();
  }

  /** A member has missed a state, because its client was slow: it is read again. */
  catchUp(member: GroupMember): void {
    if (this.#members.has(member)) this.#markStale(0);
  }

  readonly #hear = (change: CollectionChange | undefined): void => {
    if (!change) {
      this.#markStale(Math.random() * spreadMS);
      return;
    }
    if (!this.#source.related.has(change.collection) && !isAbout(this.#source, this.#state.one, this.#isReading, change)) return;
    this.#markStale(0);
  };

  #markStale(delay: number): void {
    this.#isStale = true;
    this.#focus();
    this.#schedule(delay);
  }

  /** Reads at once if a new member waits, otherwise at the next time at which it may. */
  #schedule(delay = 0): void {
    if (this.#isReading || this.#members.size === 0) return;
    const now = performance.now();
    const at = this.#waiting.length > 0 ? now : Math.max(now + delay, this.#nextRead);
    if (this.#timer && this.#timer.at <= at) return;
    clearTimeout(this.#timer?.handle);
    this.#timer = { at, handle: setTimeout(() => this.#readNow(), at - now) };
  }

  #readNow(): void {
    this.#timer = undefined;
    void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const leave = await this.#streams.reading.enter();
    const begun = performance.now();
    const waiting = this.#waiting.splice(0);
    this.#isStale = false;
    this.#focus();
    try {
      const [first] = this.#members.values();
      if (!first) return;
      this.#streams.kept.refuseIfExceeded();
      const state = await this.#readFor(first);
      if (this.#members.size > 0) this.#setState(state.outline, state.kind === 'list' ? state.behind : undefined);
      this.#failures = 0;
      this.#failedSince = undefined;
      for (const { resolve } of waiting) resolve(state);
      await this.#offer(state);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      this.#failed(error);
    } finally {
      leave();
      const took = performance.now() - begun;
      this.#nextRead = begun + Math.max(intervalMS, 2 * took);
      this.#isReading = false;
      this.#focus();
      if (this.#isStale || this.#waiting.length > 0) this.#schedule(this.#pauseMS);
    }
  }

  async #offer(state: State): Promise<void> {
    const turn = new Turn();
    for (const member of [...this.#members.keys()]) {
      if (this.#members.has(member)) member.offer(state);
      await turn.pass();
    }
  }

  #setState(state: Outline | undefined, behind?: Behind): void {
    if (state === this.#state.one && behind === this.#behind) return;
    this.#state.keep(state);
    this.#behind = behind;
    this.#interest = state && interestIn(this.#source, state, behind);
  }

  /**
   * A state that is stale is read again anyway, and hears nothing of its collection until then. While it is read,
   * nobody knows which records it will show.
   */
  #focus(): void {
    const hasFailed = this.#failures > 0; // any change is a reason to try again sooner
    const known = this.#isReading || hasFailed ? undefined : this.#interest;
    this.#feed.focus(this.#hear, this.#source.model.collection, this.#isStale && !hasFailed ? this.#nothing : known);
  }

  async #readFor(asked: LiveRequest): Promise<State> {
    const session = this.#feed.session();
    const ctx = detach(asked.ctx);
    ctx.exchange.work.causal = session;
    try {
      const read = () => asked.source.read(ctx);
      if (this.#source.idText !== undefined) return await recordStateOf(ctx, this.#state.one, read);
      await read();
      return await listStateOf(ctx, this.#state.one);
    } finally {
      ctx.exchange.end();
      await session.endSession();
    }
  }

  /**
   * A list that GET would refuse, or could not show, ends its streams. What may pass is tried again, but not for ever:
   * the clients take their lists for true meanwhile.
   */
  #failed(error: unknown): void {
    const [first, ...others] = this.#members.keys();
    if (!first) return;
    const now = performance.now();
    this.#failedSince ??= now;
    this.#failures++;
    this.#isStale = true;
    const { status } = first.describe(error);
    const mayPass = status > 500 && status !== 501 && now - this.#failedSince < patienceMS;
    if (this.#failures === 1 || !mayPass) first.report(error);
    if (!mayPass) for (const member of [first, ...others]) member.fail(error);
  }

  get #pauseMS(): number {
    return this.#failures === 0 ? 0 : Math.random() * Math.min(firstPauseMS * 2 ** this.#failures, longestPauseMS);
  }
}

/** What a member that has left is told, if anything. */
function gone(): Error {
  return new Error('The stream has ended.');
}
