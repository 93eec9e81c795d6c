import { once } from 'node:events';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { type Live, type LiveOptions, live } from '../../../src/products/client/live.ts';
import type { Any } from '../../support/any.ts';
import { useListener } from '../../support/http/listen.ts';

/** A request of the client, and the stream that it is answered with. */
export interface OpenStream {
  /** The address that was asked for, without the origin. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Writes the text as it is. */
  write(text: string | Uint8Array): void;
  send(name: string, data: object, id?: string): void;
  /** Ends the answer, or cuts the connection. */
  end(): void;
  cut(): void;
  /** Resolves when the client has gone. */
  readonly closed: Promise<unknown>;
}

/** A problem as an api answers it, or another answer, instead of a stream. */
interface PlainAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Streams {
  readonly url: string;
  /** How many requests of streams there have been. */
  readonly count: number;
  /** The next request that no test has seen yet. */
  next(): Promise<OpenStream>;
  /** Answers the next requests without a stream. */
  refuse(...answers: PlainAnswer[]): void;
}

/** A file that a browser asks for, by its path. */
export type Files = Readonly<Record<string, { readonly type: string; readonly body: string }>>;

/** The real timer, also in tests of a clock. */
const every = setInterval;

/** Serves streams of live lists as a test writes them, and files: what the client gets are bytes of a socket. */
export function useStreams(): (files?: Files) => Promise<Streams> {
  const listen = useListener();
  return async function serve(files = {}) {
    const opened: OpenStream[] = [];
    const waiting: ((stream: OpenStream) => void)[] = [];
    const refusals: PlainAnswer[] = [];
    let count = 0;
    const listener: RequestListener = (request, response) => {
      const file = files[request.url ?? ''];
      if (file) {
        response.writeHead(200, { 'content-type': file.type }).end(file.body);
        return;
      }
      count++;
      const refusal = refusals.shift();
      if (refusal) {
        response.writeHead(refusal.status, { 'content-type': 'application/problem+json', ...refusal.headers }).end(refusal.body);
        return;
      }
      // As the service does. Without `no-store`, the cache of Chromium may send the request of the next tab twice when
      // the tab is closed that has been reading the same address: a test then answers the first one, that nobody reads.
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
      response.write('retry: 1\n\n');
      // As the service does: on a busy machine a test may take longer than a client lets a stream be silent.
      const beat = every(() => response.write(': \n\n'), 5_000);
      response.once('close', () => clearInterval(beat));
      const stream: OpenStream = {
        path: request.url ?? '',
        headers: request.headers,
        write: (text) => void response.write(text),
        send: (name, data, id) => void response.write(`event: ${name}\n${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(data)}\n\n`),
        end: () => void response.end(),
        cut: () => void request.socket.destroy(),
        closed: once(response, 'close'),
      };
      const waits = waiting.shift();
      if (waits) waits(stream);
      else opened.push(stream);
    };
    const port = await listen(listener);
    return {
      url: `http://127.0.0.1:${port}/orders`,
      get count() {
        return count;
      },
      next: async () => opened.shift() ?? new Promise((resolve) => waiting.push(resolve)),
      refuse: (...answers) => void refusals.push(...answers),
    };
  };
}

/** What a client has told, oldest first. */
export interface Told {
  readonly states: Any[];
  readonly errors: Error[];
  readonly ends: Any[];
}

/** Opens clients, and closes them after each test. */
export function useClients(): (url: string, options?: Partial<LiveOptions<Any>>) => Live<Any> & Told {
  const opened: Live<Any>[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  return function open(url, options = {}) {
    const told: Told = { states: [], errors: [], ends: [] };
    const client = live<Any>(url, {
      onChange: (state) => told.states.push(state),
      onError: (error) => told.errors.push(error),
      onEnd: (problem) => told.ends.push(problem),
      ...options,
    });
    opened.push(client);
    return Object.assign(client, told);
  };
}
