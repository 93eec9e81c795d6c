import type { Authenticate } from '../middleware/authenticate.ts';
import { once, tryAll } from '../mistakes.ts';
import type { Model } from '../model/define/define-model.ts';
import { Work } from '../mongo/driver/work.ts';
import { compileDescription } from '../openapi/api-description.ts';
import { anObject, checkNames, checkValue } from '../options.ts';
import { compileChains } from '../resource/chains.ts';
import { warnOfScope } from '../resource/check-scope.ts';
import { compileResource } from '../resource/compile-resource.ts';
import { compileModels, linkResources } from '../resource/link-resources.ts';
import type { ResourceDefinition } from '../resource/resource-options.ts';
import { warnOfDoubts } from '../resource/warn-of-doubts.ts';
import type { StoreOf } from '../store/store.ts';
import { Stores } from '../store/stores.ts';
import type { Api } from './api.ts';
import { type ApiOptions, apiOptionNames } from './api-options.ts';
import { type Closing, compileClose } from './close.ts';
import { watchConnections } from './connections.ts';
import { compileDispatch } from './dispatch.ts';
import { compileHealthRoutes, compileProbes } from './health.ts';
import { compileFetch } from './in-process.ts';
import { compileKoaAdapter } from './koa-adapter.ts';
import { checkPlainOptions, compileApp } from './plain-adapter.ts';
import { readDatabase, readExtras, readPrefix, readRequestIds, readResources, readSettings } from './read-options.ts';
import { checkPaths, compileRouteTable } from './route-table.ts';
import { compileBeforeDocument, compileSurroundings } from './surroundings.ts';

type Options = ApiOptions<ResourceDefinition>;

/** Compiles resources into an api. Throws a {@link ConfigurationError} for all mistakes of its definition at once. */
export function createApi(options: Options, identify: Authenticate<unknown> | undefined): Api {
  const closing: Closing = { hasBegun: false };
  const { prefix, description, around, probes, routes, maxTimeMS, stores } = compileParts(options, identify, closing);
  const { resources } = description;
  const { models = [] } = options;
  warnOfDoubts(resources, models);
  resources.forEach(warnOfScope);
  watchConnections();
  const answering = { answerProbe: compileProbes(probes), around, dispatch: compileDispatch(routes, prefix) };
  const app = compileApp(prefix, answering, options);
  return {
    description,
    indexing: { db: readDatabase(options), resources, models, maxTimeMS },
    routes: () => compileKoaAdapter(prefix, answering),
    callback: () => app.callback(),
    fetch: compileFetch(app.callback()),
    close: compileClose(closing),
    store: ((model: Model, given?: object) => stores.open(model, given, { work: () => new Work() })) as StoreOf,
    transaction: (run) => stores.transaction(run, { work: () => new Work() }),
  };
}

/**
 * Compiles the parts of an api. A part that needs another one asks for it, and is not tried if that one has a mistake. All parts that can be
 * tried are tried, so that all mistakes are reported together.
 */
function compileParts(options: Options, identify: Authenticate<unknown> | undefined, closing: Closing) {
  checkValue('The options of an api', options, anObject('an object'));
  const prefix = once(() => readPrefix(options));
  const settings = once(() => readSettings(options));
  const extras = once(() => readExtras(options));
  const stores = once(() => new Stores(readDatabase(options), settings().maxTimeMS));
  const surroundings = once(() => compileSurroundings(options, identify, stores));
  const info = once(() => compileDescription(options));
  const models = once(() => compileModels(options.models));
  const unlinked = once(() => tryAll(readResources(options).map((definition, index) => () => compileResource(definition, index))));
  const linked = once(() => linkResources(unlinked(), models(), settings()));
  const resources = once(() => {
    const { before } = surroundings();
    return tryAll(linked().map((resource) => () => compileChains(resource, before)));
  });
  const description = once(() => ({
    ...info(),
    prefix: prefix(),
    resources: resources(),
    authenticates: identify !== undefined,
    givesIds: readRequestIds(options),
    writesProblems: options.problem !== undefined,
    beforeDocument: compileBeforeDocument(extras().documentGuards, surroundings()),
  }));
  const probes = once(() => (extras().health ? compileHealthRoutes(readDatabase(options), closing, surroundings().answerProblems) : []));
  const routes = once(() => compileRouteTable(description(), extras(), probes()));
  tryAll([
    () => checkNames('option', Object.keys(options), apiOptionNames, 'an api'),
    () => checkPlainOptions(options),
    prefix,
    settings,
    extras,
    surroundings,
    info,
    models,
    unlinked,
    () => checkPaths(unlinked(), extras()),
    linked,
    resources,
    routes,
  ]);
  const { around } = surroundings();
  const { maxTimeMS } = settings();
  return { prefix: prefix(), description: description(), around, probes: probes(), routes: routes(), maxTimeMS, stores: stores() };
}
