import { affected } from '../../middleware/affected.ts';
import { afterHooks } from '../../middleware/after-hooks.ts';
import { caching } from '../../middleware/caching.ts';
import { checkCreate } from '../../middleware/check-create.ts';
import { checkPatch } from '../../middleware/check-patch.ts';
import { checkPut } from '../../middleware/check-put.ts';
import { filterQuery } from '../../middleware/filter-query.ts';
import { findIncluded } from '../../middleware/find-included.ts';
import { findPage } from '../../middleware/find-page.ts';
import { findRecord } from '../../middleware/find-record.ts';
import { afterCascade, hasCascadeHooks } from '../../middleware/hooks/cascade-hooks.ts';
import { ifMatch } from '../../middleware/if-match.ts';
import { include } from '../../middleware/include.ts';
import { insert } from '../../middleware/insert.ts';
import { noContent } from '../../middleware/no-content.ts';
import { notModified } from '../../middleware/not-modified.ts';
import { page } from '../../middleware/page.ts';
import { record } from '../../middleware/record.ts';
import { remove } from '../../middleware/remove.ts';
import { removeMany } from '../../middleware/remove-many.ts';
import { restore } from '../../middleware/restore.ts';
import { update } from '../../middleware/update.ts';
import { updateMany } from '../../middleware/update-many.ts';
import { withinTransaction } from '../../middleware/within-transaction.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import type { Operation } from '../define/standard-operations.ts';
import { idempotent, keyed, readmission } from './idempotent.ts';
import type { LiveParts } from './live-rows.ts';
import {
  body,
  carrying,
  changing,
  choice,
  closed,
  guard,
  hooks,
  match,
  perResource,
  prior,
  readQuery,
  rows,
  rules,
  serverFields,
  store,
  trash,
  writes,
  writing,
} from './parts.ts';
import { queryOf } from './query-of.ts';
import type { Chain } from './row.ts';

/** Makes the chain of an operation, which asks the guards that are given for `asked`. */
type MakeChain = (r: CompiledResource, asked: readonly string[]) => Chain;

/**
 * Every standard operation as a list of middlewares, in the order of the checks. `answerTimeout`,
 * `problems`, `inFlightLimit`, `requestTimeout` and `authenticate` run before each of them.
 */
export const chains: Readonly<Record<Operation, MakeChain>> = {
  list: (r, asked) => listing(r, asked, []),
  get: (r, asked) => [
    ...guard(r, asked),
    caching(r.caching),
    ...rows(r),
    ...trash(r),
    include(r.includes),
    ...choice(r),
    notModified(),
    ifMatch(),
    ...finding(r),
    record(),
  ],
  create: (r, asked) => [
    ...guard(r, asked),
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
  patch: (r, asked) => [
    ...guard(r, asked),
    caching(r.caching),
    ...rows(r),
    body(r),
    match(r),
    ...idempotent(r, 'patch'),
    checkPatch(r.model, changing(r, rules(r))),
    ...prior(r, 'patch'),
    ...writing(r, 'patch', update(r.model, writes(r)), record()),
  ],
  put: (r, asked) => [
    ...guard(r, asked),
    caching(r.caching),
    ...rows(r),
    body(r),
    match(r),
    ...readmission(r, 'put'),
    checkPut(r.model, changing(r, closed(r))),
    ...prior(r, 'put'),
    ...writing(r, 'put', update(r.model, writes(r)), record()),
  ],
  delete: (r, asked) => [
    ...guard(r, asked),
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
  restore: (r, asked) => [
    ...guard(r, asked),
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
  patchMany: (r, asked) => [
    ...guard(r, asked),
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
  deleteMany: (r, asked) => [
    ...guard(r, asked),
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

/** The chain of a list. `reading` reads its parameters, if they do not stand in the URL. */
function listing(r: CompiledResource, asked: readonly string[], reading: Chain): Chain {
  return [...guard(r, asked), caching(r.caching), ...rows(r), ...reading, ...listed(r)];
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

export const liveList = (r: CompiledResource): LiveParts => ({ asking: [queryOf(r, { isLive: true })], reading: findingPage(r) });
export const liveRecord = (r: CompiledResource): LiveParts => ({ asking: [include(r.includes), ...choice(r)], reading: finding(r) });

/** The chain of a list whose parameters stand in a body. */
export const queried: MakeChain = (r, asked) => listing(r, asked, [readQuery(r)]);

const bounds = (r: CompiledResource) => (r.scopeWrites ? rows(r) : []); // a create has no query to filter
const through = ({ through }: CompiledResource) => (through ? { through } : {});
const matching = ({ model, maxAffected, filterLimits: { maxFilterValues, maxPrefix } }: CompiledResource) =>
  filterQuery(model, { maxAffected, maxFilterValues, maxPrefix });
const included = (r: CompiledResource) => (r.includes.names.length > 0 ? [findIncluded(r.includes)] : []);
/** The hooks of the records that a delete or a restore addresses, and of the cascaded ones. */
const cascadingHooks = (r: CompiledResource, operation: 'delete' | 'deleteMany' | 'restore') => {
  const cascading = operation === 'restore' ? operation : 'delete';
  const all = [...r.hooksOf(operation), ...(hasCascadeHooks(r.model, r.references, cascading) ? [afterCascade] : [])];
  return all.length > 0 ? [afterHooks(all)] : [];
};
const creation = (r: CompiledResource) => ({
  ...serverFields(r.serverFields.create),
  ...closed(r),
  allowMissing: r.beforeOf('create').length > 0,
});
const reads = (r: CompiledResource, operation: Operation) => ({
  ...store(r),
  fetchPrivate: r.hooksOf(operation).length > 0,
});
