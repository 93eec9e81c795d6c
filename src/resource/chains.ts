import { affected } from '../middleware/affected.ts';
import { afterHooks } from '../middleware/after-hooks.ts';
import { answer } from '../middleware/answer.ts';
import { beforeHooks } from '../middleware/before-hooks.ts';
import { bodyLimit } from '../middleware/body-limit.ts';
import { caching } from '../middleware/caching.ts';
import { checkCreate, type ServerFields } from '../middleware/check-create.ts';
import { checkPatch } from '../middleware/check-patch.ts';
import { checkPut } from '../middleware/check-put.ts';
import { deleted } from '../middleware/deleted.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { described } from '../middleware/exchange/descriptor.ts';
import { ofTransaction } from '../middleware/exchange/problem-codes.ts';
import { fields } from '../middleware/fields.ts';
import { filterQuery } from '../middleware/filter-query.ts';
import { findIncluded } from '../middleware/find-included.ts';
import { findPage } from '../middleware/find-page.ts';
import { findRecord } from '../middleware/find-record.ts';
import { guards } from '../middleware/guards.ts';
import { handler } from '../middleware/handler.ts';
import { carried } from '../middleware/hooks/carried.ts';
import { afterCascade, hasCascadeHooks } from '../middleware/hooks/cascade-hooks.ts';
import { handlerWithin } from '../middleware/hooks/handler-within.ts';
import { ifMatch } from '../middleware/if-match.ts';
import { include } from '../middleware/include.ts';
import { insert } from '../middleware/insert.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { noContent } from '../middleware/no-content.ts';
import { notModified } from '../middleware/not-modified.ts';
import { page } from '../middleware/page.ts';
import { queryBody } from '../middleware/query-body.ts';
import { record, recordPath } from '../middleware/record.ts';
import { records } from '../middleware/records.ts';
import { remove } from '../middleware/remove.ts';
import { removeMany } from '../middleware/remove-many.ts';
import { restore } from '../middleware/restore.ts';
import { scope } from '../middleware/scope.ts';
import { typedQuery } from '../middleware/typed-query.ts';
import { update } from '../middleware/update.ts';
import { updateMany } from '../middleware/update-many.ts';
import { withinTransaction } from '../middleware/within-transaction.ts';
import { aggregateChains } from './aggregate-chains.ts';
import { counterChains } from './counter-chains.ts';
import type { CompiledOperation } from './define/compile-operations.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import { listQueryName } from './define/endpoints.ts';
import type { Operation } from './define/resource-options.ts';
import { exportChains } from './export-chains.ts';
import { earlier, historyChains } from './history-chains.ts';
import { idempotent, keyed, readmission } from './idempotent.ts';
import { type LiveParts, liveChains } from './live-chains.ts';
import { queryOf } from './query-of.ts';
import { linkChains } from './relations/link-chains.ts';
import { nestedChains } from './relations/nested-chains.ts';

/** The chains of all operations of a resource, by their names, each made when it is needed. */
export function chainsOf(r: CompiledResource): ReadonlyMap<string, () => readonly ResourceMiddleware[]> {
  return new Map([
    ...r.ops.map((name) => [name, () => chains[name](r)] as const),
    ...(r.ops.includes('list') ? [[listQueryName, () => queried(r)] as const] : []),
    ...aggregateChains(r),
    ...historyChains(r),
    ...r.operations.filter(({ counter }) => !counter).map((operation) => [operation.name, () => customChain(r, operation)] as const),
    ...counterChains(r, { guard, rows, match, prior, writing }),
    ...nestedChains(r, { ...chains, query: queried }),
    ...linkChains(r, { guard, rows, match, writing }),
    ...exportChains(r),
    ...liveChains(r, { list: liveList, get: liveRecord }),
  ]);
}

/**
 * Every operation as a list of middlewares, in the order of the checks: the whole service on one page. `answerTimeout`,
 * `problems`, `inFlightLimit`, `requestTimeout` and `authenticate` run before each of them.
 */
