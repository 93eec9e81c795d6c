import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type Koa from 'koa';
import type { Api } from '../api/api.ts';
import { isProblem, Problem } from '../errors.ts';
import { defaultBodyValues } from '../middleware/body-limit.ts';
import type { Context } from '../middleware/parts/context.ts';
import { readBody } from '../middleware/parts/read-body.ts';
import { readTrustedOrigins } from '../middleware/parts/trusted-origins.ts';
import { anArrayOf, aWholeNumber, checkOptions, type Legal } from '../options.ts';
import { compileToolset, openServer, type Toolset } from './open-server.ts';
import { type CallHeaders, legalOptions, type McpOptions } from './options.ts';
import { type Caller, readCaller } from './read-caller.ts';

/** Options of {@link mcpRoutes}. */
export interface McpRoutesOptions<Principal = unknown> extends McpOptions<Principal, Koa.Context> {
  /** The path of the server, below the mount of the middleware. @default '/mcp' */
  readonly path?: string;
  /**
   * Origins of the pages that may call, each in the form that browsers send: `https://app.example`. Programs send no `Origin` and always may.
   * @default none
   */
  readonly trustedOrigins?: readonly string[];
  /** How many bytes a message may have. @default 1_048_576 (1 MiB) */
  readonly maxBody?: number;
}

const aPath: Legal = [
  (value) => typeof value === 'string' && /^\/[^?#]*$/.test(value) && (value === '/' || !value.endsWith('/')),
  'a path such as `/mcp`',
];
const legal = {
  ...legalOptions,
  path: aPath,
  trustedOrigins: anArrayOf('origins such as `https://app.example`'),
  maxBody: aWholeNumber(1),
};

/** How long a message may take to arrive, in milliseconds. */
const bodyTimeout = 30_000;

/**
 * Serves an api as an MCP server over Streamable HTTP: a Koa middleware for one path. It is stateless: every message stands alone, so that any
 * process can answer it. Place the authentication of your app above it: a guard of your own answers 401 then, as clients with OAuth expect.
 *
 * By default the `Authorization` of the request goes on to the api, which authenticates by it. With `principal`, the app says who calls:
 * `(ctx) => ctx.state.user`. A `Problem` that such a function throws is the answer: 401 with its headers.
 *
 * A request with an `Origin` that is not trusted is 403, because the page of a stranger must not reach a server of the user's own machine or
 * network (DNS rebinding). Other methods than POST are 405. A body that is not JSON is 415, a too large one 413. A client that disconnects
 * cancels its call.
 *
 * Throws a {@link ConfigurationError} for an invalid option, or an operation that the api does not serve.
 *
 * @example
 * app.use(mcpRoutes(api, { write: true }));
 * app.use(api.routes());
 */
export function mcpRoutes<Principal>(api: Api<Principal>, options: McpRoutesOptions<Principal> = {}): Koa.Middleware {
  checkOptions(options, legal, '`mcpRoutes`');
  const { path = '/mcp', trustedOrigins = [], maxBody = 1_048_576 } = options;
  const trusted = readTrustedOrigins(trustedOrigins, '`mcpRoutes`');
  const toolset = compileToolset(api, options);
  return async function mcpRoutes(ctx, next) {
    if (ctx.path !== path || ctx.method === 'OPTIONS') return next(); // preflights are answered by @koa/cors
    try {
      refuse(ctx, trusted);
      const caller = await readCaller(options, ctx, forwarded(ctx));
      const message = await readBody(ctx as unknown as Context, { bytes: maxBody, ms: bodyTimeout, values: defaultBodyValues });
      await answer(ctx, toolset, caller, message);
    } catch (error) {
      if (!isProblem(error)) throw error;
      if (error.status >= 500) ctx.app.emit('error', error, ctx);
      writeError(ctx, error);
    }
  };
}

function refuse(ctx: Koa.Context, trusted: ReadonlySet<string>): void {
  const origin = ctx.get('Origin');
  if (origin !== '' && !trusted.has(origin))
    throw new Problem({ code: 'cross_origin', detail: 'A page of this origin may not call: it is not one of `trustedOrigins`.' });
  if (ctx.method !== 'POST')
    throw new Problem({
      code: 'method_not_allowed',
      detail: 'Send each message by POST: this server has no sessions.',
      headers: { allow: 'POST' },
    });
}

function forwarded(ctx: Koa.Context): CallHeaders {
  const authorization = ctx.get('Authorization');
  return authorization === '' ? {} : { authorization };
}

/** A batch would be a way around limits per request, and the protocol has none since 2025-06-18. */
async function answer(ctx: Koa.Context, toolset: Toolset, caller: Caller, message: unknown): Promise<void> {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return writeInvalid(ctx, 'The body must be one JSON-RPC message.');
  // The SDK has no other ids, and calls them a parse error.
  if ('id' in message && typeof message.id !== 'string' && !Number.isSafeInteger(message.id))
    return writeInvalid(ctx, `The \`id\` must be a string, or an integer up to ${Number.MAX_SAFE_INTEGER}.`);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const { mcp } = openServer(
    toolset,
    async () => caller,
    (error) => ctx.app.emit('error', error, ctx),
  );
  const gone = new Promise<undefined>((resolve) => {
    if (ctx.res.closed)
      resolve(undefined); // while the body was read
    else ctx.res.once('close', () => resolve(undefined));
  });
  await mcp.connect(transport);
  try {
    const headers = Object.fromEntries(['accept', 'content-type', 'mcp-protocol-version'].map((name) => [name, ctx.get(name)]));
    const request = new Request('http://in-process/mcp', { method: 'POST', headers: sent(headers) });
    const response = await Promise.race([transport.handleRequest(request, { parsedBody: message }), gone]);
    if (response) await write(ctx, response);
  } finally {
    await mcp.close(); // aborts a call whose client has gone
  }
}

function sent(headers: Readonly<Record<string, string>>): CallHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

async function write(ctx: Koa.Context, response: Response): Promise<void> {
  const text = await response.text();
  ctx.status = response.status;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = text; // without one, Koa would send the name of the status
  if (text === '') ctx.remove('Content-Type');
  else ctx.type = 'application/json';
}

/** JSON that is no message. */
function writeInvalid(ctx: Koa.Context, detail: string): void {
  writeError(ctx, new Problem({ code: 'malformed_json', detail }), ErrorCode.InvalidRequest);
}

/** An error of the transport: it belongs to no message, so it has no id. */
function writeError(ctx: Koa.Context, problem: Problem, code = -32_000): void {
  const { status, headers } = problem;
  const { title, detail } = problem.toDocument(); // that of a 500 has no detail
  ctx.set({ ...headers, 'Cache-Control': 'no-store' });
  ctx.status = status;
  ctx.body = { jsonrpc: '2.0', error: { code, message: detail ?? title }, id: null };
}
