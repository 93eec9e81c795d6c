import { type ClientRequest, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Any } from '../any.ts';
import { until } from '../until.ts';

/** An event of a stream, as it was read. */
export interface LiveEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Any;
}

/** The state that a client keeps by applying the events. */
export interface Kept {
  readonly data: Any;
  readonly page?: Any;
}

/** A client of a live list that applies every event as the docs say, by code of its own. */
export class LiveStream {
  readonly events: LiveEvent[] = [];
  readonly comments: string[] = [];
  state: Kept | undefined;
  status = 0;
  headers: IncomingMessage['headers'] = {};
  problem: Any;
  isEnded = false;
  retry: number | undefined;
  /** The ids that were taken away from the client, although it did not have them. */
  readonly strays: unknown[] = [];
  /** All bytes that were received. */
  text = '';
  /** Is called after each event. */
  whenRead: (event: LiveEvent) => void = () => undefined;
  readonly #request: ClientRequest;
  #incoming: IncomingMessage | undefined;
  #rest = '';

  /** `known` is the state that a client has from before. */
  constructor(port: number, path: string, headers: OutgoingHttpHeaders = {}, known?: Kept) {
    this.state = known;
    this.#request = httpRequest({ port, host: '127.0.0.1', path, headers: { accept: 'text/event-stream', ...headers }, agent: false });
    this.#request.on('response', (incoming) => this.#hear(incoming));
    this.#request.on('error', () => {
      this.isEnded = true;
    });
    this.#request.end();
  }

  /** Waits for what the server answers: the first event, or a problem. */
  async opened(): Promise<this> {
    await until(() => this.isEnded || this.events.length > 0);
    return this;
  }

  /** Waits until the stream has ended. */
  async ended(): Promise<void> {
    await until(() => this.isEnded);
  }

  /** Waits until the state fulfils a condition. */
  async sees(condition: (state: Kept) => boolean): Promise<Kept> {
    await until(() => this.state !== undefined && condition(this.state));
    return this.state as Kept;
  }

  get last(): LiveEvent | undefined {
    return this.events.at(-1);
  }

  pause(): void {
    this.#incoming?.pause();
  }

  resume(): void {
    this.#incoming?.resume();
  }

  close(): void {
    this.#request.destroy();
  }

  #hear(incoming: IncomingMessage): void {
    this.#incoming = incoming;
    this.status = incoming.statusCode ?? 0;
    this.headers = incoming.headers;
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => this.#read(chunk));
    incoming.on('error', () => undefined);
    incoming.on('close', () => {
      if (this.status !== 200) this.problem = this.text === '' ? undefined : JSON.parse(this.text);
      this.isEnded = true;
    });
  }

  #read(chunk: string): void {
    this.text += chunk;
    if (this.status !== 200) return;
    const parts = (this.#rest + chunk).split('\n\n');
    this.#rest = parts.pop() as string;
    for (const part of parts) this.#apply(part.split('\n'));
  }

  #apply(lines: readonly string[]): void {
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines[0]?.startsWith(':')) this.comments.push(lines[0]);
    const retry = field('retry');
    if (retry !== undefined) this.retry = Number(retry);
    const event = field('event');
    if (event === undefined) return;
    const data = JSON.parse(field('data') as string);
    if (event === 'page' || event === 'record') this.state = data;
    if (event === 'gone') this.state = { data: null };
    if (event === 'change' && this.state) {
      const had = new Set(this.state.data.map(({ id }: Any) => id));
      this.strays.push(...(data.remove ?? []).filter((id: unknown) => !had.has(id)));
      this.state = change(this.state, data);
    }
    const read = { event, id: field('id'), data };
    this.events.push(read);
    this.whenRead(read);
  }
}

function change(before: Kept, { put = [], remove = [], order, page = before.page }: Any): Kept {
  const removed = new Set(remove.map(String));
  const known = new Map<string, Any>(
    before.data.filter(({ id }: Any) => !removed.has(String(id))).map((one: Any) => [String(one.id), one]),
  );
  for (const one of put) known.set(String(one.id), one);
  const data = order === undefined ? [...known.values()] : order.map((id: unknown) => known.get(String(id)));
  return { data, page };
}
