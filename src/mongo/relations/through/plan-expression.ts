import type { Document as BsonDocument } from 'mongodb';
import { buildFilter, type Filter, nothing } from '../../query/filter.ts';
import type { Expression } from './expression.ts';
import type { ThroughSettings, ThroughStep } from './through-field.ts';
import { lookUpOne, type ThroughQuery, temporaryKey } from './through-stages.ts';

/**
 * Plans an expression. Each part of it stays a part of one filter, within `$and`, `$or` and `$nor`: nothing of it is
 * merged with conditions from elsewhere.
 *
 * Each relation is decided by itself, as those of the parameters are: a first query finds the ids of the related
 * records within sight; if there are too many, a `$lookup` of each record of the list decides. What depends on a
 * `$lookup` is matched behind it, and the other parts of an `and` before it, where an index serves them.
 */
export async function planExpression(expression: Expression, settings: ThroughSettings): Promise<ThroughQuery> {
  const lookUps: BsonDocument[] = [];
  const parts = expression.kind === 'and' ? expression.of : [expression];
  const planned: Part[] = [];
  for (const part of parts) {
    const found = await plan(part, settings, lookUps);
    if (found.filter === nothing) return none;
    planned.push(found);
  }
  const [early, late] = [false, true].map((isLate) => planned.filter((part) => part.isLate === isLate).map(({ filter }) => filter));
  const filter = allOf(early as Filter[]);
  if (lookUps.length === 0) return { filter, stages: [] };
  const unset = lookUps.map((_one, index) => temporaryKey(settings.model, index));
  return { filter, stages: [...lookUps, { $match: allOf(late as Filter[]) }, { $unset: unset }] };
}

const none: ThroughQuery = { filter: nothing, stages: [] };

/** A part of a filter. `isLate` says whether it needs what a `$lookup` has found. */
interface Part {
  readonly filter: Filter;
  readonly isLate: boolean;
}

/** Related records are asked for one after the other: all of them share the room for their ids. */
async function plan(expression: Expression, settings: ThroughSettings, lookUps: BsonDocument[]): Promise<Part> {
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
  lookUps: BsonDocument[],
): Promise<Part> {
  const { model, sight, room, work } = settings;
  const { source, path, via } = step;
  const scope = sight.get(source);
  if (!scope) return { filter: nothing, isLate: false };
  const behind: ThroughQuery = expression ? await planExpression(expression, { ...settings, model: source.model }) : all;
  if (behind === none) return { filter: nothing, isLate: false };
  const query = { filter: source.collection.reachable(allOf([scope, behind.filter])), stages: behind.stages };
  const ids = await source.collection.findIdsThrough(query, room, work, via);
  if (ids) return { filter: ids.length === 0 ? nothing : { [path]: { $in: ids } }, isLate: false };
  const as = temporaryKey(model, lookUps.length);
  lookUps.push(lookUpOne(step, query, as));
  return { filter: { [as]: { $ne: [] } }, isLate: true };
}

const all: ThroughQuery = { filter: {}, stages: [] };

/** A filter that matches if all of these do. */
export function allOf(filters: readonly Filter[]): Filter {
  const [first = {}, ...others] = filters.filter((filter) => Object.keys(filter).length > 0);
  return others.length === 0 ? first : { $and: [first, ...others] };
}
