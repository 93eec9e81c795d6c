import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** The options of `fetch` besides the request. */
interface Given {
  readonly principal?: unknown;
  readonly maxPageBytes?: number;
}

/** A WHATWG Request as an `IncomingMessage` of Node's server. Its body is a stream that is read on demand. */
export class InProcessRequest extends Readable {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  /** Koa reads the protocol and the address of the client from it. */
  readonly socket: { readonly encrypted: boolean; readonly remoteAddress?: string };
  /** The principal that the caller of `fetch` has given. */
  readonly given: { readonly principal: unknown } | undefined;
  /** How many bytes the caller of `fetch` allows for a page. */
  readonly pageBytes: number | undefined;
  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request, options: Given) {
    super();
    const { protocol, host, pathname, search } = new URL(request.url);
    this.method = request.method;
    this.url = pathname + search;
    this.headers = { host, ...Object.fromEntries(request.headers) };
    this.socket = { encrypted: protocol === 'https:' };
    this.given = 'principal' in options ? { principal: options.principal } : undefined;
    this.pageBytes = options.maxPageBytes;
    this.#body = request.body?.getReader();
  }

  /** The same object with the type that Koa expects; Koa uses only what this class has. */
  asMessage(): IncomingMessage {
    return this as unknown as IncomingMessage;
  }

  /** Emits what `node:http` emits when a connection breaks. */
  abort(): void {
    this.emit('aborted');
    this.destroy();
  }

  override _read(): void {
    if (!this.#body) this.push(null);
    else
      this.#body.read().then(
        ({ done, value }) => this.push(done ? null : value),
        () => this.abort(),
      );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const ended = () => callback(error);
    if (this.#body) this.#body.cancel(error).then(ended, ended);
    else ended();
  }
}
