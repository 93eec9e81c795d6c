import type { Context } from '../../middleware/exchange/context.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isObject } from '../../model/value/plain-object.ts';
import type { Asked } from '../../mongo/list/asked.ts';
import { maxBytesOfIds } from '../../mongo/list/plan-page.ts';
import { amongIds } from '../../mongo/predicate/predicate.ts';
import type { SortKey } from '../../mongo/query/position.ts';
import { Invalid } from '../../rules.ts';
import { byRank, tooManyFound } from './list-order.ts';
import type { FindIds, SearchLimits } from './list-types.ts';

/**
 * Asks an engine for ids. Those that no record of the model can have are left out: the engine may be behind. Throws
 * `too_many_matches` (422) for too many, and a plain Error (500) for a result that is no array of ids.
 */
export async function askEngine(
  find: FindIds,
  model: CompiledModel,
  { maxSearchMatches }: Required<SearchLimits>,
  asked: Asked,
  sort: readonly SortKey[],
  ctx: Context,
): Promise<Asked> {
  ctx.exchange?.throwIfGivenUp();
  const found: unknown = await (find as (q: string, ctx: Context) => unknown)(asked.text as string, ctx);
  ctx.exchange?.throwIfGivenUp();
  if (!Array.isArray(found))
    throw new Error(`\`search\` of ${model.name} must return an array of ids; it has returned ${describe(found)}.`);
  if (found.length > maxSearchMatches) throw tooManyFound(maxSearchMatches, 'to look at');
  const ids = castIds(found, model, sort);
  return { ...asked, within: amongIds(ids), ...(asked.order && { order: byRank(ids, model) }) };
}

/** The ids that records may have, each once. Throws `too_many_matches` (422) for more than a query has room for. */
function castIds(found: readonly unknown[], model: CompiledModel, sort: readonly SortKey[]): unknown[] {
  const ids = new Map<string, unknown>();
  let room = maxBytesOfIds / Math.max(sort.length, 1); // each key of a sort has a range, which repeats the ids
  for (const one of found) {
    const id = castId(one, model);
    if (id instanceof Invalid) continue;
    const text = model.id.leaf.toJson(id);
    if (ids.has(text)) continue;
    room -= Buffer.byteLength(text);
    if (room < 0) throw tooManyFound(ids.size, 'to look at');
    ids.set(text, id);
  }
  return [...ids.values()];
}

function castId(one: unknown, { id: { leaf }, name }: CompiledModel): unknown {
  const id = leaf.fromDocument(one);
  if (!(id instanceof Invalid)) return id;
  if (typeof one === 'string') return leaf.fromText(one);
  if (
    typeof one === 'number' ||
    typeof one === 'bigint' ||
    (typeof one === 'object' && one !== null && !isObject(one) && !Array.isArray(one))
  )
    return id;
  throw new Error(`\`search\` of ${name} must return an array of ids; it has ${describe(one)} among them.`);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return value === null || typeof value !== 'object' ? String(value) : 'an object';
}
