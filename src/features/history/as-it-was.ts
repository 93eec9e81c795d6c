import { notFound } from '../../errors.ts';
import { QueryErrors } from '../../http/query-errors.ts';
import { parseQueryString } from '../../http/query-string.ts';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { described } from '../../middleware/exchange/descriptor.ts';
import { setJson, workOf } from '../../middleware/exchange/exchange.ts';
import { ofRead } from '../../middleware/exchange/problem-codes.ts';
import { readAddress } from '../../middleware/exchange/read-address.ts';
import { composeChain } from '../../middleware/exchange/step.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { revisionLeaf } from '../../model/compile/history-fields.ts';
import type { Selection } from '../../model/read/write-json.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { type DatabaseOptions, openCollection } from '../../mongo/collection/collection.ts';
import { givenTwice } from '../../mongo/list/parse-conditions.ts';
import { StoredRecord } from '../../mongo/stored-record.ts';
import { Invalid } from '../../rules.ts';

/** The parameter that asks for an earlier state of a record. */
export const atName = 'at';

/** The parts of `get` that show an earlier state as it shows the present one. */
export interface AsItWasOptions extends DatabaseOptions {
  /** What reads its other parameters and headers. */
  readonly parsing: readonly ResourceMiddleware[];
  /** Its hooks: they run for the record as it is, and again for the record as it was. */
  readonly hooks: readonly ResourceMiddleware[];
  readonly answering: ResourceMiddleware;
}

const notBesideAt = new Invalid('conflicting_parameter', 'cannot stand beside at: only the record itself has a history', { with: atName });

/**
 * Answers with the record of `ctx.params.id` as it was at the revision of `at`, in the same view and scope. The record
 * as it is must be within the scope, too. `model` is one view of the model.
 */
export function asItWas(model: CompiledModel, { parsing, hooks, answering, ...database }: AsItWasOptions): ResourceMiddleware {
  const collection = openCollection(model, database);
  const parse = composeChain(parsing);
  const runHooks = composeChain(hooks);
  const leaf = revisionLeaf(model);

  async function answer(ctx: Context, at: number | bigint): Promise<void> {
    const { revisionIn, stateAt, openEntries } = await import('./mongo/history.ts');
    await parse(ctx, nothingBelow);
    const { id, within } = readAddress(ctx, model);
    const { precondition, scope, deleted: visible = 'live' } = ctx;
    const options = { fetchPrivate: hooks.length > 0, precondition };
    const present = await collection.findOne(id, within.seeing(visible), options, workOf(ctx));
    const revision = revisionIn(model, present.stored);
    ctx.record = new StoredRecord(model, present.stored, ctx.fields);
    await runHooks(ctx, nothingBelow);
    if (at > revision) throw notFound();
    if (at >= revision) return answering(ctx, nothingBelow);
    const state = await stateAt(
      model,
      present,
      at,
      { scope, visible, isWhole: hooks.length > 0 },
      openEntries(model, database),
      workOf(ctx),
    );
    ctx.record = new StoredRecord(model, state.stored, ctx.fields);
    await runHooks(ctx, nothingBelow);
    await answering(ctx, nothingBelow);
    const erased = state.erased.filter((name) => isChosen(name.split('.'), ctx.fields?.selection));
    if (erased.length > 0) setJson(ctx, withErased(ctx.body as Buffer, erased));
    ctx.remove('ETag'); // of what is no longer the record
  }

  return described({ problems: [...ofRead, 'invalid_query', 'not_found', 'not_kept'] }, async function asItWas(ctx) {
    await answer(ctx, readAt(ctx, leaf));
  });
}

/** The answer with a member beside `data`, whose JSON is its last part. */
function withErased(body: Buffer, names: readonly string[]): Buffer {
  return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"erased":${JSON.stringify(names)}}`)]);
}

/** Whether a client has chosen a field, by its name. */
function isChosen([name = '', ...rest]: readonly string[], selection: Selection | undefined): boolean {
  const choice = selection?.get(name);
  if (!selection || choice === 'whole') return true;
  return choice !== undefined && choice !== 'fetched' && (rest.length === 0 || isChosen(rest, choice));
}

async function nothingBelow(): Promise<void> {}

function readAt({ querystring }: Context, { fromText }: Leaf): number | bigint {
  const parameters = parseQueryString(querystring, { only: [atName, 'include'] });
  const [first, second] = parameters.filter(({ name }) => name === atName);
  const errors = new QueryErrors();
  const at = fromText(first?.value ?? '');
  if (second) errors.push(givenTwice.at(atName));
  else if (at instanceof Invalid) errors.push(at.at(atName));
  if (parameters.some(({ name }) => name === 'include')) errors.push(notBesideAt.at('include'));
  errors.throwIfAny();
  return at as number | bigint;
}
