import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Stream } from 'node:stream';
import { Problem } from '../../errors.ts';
import { once } from '../../mistakes.ts';
import type { LedgerCaller } from '../../model/define/ledger.ts';
import { Work } from '../../mongo/driver/work.ts';
import type { OwnStreams } from './own-streams.ts';

/**
 * The client has closed the connection before its answer was sent. The answer of `problems()` is not sent, and no log
 * shows a bug.
 */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  /** The status that nginx logs. No client sees it. */
  readonly status = 499;
  /** Koa does not report errors with this property. */
  readonly expose = true;

  constructor() {
    super('The client has gone.');
  }
}

/** The properties of Koa's context that an exchange needs, and the one that holds it. */
interface Addressed extends LedgerCaller {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  exchange?: Exchange;
}

/**
 * One request and its answer. It begins with the first middleware that asks for it, and ends when the answer has ended
 * or the connection is closed. Nothing else decides when that is.
 */
export class Exchange {
  /** Its commands in the database. */
  readonly work = new Work();
  /**
   * Whether its answer is a stream that the library makes: it has a place of its own, and none of `inFlightLimit`, and
   * it tells its errors itself.
   */
  isStreaming = false;
  /** The streams of handlers in its api, which hear of the shutdown. */
  streams: OwnStreams | undefined;
  /** Whether hooks of `after` are running: the operation itself is done. */
  isInHooks = false;
  readonly #ctx: Addressed;
  readonly #isDetached: boolean;
  #isOver = false;
  #isBroken = false;
  #whenOver: (() => void)[] = [];
  #whenGivenUp: (() => void)[] | undefined;
  #givenUp: Error | undefined;
  #ownStream: Stream | undefined;
  #shutDown: Problem | undefined;
  #controller: AbortController | undefined;

