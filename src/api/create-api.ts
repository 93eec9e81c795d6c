import type Router from '@koa/router';
import { ConfigurationError } from '../errors.ts';
import type { MethodsOfApis } from '../features/api-types.ts';
import { listNames } from '../hints.ts';
import type { Authenticate } from '../middleware/authenticate.ts';
import { haveHooks } from '../middleware/hooks/cascade-hooks.ts';
import { compileFindResources } from '../middleware/relations/store-reach.ts';
import type { CallerRules } from '../middleware/views/asked-rules.ts';
import { once, tryAll } from '../mistakes.ts';
import type { Model } from '../model/define/define-model.ts';
import { reachabilityOf } from '../mongo/driver/reachability.ts';
import { Work } from '../mongo/driver/work.ts';
import { type ApiDescription, compileDescription } from '../openapi/api-description.ts';
import { documentPath } from '../openapi/operations/describe-document.ts';
import { anObject, checkNames, checkValue } from '../options.ts';
import { checkRules } from '../resource/check-rules.ts';
import { warnOfScope } from '../resource/check-scope.ts';
import { compileResource } from '../resource/compile-resource.ts';
import type { TableOptions } from '../resource/define/function-tables.ts';
import type { ResourceDefinition } from '../resource/define/resource-options.ts';
import { compileModels, linkResources } from '../resource/relations/link-resources.ts';
import { relevantRules, type ServedResource, serveResource } from '../resource/serve-resource.ts';
import { warnOfDoubts } from '../resource/warn-of-doubts.ts';
import type { StoreOf } from '../store/store.ts';
import { Stores } from '../store/stores.ts';
import type { Api } from './api.ts';
import type { ApiOptions } from './api-options.ts';
import { type Closing, compileClose } from './close.ts';
import { markApi } from './copies.ts';
import { compileDispatch, type Dispatch } from './dispatch.ts';
import { compileHealthRoutes, compileProbes } from './health.ts';
import { compileIdentify } from './identify.ts';
import { InFlight, watchConnections } from './in-flight.ts';
import { compileFetch } from './in-process.ts';
import { compileKoaAdapter, compileRouter } from './koa-adapter.ts';
import { openPlugins } from './open-plugins.ts';
import { compileBeforeDocument, compileOuterMiddlewares } from './outer-middlewares.ts';
import { checkPlainOptions, compileApp } from './plain-adapter.ts';
import type { ApiParts } from './plugin.ts';
import {
  optionNames,
  readConcurrency,
  readDatabase,
  readExtras,
  readPrefix,
  readRemovals,
  readRequestIds,
  readResources,
  readSettings,
} from './read-options.ts';
import { checkPaths, checkPathsBeside, compileRouteTable } from './route-table.ts';
import { warnOfStandalone } from './warn-of-standalone.ts';

type Options = ApiOptions<ResourceDefinition>;

/** The functions that a resource has from the service by which it was made. */
type CommonOf = (definition: ResourceDefinition) => TableOptions;

