import type Koa from 'koa';
import compose from 'koa-compose';
import { ConfigurationError } from '../errors.ts';
import { answerTimeout } from '../middleware/answer-timeout.ts';
import { type Authenticate, anonymous, authenticate } from '../middleware/authenticate.ts';
import { checkBodyLimit, defaultBodyTimeout } from '../middleware/body-limit.ts';
import { type CrossOriginOptions, crossOrigin } from '../middleware/cross-origin.ts';
import { guards } from '../middleware/guards.ts';
import { inFlightLimit } from '../middleware/in-flight-limit.ts';
import { checkFilterLimits } from '../middleware/list-query.ts';
import { notModified } from '../middleware/not-modified.ts';
import { observe } from '../middleware/observe.ts';
import type { Context, ResourceMiddleware } from '../middleware/parts/context.ts';
import { problems } from '../middleware/problems.ts';
import { requestId } from '../middleware/request-id.ts';
import { requestTimeout } from '../middleware/request-timeout.ts';
import { isObject } from '../model/value/plain-object.ts';
import { asDb } from '../mongo/driver/database.ts';
import { checkTimeLimit } from '../mongo/driver/time-limit.ts';
import { isDevelopment } from '../mongo/indexes/watch-scans.ts';
import { checkPageBytes, defaultPageBytes } from '../mongo/list/page-bytes.ts';
import { type ApiDescription, compileDescription } from '../openapi/api-description.ts';
import { buildDocument } from '../openapi/build-document.ts';
import { documentPath } from '../openapi/describe-document.ts';
import { docsPath } from '../openapi/docs-page.ts';
import { anObject, checkNames, checkValue } from '../options.ts';
import { compileChains, type ServedResource } from '../resource/chains.ts';
import { warnOfScope } from '../resource/check-scope.ts';
import { compileResource } from '../resource/compile-resource.ts';
import type { ApiSettings } from '../resource/compiled-resource.ts';
import { linkResources } from '../resource/link-resources.ts';
import type { ResourceDefinition } from '../resource/resource-options.ts';
import { standardPlaces } from '../resource/standard-places.ts';
import { warnOfDoubts } from '../resource/warn-of-doubts.ts';
import type { Api } from './api.ts';
import { type ApiOptions, apiOptionNames } from './api-options.ts';
import { type Closing, compileClose } from './close.ts';
import { watchConnections } from './connections.ts';
import { compileDispatch, type Route } from './dispatch.ts';
import { compileDocsRoutes } from './docs-routes.ts';
import { compileHealthRoutes, compileProbes, healthPath } from './health.ts';
import { compileFetch } from './in-process.ts';
import { compileKoaAdapter } from './koa-adapter.ts';
import { readDocumentGuards } from './openapi-options.ts';
import { compileApp } from './plain-adapter.ts';
import { sendDocument } from './send-document.ts';

/** Compiles resources into an api. Every mistake in a definition is thrown here as a {@link ConfigurationError}. */
export function createApi(options: ApiOptions<ResourceDefinition>, identify: Authenticate<unknown> | undefined): Api {
  checkValue('The options of an api', options, anObject('an object'));
  checkNames('option', Object.keys(options), apiOptionNames, 'an api');
  const {
    db,
    resources,
    prefix = '',
    maxBody = 1_048_576,
    maxConcurrency,
    maxTimeMS = 10_000,
    bodyTimeout = defaultBodyTimeout,
    requestTimeout: mostMS = 60_000,
    maxPageBytes = defaultPageBytes,
    crossOrigin: ofOthers = false,
    warnOnScan = isDevelopment(),
    openapi = true,
    docs = false,
    health = false,
  } = options;
  if (!Array.isArray(resources) || resources.some((resource: unknown) => !isObject(resource))) {
    throw new ConfigurationError('`resources` of an api must be a list of what `resource()` of its service returns.');
  }
  checkPrefix(prefix);
  checkBodyLimit(maxBody);
  checkTimeLimit(maxTimeMS);
  checkTimeLimit(bodyTimeout, 'bodyTimeout');
  checkPageBytes(maxPageBytes);
  const documentGuards = readDocumentGuards(openapi);
  if (typeof docs !== 'boolean') throw new ConfigurationError('`docs` must be true or false.');
  if (docs && !documentGuards) throw new ConfigurationError('`docs` shows the description: it needs `openapi`.');
  if (typeof health !== 'boolean') throw new ConfigurationError('`health` must be true or false.');
  if (typeof warnOnScan !== 'boolean') throw new ConfigurationError('`warnOnScan` must be true or false.');
  const settings: ApiSettings = {
    db,
    maxBody,
    bodyTimeout,
    maxTimeMS,
    maxPageBytes,
    warnOnScan,
    filterLimits: checkFilterLimits(options),
  };
  const limit = maxConcurrency === undefined ? [] : [inFlightLimit(maxConcurrency)];
  const who = identify === undefined ? anonymous : authenticate(identify);
  const before = [...limit, requestTimeout(mostMS), ...compileCrossOrigin(ofOthers), who];
  const compiled = linkResources(
    resources.map((definition) => ({ definition, resource: compileResource(definition, settings) })),
    options.models,
  ).map((resource) => compileChains(resource, before));
  warnOfDoubts(compiled, options.models);
  const routes = new Map<string, readonly Route[]>();
  for (const resource of compiled) {
    warnOfScope(resource);
    if (routes.has(resource.path))
      throw new ConfigurationError(`Two resources have the path \`${resource.path}\`: give one of them another \`path\`.`);
    routes.set(resource.path, compileRoutes(resource));
  }
  const beforeDocument = documentGuards && (documentGuards.length === 0 ? limit : [...before, guards(...documentGuards)]);
  const description: ApiDescription = {
    ...compileDescription(options),
    prefix,
    resources: compiled,
    authenticates: identify !== undefined,
    givesIds: givesIds(options),
    writesProblems: options.problem !== undefined,
    beforeDocument,
  };
  if (beforeDocument) {
    setOwn(routes, documentPath, [compileDocumentRoute(description, beforeDocument)], 'its description there, unless `openapi` is false');
    if (docs) setOwn(routes, docsPath, compileDocsRoutes(description, beforeDocument), 'its docs page there, unless `docs` is false');
  }
  const answerProblems = problems(options.problem === undefined ? {} : { problem: options.problem });
  const closing: Closing = { hasBegun: false };
  const probes = health ? compileHealthRoutes(asDb(db), closing, answerProblems) : [];
  if (health) setOwn(routes, healthPath, probes, 'its health there, as `health` is true');
  const answerProbe = compileProbes(probes);
  const dispatch = compileDispatch(routes, prefix);
  const around = compileAround(options, answerProblems);
  watchConnections();
  const app = compileApp(prefix, { answerProbe, around, dispatch }, options);
  return {
    description,
    indexing: { db: asDb(db), resources: compiled, models: options.models ?? [], maxTimeMS },
    routes: () => compileKoaAdapter(prefix, { answerProbe, around, dispatch }),
    callback: () => app.callback(),
    fetch: compileFetch(app.callback()),
    close: compileClose(closing),
  };
}

