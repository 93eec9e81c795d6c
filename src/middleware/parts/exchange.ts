import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../../errors.ts';
import { Work } from '../../mongo/driver/work.ts';

/** The client has gone before its answer was there. Nobody reads what `problems()` makes of it, and no log shows a bug. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  /** As nginx logs it; no client ever sees it. */
  readonly status = 499;
  /** Koa's mark for errors that are not the service's. */
  readonly expose = true;

  constructor() {
    super('The client has gone.');
  }
}

/** What an exchange needs of Koa's context, and where it leaves itself. */
interface Addressed {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  exchange?: Exchange;
}

/**
 * One request and its answer, from the first middleware that asks for it until the answer has ended or the connection is gone: the one place
 * that knows when that is.
 */
export class Exchange {
  /** What it does in the database. */
  readonly work = new Work();
  /** Hooks of `after` run: the operation itself is done. */
  isInHooks = false;
  readonly #ctx: Addressed;
  #isOver = false;
  #isBroken = false;
  #whenOver: (() => void)[] = [];
  #givenUp: Error | undefined;
  #controller: AbortController | undefined;

  constructor(ctx: Addressed) {
    this.#ctx = ctx;
    const { req, res } = ctx;
    if (res.closed || req.socket?.destroyed) {
      this.end();
      return;
    }
    // Node gives a response `close` when it has its socket; one that waits behind others of a pipelined connection never gets it.
    res.once('close', () => this.end());
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

  /** Calls a function when the exchange is over; at once where it is. */
  whenOver(run: () => void): void {
    if (this.#isOver) run();
    else this.#whenOver.push(run);
  }

  /** Aborted when the client has gone or the request was given up. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#givenUp) this.#controller.abort(this.#givenUp);
    else if (this.isBroken) this.#controller.abort(new ClientGone());
    return this.#controller.signal;
  }

  /** Ends what runs for it, and lets nothing begin any more. Returns what its answer says. */
  giveUp(): Error {
    this.#givenUp ??= this.#whyGivenUp();
    this.work.giveUp(this.#givenUp);
    this.#controller?.abort(this.#givenUp);
    return this.#givenUp;
  }

  /** For what would still change the answer of a request that was given up. */
  throwIfGivenUp(): void {
    if (this.#givenUp) throw this.#givenUp;
  }

  /** @internal The answer has ended, or the connection is gone. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { req, res } = this.#ctx;
    // Node tells that an answer has ended when its connection was cut in the middle of it, too.
    this.#isBroken = !res.writableFinished || isCut(req);
    if (req.socket instanceof EventEmitter) exchangesOn(req.socket).delete(this);
    if (this.isBroken) {
      const reason = new ClientGone();
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

/** Over HTTP/2 `socket` stands for the stream of the request, which is destroyed whenever it has ended. */
function isCut(request: IncomingMessage & { readonly stream?: { readonly aborted: boolean } }): boolean {
  return request.stream ? request.stream.aborted : request.socket?.destroyed === true;
}

/** One listener for each connection, however many requests come by it. */
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

/** The exchange of a request. Whoever asks first makes it, and gives the context its `signal`. */
export function exchangeOf(ctx: Addressed): Exchange {
  if (ctx.exchange) return ctx.exchange;
  ctx.exchange = new Exchange(ctx);
  Object.defineProperty(ctx, 'signal', lazySignal);
  return ctx.exchange;
}

/** What a request does in the database. */
export function workOf(ctx: Addressed): Work {
  return exchangeOf(ctx).work;
}
