import { affected } from '../../middleware/affected.ts';
import { afterHooks } from '../../middleware/after-hooks.ts';
import { caching } from '../../middleware/caching.ts';
import { checkCreate } from '../../middleware/check-create.ts';
import { checkPatch } from '../../middleware/check-patch.ts';
import { checkPut } from '../../middleware/check-put.ts';
import { filterQuery } from '../../middleware/filter-query.ts';
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
import type { Operation } from '../define/standard-operations.ts';
import { finding, findingPage, type MakeChain } from './finding.ts';
import {
  body,
  carrying,
  changing,
  choice,
  closed,
  following,
  match,
  preceding,
  readQuery,
  rules,
  scoped,
  serverFields,
  trash,
  writes,
  writing,
} from './parts.ts';
import { queryOf } from './query-of.ts';
import { keeping, readmission, repeatable } from './repeatable.ts';
import type { Chain, Hooks, Unguarded } from './row.ts';

/**
 * Every standard operation as a list of middlewares, in the order of the checks. `answerTimeout`,
 * `problems`, `inFlightLimit`, `requestTimeout`, `authenticate` and the guards of its row run before each of them.
 */
export const chains: Readonly<Record<Operation, MakeChain>> = {
  list: (r, hooks) => listing(r, hooks, []),
  get: (r, hooks) => [
    caching(r.caching),
    ...scoped(r),
    ...trash(r),
    include(r.includes),
    ...choice(r),
    notModified(),
    ifMatch(),
    ...finding(r, hooks),
    record(),
  ],
  create: (r, hooks) => [
    ...bounds(r),
    caching(r.caching),
    body(r),
    ifMatch(),
    ...repeatable(r),
    checkCreate(r.model, creation(r, hooks)),
    ...preceding(r, hooks),
    ...writing(
      r,
      hooks,
      insert(r.model, { ...writes(r), shareRoundTrips: r.shareRoundTrips }),
      record({ created: true, ...(r.location && { location: r.location }) }),
    ),
  ],
  patch: (r, hooks) => [
    caching(r.caching),
    ...scoped(r),
    body(r),
    match(r),
    ...repeatable(r),
    checkPatch(r.model, changing(r, rules(r))),
    ...preceding(r, hooks),
    ...writing(r, hooks, update(r.model, writes(r)), record()),
  ],
  put: (r, hooks) => [
    caching(r.caching),
    ...scoped(r),
    body(r),
    match(r),
    ...readmission(r),
    checkPut(r.model, changing(r, closed(r))),
    ...preceding(r, hooks),
    ...writing(r, hooks, update(r.model, writes(r)), record()),
  ],
  delete: (r, hooks) => [
    ...scoped(r),
    match(r),
    ...readmission(r, { isDelete: true }),
    ...preceding(r, hooks),
    ...carrying(r, withinTransaction(remove(r.model, writes(r)), hooks.within, writes(r)), cascadingHooks(r, hooks, 'delete'), noContent()),
  ],
  restore: (r, hooks) => [
    caching(r.caching),
    ...scoped(r),
    match(r),
    ...repeatable(r),
    ...preceding(r, hooks),
    ...carrying(
      r,
      withinTransaction(restore(r.model, { ...writes(r), ...closed(r) }), hooks.within, writes(r)),
      cascadingHooks(r, hooks, 'restore'),
      record(),
    ),
  ],
  patchMany: (r, hooks) => [
    ...scoped(r),
    matching(r),
    body(r),
    ...keeping(r), // its answer shows no record
    checkPatch(r.model, changing(r, rules(r))),
    ...preceding(r, hooks),
    ...carrying(r, withinTransaction(updateMany(r.model, writes(r)), hooks.within, writes(r)), following(hooks), affected()),
  ],
  deleteMany: (r, hooks) => [
    ...scoped(r),
    matching(r),
    ...preceding(r, hooks),
    ...carrying(
      r,
      withinTransaction(removeMany(r.model, writes(r)), hooks.within, writes(r)),
      cascadingHooks(r, hooks, 'delete'),
      affected(),
    ),
  ],
};

/** The chain of a list. `reading` reads its parameters, if they do not stand in the URL. */
function listing(r: Unguarded, hooks: Hooks, reading: Chain): Chain {
  return [caching(r.caching), ...scoped(r), ...reading, ...trash(r), queryOf(r), ...findingPage(r, hooks), page()];
}

/** The chain of a list whose parameters stand in a body. */
export const queried: MakeChain = (r, hooks) => listing(r, hooks, [readQuery(r)]);

const bounds = (r: Unguarded) => (r.scopeWrites ? scoped(r) : []); // a create has no query to filter
const matching = ({ model, maxAffected, filterLimits: { maxFilterValues, maxPrefix } }: Unguarded) =>
  filterQuery(model, { maxAffected, maxFilterValues, maxPrefix });
/** The hooks of the records that a delete or a restore addresses, and of the cascaded ones. */
const cascadingHooks = (r: Unguarded, { after }: Hooks, operation: 'delete' | 'restore') => {
  const all = [...after, ...(hasCascadeHooks(r.model, r.references, operation) ? [afterCascade] : [])];
  return all.length > 0 ? [afterHooks(all)] : [];
};
const creation = (r: Unguarded, { before }: Hooks) => ({
  ...serverFields(r.serverFields.create),
  ...closed(r),
  allowMissing: before.length > 0,
});