  /** A detached exchange hears nothing of the connection. */
  constructor(ctx: Addressed, kind?: 'detached') {
    this.#ctx = ctx;
    this.#isDetached = kind === 'detached';
    if (this.#isDetached) return;
    const { req, res } = ctx;
    if (res.closed || req.socket?.destroyed) {
      this.end();
      return;
    }
    // A response that waits behind others on a pipelined connection never emits `close`, because it has no socket yet.
    // First of all listeners: the HTTP instrumentation of OpenTelemetry ends its span when the response closes, and
    // `observe` describes that span.
    res.prependOnceListener('close', () => this.end());
    if (req.socket instanceof EventEmitter) exchangesOn(req.socket).add(this);
  }

  /** Whether its answer has ended, or its connection is gone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the connection was gone before its answer had ended. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether the request was given up. */
  get isGivenUp(): boolean {
    return this.#givenUp !== undefined;
  }

  /** Calls a function when the exchange is over, or at once if it is over already. */
  whenOver(run: () => void): void {
    if (this.#isOver) run();
    else this.#whenOver.push(run);
  }

  /** Calls a function if the request is given up. */
  whenGivenUp(run: () => void): void {
    this.#whenGivenUp ??= [];
    this.#whenGivenUp.push(run);
  }

  /**
   * Notes that its answer is a stream of a handler. From now on, neither the time of the request nor its place bounds
   * what the stream does.
   */
  answerBy(stream: Stream): void {
    this.#ownStream = stream;
    this.streams?.add(this);
  }

  /** The stream that is its answer: of a handler, or one that is kept. */
  get ownStream(): Stream | undefined {
    return this.#ownStream;
  }

  /** Calls a function when it needs no place any more: when its stream begins to be sent, or when it is over. */
  whenFree(run: () => void): void {
    const { res } = this.#ctx;
    if (this.isStreaming || (this.#ownStream && res.socket)) run();
    else if (!this.#ownStream) this.whenOver(run);
    else {
      const free = once(run);
      res.once('socket', free); // it waits behind another answer of a pipelined connection
      this.whenOver(free);
    }
  }

  /** Aborted when the client has gone, the request was given up, or the service shuts down while a handler streams. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#givenUp) this.#controller.abort(this.#givenUp);
    else if (this.isBroken) this.#controller.abort(new ClientGone());
    else if (this.#shutDown) this.#controller.abort(this.#shutDown);
    return this.#controller.signal;
  }

  /** Ends the running commands and lets no other begin. Returns the error to answer with. */
  giveUp(): Error {
    this.#givenUp ??= this.#whyGivenUp();
    this.work.giveUp(this.#givenUp);
    this.#controller?.abort(this.#givenUp);
    for (const run of this.#whenGivenUp?.splice(0) ?? []) run();
    return this.#givenUp;
  }

  /** Gives the next part of a stream a time of its own. */
  renewWork(): void {
    this.work.renew();
  }

  /** Tells the stream of a handler that the service shuts down. What it has begun goes on. */
  shutDown(reason: Problem): void {
    this.#shutDown ??= reason;
    this.#controller?.abort(reason);
  }

  /** Called before a stream of a handler reads on. */
  throwIfShutDown(): void {
    if (this.#shutDown) throw this.#shutDown;
  }

  /** Whether an error says no more than that the service shuts down. */
  isEndedBy(error: Error): boolean {
    return this.#shutDown !== undefined && [error, error.cause].includes(this.#shutDown);
  }

  /** Called before each step that must not begin after the request was given up. */
  throwIfGivenUp(): void {
    if (this.#givenUp) throw this.#givenUp;
  }

  /**
   * Called before a store of the request does anything: after the request, no caller waits, and no deadline applies.
   */
  throwIfOver(): void {
    if (this.#isBroken) throw new ClientGone();
    if (this.#isOver) throw new Error('The request is over, because its answer has ended: use `api.store(…)` for what is done after it.');
  }

  /** @internal The answer has ended, or the connection is gone. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { req, res } = this.#ctx;
    // Node reports the end of an answer even if its connection was cut before.
    this.#isBroken = !res.writableFinished || isCut(req);
    if (req.socket instanceof EventEmitter) exchangesOn(req.socket).delete(this);
    if (this.isBroken) {
      const reason = this.#isDetached ? detachedIsOver : new ClientGone();
      this.work.leave(reason);
      this.#controller?.abort(reason);
    }
    for (const run of this.#whenOver.splice(0)) run();
  }

  #whyGivenUp(): Error {
    if (this.isInHooks) return new Error('A hook in `after` did not end within `requestTimeout`.');
    if (this.work.hasHandedOver)
      return new Problem({
        code: 'write_outcome_unknown',
        detail: 'The request took too long; read the record to see whether it was written.',
      });
    return new Problem({ code: 'request_given_up', detail: 'The request took too long, and was given up; try again.' });
  }
}

/** Ends what a detached exchange has left behind. Nobody sees it, and to make one for each read takes 15 µs. */
const detachedIsOver = new ClientGone();

/** Over HTTP/2, `socket` is the stream of the request, which is destroyed whenever it has ended. */
function isCut(request: IncomingMessage & { readonly stream?: { readonly aborted: boolean } }): boolean {
  return request.stream ? request.stream.aborted : request.socket?.destroyed === true;
}

/** The exchanges of each connection, so that it needs one listener only. */
const byConnection = new WeakMap<Socket, Set<Exchange>>();

function exchangesOn(socket: Socket): Set<Exchange> {
  const known = byConnection.get(socket);
  if (known) return known;
  const exchanges = new Set<Exchange>();
  byConnection.set(socket, exchanges);
  socket.once('close', () => {
    for (const exchange of exchanges) exchange.end();
  });
  return exchanges;
}

const lazySignal: PropertyDescriptor & ThisType<Addressed> = {
  configurable: true,
  get() {
    return exchangeOf(this).signal;
  },
};

/** Returns the exchange of a request. The first call creates it and gives the context its `signal`. */
export function exchangeOf(ctx: Addressed): Exchange {
  if (ctx.exchange) return ctx.exchange;
  ctx.exchange = new Exchange(ctx);
  Object.defineProperty(ctx, 'signal', lazySignal);
  return ctx.exchange;
}

/** Returns the work of a request in the database, for what this context does: in a batch, one operation of several. */
export function workOf(ctx: Addressed): Work {
  const { work } = exchangeOf(ctx);
  work.caller = ctx;
  return work;
}

/** Sets a header of an answer that has not begun, as `ctx.set` does, which makes four arrays for it in Koa 3. */
export function setHeader({ res }: Pick<Addressed, 'res'>, name: string, value: string): void {
  if (!res.headersSent) res.setHeader(name, value);
}

/** Sets the body of an answer, and its type: JSON in UTF-8. */
export function setJson(ctx: Addressed & { body: unknown }, body: string | Buffer): void {
  setHeader(ctx, 'Content-Type', 'application/json; charset=utf-8'); // first: Koa looks for a type of its own if there is none
  ctx.body = body;
}
