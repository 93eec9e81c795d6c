import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';

type Chunk = string | Uint8Array;
type Done = (error?: Error | null) => void;

/**
 * Takes the place of a socket. `answerTimeout` sees by `bytesWritten` that a stream makes progress while it waits for
 * its reader.
 */
class Sink extends Writable {
  bytesWritten = 0;

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: Done): void {
    this.bytesWritten += chunk.length;
    done();
  }
}

/**
 * A `ServerResponse` of Node that becomes a WHATWG Response instead of bytes on a socket. It extends the real class, so
 * that everything that writes to it (Koa, a stream, a handler) behaves as it does on the network.
 */
export class InProcessResponse extends ServerResponse {
  /** Resolves to the Response when its status and headers are known. Rejects if the response is destroyed before. */
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
    this.started.catch(() => undefined); // without this, a rejection that is not awaited would end the process
    this.assignSocket(new Sink() as unknown as Socket);
    // Node's server resets this when a connection drains; here, only the stream of the body knows.
    Object.defineProperty(this, 'writableNeedDrain', { get: () => this.#body?.writableNeedDrain ?? false });
    this.once('finish', () => this.destroy()); // Node's server emits `close` at this point, and `inFlightLimit` waits for it
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
    // Only after `close`, so that the next request of the caller does not find this one still in flight.
    else this.once('close', () => this.#respond(last && new Uint8Array(last)));
    return this;
  }

  override destroy(error?: Error): this {
    if (!this.writableFinished && !this.destroyed) {
      this.once('close', () => this.#fail(error ?? new Error('The response was destroyed before its status and headers were known.')));
      if (this.#body) cut(this.#body, error);
    }
    return super.destroy();
  }

  /**
   * The stream for a body that is written in several pieces. If its reader cancels it, the response is destroyed as by
   * a broken connection.
   */
  #stream(): PassThrough {
    if (this.#body) return this.#body;
    const body = new PassThrough();
    this.#body = body;
    body.on('drain', () => this.emit('drain'));
    body.once('close', () => this.destroy());
    body.on('error', () => undefined); // the reader gets the error
    // Nothing is read before the reader asks for it, so that an answer which is cut off ends behind what was written.
    this.#respond(Readable.toWeb(body, { strategy: { highWaterMark: 0 } }) as ReadableStream);
    return body;
  }

  /** A Response cannot have every status that Node can send, such as 600: then `started` rejects. */
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

/** Breaks a body off: at once for a reason, and otherwise behind what was written, as a connection delivers it. */
function cut(body: PassThrough, error: Error | undefined): void {
  const isRead = () => body.readableLength === 0 && body.writableLength === 0;
  if (error || isRead()) body.destroy(error);
  else body.on('data', () => isRead() && body.destroy());
}
