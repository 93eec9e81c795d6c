import { once } from 'node:events';
import { connect as connectHttp2, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { eventStreamType } from '../../../src/http/media-type.ts';
import type { Api } from '../../../src/index.ts';
import { compileTools } from '../../../src/products/mcp/compile-tools.ts';
import { connect as connectAgent } from '../../products/mcp/connect.ts';
import type { Case } from './requests.ts';

/** What came back. */
interface Outcome {
  readonly isDone: boolean;
  readonly isForbidden: boolean;
  readonly text: string;
}

/** Which requests can be sent in a way, and to which of them the answer is kept for a key. */
interface Way {
  has(one: Case): boolean;
  keeps(one: Case): boolean;
}

/** The ways in which an api is asked. */
export const ways = {
  'HTTP/1': { has: () => true, keeps: takesKey },
  'HTTP/2': { has: () => true, keeps: takesKey },
  'api.fetch': { has: () => true, keeps: takesKey },
  batch: { has: isMember, keeps: isMember },
  // A tool has arguments, and no headers.
  MCP: { has: ({ row, accept }) => accept === undefined && row.twinOf === undefined, keeps: () => false },
} as const satisfies Readonly<Record<string, Way>>;

export type WayName = keyof typeof ways;

export const wayNames = Object.keys(ways) as readonly WayName[];

type SendCase = (one: Case, key?: string) => Promise<Outcome>;

/** An api that is open in every way. */
export interface Opened extends Readonly<Record<WayName, SendCase>> {
  close(): Promise<void>;
}

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}
type Send = (path: string, sent: Sent) => Promise<Outcome>;

/** Opens every way to an api, which listens on `port` for HTTP/1. */
export async function openWays(api: Api, port: number): Promise<Opened> {
  const http2 = await openHttp2(api);
  const agent = await connectAgent(api, { write: true });
  const tools = new Map([...compileTools(api, { write: true })].map(([name, { operation }]) => [operation, name]));
  const http1: Send = async (path, sent) => read(await fetch(`http://127.0.0.1:${port}${path}`, sent));
  const inProcess: Send = async (path, sent) => read(await api.fetch(new Request(`http://in-process${path}`, sent)));
  const alone =
    (send: Send): SendCase =>
    ({ path, method, body, accept }, key) =>
      send(path, { method, headers: headersOf({ body, accept, key }), ...(body && { body: JSON.stringify(body) }) });
  return {
    'HTTP/1': alone(http1),
    'HTTP/2': alone(http2.send),
    'api.fetch': alone(inProcess),
    async batch({ method, path, body }, key) {
      const operations = [{ method, path, ...(body && { body }) }];
      return http1('/batch', { method: 'POST', headers: headersOf({ body: operations, key }), body: JSON.stringify({ operations }) });
    },
    async MCP({ resource, row, given }) {
      const tool = tools.get(`${resource.path}.${row.operation}`);
      if (tool === undefined) throw new Error(`\`${resource.path}.${row.name}\` is no tool.`);
      const { isError, text } = await agent.call(tool, given);
      return { isDone: !isError, isForbidden: isError && text.includes('(forbidden)'), text };
    },
    async close() {
      await agent.client.close();
      await http2.close();
      await api.close();
    },
  };
}

function isMember({ row }: Case): boolean {
  return row.isMember;
}

/** A key counts for a POST and a PATCH that the library carries out. */
function takesKey({ row: { method, subject, twinOf } }: Case): boolean {
  const isCarriedOut = subject.kind !== 'custom' || subject.operation.hasHandler;
  return (method === 'POST' || method === 'PATCH') && twinOf === undefined && isCarriedOut;
}

interface Told {
  readonly body?: object | undefined;
  readonly accept?: string | undefined;
  readonly key?: string | undefined;
}

function headersOf({ body, accept, key }: Told): Record<string, string> {
  return {
    ...(body && { 'content-type': 'application/json' }),
    ...(accept && { accept }),
    ...(key && { 'idempotency-key': key }),
  };
}

/** Reads a whole answer, or the first event of a stream that would not end. */
async function read({ status, headers, body }: Response): Promise<Outcome> {
  const isEndless = headers.get('content-type')?.startsWith(eventStreamType) ?? false;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (isEndless && hasEvent(text)) break; // which cancels the stream
  }
  return outcomeOf(status, text);
}

const hasEvent = (text: string) => /^event:.*\n(?:.+\n)*\n/m.test(text);

function outcomeOf(status: number, text: string): Outcome {
  return { isDone: status >= 200 && status < 300, isForbidden: status === 403, text: `${status} ${text}` };
}

async function openHttp2(api: Api): Promise<{ readonly send: Send; close(): Promise<void> }> {
  const server = createServer((request, response) => void api.callback()(request as never, response as never)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    async send(path, { method, headers, body }) {
      const stream = client.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
      if (body !== undefined) stream.end(body);
      const [answer] = (await once(stream, 'response')) as [Record<string, string | number | undefined>];
      const isEndless = String(answer['content-type']).startsWith(eventStreamType);
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) {
        text += chunk;
        if (isEndless && hasEvent(text)) break;
      }
      return outcomeOf(Number(answer[':status']), text);
    },
    async close() {
      const closed = once(server, 'close');
      client.destroy();
      server.close();
      await closed;
    },
  };
}
