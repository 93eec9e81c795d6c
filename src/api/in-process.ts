import type { IncomingMessage, ServerResponse } from 'node:http';
import { InProcessRequest } from './in-process-request.ts';
import { InProcessResponse } from './in-process-response.ts';

/** What an in-process call may say beside its request. */
export interface FetchOptions<Principal = unknown> {
  /**
   * Who is calling; where it is given it replaces `authenticate`, and null or undefined is an anonymous request.
   * @default what `authenticate` finds in the request
   */
  readonly principal?: Principal | null | undefined;
}

/** What answers requests as `http.createServer` gives them. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Compiles a request handler into a function from a WHATWG Request to its Response: the same chain and the same answers, without a socket.
 * The request's body is read as a stream, so that its limit holds. An abort is what it is on the network: the client has gone, the chain
 * ends as it can, and the promise rejects with the reason.
 */
export function compileFetch(handle: RequestHandler): (request: Request, options?: FetchOptions) => Promise<Response> {
  return async function fetch(request, options = {}) {
    const { signal } = request;
    signal.throwIfAborted();
    const incoming = new InProcessRequest(request, 'principal' in options ? { principal: options.principal } : undefined);
    const outgoing = new InProcessResponse(incoming.asMessage());
    const abort = () => {
      incoming.abort();
      outgoing.destroy(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    outgoing.once('close', () => {
      signal.removeEventListener('abort', abort);
      incoming.destroy(); // what the chain did not read, nobody will
    });
    await Promise.race([outgoing.started, handle(incoming.asMessage(), outgoing)]);
    return outgoing.started;
  };
}
