import { inspect } from 'node:util';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isServerError, serverCodes } from '../../mongo/driver/server-error.ts';
import { formatKey } from '../../mongo/indexes/index-plan.ts';
import type { Asked } from '../../mongo/list/asked.ts';
import { comparisonsOf, conjunctsOf } from '../../mongo/predicate/conjuncts-of.ts';
import { bringing, type Comparison, type Predicate } from '../../mongo/predicate/predicate.ts';
import { byRelevance, tooManyFound } from './list-order.ts';
import type { CompiledSearch } from './model.ts';

/**
 * Asks the text index for the records that match. Each term stands in quotes: the database then requires all of them,
 * and reads none as an operator, such as the `-` that excludes a word. No term has a quote.
 */
export function askIndex(terms: readonly string[], model: CompiledModel, index: CompiledSearch, maxMatches: number): Asked {
  const filter = { $text: { $search: terms.map((term) => `"${term}"`).join(' ') } };
  return {
    within: bringing({ filter, comparisons: [] }),
    text: JSON.stringify(terms),
    order: byRelevance,
    bound: { max: maxMatches, exceeded: () => tooManyFound(maxMatches, 'to be sorted', ', or leave out `sort`') },
    checkScope: (scope) => requireFixedScope(model.name, index, scope),
    explain: (error) => explain(error, model, index),
  };
}

/**
 * Throws a plain Error (500) if a scope does not compare each field that the text index begins with with one value. The
 * database would refuse the query.
 */
function requireFixedScope(model: string, { scopeFields }: CompiledSearch, scope: Predicate | undefined): void {
  const open = scopeFields.find(({ path }) => !fixes(scope, path));
  if (!open) return;
  throw new Error(
    `The scope of this request does not compare \`${open.name}\` with one value, as \`search.scopeFields\` of ${model} promises: the text index begins with it. Leave it out of \`search.scopeFields\`, or do without this scope where clients search.`,
  );
}

/** Whether records of a scope have one value at a path. An opaque scope may say so: the database will know. */
function fixes(scope: Predicate | undefined, path: string): boolean {
  return conjunctsOf(scope).some(
    (part) => part.kind === 'opaque' || comparisonsOf(part).some((one) => one.field.path === path && isOneValue(one)),
  );
}

function isOneValue({ operator, value }: Comparison): boolean {
  return operator === 'eq' || (operator === 'in' && (value as readonly unknown[]).length === 1);
}

/** Says which index is missing, or is not the one that the model describes, if that is why a search has failed. */
function explain(error: unknown, { name, collection }: CompiledModel, { key, options }: CompiledSearch): unknown {
  const isMissing = isServerError(error, serverCodes.indexNotFound);
  if (!isMissing && !isServerError(error, serverCodes.noQueryExecutionPlans)) return error;
  const what = isMissing ? 'has no text index' : 'has another text index';
  const call = `db.collection(${JSON.stringify(collection)}).createIndex(${formatKey(key)}, ${inspect(options, { breakLength: Number.POSITIVE_INFINITY })})`;
  return new Error(
    `The collection \`${collection}\` ${what}, so that \`search\` of ${name} fails. Call \`applyIndexes(api)\`, or: ${call}`,
    { cause: error },
  );
}
