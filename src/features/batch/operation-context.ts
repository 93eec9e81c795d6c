import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { stringifyJson } from '../../http/json.ts';
import { jsonType } from '../../http/media-type.ts';
import type { Context } from '../../middleware/exchange/context.ts';
import type { BatchOperation } from './read-batch.ts';

/**
 * The request of one operation of a batch, as an `IncomingMessage` of Node's server. Its body is the JSON that the
 * client sent for it.
 */
class OperationRequest extends Readable {
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
  readonly complete = true;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: IncomingMessage['socket'];
  readonly #text: string | undefined;

  constructor({ req }: Context, { method, body, if_match: ifMatch }: BatchOperation, url: string) {
    super();
    this.#text = body === undefined ? undefined : stringifyJson(body);
    this.method = method;
    this.url = url;
    this.socket = req.socket;
    this.httpVersion = req.httpVersion; // over HTTP/2, Koa reads the host from `:authority`
    this.httpVersionMajor = req.httpVersionMajor;
    this.httpVersionMinor = req.httpVersionMinor;
    this.headers = {
      ...Object.fromEntries(Object.entries(req.headers).filter(([name]) => !ofBatch(name))),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(this.#text === undefined ? {} : { 'content-type': jsonType, 'content-length': String(Buffer.byteLength(this.#text)) }),
    };
  }

  override _read(): void {
    if (this.#text !== undefined) this.push(this.#text);
    this.push(null);
  }
}

/** Headers that are about the batch and its body. All others count for each operation. */
function ofBatch(name: string): boolean {
  return /^(?::method$|:path$|content-|if-|accept-encoding$|transfer-encoding$|trailer$|expect$|range$|idempotency-key$)/.test(name);
}

/**
 * Makes the context of one operation of a batch: it has its own request and response, and inherits everything else from
 * the context of the batch: the principal, a scope above the api, and the exchange with its deadline and transaction. A
 * slot that it sets is its own.
 */
export function operationContext(ctx: Context, operation: BatchOperation): Context {
  const req = new OperationRequest(ctx, operation, baseOf(ctx.url) + operation.path) as unknown as IncomingMessage;
  const res = new ServerResponse(req);
  res.statusCode = 404; // as Koa begins: nothing has been answered yet
  const { request, response } = ctx.app.createContext(req, res);
  const { originalUrl = ctx.originalUrl } = ctx.req as { readonly originalUrl?: string };
  const own = { req, res, request, response, originalUrl: baseOf(originalUrl) + operation.path, state: { ...ctx.state } };
  const context = Object.assign(Object.create(ctx), own, {
    openedGuards: undefined,
    heldModels: undefined,
    view: undefined,
    isLargeBody: undefined,
    replays: undefined,
    noted: ctx.noted && new Set(),
    readIds: undefined,
    shown: undefined,
  }) as Context;
  Object.assign(request, { ctx: context, originalUrl: own.originalUrl });
  Object.assign(response, { ctx: context });
  return context;
}

/** The URL without the query and the segment of the batch: where the api is. */
function baseOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(0, path.lastIndexOf('/'));
}
