import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Predicate } from '../predicate/predicate.ts';
import { compileNarrow, type Visible } from '../query/deleted.ts';
import type { Operations } from './operations.ts';

/**
 * The same operations, as they see the records of a model with `t.deletedAt()`: only the living ones, or only the
 * deleted ones. This is the one place that keeps deleted records out of reads, counts and writes: every operation of a
 * collection has its line here, and TypeScript refuses a new one without. An insert addresses no stored record.
 */
export function hideDeleted(model: CompiledModel, all: Operations, visible: Visible): Operations {
  const seenAs = { live: compileNarrow(model, 'live'), only: compileNarrow(model, 'only'), with: compileNarrow(model, 'with') };
  const seen = seenAs[visible];
  const seenBy = <Reach extends { readonly scope: Predicate }>(reach: Reach): Reach => ({ ...reach, scope: seen(reach.scope) ?? {} });
  return {
    findOne: (id, scope, options, work) => all.findOne(id, seen(scope), options, work),
    findPage: (query, scope, options, work) => all.findPage(query, seen(scope), options, work),
    findMany: (ids, scope, room, work, fields) => all.findMany(ids, seen(scope), room, work, fields),
    sizeMany: (ids, scope, work, fields) => all.sizeMany(ids, seen(scope), work, fields),
    aggregate: (query, scope, options, work) => all.aggregate(query, seen(scope), options, work),
    count: (conditions, scope, work) => all.count(conditions, seen(scope), work),
    countList: (query, scope, through, max, work) => all.countList(query, seen(scope), through, max, work),
    insert: all.insert,
    insertEach: all.insertEach,
    insertAll: all.insertAll,
    write: (plan, work) => all.write({ ...plan, target: { ...plan.target, scope: seenAs[plan.sees ?? visible](plan.target.scope) } }, work),
    upsert: (target, stored, work) => all.upsert({ ...target, scope: seen(target.scope) }, stored, work),
    updateMany: (targets, changes, work) => all.updateMany({ ...targets, scope: seen(targets.scope) }, changes, work),
    removeMany: (targets, work, deletion) => all.removeMany({ ...targets, scope: seen(targets.scope) }, work, deletion),
    findTargets: (targets, work) => all.findTargets({ ...targets, scope: seen(targets.scope) }, work),
    findWritten: all.findWritten,
    readParts: (ids, scope, work) => all.readParts(ids, seen(scope), work),
    find: (which, shape, work) => all.find({ ...which, scope: seen(which.scope) }, shape, work),
    holdAll: (ids, scope, work) => all.holdAll(ids, seen(scope), work),
    removeAll: (ids, scope, deletion, work) => all.removeAll(ids, seen(scope), deletion, work),
    purgeAll: (ids, scope, work) => all.purgeAll(ids, seen(scope), work),
    findChildren: (parents, children, reach, room, work) => all.findChildren(parents, children, seenBy(reach), room, work),
    sizeChildren: (parents, children, reach, work) => all.sizeChildren(parents, children, seenBy(reach), work),
    countChildren: (parents, children, reach, work) => all.countChildren(parents, children, seenBy(reach), work),
    reachable: (filter) => all.reachable(seen(filter) ?? {}),
    findIdsThrough: all.findIdsThrough, // the query of `reachable`
    rewriteAll: (ids, scope, pipelines, work) => all.rewriteAll(ids, seen(scope), pipelines, work),
  };
}
