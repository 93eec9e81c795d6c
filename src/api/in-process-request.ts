import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** A WHATWG Request in the form in which Node's server gives requests to its handler. Its body is read as a stream, as somebody asks. */
export class InProcessRequest extends Readable {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  /** Koa reads of it whether the connection is encrypted, and where it comes from. */
  readonly socket: { readonly encrypted: boolean; readonly remoteAddress?: string };
  /** Who is calling, where the caller of `fetch` said so. */
  readonly given: { readonly principal: unknown } | undefined;
  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request, given: { readonly principal: unknown } | undefined) {
    super();
    const { protocol, host, pathname, search } = new URL(request.url);
    this.method = request.method;
    this.url = pathname + search;
    this.headers = { host, ...Object.fromEntries(request.headers) };
    this.socket = { encrypted: protocol === 'https:' };
    this.given = given;
    this.#body = request.body?.getReader();
  }

  /** As the type that Koa and `node:http` know it by; they use no more of it than there is. */
  asMessage(): IncomingMessage {
    return this as unknown as IncomingMessage;
  }

  /** The client has gone: what `node:http` says when a connection breaks. */
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
