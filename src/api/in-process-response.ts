import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';

type Chunk = string | Uint8Array;
type Done = (error?: Error | null) => void;

/**
 * A response as Node's server gives it to its handler, that becomes a WHATWG Response instead of bytes on a socket. It is a real
 * `ServerResponse`, so that whatever writes to one (Koa, a stream, a handler of its own) behaves as it does on the network.
 */
export class InProcessResponse extends ServerResponse {
  /** The Response, as soon as its status and headers are known; rejects when the response is destroyed before. */
  readonly started: Promise<Response>;
  #start: (response: Response) => void = () => undefined;
  #fail: (reason: unknown) => void = () => undefined;
  #body: PassThrough | undefined;

  constructor(request: IncomingMessage) {
    super(request);
    this.started = new Promise((resolve, reject) => {
      this.#start = resolve;
      this.#fail = reject;
    });
    this.started.catch(() => undefined); // whoever awaits it is told
    this.assignSocket(new Writable({ write: (_chunk, _encoding, done) => done() }) as unknown as Socket);
    this.once('finish', () => this.destroy()); // Node's server emits `close` then, which frees a place in flight
  }

  override write(chunk: Chunk, encoding?: BufferEncoding | Done, done?: Done): boolean {
    super.write(chunk, encoding as BufferEncoding);
    const body = this.#stream();
    return typeof encoding === 'string' ? body.write(chunk, encoding, done) : body.write(chunk, encoding ?? done);
  }

  override end(chunk?: Chunk | Done, encoding?: BufferEncoding | Done, done?: Done): this {
    if (this.writableEnded) return this;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk;
    const last = typeof bytes === 'function' ? undefined : bytes;
    const callback = [chunk, encoding, done].find((given) => typeof given === 'function') as (() => void) | undefined;
    super.end(last, callback);
    if (this.#body) this.#body.end(last);
    // Only when its place in flight is free: the caller's next request must not find it taken.
    else this.once('close', () => this.#respond(last && new Uint8Array(last)));
    return this;
  }

  override destroy(error?: Error): this {
    if (!this.writableFinished) {
      this.once('close', () => this.#fail(error ?? new Error('The response was destroyed before it was there.')));
      this.#body?.destroy(error);
    }
    return super.destroy();
  }

  /** Where the pieces of a body go that is written in several. A reader that goes away destroys the response, as a broken connection does. */
  #stream(): PassThrough {
    if (this.#body) return this.#body;
    const body = new PassThrough();
    this.#body = body;
    body.on('drain', () => this.emit('drain'));
    body.once('close', () => this.destroy());
    body.on('error', () => undefined); // its reader is told
    this.#respond(Readable.toWeb(body) as ReadableStream);
    return body;
  }

  /** What no Response can be, such as one of status 600, is the failure of whoever wrote it to us. */
  #respond(body: ReadableStream | Uint8Array | undefined): void {
    try {
      this.#start(this.#toResponse(body));
    } catch (error) {
      this.#fail(error);
    }
  }

  #toResponse(body: ReadableStream | Uint8Array | undefined): Response {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders())) {
      for (const one of [value].flat()) headers.append(name, String(one));
    }
    const hasBody = this.req.method !== 'HEAD' && ![204, 205, 304].includes(this.statusCode);
    return new Response(hasBody ? (body ?? null) : null, { status: this.statusCode, statusText: this.statusMessage, headers });
  }
}
