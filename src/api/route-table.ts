import { ConfigurationError } from '../errors.ts';
import { chooseMediaType } from '../http/accept.ts';
import { jsonType } from '../http/media-type.ts';
import { hasParameter } from '../http/query-string.ts';
import { caching } from '../middleware/caching.ts';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { inView } from '../middleware/exchange/in-view.ts';
import { composeChain } from '../middleware/exchange/step.ts';
import { notModified } from '../middleware/not-modified.ts';
import { tryAll } from '../mistakes.ts';
import type { ApiDescription } from '../openapi/api-description.ts';
import { buildDocument, checkDocument } from '../openapi/build-document.ts';
import { docsPath } from '../openapi/docs-page.ts';
import { documentPath } from '../openapi/operations/describe-document.ts';
import type { UnlinkedResource } from '../resource/define/compiled-resource.ts';
import type { ServedResource, ServedRow } from '../resource/serve-resource.ts';
import { endpointsOf, type RowsOfEndpoint, usualOf } from '../resource/table/row.ts';
import { compileDocsRoutes } from './docs-routes.ts';
import { healthPath } from './health.ts';
import type { OwnOperations } from './plugin.ts';
import type { Extras } from './read-options.ts';
import type { Route } from './route.ts';
import { sendDocument } from './send-document.ts';

/** The routes of an api, by the first segment of their path below its prefix. */
export type RouteTable = ReadonlyMap<string, readonly Route[]>;

/** Refuses two resources with one path, and a resource with a path that the api itself serves. */
export function checkPaths(resources: readonly UnlinkedResource[], { documentGuards, docs, health }: Extras): void {
  const paths = resources.map(({ path }) => path);
  const taken = [
    ...(documentGuards ? [[documentPath, 'its description there, unless `openapi` is false'] as const] : []),
    ...(docs ? [[docsPath, 'its docs page there, unless `docs` is false'] as const] : []),
    ...(health ? [[healthPath, 'its health there, as `health` is true'] as const] : []),
  ];
  tryAll([
    ...paths.map((path, index) => () => {
      if (paths.indexOf(path) < index)
        throw new ConfigurationError(`Two resources have the path \`${path}\`: give one of them another \`path\`.`);
    }),
    ...taken.map(
      ([path, what]) =>
        () =>
          refusePath(resources, path, what),
    ),
  ]);
}

/** Refuses resources with a path that the api serves itself. */
export function checkPathsBeside(resources: readonly UnlinkedResource[], beside: readonly OwnOperations[]): void {
  tryAll(
    beside.map(
      ({ path, what }) =>
        () =>
          refusePath(resources, path, what),
    ),
  );
}

function refusePath(resources: readonly UnlinkedResource[], taken: string, what: string): void {
  if (resources.some(({ path }) => path === taken))
    throw new ConfigurationError(`A resource cannot have the path \`${taken}\`: the api serves ${what}.`);
}

/** Compiles the routes of all resources, and the other routes of the api. */
export function compileRouteTable(
  description: ApiDescription,
  { docs, isPerCaller }: Extras,
  probes: readonly Route[],
  beside: readonly OwnOperations[],
): RouteTable {
  const { resources, beforeDocument: before } = description;
  const others = beside.map(({ path, routes }) => [path, routes()] as const);
  const [ofResources, ofDocument, ofDocs] = tryAll([
    () => tryAll(resources.map((resource) => () => [resource.path, compileRoutes(resource)] as const)),
    () => (before ? [[documentPath, [compileDocumentRoute(description, isPerCaller, before)]] as const] : []),
    () => (docs && before ? [[docsPath, compileDocsRoutes(description, before)] as const] : []),
  ]);
  const ofHealth = probes.length > 0 ? [[healthPath, probes] as const] : [];
  return new Map<string, readonly Route[]>([...ofResources, ...ofDocument, ...ofDocs, ...ofHealth, ...others]);
}

/** One route for each endpoint of a resource. */
function compileRoutes({ rows }: ServedResource): Route[] {
  return endpointsOf(rows).map((endpoint) => {
    const { method, path, name, operation, mayBeRecord, isKnownToAll, readsJson, maxTimeMS, isMember, ownRun, replayRun } =
      usualOf(endpoint);
    const inBatch = isMember ? { runInBatch: ownRun, readmit: replayRun } : {};
    return { method, path, name, operation, mayBeRecord, isKnownToAll, readsJson, maxTimeMS, run: dispatchRows(endpoint), ...inBatch };
  });
}

/** Answers by the first row of an endpoint whose `when` holds: `Accept` is looked at before the parameters. */
function dispatchRows(endpoint: RowsOfEndpoint<ServedRow>): ResourceMiddleware {
  const usual = usualOf(endpoint);
  const byType = endpoint.rows.flatMap((row) => (row.when && 'accept' in row.when ? row.when.accept.map((type) => ({ type, row })) : []));
  const byParameter = endpoint.rows.flatMap((row) => (row.when && 'parameter' in row.when ? [{ name: row.when.parameter, row }] : []));
  if (byType.length === 0 && byParameter.length === 0) return usual.run;
  const types = byType.map(({ type }) => type);
  function rowFor({ req, querystring }: Context): ServedRow {
    const type = types.length > 0 ? chooseMediaType(req.headers.accept, jsonType, types) : jsonType;
    const found = byType.find((one) => one.type === type) ?? byParameter.find(({ name }) => hasParameter(querystring, name));
    return found?.row ?? usual;
  }
  return function dispatchRows(ctx, next) {
    if (types.length > 0) ctx.vary('Accept');
    const { operation: name, run } = rowFor(ctx);
    if (ctx.operation && ctx.operation.name !== name) ctx.operation = { ...ctx.operation, name };
    return run(ctx, next);
  };
}

function compileDocumentRoute(description: ApiDescription, isPerCaller: boolean, before: readonly ResourceMiddleware[]): Route {
  checkDocument(description);
  const path = `${description.prefix}/${documentPath}`;
  const send = (described: ApiDescription, cacheControl?: string) => [
    notModified(),
    sendDocument(() => buildDocument(described), path, cacheControl),
  ];
  const perCaller = () =>
    inView({
      rulesFor: () => description.rules,
      chainFor: (held) => [caching(), ...send(description.seenBy(held), 'private, no-cache')],
      widest: [],
    });
  return {
    method: 'GET',
    path: '/',
    name: 'openapi',
    run: composeChain([...before, ...(isPerCaller ? [perCaller()] : send(description))]),
  };
}
