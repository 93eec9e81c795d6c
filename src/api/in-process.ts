import type { IncomingMessage, ServerResponse } from 'node:http';
import { aWholeNumber, checkedLater, checkOptions, type LegalOptions, orUndefined } from '../options.ts';
import { InProcessRequest } from './in-process-request.ts';
import { InProcessResponse } from './in-process-response.ts';

/** Options of `api.fetch()`. */
export interface FetchOptions<Principal = unknown> {
  /**
   * The caller. If the option is there, `authenticate` is not called; null or undefined makes an anonymous request.
   * @default what `authenticate` returns for the request
   */
  readonly principal?: Principal | null | undefined;
  /**
   * How many bytes a page of a list may have for this request, if these are fewer than `maxPageBytes` of the api. The
   * database measures the records first, in one more command, and sends no more than fit: at least one.
   * @default `maxPageBytes`
   */
  readonly maxPageBytes?: number;
}

const legal: LegalOptions<FetchOptions> = {
  principal: checkedLater, // whatever the application takes for one
  maxPageBytes: orUndefined(aWholeNumber(1, undefined, ' of bytes')),
};

/** A request listener of `node:http`. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Turns a request listener into a function from a WHATWG Request to its Response: the same chain and the same answers,
 * without a socket. The body of the request is read as a stream, so that its limit holds. If the signal of the request
 * is aborted, the chain sees a client that has disconnected, and the promise rejects with the reason.
 */
export function compileFetch(handle: RequestHandler): (request: Request, options?: FetchOptions) => Promise<Response> {
  return async function fetch(request, options = {}) {
    checkOptions(options, legal, '`fetch`');
    const { signal } = request;
    signal.throwIfAborted();
    const incoming = new InProcessRequest(request, options);
    const outgoing = new InProcessResponse(incoming.asMessage());
    const abort = () => {
      incoming.abort();
      outgoing.destroy(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    outgoing.once('close', () => {
      signal.removeEventListener('abort', abort);
      incoming.destroy(); // the rest of the body will not be read
    });
    await Promise.race([outgoing.started, handle(incoming.asMessage(), outgoing)]);
    return outgoing.started;
  };
}
