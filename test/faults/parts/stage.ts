import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { Db, Document, MongoClient, MongoClientOptions } from 'mongodb';
import type { Any } from '../../support/any.ts';
import type { History, Sent, Told } from '../judge.ts';
import { type Deployment, untilGone } from './mongods.ts';
import { type Ask, authors, makeApi, makeWrite, stored, things } from './things.ts';
import { type Oplog, openOplog, watchSent } from './witness.ts';

/** An answer; `status` is undefined where the connection ended without one. */
export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Any;
  readonly text: string;
}

const noAnswer: Answer = { status: undefined, headers: {}, body: undefined, text: '' };

export interface StageOptions {
  readonly client?: MongoClientOptions;
  readonly api?: Parameters<typeof makeApi>[1];
  /** Where the service finds the database. @default the deployment itself */
  readonly uri?: string;
}

/** The service over HTTP, on a database of its own, with what was told, sent and carried out. */
export class Stage {
  readonly told: Told[] = [];
  /** The bugs that `onError` heard of: what clients saw as a bare 500. */
  readonly bugs: string[] = [];
  /** How many requests have arrived at the service. */
  received = 0;
  readonly db: Db;
  readonly sent: readonly Sent[];
  readonly client: MongoClient;
  readonly #deployment: Deployment;
  readonly #server: Server;
  readonly #oplog: Oplog | undefined;
  /** The ids of the records that the test made. */
  readonly #seeded = new Set<string>();
  readonly #agent = new Agent({ keepAlive: true });
  /** By the mark of a write: when the last byte of its answer went out. */
  readonly #answered = new Map<string, number>();

