import { BSON, type Document as BsonDocument } from 'mongodb';
import { Problem } from '../../errors.ts';
import { living } from '../lifecycle/within.ts';
import { conjunctsOf } from '../predicate/conjuncts-of.ts';
import { filterOf } from '../predicate/filter-of.ts';
import { compare, everyRecord, joined, noRecord, not, type Predicate } from '../predicate/predicate.ts';
import { tooMany } from '../query/bound.ts';
import { canonicalText, type Expression } from './expression.ts';
import { reachable } from './reachable.ts';
import type { Found, ReferredId, ThroughSettings, ThroughStep, Via } from './through-field.ts';
import { lookUpOne, type RelatedQuery, type ThroughQuery, temporaryKey } from './through-stages.ts';

/**
 * Plans an expression. Each part of it stays a part of one filter, within `$and`, `$or` and `$nor`: nothing of it is
 * merged with conditions from elsewhere.
 *
 * Each relation is decided by itself, as those of the parameters are: a first query finds the ids of the related
 * records within sight; if there are too many, a `$lookup` of each record of the list decides. What depends on a
 * `$lookup` is matched behind it, and the other parts of an `and` before it, where an index serves them. Equal
 * conditions of a request share their query, and at one place of it their `$lookup`.
 */
export async function planExpression(expression: Expression, settings: ThroughSettings): Promise<ThroughQuery> {
  const lookUps: LookUps = new Map();
  const parts = expression.kind === 'and' ? expression.of : [expression];
  const planned: PlannedPart[] = [];
  for (const part of parts) {
    const found = await plan(part, settings, lookUps);
    if (found.where === noRecord) return none;
    planned.push(found);
  }
  const [early, late] = [false, true].map((isLate) => planned.filter((part) => part.isLate === isLate).map(({ where }) => where));
  const filter = allOf(early as Predicate[]);
  if (lookUps.size === 0) return { filter, stages: [] };
  const stages = [...lookUps].map(([query, { step, as }]): BsonDocument => lookUpOne(step, query, as));
  const unset = [...lookUps.values()].map(({ as }) => as);
  return { filter, stages: [...stages, { $match: filterOf(allOf(late as Predicate[])) }, { $unset: unset }] };
}

type OfRelated = Extract<Expression, { readonly kind: 'related' }>;

/** The `$lookup`s that records of one model need, with the keys of their results. */
type LookUps = Map<RelatedQuery, { readonly step: ThroughStep; readonly as: string }>;

const none: ThroughQuery = { filter: noRecord, stages: [] };
const noneFound: Found = { ids: [] };

/** A planned part. `isLate` says whether it needs what a `$lookup` has found. */
interface PlannedPart {
  readonly where: Predicate;
  readonly isLate: boolean;
}

/** Related records are asked for one after the other: all of them share the room for their ids. */
async function plan(expression: Expression, settings: ThroughSettings, lookUps: LookUps): Promise<PlannedPart> {
  switch (expression.kind) {
    case 'condition':
    case 'item':
      return { where: expression, isLate: false };
    case 'not': {
      const { where, isLate } = await plan(expression.of, settings, lookUps);
      return { where: not(where), isLate };
    }
    case 'related':
      return expression.least > 1 ? planSeveral(expression, settings) : planRelated(expression.step, expression.of, settings, lookUps);
    default: {
      const parts: PlannedPart[] = [];
      for (const part of expression.of) parts.push(await plan(part, settings, lookUps));
      const all = parts.map(({ where }) => where);
      return { where: joined(expression.kind, all), isLate: parts.some(({ isLate }) => isLate) };
    }
  }
}

