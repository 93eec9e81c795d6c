import type { Double } from 'mongodb';
import { listNames, nearest } from '../../hints.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import { keyOf, type QueryParameter } from '../../http/query-string.ts';
import { grantOf } from '../../model/compile/policy-key.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { floatLeaf } from '../../model/value/number-leaves.ts';
import { checkCoordinate } from '../../model/value/point-leaf.ts';
import type { Asked, ReadParameters } from '../../mongo/list/asked.ts';
import { givenTwice } from '../../mongo/list/parse-conditions.ts';
import { Invalid } from '../../rules.ts';
import { type Circle, withinCircle } from './list-circle.ts';
import { byDistance } from './list-order.ts';
import { distancesName, leastMetres, nearName, nearPolicy } from './policy.ts';

/** Parameters that name another order or another page than the one that `near` makes. */
const besideNear: ReadonlySet<string> = new Set(['sort', 'after', 'before', 'page']);

const notBesideNear = new Invalid('conflicting_parameter', 'cannot stand beside near: the nearest records are one page, nearest first', {
  with: nearName,
});
const notNumbers = new Invalid('parameter_syntax', 'must be longitude, latitude and metres, such as 8.54,47.37,10000');
const notFlag = new Invalid('type', 'must be true or false', { type: 'boolean' });
const withoutNear = new Invalid('not_available', 'is not available without near');

/** Compiles how the parameters of a list of records around a place, or of an aggregate about them, are read. */
export function compileRead(points: readonly QueryField[]): ReadParameters {
  return ({ own, others }, { paging }, errors) => {
    const circle = readCircle(
      own.filter((one) => !isDistances(one)),
      points,
      errors,
    );
    if (!paging) return { asked: circle && within(circle), others };
    const [flag, ...further] = own.filter(isDistances);
    const isAsked = !own.every(isDistances);
    const showsDistances = flag !== undefined && readFlag(flag, errors);
    if (further.length > 0) errors.push(givenTwice.at(distancesName));
    if (showsDistances && !isAsked) errors.push(withoutNear.at(distancesName));
    if (!isAsked) return { asked: undefined, others };
    const foreign = paging.mode === 'cursor' ? ['page'] : ['after', 'before']; // the list refuses them itself
    const refused = others.filter(({ name, operator }) => besideNear.has(name) && operator === undefined && !foreign.includes(name));
    for (const name of new Set(refused.map((one) => one.name))) errors.push(notBesideNear.at(name));
    const asked = circle && { ...within(circle), order: byDistance(circle, showsDistances) };
    return { asked, others: others.filter((one) => !refused.includes(one)) };
  };
}

function within(circle: Circle): Asked {
  return { within: withinCircle(circle) };
}

function isDistances({ name }: QueryParameter): boolean {
  return name === distancesName;
}

function readFlag({ value, json }: QueryParameter, errors: ErrorSink): boolean {
  const given = json === undefined && (value === 'true' || value === 'false') ? value === 'true' : json;
  if (typeof given !== 'boolean') errors.push(notFlag.at(distancesName));
  return given === true;
}

function readCircle(own: readonly QueryParameter[], points: readonly QueryField[], errors: ErrorSink): Circle | undefined {
  const [first, ...further] = own;
  if (!first) return undefined;
  const isOne = further.every(({ operator, isItem }) => isItem && first.isItem && operator === first.operator);
  const found = isOne ? parseCircle(first, own, points) : givenTwice;
  if (!(found instanceof Invalid)) return found;
  errors.push(found.at(keyOf(isOne ? first : (further.at(-1) as QueryParameter))));
  return undefined;
}

/** Reads one parameter, or the three items of `near[]=8.54&near[]=47.37&near[]=10000`. */
function parseCircle(
  { operator, isItem, value, json }: QueryParameter,
  items: readonly QueryParameter[],
  points: readonly QueryField[],
): Circle | Invalid {
  const point = findPoint(operator, points);
  if (point instanceof Invalid) return point;
  const isText = json === undefined;
  const texts = isItem ? items.map((item) => item.value) : value.split(',');
  const given: unknown = isText ? texts : json;
  if (!Array.isArray(given) || given.length !== 3) return notNumbers;
  const read = given.map((one: unknown) => (isText ? floatLeaf.fromText(one as string) : floatLeaf.fromJson(one)));
  if (read.some((one) => one instanceof Invalid)) return notNumbers;
  const [longitude, latitude, metres] = (read as Double[]).map((double) => double.value + 0) as [number, number, number];
  const wrong = checkCoordinate(longitude, 0, 'have') ?? checkCoordinate(latitude, 1, 'have') ?? checkMetres(metres, point);
  return wrong ?? { path: point.path, centre: [longitude, latitude], metres };
}

/** A list with one point needs no name for it. */
function findPoint(name: string | undefined, points: readonly QueryField[]): QueryField | Invalid {
  const [only, ...others] = points;
  if (name === undefined && only && others.length === 0) return only;
  const found = points.find((one) => one.name === name);
  if (found) return found;
  const names = points.map((one) => one.name);
  const suggestion = name === undefined ? undefined : nearest(name, names);
  const legal = listNames(names.map((one) => `${nearName}[${one}]`));
  return new Invalid('unknown_parameter', `must name a point of this list: ${legal}`, { suggestion });
}

function checkMetres(metres: number, point: QueryField): Invalid | undefined {
  const { maxMetres = 0 } = grantOf(point, nearPolicy) ?? {};
  if (metres < leastMetres) return new Invalid('minimum', `must have a radius of at least ${leastMetres} metre`, { limit: leastMetres });
  if (metres > maxMetres) return new Invalid('maximum', `must have a radius of at most ${maxMetres} metres`, { limit: maxMetres });
  return undefined;
}