/** Compiles resources into an api. Throws a {@link ConfigurationError} for all mistakes of its definition at once. */
export function createApi(
  options: Options,
  identify: Authenticate<unknown> | undefined,
  rules?: CallerRules,
  commonOf: CommonOf = () => ({}),
): Api {
  const inFlight = new InFlight();
  const closing: Closing = {
    hasBegun: false,
    inFlight,
    endPlugins: (timeout) => Promise.all(parts.plugins.map(({ close }) => close?.(timeout))),
    endStreams() {
      for (const { endStreams } of parts.plugins) endStreams?.();
      inFlight.streams.close();
    },
  };
  const parts = compileParts(options, identify, rules, commonOf, closing);
  const { prefix, description, probes, dispatch, maxTimeMS, stores, ofPlugins, ownModels, latches } = parts;
  const { around } = parts.outer;
  const { resources } = description;
  const models = [...(options.models ?? [])];
  warnOfDoubts(resources, models);
  resources.forEach(warnOfScope);
  reachabilityOf(readDatabase(options).client); // it learns of servers from now on, whatever asks for one first
  warnOfStandalone(
    readDatabase(options),
    resources,
    parts.plugins.flatMap(({ carriesOut, options }) => (carriesOut ? options : [])),
  );
  watchConnections();
  const answering = {
    probes: compileProbes(probes),
    around: inFlight.count(around),
    dispatch,
  };
  const pathOf = compilePathOf(readResources(options), resources);
  const app = compileApp(prefix, answering, options);
  const indexing = { db: readDatabase(options), resources, models: [...models, ...ofPlugins, ...ownModels], ofPlugins, latches, maxTimeMS };
  return markApi({
    description,
    indexing,
    ...(Object.assign({}, ...parts.plugins.map(({ methods }) => methods)) as MethodsOfApis<unknown>),
    routes(resource) {
      const root = resource === undefined ? prefix : `${prefix}/${pathOf(resource, 'routes')}`;
      return compileKoaAdapter(prefix, answering, root);
    },
    router(resource) {
      const path = pathOf(resource, 'router');
      return compileRouter(prefix, answering, `${prefix}/${path}`, dispatch.routerOf(path) as Router);
    },
    operationAt: (method, path) => dispatch.find(method, path.slice(prefix.length))?.name,
    callback: () => app.callback(),
    fetch: compileFetch(app.callback()),
    identify: (identify ?? rules) && compileIdentify(prefix, parts.outer, options, description.rules),
    close: compileClose(closing, readDatabase(options).client),
    store: ((model: Model, given?: object) => stores.open(model, given, { work: () => new Work() })) as StoreOf,
    planDelete: (model, id) => stores.planDelete(model, id, { work: () => new Work() }, (holder) => haveHooks(holder, 'changed')),
    async forgetActor(actor, as) {
      const { forgetActor } = await import('../mongo/ledger/forget-actor.ts');
      return forgetActor(readDatabase(options), (await parts.keeps()).all, actor, as ?? null);
    },
    keeps: parts.keeps,
    queues: async () => (await import('../queues/watched-queues.ts')).openQueues(indexing.db, parts.allModels(), parts.removals),
    transaction: (run) => stores.transaction(run, { work: () => new Work() }),
  });
}

/**
 * Compiles the parts of an api. A part that needs another one asks for it, and is not tried if that one has a mistake.
 * All parts that can be tried are tried, so that all mistakes are reported together.
 */