const chains: Readonly<Record<Operation, (r: CompiledResource) => readonly ResourceMiddleware[]>> = {
  list: (r) => listing(r, 'list', []),
  get: (r) => [
    ...guard(r, 'get'),
    caching(r.caching),
    ...rows(r),
    ...trash(r),
    ...earlier(r),
    include(r.includes),
    ...choice(r),
    notModified(),
    ifMatch(),
    ...finding(r),
    record(),
  ],
  create: (r) => [
    ...guard(r, 'create'),
    ...bounds(r),
    caching(r.caching),
    body(r),
    ifMatch(),
    ...idempotent(r, 'create'),
    checkCreate(r.model, creation(r)),
    ...prior(r, 'create'),
    ...writing(
      r,
      'create',
      insert(r.model, { ...writes(r), shareRoundTrips: r.shareRoundTrips }),
      record({ created: true, ...(r.location && { location: r.location }) }),
    ),
  ],
  patch: (r) => [
    ...guard(r, 'patch'),
    caching(r.caching),
    ...rows(r),
    body(r),
    match(r),
    ...idempotent(r, 'patch'),
    checkPatch(r.model, changing(r, rules(r))),
    ...prior(r, 'patch'),
    ...writing(r, 'patch', update(r.model, writes(r)), record()),
  ],
  put: (r) => [
    ...guard(r, 'put'),
    caching(r.caching),
    ...rows(r),
    body(r),
    match(r),
    ...readmission(r, 'put'),
    checkPut(r.model, changing(r, closed(r))),
    ...prior(r, 'put'),
    ...writing(r, 'put', update(r.model, writes(r)), record()),
  ],
  delete: (r) => [
    ...guard(r, 'delete'),
    ...rows(r),
    match(r),
    ...readmission(r, 'delete'),
    ...prior(r, 'delete'),
    ...carrying(
      r,
      withinTransaction(remove(r.model, writes(r)), r.withinOf('delete'), writes(r)),
      cascadingHooks(r, 'delete'),
      noContent(),
    ),
  ],
  restore: (r) => [
    ...guard(r, 'restore'),
    caching(r.caching),
    ...rows(r),
    match(r),
    ...idempotent(r, 'restore'),
    ...prior(r, 'restore'),
    ...carrying(
      r,
      withinTransaction(restore(r.model, { ...writes(r), ...closed(r) }), r.withinOf('restore'), writes(r)),
      cascadingHooks(r, 'restore'),
      record(),
    ),
  ],
  patchMany: (r) => [
    ...guard(r, 'patchMany'),
    ...rows(r),
    matching(r),
    body(r),
    ...keyed(r), // its answer shows no record
    checkPatch(r.model, changing(r, rules(r))),
    ...prior(r, 'patchMany'),
    ...carrying(
      r,
      withinTransaction(updateMany(r.model, writes(r)), r.withinOf('patchMany'), writes(r)),
      hooks(r, 'patchMany'),
      affected(),
    ),
  ],
  deleteMany: (r) => [
    ...guard(r, 'deleteMany'),
    ...rows(r),
    matching(r),
    ...prior(r, 'deleteMany'),
    ...carrying(
      r,
      withinTransaction(removeMany(r.model, writes(r)), r.withinOf('deleteMany'), writes(r)),
      cascadingHooks(r, 'deleteMany'),
      affected(),
    ),
  ],
};

/** The chain of a list, with the guards of `name`. `reading` reads its parameters, if they do not stand in the URL. */
function listing(r: CompiledResource, name: string, reading: readonly ResourceMiddleware[]): readonly ResourceMiddleware[] {
  return [...guard(r, name), caching(r.caching), ...rows(r), ...reading, ...listed(r)];
}

/** What a list runs once its parameters are read: the same for the list and its query. */
const listed = perResource((r) => [...trash(r), queryOf(r), ...findingPage(r), page()]);

const findingPage = (r: CompiledResource) => [
  findPage(r.model, { ...reads(r, 'list'), ...through(r), warnOnScan: r.warnOnScan, maxPageBytes: r.maxPageBytes }),
  ...included(r), // before the hooks: what is included may end the page early
  ...hooks(r, 'list'),
];

const finding = (r: CompiledResource) => [
  findRecord(r.model, { ...reads(r, 'get'), shareRoundTrips: r.shareRoundTrips }),
  ...hooks(r, 'get'),
  ...included(r),
];

const liveList = (r: CompiledResource): LiveParts => ({ asking: [queryOf(r, { isLive: true })], reading: findingPage(r) });
const liveRecord = (r: CompiledResource): LiveParts => ({ asking: [include(r.includes), ...choice(r)], reading: finding(r) });

const queried = (r: CompiledResource) => listing(r, listQueryName, [queryBody({ timeout: r.bodyTimeout, maxValues: r.maxValues })]);

/**
 * The chain of a custom operation: its own middlewares run between the guards and scope of the resource and the answer.
 * As in the standard operations, `If-Match` is read after the body, and before the body is validated. Middlewares below
 * `If-Match` can load the record. A GET has `If-None-Match` around them.
 */
function customChain(r: CompiledResource, o: CompiledOperation): readonly ResourceMiddleware[] {
  const isSafe = o.method === 'GET';
  const isOfRecord = o.path.split('/').includes(':id');
  const loading = records(r.model, { ...writes(r), ...closed(r) });
  const within = r.withinOf(o.name);
  const run = within.length > 0 ? handlerWithin(o.handler, within, writes(r)) : o.handler;
  const doing = handler(run, { model: r.model, problems: [...o.problems, ...(within.length > 0 ? ofTransaction : [])], ...answerOf(o, r) });
  const status = o.status === undefined ? {} : { status: o.status };
  const answering = answer({ ...status, location: (ctx, id) => recordPath(ctx, o.path, id) });
  return [
    ...guard(r, o.name),
    caching(r.caching),
    ...rows(r),
    ...(o.query ? [typedQuery(o.query, { maxItems: r.filterLimits.maxFilterValues })] : []),
    bodyLimit(r.maxBody, r.bodyTimeout, r.maxValues),
    ...(isSafe ? [notModified()] : []),
    ...o.reading,
    ifMatch({ required: r.preconditionRequired && !isSafe && isOfRecord }),
    isOfRecord ? loading : described({ problems: [] }, loading), // without an id there is nothing that it could load
    ...(o.hasHandler && !isSafe ? readmission(r, o.name) : []),
    ...(o.hasHandler && (o.method === 'POST' || o.method === 'PATCH') ? keyed(r) : []),
    ...o.checking,
    ...(isSafe ? [doing, ...hooks(r, o.name), answering] : carrying(r, doing, hooks(r, o.name), answering)),
  ];
}