async function planRelated(
  step: ThroughStep,
  expression: Expression | undefined,
  settings: ThroughSettings,
  lookUps: LookUps,
): Promise<PlannedPart> {
  const { ids, query } = await findBehind(step, expression, settings);
  if (ids) return { where: ids.length === 0 ? noRecord : leadingTo(step, ids), isLate: false };
  const { as } = lookUps.get(query) ?? { as: temporaryKey(settings.model, lookUps.size) };
  lookUps.set(query, { step, as });
  return { where: { [as]: { $ne: [] } }, isLate: true };
}

/**
 * Records to which several related ones refer. Throws `too_many_matches` (422) if more of these match than are counted:
 * a `$lookup` would have to read all of them for each record of the list.
 */
async function planSeveral({ step, of, least }: OfRelated, settings: ThroughSettings): Promise<PlannedPart> {
  const { room, maxCounted } = settings;
  const counted = await countBehind(step, of, settings);
  const what = `\`count(${step.name}, …)\``;
  if (!counted) throw tooMany(maxCounted, ` ${what}`, 'to be counted', 'Narrow them by a condition in it.');
  const ids = counted.filter(({ records }) => records >= least).map(({ id }) => id);
  room.bytes -= BSON.calculateObjectSize({ ids });
  if (room.bytes < 0)
    throw new Problem({ code: 'too_many_matches', detail: `The ids that ${what} finds have too many bytes for a query.` });
  return { where: ids.length === 0 ? noRecord : leadingTo(step, ids), isLate: false };
}

/** Counts the related records that fulfil a condition, unless that has been done before. */
async function countBehind(step: ThroughStep, of: Expression | undefined, settings: ThroughSettings) {
  const ofStep = settings.counted.get(step) ?? new Map<string, readonly ReferredId[]>();
  settings.counted.set(step, ofStep);
  const text = of ? canonicalText(of) : '';
  const known = ofStep.get(text);
  if (known) return known;
  const query = await planBehind(step, of, settings);
  const counted = query ? await step.source.collection.countThrough(query, step.via as Via, settings.maxCounted, settings.work) : [];
  if (counted) ofStep.set(text, counted);
  return counted;
}

/** Records whose relation leads to one of these. */
export function leadingTo({ field, path }: ThroughStep, ids: readonly unknown[]): Predicate {
  return compare({ field: { name: field, path }, operator: 'in', value: ids });
}

/** Asks for the related records that fulfil a condition, unless that has been asked before. */
async function findBehind(step: ThroughStep, expression: Expression | undefined, settings: ThroughSettings): Promise<Found> {
  const ofStep = settings.found.get(step) ?? new Map<string, Found>();
  settings.found.set(step, ofStep);
  const text = expression ? canonicalText(expression) : '';
  const known = ofStep.get(text) ?? (await find(step, expression, settings));
  ofStep.set(text, known);
  return known;
}

async function find(step: ThroughStep, expression: Expression | undefined, settings: ThroughSettings): Promise<Found> {
  const query = await planBehind(step, expression, settings);
  if (!query) return noneFound;
  const ids = await step.source.collection.findIdsThrough(query, settings.room, settings.work, step.via);
  return ids ? { ids } : { ids, query };
}

/** What the related records fulfil that are within sight and fulfil a condition. Undefined if none can. */
async function planBehind(
  { source }: ThroughStep,
  expression: Expression | undefined,
  settings: ThroughSettings,
): Promise<RelatedQuery | undefined> {
  const scope = settings.sight.get(source);
  if (!scope) return undefined;
  const behind: ThroughQuery = expression ? await planExpression(expression, { ...settings, model: source.model }) : all;
  if (behind === none) return undefined;
  return { filter: reachable(living(source.model, allOf([scope, behind.filter]))), stages: behind.stages };
}

const all: ThroughQuery = { filter: everyRecord, stages: [] };

/** What records fulfil that fulfil all of these, each as a part of its own. */
export function allOf(parts: readonly Predicate[]): Predicate {
  const [first = everyRecord, ...others] = parts.filter((part) => conjunctsOf(part).length > 0);
  return others.length === 0 ? first : joined('and', [first, ...others]);
}