function compileCrossOrigin(option: boolean | CrossOriginOptions): readonly ResourceMiddleware[] {
  if (option === false) return [];
  if (option !== true && !isObject(option)) throw new ConfigurationError('`crossOrigin` must be true, false or `{ trustedOrigins: […] }`.');
  return [crossOrigin(option === true ? {} : option)];
}

/** What stands around every request, those that address nothing included. */
function compileAround(
  options: Pick<ApiOptions<never>, 'observe' | 'requestIds' | 'answerTimeout'>,
  answerProblems: ResourceMiddleware,
): ResourceMiddleware {
  const observers = options.observe === undefined ? [] : [observe(options.observe)];
  return compose([
    ...observers,
    ...(givesIds(options) ? [requestId()] : []),
    answerTimeout(options.answerTimeout ?? 120_000),
    noSniffing,
    answerProblems,
  ]) as ResourceMiddleware;
}

/** What an answer says its type is, it is: no browser is to run a text that a client wrote. */
async function noSniffing(ctx: Context, next: Koa.Next): Promise<void> {
  ctx.set('X-Content-Type-Options', 'nosniff');
  await next();
}

function givesIds({ observe: tell, requestIds = tell !== undefined }: Pick<ApiOptions<never>, 'observe' | 'requestIds'>): boolean {
  if (typeof requestIds !== 'boolean') throw new ConfigurationError('`requestIds` must be true or false.');
  return requestIds;
}

function compileRoutes(resource: ServedResource): Route[] {
  const run = (operation: string) => compose([...resource.chainOf(operation)]) as ResourceMiddleware;
  const standard = resource.ops.map((operation) => ({
    ...standardPlaces[operation],
    name: operation,
    readsJson: operation === 'create' || operation === 'patch' || operation === 'put',
    run: run(operation),
  }));
  const custom = resource.operations.map((operation) => ({
    method: operation.method,
    path: operation.path,
    name: operation.name,
    readsJson: operation.body !== undefined,
    run: run(operation.name),
  }));
  return [...standard, ...custom];
}

/** Adds what the api serves beside its resources. */
function setOwn(routes: Map<string, readonly Route[]>, path: string, own: readonly Route[], what: string): void {
  if (routes.has(path)) throw new ConfigurationError(`A resource cannot have the path \`${path}\`: the api serves ${what}.`);
  routes.set(path, own);
}

function compileDocumentRoute(description: ApiDescription, before: readonly ResourceMiddleware[]): Route {
  const send = sendDocument(buildDocument(description), `${description.prefix}/${documentPath}`);
  return { method: 'GET', path: '/', name: 'openapi', run: compose([...before, notModified(), send]) as ResourceMiddleware };
}

function checkPrefix(prefix: string): void {
  if (prefix !== '' && !/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(prefix)) {
    throw new ConfigurationError(
      `\`prefix\` must begin with a slash and end without one, such as \`/api\`, and have no segment \`.\` or \`..\`; it is \`${prefix}\`.`,
    );
  }
}
