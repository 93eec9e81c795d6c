import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Api } from '../../api/api.ts';
import { isProblem, Problem } from '../../errors.ts';
import { defaultDepth } from '../../http/json.ts';
import { readBody } from '../../middleware/body/read-body.ts';
import { bodyLimits } from '../../middleware/body-limit.ts';
import type { Context } from '../../middleware/exchange/context.ts';
import type { KoaContext, KoaMiddleware, KoaNext } from '../../middleware/exchange/koa-context.ts';
import { readTrustedOrigins } from '../../middleware/exchange/trusted-origins.ts';
import { anArrayOf, aWholeNumber, byDefault, checkOptions, defaultOf, type Legal } from '../../options.ts';
import { identify } from './identify.ts';
import { compileToolset, openServer, type Toolset } from './open-server.ts';
import { type CallHeaders, legalOptions, type McpOptions } from './options.ts';
import { type Caller, readCaller } from './read-caller.ts';

/** Options of {@link mcpRoutes}. */
export interface McpRoutesOptions<Principal = unknown> extends McpOptions<Principal, KoaContext> {
  /** The path of the server, below the mount of the middleware. @default '/mcp' */
  readonly path?: string;
  /**
   * Origins of the pages that may call, each in the form that browsers send: `https://app.example`. Programs send no
   * `Origin` and always may.
   * @default none
   */
  readonly trustedOrigins?: readonly string[];
  /** How many bytes a message may have. @default 1 MiB (1,048,576) */
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
  maxBody: byDefault(1_048_576, aWholeNumber(1)),
};

/** How long a message may take to arrive, in milliseconds. */
const bodyTimeout = 30_000;

/** A call has its body in the `arguments` of its `params`: as deep a body as the api takes must pass. */
const depth = defaultDepth + 3;

/**
 * Serves an api as an MCP server over Streamable HTTP: a Koa middleware for one path, for clients of the protocol of
 * 2026-07-28 and of those before it. It is stateless: every message is complete, so that any process can answer it. The
 * api authenticates the caller before anything is answered: 401 for a bad token. Place the authentication of your app
 * above it: a guard of your own answers 401 then, as clients with OAuth expect.
 *
 * By default the api gets the `Authorization` of the request, and authenticates by it. With `principal`, the app says
 * who calls: `(ctx) => ctx.state.user`. A `Problem` that such a function throws is the answer: 401 with its headers.
 *
 * A request with an `Origin` that is not trusted is 403, because the page of a stranger must not reach a server of the
 * user's own machine or network (DNS rebinding). Other methods than POST are 405. A body that is not JSON is 415, a too
 * large one 413. A client that disconnects cancels its call.
 *
 * Throws a {@link ConfigurationError} for an invalid option, or an operation that the api does not serve.
 *
 * @example
 * app.use(mcpRoutes(api, { write: true }));
 * app.use(api.routes());
 */
export function mcpRoutes<Principal>(api: Api<Principal>, options: McpRoutesOptions<Principal> = {}): KoaMiddleware {
  const { path = '/mcp', trustedOrigins = [], maxBody } = checkOptions(options, legal, '`mcpRoutes`');
  const trusted = readTrustedOrigins(trustedOrigins, '`mcpRoutes`');
  const toolset = compileToolset(api, options);
  async function mcpRoutes(ctx: KoaContext, next: KoaNext): Promise<void> {
    if (ctx.path !== path || ctx.method === 'OPTIONS') return next(); // preflights are answered by @koa/cors
    try {
      refuse(ctx, trusted);
      const caller = await readCaller(options, ctx, forwarded(ctx));
      await identify(toolset.api, caller);
      const message = await readBody(ctx as unknown as Context, {
        bytes: maxBody,
        ms: bodyTimeout,
        values: defaultOf(bodyLimits.maxValues),
        depth,
      });
      await answer(ctx, toolset, { ...caller, isKnown: true }, message);
    } catch (error) {
      if (!isProblem(error)) throw error;
      if (error.status >= 500) ctx.app.emit('error', error, ctx);
      writeError(ctx, error);
    }
  }
  return mcpRoutes as KoaMiddleware;
}

function refuse(ctx: KoaContext, trusted: ReadonlySet<string>): void {
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

function forwarded(ctx: KoaContext): CallHeaders {
  const authorization = ctx.get('Authorization');
  return authorization === '' ? {} : { authorization };
}

/** A batch would be a way around limits per request, and the protocol has none since 2025-06-18. */
async function answer(ctx: KoaContext, toolset: Toolset, caller: Caller, message: unknown): Promise<void> {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return writeInvalid(ctx, 'The body must be one JSON-RPC message.');
  // The SDK has no other ids, and calls them a parse error.
  if ('id' in message && typeof message.id !== 'string' && !Number.isSafeInteger(message.id))
    return writeInvalid(ctx, `The \`id\` must be a string, or an integer up to ${Number.MAX_SAFE_INTEGER}.`);
  const open = () =>
    openServer(
      toolset,
      async () => caller,
      (error) => ctx.app.emit('error', error, ctx),
    ).mcp;
  const left = new AbortController();
  const gone = new Promise<undefined>((resolve) => {
    const leave = () => {
      left.abort();
      resolve(undefined);
    };
    if (ctx.res.closed)
      leave(); // while the body was read
    else ctx.res.once('close', leave);
  });
  const request = new Request('http://in-process/mcp', { method: 'POST', headers: protocolHeaders(ctx), signal: left.signal });
  const isLegacy = await isLegacyRequest(request, message);
  const response = await Promise.race([isLegacy ? serveLegacy(open(), request, message) : serveModern(open, request, message), gone]);
  if (response) await write(ctx, response);
}

/** Answers a message of a protocol before 2026-07-28. The client that leaves aborts its call. */
async function serveLegacy(mcp: McpServer, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const close = () => void mcp.close();
  request.signal.addEventListener('abort', close, { once: true });
  await mcp.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await mcp.close();
  }
}

/**
 * Answers a message of the protocol of 2026-07-28, which says with each one who the client is. No tool changes while
 * the server runs: there is nothing to subscribe to.
 */
function serveModern(open: () => McpServer, request: Request, message: unknown): Promise<Response> {
  return createMcpHandler(open, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, { parsedBody: message });
}

/** The headers of a request that the protocol reads. */
function protocolHeaders(ctx: KoaContext): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(ctx.headers))
    if (/^(?:accept|content-type|mcp-.*)$/.test(name)) headers.set(name, String(value));
  return headers;
}

async function write(ctx: KoaContext, response: Response): Promise<void> {
  const text = await response.text();
  ctx.status = response.status;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = text; // without one, Koa would send the name of the status
  if (text === '') ctx.remove('Content-Type');
  else ctx.type = 'application/json';
}

/** JSON that is no message. */
function writeInvalid(ctx: KoaContext, detail: string): void {
  writeError(ctx, new Problem({ code: 'malformed_json', detail }), ProtocolErrorCode.InvalidRequest);
}

/** An error of the transport: it belongs to no message, so it has no id. */
function writeError(ctx: KoaContext, problem: Problem, code = -32_000): void {
  const { status, headers } = problem;
  const { title, detail } = problem.toDocument(); // that of a 500 has no detail
  ctx.set({ ...headers, 'Cache-Control': 'no-store' });
  ctx.status = status;
  ctx.body = { jsonrpc: '2.0', error: { code, message: detail ?? title }, id: null };
}