  private constructor(deployment: Deployment, client: MongoClient, db: Db, oplog: Oplog | undefined, api: StageOptions['api']) {
    this.#deployment = deployment;
    this.client = client;
    this.db = db;
    this.#oplog = oplog;
    this.sent = watchSent(client);
    const handle = makeApi(client.db(db.databaseName), { onError: (error) => this.#hear(error), ...api }).callback();
    this.#server = createServer((req, res) => {
      this.received++;
      const token = req.headers['x-token'];
      if (typeof token === 'string') res.once('finish', () => this.#answered.set(token, performance.now()));
      void handle(req, res);
    });
  }

  static async open(deployment: Deployment, { client: options, api, uri }: StageOptions = {}): Promise<Stage> {
    const db = deployment.admin.db(`faults_${randomUUID().slice(0, 8)}`);
    await db
      .collection<Document & { _id: string }>(authors)
      .insertMany([null, null, null, 1, 2].map((rank, index) => ({ _id: index === 0 ? 'ann' : `a${index}`, rank })));
    await db.createCollection(things);
    const oplog = deployment.hasOplog ? await openOplog(deployment.admin, db.databaseName) : undefined;
    const stage = new Stage(deployment, await deployment.connect(options, uri), db, oplog, api);
    stage.#server.listen(0, '127.0.0.1');
    await once(stage.#server, 'listening');
    deployment.onStop(() => stage.close());
    return stage;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Makes records behind the service's back. */
  async seed(...ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#seeded.add(id);
    await this.db.collection<Document & { _id: string }>(things).insertMany(ids.map(stored));
  }

  /**
   * Waits until the service has found the database again: a failure that says that a server ends makes the driver look
   * for it anew.
   */
  async untilFound(): Promise<void> {
    await this.client.db('admin').command({ ping: 1 });
  }

  /** Asks, and keeps what was told of a write. */
  async ask(ask: Ask & { readonly token?: string }, signal?: AbortSignal): Promise<Answer> {
    const answer = await send(this.port, ask, { agent: this.#agent, ...(signal && { signal }) });
    if (ask.token !== undefined) {
      const { token } = ask;
      this.told.push({ token, status: answer.status, code: answer.body?.code, at: this.#answered.get(token) ?? performance.now() });
    }
    return answer;
  }

  /**
   * Waits until nothing is on its way any more, and tells the whole history: call it when the faults are over. A last
   * write that goes the way of all others is behind those that the driver may still keep in a queue.
   */
  async end(): Promise<History> {
    for (let tries = 0; ; tries++) {
      const { status, text } = await this.ask(makeWrite('create', ''));
      if (status === 201) break;
      if (tries === 1_000) throw new Error(`the service has not come back: ${status} ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 20)); // no event tells a client that a service can write again
    }
    await this.close();
    await untilGone(this.#deployment);
    return { told: this.told, sent: this.sent, applied: this.#oplog ? await this.#oplog.applied() : await this.#readRecords() };
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    if (this.#server.listening) {
      this.#server.close();
      await once(this.#server, 'close');
    }
    await this.client.close();
  }

  #hear(error: Error & { readonly expose?: boolean }): void {
    if (!error.expose) this.bugs.push(inspect(error, { depth: 2 }));
  }

  /**
   * Where there is no oplog: each write of a test has a record of its own, and the record tells how often it was
   * carried out.
   */
  async #readRecords(): Promise<string[]> {
    const records = await this.db.collection<Document & { _id: string }>(things).find().toArray();
    const applied = records.flatMap(({ _id, token, revision }): string[] =>
      token === '' ? [] : Array(_id === token ? 1 : revision).fill(token),
    );
    const there = new Set(records.map(({ _id }) => _id));
    const removed = this.told.flatMap(({ token }) => (this.#seeded.has(token) && !there.has(token) ? [token] : []));
    return [...applied, ...removed];
  }
}

/** One request, over a connection of its own where no agent is given; a client that gives up has no answer. */
export async function send(
  port: number,
  { method, path, body, headers, token }: Ask & { readonly token?: string },
  { agent = false, ...options }: { readonly agent?: Agent | false; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const text = body && JSON.stringify(body);
  const json = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const mark = token === undefined ? {} : { 'x-token': token };
  const outgoing = request({ port, host: '127.0.0.1', method, path, agent, ...options, headers: { ...json, ...mark, ...headers } });
  return new Promise((resolve) => {
    outgoing.once('error', () => resolve(noAnswer));
    outgoing.once('response', async (incoming) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        const answer = Buffer.concat(chunks).toString();
        resolve({
          status: incoming.statusCode,
          headers: incoming.headers,
          text: answer,
          body: answer === '' ? undefined : JSON.parse(answer),
        });
      } catch {
        resolve(noAnswer);
      }
    });
    outgoing.end(text);
  });
}

const leaks = /127\.0\.0\.1|ECONN|EPIPE|Mongo|failpoint|of the test|\bstack\b|things|authors/;
const codes: Readonly<Record<number, readonly string[]>> = {
  503: ['database_unavailable', 'overloaded', 'write_conflict', 'write_timeout'],
  504: ['write_outcome_unknown', 'database_timeout'],
};

/** What is wrong with the form of an answer (decisions, "Errors"); undefined where nothing is. */
export function flawOf({ status, headers, body, text }: Answer): string | undefined {
  if (status === undefined || status < 400) return undefined;
  if (headers['content-type'] !== 'application/problem+json') return `content-type ${headers['content-type']}`;
  if (body?.status !== status || typeof body.type !== 'string' || typeof body.title !== 'string') return `members ${text}`;
  if (status === 500) return Object.keys(body).length === 3 ? undefined : `a 500 that tells something: ${text}`;
  if (typeof body.code !== 'string') return `no code: ${text}`;
  if (leaks.test(`${body.detail} ${body.title}`)) return `a detail that tells of the inside: ${body.detail}`;
  if (status < 502) return undefined;
  if (!codes[status]?.includes(body.code)) return `code ${body.code} of a ${status}`;
  return headers['retry-after'] === '1' ? undefined : `${status} ${body.code} with Retry-After ${headers['retry-after']}`;
}
