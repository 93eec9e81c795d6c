import type { Any } from '../any.ts';
import { type Kept, LiveStream } from '../http/live-stream.ts';
import { send } from '../http/serve.ts';
import { canary, users } from './board.ts';
import type { Watched } from './board-queries.ts';

/** What a client shows differs from a fresh answer. */
export interface Difference extends Watched {
  readonly shown: string | undefined;
  readonly answered: string;
}

/** Somebody who watches a list or a record of the board, goes away and comes back. */
export class BoardClient {
  readonly watched: Watched;
  /** The server that it was connected to last. */
  port = 0;
  /** What went wrong on the way: ends that nobody has asked for, and bytes that it may not see. */
  readonly faults: string[] = [];
  /** How often it came back to what it still had. */
  same = 0;
  events = 0;
  #stream: LiveStream | undefined;
  #state: Kept | undefined;
  #lastId: string | undefined;
  readonly #refusals: readonly number[];

  /** `refusals` are the statuses that it may be refused with, at first or later. */
  constructor(watched: Watched, { refusals = [404] }: { readonly refusals?: readonly number[] } = {}) {
    this.watched = watched;
    this.#refusals = refusals;
  }

  get stream(): LiveStream {
    if (!this.#stream) throw new Error('this client has not been connected');
    return this.#stream;
  }

  /** Whether it has not vanished. */
  get isThere(): boolean {
    return this.#stream !== undefined;
  }

  /** Whether it is there, and its stream has not ended. */
  get isConnected(): boolean {
    return this.#stream !== undefined && !this.#stream.isEnded;
  }

  /** What it shows, as the text that GET would answer with. */
  get shown(): string | undefined {
    const { state, isEnded, status } = this.stream;
    if (isEnded || status !== 200) return undefined;
    return state?.data === null ? undefined : textOf(state);
  }

  /** Connects, and says which state it has from before. */
  async connect(port: number): Promise<void> {
    const { user, path } = this.watched;
    const stream = new LiveStream(port, path, { authorization: user, ...(this.#lastId && { 'last-event-id': this.#lastId }) });
    stream.state = this.#state; // what the event `same` speaks of
    this.#stream = stream;
    this.port = port;
    await stream.opened();
    if (stream.last?.event === 'same') this.same++;
    if (![200, ...this.#refusals].includes(stream.status)) this.faults.push(`${stream.status} ${stream.text}`);
  }

  /** Breaks the connection, and keeps what it has. */
  vanish(): void {
    const { stream } = this;
    const { state, events, last } = stream;
    this.#check();
    this.events += events.length;
    this.#state = state;
    this.#lastId = events.findLast(({ id }) => id !== undefined)?.id ?? this.#lastId;
    if (last?.event === 'end' || stream.status !== 200) [this.#state, this.#lastId] = [undefined, undefined];
    stream.close();
    this.#stream = undefined;
  }

  /** Compares what it shows with what a request is answered. */
  async difference(port: number): Promise<Difference | undefined> {
    const { user, path } = this.watched;
    const { status, text, headers } = await send(port, 'GET', path, { headers: { authorization: user } });
    const tag = this.stream.state && 'etag' in this.stream.state ? { etag: headers.etag } : {};
    const answered = this.#refusals.includes(status)
      ? undefined
      : text.replace(/}$/, 'etag' in tag ? `,"etag":${JSON.stringify(tag.etag)}}` : '}');
    return this.shown === answered ? undefined : { user, path, shown: this.shown, answered: `${status} ${text}` };
  }

  /** No byte that it was ever sent is one of another tenant, or of a field that it must not see. */
  #check(): void {
    const { user, path } = this.watched;
    const { events, strays } = this.stream;
    // Cursors and ids are texts in base64url, which may have any letters.
    const text = this.stream.text.replaceAll(/"(?:next|prev)_cursor":"[^"]*"|^id:.*$/gm, '');
    if (strays.length > 0) this.faults.push(`${user} ${path} was told of ${strays.join()}`);
    const { tenant, isLead, isRoot } = users[user] as (typeof users)[string];
    const unseen = [isLead ? undefined : canary, isRoot ? undefined : tenant === 'a' ? /"b-|zqb/ : /"a-/];
    for (const one of unseen) if (one !== undefined && text.search(one) >= 0) this.faults.push(`${user} ${path} saw ${one}`);
    if (/"inner"|"_deletion"|"tenant"/.test(text)) this.faults.push(`${user} ${path} saw a private field`);
    for (const { event, data } of events)
      if (event === 'end' && !this.#refusals.includes(data.problem.status)) this.faults.push(JSON.stringify(data));
  }
}

export function textOf(state: Any): string {
  return JSON.stringify(state);
}

/**
 * Waits until all clients show what they would be answered, for some seconds; returns those that never do. With
 * `comeAgain`, those whose streams have ended connect again if they would be answered.
 */
export async function settle(
  clients: readonly BoardClient[],
  port: number,
  { patienceMS = 15_000, comeAgain = false } = {},
): Promise<Difference[]> {
  const end = performance.now() + patienceMS;
  let left = clients;
  for (;;) {
    const found = await Promise.all(left.map(async (client) => ({ client, difference: await client.difference(port) })));
    const wrong = found.flatMap(({ client, difference }) => (difference ? [{ client, difference }] : []));
    if (wrong.length === 0 && left === clients) return [];
    if (performance.now() > end) return wrong.map(({ difference }) => difference);
    left = wrong.length === 0 ? clients : wrong.map(({ client }) => client); // in the end, all of them at once
    for (const client of comeAgain ? left : []) {
      if (client.isConnected) continue;
      client.vanish();
      await client.connect(port);
    }
    await new Promise((resolve) => setTimeout(resolve, 20)); // nothing tells a client that no event is on its way
  }
}