function compileParts(
  options: Options,
  identify: Authenticate<unknown> | undefined,
  rules: CallerRules | undefined,
  commonOf: CommonOf,
  closing: Closing,
) {
  checkValue('The options of an api', options, anObject('an object'));
  const prefix = once(() => readPrefix(options));
  const settings = once(() => readSettings(options));
  const extras = once(() => readExtras(options));
  const stores = once(() => {
    const rest = {
      references: () => linked().references,
      keeps,
      removals: () =>
        removals() && once(async () => (await import('../mongo/removals/begin.ts')).openRemovals({ ...removing(), keeps: await keeps() })),
    };
    return new Stores(readDatabase(options), settings().maxTimeMS, rest);
  });
  const keeps = once(async () =>
    (await import('../mongo/keeps/keeps.ts')).openKeeps({
      db: readDatabase(options),
      maxTimeMS: settings().maxTimeMS,
      models: allModels(),
      ofPlugins: plugins().flatMap(({ keeps }) => keeps?.() ?? []),
      removals: removals()?.model,
      references: linked().references,
    }),
  );
  const allModels = () => [...unlinked().map(({ model }) => model), ...models()];
  const removals = once(() => readRemovals(options));
  const removing = () => ({
    db: readDatabase(options),
    maxTimeMS: settings().maxTimeMS,
    model: removals()?.model as Model,
    references: linked().references,
  });
  const findResources = once(() => compileFindResources(unlinked()));
  const outer = once(() => compileOuterMiddlewares(options, identify, rules, stores, (model) => findResources()(model)));
  const info = once(() => compileDescription(options));
  const models = once(() => compileModels(options.models));
  const unlinked = once(() =>
    tryAll(readResources(options).map((definition, index) => () => compileResource(definition, index, commonOf(definition)))),
  );
  const parts: ApiParts = {
    options,
    concurrency: () => readConcurrency(options),
    settings: () => carrying(),
    resources: () => resources(),
    before: () => outer().before,
    dispatch: () => dispatch(),
    db: () => readDatabase(options),
    maxTimeMS: () => settings().maxTimeMS,
    models: allModels,
    removalQueue: async () =>
      removals() && (await import('../queues/removal-queue.ts')).compileRemovalQueue({ ...removing(), keeps: await keeps() }),
    isClosing: () => closing.hasBegun,
  };
  const plugins = once(() => openPlugins(parts));
  const beside = () => plugins().flatMap(({ serves }) => serves ?? []);
  const carrying = once(() => ({
    ...settings(),
    prefix: prefix(),
    isCarried: plugins().some(({ carriesOut }) => carriesOut),
    again: plugins().flatMap(({ again }) => again?.() ?? [])[0],
    shared: new Map(plugins().flatMap(({ shared }) => (shared ? [shared] : []))),
  }));
  const linked = once(() => linkResources(unlinked(), models(), carrying()));
  const resources = once(() => {
    return tryAll(linked().resources.map((resource) => () => serveResource(resource, outer(), linked().inView)));
  });
  const description = once(
    (): ApiDescription => ({
      ...info(),
      prefix: prefix(),
      resources: resources(),
      authenticates: identify !== undefined,
      givesIds: readRequestIds(options),
      writesProblems: options.problem !== undefined,
      parametersOf: (chain, components) => plugins().flatMap(({ parametersOf }) => parametersOf?.(chain, components) ?? []),
      beside: beside(),
      beforeDocument: compileBeforeDocument(extras(), outer()),
      guardedDocument: extras().documentGuards?.length ? `${prefix()}/${documentPath}` : undefined,
      rules: [...new Set(linked().resources.flatMap((one) => relevantRules(one)))],
      seenBy: (held) => {
        const seen = linked().resources.map((one) => serveResource(linked().inView(one, held), outer(), linked().inView));
        return { ...description(), resources: seen };
      },
    }),
  );
  const probes = once(() => (extras().health ? compileHealthRoutes(readDatabase(options), closing, outer().answerProblems) : []));
  const routes = once(() => compileRouteTable(description(), extras(), probes(), beside()));
  const dispatch = once((): Dispatch => compileDispatch(routes(), prefix()));
  tryAll([
    () => checkNames('option', Object.keys(options), optionNames, 'an api'),
    () => checkPlainOptions(options),
    prefix,
    settings,
    extras,
    plugins,
    outer,
    removals,
    info,
    models,
    unlinked,
    () => checkPaths(unlinked(), extras()),
    () => checkPathsBeside(unlinked(), beside()),
    () => checkRules(unlinked(), models(), Object.keys(rules ?? {})),
    linked,
    resources,
    routes,
  ]);
  return {
    prefix: prefix(),
    description: description(),
    outer: outer(),
    probes: probes(),
    dispatch: dispatch(),
    maxTimeMS: settings().maxTimeMS,
    stores: stores(),
    keeps,
    ofPlugins: plugins().flatMap(({ models }) => models?.() ?? []),
    ownModels: Object.values(removals() ?? {}),
    removals: removals()?.model,
    allModels,
    plugins: plugins(),
    latches: linked().references?.latchModel,
  };
}

/** Finds the path of a resource by its definition. Throws a {@link ConfigurationError} for one of another api. */
function compilePathOf(definitions: readonly unknown[], resources: readonly ServedResource[]) {
  const paths = new Map(definitions.map((definition, index) => [definition, (resources[index] as ServedResource).path]));
  return function pathOf(definition: unknown, name: string): string {
    const path = paths.get(definition);
    if (path !== undefined) return path;
    const known = [...paths.values()].map((one) => `\`${one}\``);
    throw new ConfigurationError(
      `\`${name}\` takes what \`resource()\` has returned, of a resource of the api. This one has ${listNames(known)}.`,
    );
  };
}
