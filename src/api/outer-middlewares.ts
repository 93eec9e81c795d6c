import { ConfigurationError } from '../errors.ts';
import { answerTimeout } from '../middleware/answer-timeout.ts';
import { type Authenticate, anonymous, authenticate } from '../middleware/authenticate.ts';
import { crossOrigin } from '../middleware/cross-origin.ts';
import type { Context, FindResources, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { exchangeOf, setHeader } from '../middleware/exchange/exchange.ts';
import type { KoaNext } from '../middleware/exchange/koa-context.ts';
import { composeChain, step } from '../middleware/exchange/step.ts';
import { guards } from '../middleware/guards.ts';
import { inFlightLimit, type NameClient } from '../middleware/in-flight-limit.ts';
import { observe } from '../middleware/observe.ts';
import { problems } from '../middleware/problems.ts';
import { type RequestStores, requestStores } from '../middleware/relations/request-stores.ts';
import { requestId } from '../middleware/request-id.ts';
import { requestTimeout } from '../middleware/request-timeout.ts';
import { AskedRules, type CallerRules } from '../middleware/views/asked-rules.ts';
import { tryAll } from '../mistakes.ts';
import { isObject } from '../model/value/plain-object.ts';
import { type Detail, readDetail } from '../mongo/driver/trace/detail.ts';
import { currentTrace, RequestTrace } from '../mongo/driver/trace/request-trace.ts';
import { aTimeLimit, byDefault, fillIn } from '../options.ts';
import type { ResourceDefinition } from '../resource/define/resource-options.ts';
import type { Stores } from '../store/stores.ts';
import type { ApiOptions } from './api-options.ts';
import { type Extras, readConcurrency, readRequestIds } from './read-options.ts';

type Options = ApiOptions<ResourceDefinition>;

/** The middlewares of an api around all of its operations. */
export interface OuterMiddlewares {
  /** Runs for every request below the prefix, even if no operation has its path. */
  readonly around: ResourceMiddleware;
  /** Answers errors. It is a part of `around`, and alone before the health routes. */
  readonly answerProblems: ResourceMiddleware;
  /** Runs before every operation. */
  readonly before: readonly ResourceMiddleware[];
  /** The part of `before` that finds out who the caller is: a stream asks it again. */
  readonly identifying: readonly ResourceMiddleware[];
  /** The part of `before` that also counts for routes that are open to everybody. */
  readonly limit: readonly ResourceMiddleware[];
}

/** How long a request and its answer may take, in milliseconds. */
export const exchangeTimes = { requestTimeout: byDefault(60_000, aTimeLimit), answerTimeout: byDefault(120_000, aTimeLimit) };

/** Creates the middlewares of an api around all of its operations. */
export function compileOuterMiddlewares(
  options: Options,
  identify: Authenticate<unknown> | undefined,
  rules: CallerRules | undefined,
  stores: () => Stores,
  findResources: FindResources,
): OuterMiddlewares {
  const { problem } = options;
  const times = fillIn(options, exchangeTimes);
  const [observers, ids, answering, answerProblems, [limit, limitOfEach], timeout, origins, identifying] = tryAll([
    () => (options.observe === undefined ? [] : [observe(options.observe)]),
    () => (readRequestIds(options) ? [requestId()] : []),
    () => answerTimeout(times.answerTimeout),
    () => problems(problem === undefined ? {} : { problem }),
    () => compileLimits(options),
    () => requestTimeout(times.requestTimeout),
    () => compileCrossOrigin(options),
    () => (identify === undefined ? anonymous : authenticate(identify)),
  ]);
  const again = [identifying, ...knowRules(rules)];
  return {
    around: composeChain([...traceRequests(), ...observers, ...ids, answering, noSniffing, answerProblems]),
    answerProblems,
    before: [...limit, timeout, ...origins, setStores(requestStores(stores, findResources), stores), ...again, ...limitOfEach],
    identifying: again,
    limit,
  };
}

/** Lets the rules be asked about the caller. An api without rules has no such step. */
function knowRules(rules: CallerRules | undefined): readonly ResourceMiddleware[] {
  if (!rules) return [];
  return [
    step({}, function knowRules(ctx) {
      ctx.rules = new AskedRules(rules, ctx.principal);
    }),
  ];
}

/** The limit of all clients together, and that of each. */
function compileLimits(options: Options): readonly [readonly ResourceMiddleware[], readonly ResourceMiddleware[]] {
  const { total, each, by } = readConcurrency(options);
  return [total === undefined ? [] : [inFlightLimit(total)], each === undefined ? [] : [inFlightLimit(each, { by: by as NameClient })]];
}

/**
 * The middlewares before the OpenAPI description and the docs page: only the limit if the description is open to
 * everybody and the same for all, undefined if it is not served.
 */
export function compileBeforeDocument(
  { documentGuards, isPerCaller }: Pick<Extras, 'documentGuards' | 'isPerCaller'>,
  { before, limit }: OuterMiddlewares,
): readonly ResourceMiddleware[] | undefined {
  if (documentGuards === undefined) return undefined;
  if (documentGuards.length > 0) return [...before, guards(...documentGuards)];
  return isPerCaller ? before : limit;
}

function compileCrossOrigin({ crossOrigin: option = false }: Options): readonly ResourceMiddleware[] {
  if (option === false) return [];
  if (option !== true && !isObject(option)) throw new ConfigurationError('`crossOrigin` must be true, false or `{ trustedOrigins: […] }`.');
  return [crossOrigin(option === true ? {} : option)];
}

function setStores({ store, transaction, findResources }: RequestStores, storesOfApi: () => Stores): ResourceMiddleware {
  return step({}, function stores(ctx) {
    ctx.store = store;
    ctx.transaction = transaction;
    ctx.findResources = findResources;
    ctx.storesOfApi = storesOfApi;
  });
}

/** Browsers must not guess the type of an answer: a client may have written text that looks like a script. */
const noSniffing = step({}, function noSniffing(ctx) {
  setHeader(ctx, 'X-Content-Type-Options', 'nosniff');
});

/**
 * The middleware that writes each request and its commands to standard error; none unless `DEBUG` names the library.
 */
function traceRequests(): readonly ResourceMiddleware[] {
  const detail = readDetail(process.env.DEBUG);
  if (detail === undefined) return [];
  async function traceRequest(ctx: Context, next: KoaNext): Promise<void> {
    const begun = performance.now();
    const exchange = exchangeOf(ctx);
    const wasOver = exchange.isOver; // the client has gone while a middleware above was busy
    const trace = new RequestTrace(`${ctx.method} ${showUrl(ctx, detail as Detail)}`);
    const end = () => {
      const { work, isBroken } = exchange;
      const outcome = isBroken ? 'the client has gone' : `${ctx.status}`;
      const id = ctx.requestId === undefined ? '' : ` (${ctx.requestId})`;
      trace.end(`${outcome}, ${(performance.now() - begun).toFixed(1)} ms${id}`, work.commandCount);
    };
    if (!wasOver) exchange.whenOver(end);
    try {
      await currentTrace.run(trace, next);
    } finally {
      if (wasOver) end();
    }
  }
  return [traceRequest];
}

/** The values of a query string are those of records. */
function showUrl({ originalUrl }: Context, detail: Detail): string {
  return detail === 'values' ? originalUrl : originalUrl.replace(/=[^&]*/g, '=…');
}
