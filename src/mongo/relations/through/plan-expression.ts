import type { Document as BsonDocument } from 'mongodb';
import { buildFilter, type Filter, nothing } from '../../query/filter.ts';
import { canonicalText, type Expression } from './expression.ts';
import type { Found, ThroughSettings, ThroughStep } from './through-field.ts';
import { lookUpOne, type ThroughQuery, temporaryKey } from './through-stages.ts';

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
  const planned: Part[] = [];
  for (const part of parts) {
    const found = await plan(part, settings, lookUps);
    if (found.filter === nothing) return none;
    planned.push(found);
  }
  const [early, late] = [false, true].map((isLate) => planned.filter((part) => part.isLate === isLate).map(({ filter }) => filter));
  const filter = allOf(early as Filter[]);
  if (lookUps.size === 0) return { filter, stages: [] };
  const stages = [...lookUps].map(([{ query }, { step, as }]): BsonDocument => lookUpOne(step, query, as));
  const unset = [...lookUps.values()].map(({ as }) => as);
  return { filter, stages: [...stages, { $match: allOf(late as Filter[]) }, { $unset: unset }] };
}

/** The `$lookup`s that records of one model need, with the keys of their results. */
type LookUps = Map<Found, { readonly step: ThroughStep; readonly as: string }>;

const none: ThroughQuery = { filter: nothing, stages: [] };
const noRecord: Found = { query: none, ids: [] };

/** A part of a filter. `isLate` says whether it needs what a `$lookup` has found. */
interface Part {
  readonly filter: Filter;
  readonly isLate: boolean;
}

/** Related records are asked for one after the other: all of them share the room for their ids. */
async function plan(expression: Expression, settings: ThroughSettings, lookUps: LookUps): Promise<Part> {
  switch (expression.kind) {
    case 'condition':
    case 'item':
      return { filter: filterOf(expression), isLate: false };
    case 'not': {
      const { filter, isLate } = await plan(expression.of, settings, lookUps);
      return { filter: { $nor: [filter] }, isLate };
    }
    case 'related':
      return planRelated(expression.step, expression.of, settings, lookUps);
    default: {
      const parts: Part[] = [];
      for (const part of expression.of) parts.push(await plan(part, settings, lookUps));
      const filters = parts.map(({ filter }) => filter);
      return { filter: { [expression.kind === 'and' ? '$and' : '$or']: filters }, isLate: parts.some(({ isLate }) => isLate) };
    }
  }
}

/** The filter of an expression without related records. */
function filterOf(expression: Expression): Filter {
  switch (expression.kind) {
    case 'condition':
      return buildFilter([expression.condition]);
    case 'item':
      return { [expression.path]: { $elemMatch: filterOf(expression.of) } };
    case 'not':
      return { $nor: [filterOf(expression.of)] };
    case 'related':
      throw new Error('An item of an array has no related records of its own.');
    default:
      return { [expression.kind === 'and' ? '$and' : '$or']: expression.of.map(filterOf) };
  }
}

async function planRelated(
  step: ThroughStep,
  expression: Expression | undefined,
  settings: ThroughSettings,
  lookUps: LookUps,
): Promise<Part> {
  const found = await findBehind(step, expression, settings);
  if (found.ids) return { filter: found.ids.length === 0 ? nothing : { [step.path]: { $in: found.ids } }, isLate: false };
  const { as } = lookUps.get(found) ?? { as: temporaryKey(settings.model, lookUps.size) };
  lookUps.set(found, { step, as });
  return { filter: { [as]: { $ne: [] } }, isLate: true };
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

async function find({ source, via }: ThroughStep, expression: Expression | undefined, settings: ThroughSettings): Promise<Found> {
  const { sight, room, work } = settings;
  const scope = sight.get(source);
  if (!scope) return noRecord;
  const behind: ThroughQuery = expression ? await planExpression(expression, { ...settings, model: source.model }) : all;
  if (behind === none) return noRecord;
  const query = { filter: source.collection.reachable(allOf([scope, behind.filter])), stages: behind.stages };
  return { query, ids: await source.collection.findIdsThrough(query, room, work, via) };
}

const all: ThroughQuery = { filter: {}, stages: [] };

/** A filter that matches if all of these do. */
export function allOf(filters: readonly Filter[]): Filter {
  const [first = {}, ...others] = filters.filter((filter) => Object.keys(filter).length > 0);
  return others.length === 0 ? first : { $and: [first, ...others] };
}
