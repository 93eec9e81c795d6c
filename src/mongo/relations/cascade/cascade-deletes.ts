import { Problem } from '../../../errors.ts';
import { listNames } from '../../../hints.ts';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { Room } from '../../../model/relations/included.ts';
import type { ModelCollection } from '../../collection/collection.ts';
import { whole } from '../../collection/find.ts';
import { planRemoveMany, planRewrite } from '../../collection/write-plan.ts';
import { areKnown, type CascadedRecord, type CascadeObserver, mostHookBytes, type Writer } from '../../collection/writer.ts';
import { inParts } from '../../driver/in-parts.ts';
import type { Transact } from '../../driver/run-transaction.ts';
import type { Work } from '../../driver/work.ts';
import type { Deletion } from '../../lifecycle/lifecycle.ts';
import { living } from '../../lifecycle/within.ts';
import type { Predicate } from '../../predicate/predicate.ts';
import type { StoredRecord } from '../../stored-record.ts';
import type { Latched } from '../check/latches/latch.ts';
import type { CascadeLimits, Edge, References } from '../references.ts';
import { retellBy } from '../retellings.ts';
import { buildClear } from './clear-references.ts';
import { type CascadePlan, findRestricting, planCascade, type Rewrite } from './plan-cascade.ts';

/** The most records that a problem counts. */
const mostCounted = 1_000;

/** The deletes of a model that others refer to. Each is one transaction with all that follows. */
export function openCascadeDeletes(
  model: CompiledModel,
  plain: ModelCollection,
  references: References,
  transact: Transact,
): Pick<ModelCollection, 'write' | 'writeMany'> {
  /**
   * The records that are addressed are deleted first: it locks them, and a record that refers only to itself is not in
   * the way.
   */
  async function follow(ids: readonly unknown[], deletion: Deletion, writer: Writer | undefined, work: Work): Promise<void> {
    const observer = writer?.observer;
    const plan = await planCascade(references, model, ids, work, (holder) => observer?.wants(holder, 'changed') ?? false);
    if (plan.restricting.length > 0) throw await stillReferenced(plan, writer, work);
    if (plan.exceeded) throw tooManyReferences(plan.exceeded, references.limits);
    await references.latches.claim(latchedIn(plan, references), work);
    const happened = await carryOut(plan, deletion, observer, work); // with and without an observer
    await observer?.happened(happened); // nothing, too: an attempt before may have done something
  }

  /** Deletes records, and carries out what follows from it. */
  function removeAndFollow<T>(
    remove: () => Promise<T>,
    idsIn: (removed: T) => readonly unknown[],
    deletion: Deletion,
    writer: Writer | undefined,
    work: Work,
  ): Promise<T> {
    return transact(work, async (transaction) => {
      const removed = await remove();
      await transaction.join(() => follow(idsIn(removed), deletion, writer, work));
      return removed;
    });
  }

  return {
    write(plan, work) {
      const { target, deletion } = plan;
      const remove = () => plain.write(plan, work);
      return deletion ? removeAndFollow(remove, ({ stored }) => [stored._id], deletion, target.writer, work) : remove();
    },
    writeMany(plan, work) {
      const { targets, deletion } = plan;
      const remove = () => plain.writeMany(plan, work);
      return deletion && !areKnown(targets) ? removeAndFollow(remove, ({ ids }) => ids, deletion, targets.writer, work) : remove();
    },
  };
}

/** The records that go and can be referred to. */
function latchedIn({ gone }: CascadePlan, references: References): Latched[] {
  return [...gone].flatMap(([collection, ids]) =>
    references.incoming({ collection }).length > 0 ? Array.from(ids.values(), (id) => ({ collection, id })) : [],
  );
}

/** Carries out a plan. Returns the records that the observer wants to know. */
async function carryOut(
  plan: CascadePlan,
  deletion: Deletion,
  observer: CascadeObserver | undefined,
  work: Work,
): Promise<CascadedRecord[]> {
  const happened: CascadedRecord[] = [];
  const room = observer && new Room(mostHookBytes, tooLargeReferences);
  for (const { edge, ids } of plan.deleted) {
    const { holder } = edge;
    const everyLiving = living(holder.model, undefined);
    const before = observer?.wants(holder, 'deleted')
      ? await holder.collection.find({ among: ids, within: everyLiving }, whole(room), work)
      : [];
    await holder.collection.writeMany(planRemoveMany(holder.model, { ids, within: everyLiving }, deletion), work);
    for (const one of before) happened.push({ source: holder, change: 'deleted', before: one, after: undefined });
  }
  for (const rewrite of plan.rewritten) {
    const { holder } = rewrite;
    const everyLiving = living(holder.model, undefined);
    const ids = [...rewrite.ids.values()];
    const isWanted = observer?.wants(holder, 'changed') ?? false;
    const before = isWanted ? await holder.collection.find({ among: ids, within: everyLiving }, whole(room), work) : [];
    await clearAll(rewrite, plan, work);
    const after = isWanted
      ? byId(await holder.collection.find({ among: ids, within: everyLiving }, whole(), work))
      : new Map<string, StoredRecord>();
    for (const one of before) happened.push({ source: holder, change: 'changed', before: one, after: after.get(one.idText) });
  }
  return happened;
}