// What an operation does not use is not in its chain.
const guard = (r: CompiledResource, operation: string) => (r.guardsOf(operation).length > 0 ? [guards(...r.guardsOf(operation))] : []);
const rows = perResource((r) => (r.isScoped ? [scope(r.model, r.scope, { writes: r.scopeWrites })] : []));
const bounds = (r: CompiledResource) => (r.scopeWrites ? rows(r) : []); // a create has no query to filter
const through = ({ through }: CompiledResource) => (through ? { through } : {});
const matching = ({ model, maxAffected, filterLimits: { maxFilterValues, maxPrefix } }: CompiledResource) =>
  filterQuery(model, { maxAffected, maxFilterValues, maxPrefix });
const trash = (r: CompiledResource) => (r.deletedGuards ? [deleted(r.model, r.deletedGuards)] : []);
const choice = (r: CompiledResource) => (r.fields ? [fields(r.model, r.includes)] : []);
const included = (r: CompiledResource) => (r.includes.names.length > 0 ? [findIncluded(r.includes)] : []);
/** The checks behind `match` require an object. */
const body = perResource((r) => jsonBody({ limit: r.maxBody, timeout: r.bodyTimeout, maxValues: r.maxValues, requireObject: false }));
const match = perResource((r) => ifMatch({ required: r.preconditionRequired }));
const prior = (r: CompiledResource, operation: string) =>
  r.beforeOf(operation).length > 0 ? [beforeHooks(r.model, r.beforeOf(operation))] : [];
const hooks = (r: CompiledResource, operation: string) => (r.hooksOf(operation).length > 0 ? [afterHooks(r.hooksOf(operation))] : []);
/** The hooks of the records that a delete or a restore addresses, and of the cascaded ones. */
const cascadingHooks = (r: CompiledResource, operation: 'delete' | 'deleteMany' | 'restore') => {
  const cascading = operation === 'restore' ? operation : 'delete';
  const all = [...r.hooksOf(operation), ...(hasCascadeHooks(r.model, r.references, cascading) ? [afterCascade] : [])];
  return all.length > 0 ? [afterHooks(all)] : [];
};
/** The end of a chain that writes: the write, with the hooks in its transaction, the hooks after it, and the answer. */
const writing = (r: CompiledResource, name: string, write: ResourceMiddleware, answering: ResourceMiddleware) =>
  carrying(r, withinTransaction(write, r.withinOf(name), writes(r)), hooks(r, name), answering);
const carrying = (
  r: CompiledResource,
  write: ResourceMiddleware,
  after: readonly ResourceMiddleware[],
  answering: ResourceMiddleware,
): readonly ResourceMiddleware[] => (r.isCarried ? [carried(write, after, answering)] : [write, ...after, answering]);
const answerOf = ({ answer }: CompiledOperation, { maxPageBytes }: CompiledResource) =>
  answer === undefined ? {} : { answer, maxPageBytes };
const store = ({ db, maxTimeMS }: CompiledResource) => ({ db, maxTimeMS });
const writes = (r: CompiledResource) => ({ ...store(r), references: r.references });
const closed = ({ explicitWrites }: CompiledResource) => ({ explicitWrites });
const rules = ({ explicitWrites, mergePatch }: CompiledResource) => ({ explicitWrites, mergePatch });
const creation = (r: CompiledResource) => ({
  ...serverFields(r.serverFields.create),
  ...closed(r),
  allowMissing: r.beforeOf('create').length > 0,
});
const changing = <Rules>(r: CompiledResource, own: Rules) => ({ ...serverFields(r.serverFields.update), ...own });
const serverFields = (set: ServerFields<never> | undefined) => (set ? { serverFields: set } : {});
const reads = (r: CompiledResource, operation: Operation) => ({
  ...store(r),
  fetchPrivate: r.hooksOf(operation).length > 0,
});

/** Makes a part of chains once for each resource: its operations have the same middlewares there. */
function perResource<Part>(make: (r: CompiledResource) => Part): (r: CompiledResource) => Part {
  const made = new WeakMap<CompiledResource, Part>();
  return function partOf(r) {
    const part = made.get(r) ?? make(r);
    made.set(r, part);
    return part;
  };
}
