import { ConfigurationError } from '../errors.ts';
import { chooseMediaType } from '../http/accept.ts';
import { eventStreamType, exportTypes, jsonType } from '../http/media-type.ts';
import { caching } from '../middleware/caching.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { inView } from '../middleware/exchange/in-view.ts';
import { composeChain } from '../middleware/exchange/step.ts';
import { notModified } from '../middleware/not-modified.ts';
import { tryAll } from '../mistakes.ts';
import type { ApiDescription } from '../openapi/api-description.ts';
import { buildDocument, checkDocument } from '../openapi/build-document.ts';
import { docsPath } from '../openapi/docs-page.ts';
import { batchPath } from '../openapi/operations/describe-batch.ts';
import { documentPath } from '../openapi/operations/describe-document.ts';
import type { UnlinkedResource } from '../resource/define/compiled-resource.ts';
import { liveName } from '../resource/define/live-options.ts';
import { exportName } from '../resource/define/whole-list.ts';
import { exportChainOf } from '../resource/export-chains.ts';
import type { ServedResource } from '../resource/serve-resource.ts';
import { compileBatchRoute } from './batch-route.ts';
import type { Route } from './dispatch.ts';
import { compileDocsRoutes } from './docs-routes.ts';
import { healthPath } from './health.ts';
import type { Extras } from './read-options.ts';
import { sendDocument } from './send-document.ts';

/** The routes of an api, by the first segment of their path below its prefix. */
export type RouteTable = ReadonlyMap<string, readonly Route[]>;

/** Refuses two resources with one path, and a resource with a path that the api itself serves. */
export function checkPaths(resources: readonly UnlinkedResource[], { documentGuards, docs, health, batch }: Extras): void {
  const paths = resources.map(({ path }) => path);
  const taken = [
    ...(documentGuards ? [[documentPath, 'its description there, unless `openapi` is false'] as const] : []),
    ...(docs ? [[docsPath, 'its docs page there, unless `docs` is false'] as const] : []),
    ...(health ? [[healthPath, 'its health there, as `health` is true'] as const] : []),
    ...(batch ? [[batchPath, 'batches there, unless `batch` is false'] as const] : []),
  ];
  tryAll([
    ...paths.map((path, index) => () => {
      if (paths.indexOf(path) < index)
        throw new ConfigurationError(`Two resources have the path \`${path}\`: give one of them another \`path\`.`);
    }),
    ...taken.map(([path, what]) => () => {
      if (paths.includes(path)) throw new ConfigurationError(`A resource cannot have the path \`${path}\`: the api serves ${what}.`);
    }),
  ]);
}

/** Compiles the routes of all resources, and the other routes of the api. */
export function compileRouteTable(description: ApiDescription, { docs, isPerCaller }: Extras, probes: readonly Route[]): RouteTable {
  const { resources, beforeDocument: before } = description;
  const ofBatch = description.batch ? [[batchPath, [compileBatchRoute(description.batch)]] as const] : [];
  const [ofResources, ofDocument, ofDocs] = tryAll([
    () => tryAll(resources.map((resource) => () => [resource.path, compileRoutes(resource)] as const)),
    () => (before ? [[documentPath, [compileDocumentRoute(description, isPerCaller, before)]] as const] : []),
    () => (docs && before ? [[docsPath, compileDocsRoutes(description, before)] as const] : []),
  ]);
  const ofHealth = probes.length > 0 ? [[healthPath, probes] as const] : [];
  return new Map<string, readonly Route[]>([...ofResources, ...ofDocument, ...ofDocs, ...ofHealth, ...ofBatch]);
}

function compileRoutes(resource: ServedResource): Route[] {
  return resource.served.map((operation) => ({
    ...operation,
    run: runOf(resource, operation.name),
  }));
}

function runOf(resource: ServedResource, name: string): ResourceMiddleware {
  const whole = resource.export && exportChainOf.get(name);
  const living = resource.keptChainOf(name);
  const others: Form[] = [
    ...(whole ? exportTypes.map((type) => ({ type, name: exportName, run: resource.runOf(whole) })) : []),
    ...(living.length > 0 ? [{ type: eventStreamType, name: liveName, run: composeChain(living) }] : []),
  ];
  return others.length > 0 ? inForm(resource.runOf(name), others) : resource.runOf(name);
}

/** Another form of the answer to an operation than JSON. */
interface Form {
  readonly type: string;
  /** The name of the operation in `ctx.operation`. */
  readonly name: string;
  readonly run: ResourceMiddleware;
}

/** Answers in JSON, or in another form if `Accept` asks for it. */
function inForm(usual: ResourceMiddleware, others: readonly Form[]): ResourceMiddleware {
  const types = others.map(({ type }) => type);
  return function inForm(ctx, next) {
    ctx.vary('Accept');
    const type = chooseMediaType(ctx.req.headers.accept, jsonType, types);
    const form = others.find((one) => one.type === type);
    if (!form) return usual(ctx, next);
    if (ctx.operation) ctx.operation = { ...ctx.operation, name: form.name };
    return form.run(ctx, next);
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