/** One command, unless there are more ids than one command takes. It is one change with one step of the revision. */
async function clearAll({ holder, edges, ids }: Rewrite, { gone }: CascadePlan, work: Work): Promise<void> {
  const now = new Date();
  const lost = [...edges].map((edge) => ({ edge, parts: [...inParts([...(gone.get(edge.target.model.collection)?.values() ?? [])])] }));
  const most = Math.max(...lost.map(({ parts }) => parts.length));
  const pipelines = Array.from({ length: most }, (_, part) => {
    const some = lost.map(({ edge, parts }) => ({ edge, ids: parts[part] ?? [] })).filter((one) => one.ids.length > 0);
    return buildClear(some, part === 0 ? now : undefined);
  });
  const targets = { ids: [...ids.values()], within: living(holder.model, undefined) };
  await holder.collection.writeMany(planRewrite(targets, pipelines), work);
}

function byId(records: readonly StoredRecord[]): Map<string, StoredRecord> {
  return new Map(records.map((record) => [record.idText, record]));
}

/**
 * 409, with the relations of records that the writer may see, and how many there are. It names nothing that the client
 * may not see, but to a handler that catches it.
 */
export async function stillReferenced(
  plan: Pick<CascadePlan, 'gone' | 'restricting'>,
  writer: Writer | undefined,
  work: Work,
): Promise<Problem> {
  const found: Referrers[] = [];
  for (const edge of plan.restricting) {
    const seen = await countSeen(edge, plan, writer, work);
    found.push({ edge, seen, all: writer?.isToldAll ? await countIn({}, edge, plan, work) : seen });
  }
  const told = refusalBy(found.map(({ edge, all }) => [edge, all]));
  if (writer?.reads && !writer.isToldAll) return told;
  return retellBy(told, (sees) => refusalBy(found.map(({ edge, seen }) => [edge, sees(edge.holder.model, edge.field.name) ? seen : 0])));
}

/** How many records forbid a delete by one reference: all of them, and those that the client may see. */
interface Referrers {
  readonly edge: Edge;
  readonly all: number;
  readonly seen: number;
}

function refusalBy(counts: readonly (readonly [Edge, number])[]): Problem {
  const named = counts
    .filter(([, count]) => count > 0)
    .map(([edge, count]) => `\`${edge.field.name}\` of ${amount(count)} of ${edge.holder.model.name}`);
  const by = named.length > 0 ? listNames(named) : 'other records';
  return new Problem({ code: 'still_referenced', detail: `It cannot be deleted while it is referred to by ${by}.` });
}

async function countSeen(edge: Edge, plan: Pick<CascadePlan, 'gone'>, writer: Writer | undefined, work: Work): Promise<number> {
  const { field, holder } = edge;
  if (field.isPrivate || (await writer?.reads?.(holder.model, field.name)) === false) return 0;
  const scope = writer?.scopeOf ? await writer.scopeOf(holder) : {};
  return scope ? countIn(scope, edge, plan, work) : 0;
}

async function countIn(scope: Predicate, edge: Edge, plan: Pick<CascadePlan, 'gone'>, work: Work): Promise<number> {
  return (await findRestricting(edge, plan, { scope, most: mostCounted + 1 }, work)).size;
}

function amount(count: number): string {
  if (count > mostCounted) return `more than ${mostCounted} records`;
  return count === 1 ? '1 record' : `${count} records`;
}

/** 409. Clients hear the number and what helps; the cause, which they do not see, names the option. */
function tooManyReferences(exceeded: keyof CascadeLimits, limits: CascadeLimits): Problem {
  const max = limits[exceeded];
  const records = max === 1 ? 'one other record' : `${max} other records`;
  const [what, first] =
    exceeded === 'maxCascade'
      ? ['deleted or changed with it', 'Delete some of them, or change what they refer to,']
      : ['changed', 'Change what some of them refer to'];
  const detail = `More than ${records} refer to it, and would have to be ${what}: nothing was deleted. ${first} first.`;
  const cause = new Error(`The delete exceeds \`${exceeded}\`, which is ${max}: raise it, and \`maxTimeMS\` if need be.`);
  return new Problem({ code: 'too_many_references', detail, cause });
}

/** 409. The hooks of the resources of these records get them whole, and all together. */
function tooLargeReferences(): Problem {
  const detail =
    'The records that would have to be deleted or changed with it have more than 16 MiB: nothing was deleted. Delete some of them, or change what they refer to, first.';
  return new Problem({ code: 'too_many_references', detail });
}
