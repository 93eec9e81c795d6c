import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import Koa from 'koa';
import { Problem, problems } from 'koa-mongo-resource';
import { readDescription } from './description.ts';

const mostBytes = 1_048_576;
/** Exports and live lists, which pass as they come. */
const streams = /^(?:text\/csv|application\/x-ndjson|text\/event-stream)\b/;
/** Headers about one connection (RFC 9110 §7.6.1), or about bytes that the gateway sends anew. `fetch` decompresses. */
const ofConnection = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
  ...['host', 'content-length', 'content-encoding', 'proxy-authorization'],
];

/** A proxy of the api at `upstream`. `report` is told of each answer that is not as it is described. */
export async function createGateway(upstream: string, document: object, report: (error: Error) => void): Promise<Koa> {
  const find = await readDescription(document);
  const { origin } = new URL(upstream);
  const app = new Koa();
  app.use(problems());
  app.use(async (ctx) => {
    const method = ctx.method === 'HEAD' ? 'get' : ctx.method.toLowerCase();
    const { operation, values } = find(method, ctx.path) ?? refuse(404, ['no such operation']);
    refuseIf(404, operation.path(values));
    refuseIf(400, operation.query(new URLSearchParams(ctx.querystring)));
    const bytes = await readBody(ctx.req);
    if (bytes.length === 0 && operation.needsBody) refuse(422, ['the body is missing']);
    if (bytes.length > 0) {
      const check = operation.body(ctx.request.type) ?? refuse(415, [`a body of the type "${ctx.request.type}" is not described`]);
      refuseIf(422, check(parse(bytes)));
    }
    // Never `new URL(ctx.url, upstream)`: a client may name another host there. What is checked is what is asked for.
    const url = new URL(`${origin}${ctx.path}${ctx.search}`);
    if (url.pathname !== ctx.path) refuse(404, ['no such operation']);
    const dropped = [...ofConnection, ...ctx.get('connection').toLowerCase().split(/ *, */)];
    const headers = Object.entries(ctx.req.headersDistinct).flatMap(([name, values = []]) =>
      dropped.includes(name) ? [] : values.map((value): [string, string] => [name, value]),
    );
    const body = bytes.length > 0 ? { body: new Uint8Array(bytes) } : {};
    const answer = await fetch(url, { method: ctx.method, headers, redirect: 'manual', ...body });
    const isStream = streams.test(answer.headers.get('content-type') ?? '');
    const text = isStream ? undefined : Buffer.from(await answer.arrayBuffer());
    const isJson = text && text.length > 0 && /[/+]json\b/.test(answer.headers.get('content-type') ?? '');
    const violations = isStream ? [] : operation.answer(answer.status, answer.headers, isJson ? parse(text) : undefined);
    if (violations.length > 0) {
      report(new Error(`${ctx.method} ${ctx.path} was answered with ${answer.status}: ${violations.join('; ')}`));
      throw new Problem({ status: 502, detail: 'The answer is not as it is described.' });
    }
    ctx.status = answer.status;
    if (ctx.method !== 'HEAD') ctx.body = text ?? (answer.body && Readable.fromWeb(answer.body as ReadableStream));
    ctx.set(Object.fromEntries([...answer.headers].filter(([name]) => !ofConnection.includes(name))));
    if (answer.headers.has('set-cookie')) ctx.set('set-cookie', answer.headers.getSetCookie());
  });
  return app;
}

function refuse(status: number, mistakes: readonly string[]): never {
  throw new Problem({ status, detail: `${mistakes.join('; ')}.` });
}

function refuseIf(status: number, mistakes: readonly string[]): void {
  if (mistakes.length > 0) refuse(status, mistakes);
}

async function readBody(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > mostBytes) refuse(413, [`the body has more than ${mostBytes} bytes`]);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Numbers of more than 53 bits are rounded here: what is sent on is the bytes. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return refuse(400, ['the body is not JSON']);
  }
}
