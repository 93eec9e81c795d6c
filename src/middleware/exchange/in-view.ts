import { keepLatest } from '../../keep-latest.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import { viewOf } from '../../model/compile/view-of.ts';
import { rulesOf } from '../views/asked-rules.ts';
import type { Context, ResourceMiddleware } from './context.ts';
import { described, problemsOf } from './descriptor.ts';
import { passesOf } from './order.ts';
import { composeChain, named, namesOf } from './step.ts';

/** Most chains of one operation that are kept. */
const mostChains = 32;

/** How a chain depends on the caller. */
export interface Viewed {
  /** The rules that the chain needs for this request. */
  rulesFor(ctx: Context): readonly string[];
  /** Makes the chain for callers for whom these rules hold. It is made when the first of them comes. */
  chainFor(held: ReadonlySet<string>): readonly ResourceMiddleware[];
  /** The chain for callers for whom all rules hold: what it answers is described. */
  readonly widest: readonly ResourceMiddleware[];
}

/**
 * Makes a middleware that asks the rules which a chain needs, and runs the chain of the caller's view. Its name has
 * those of the widest chain.
 */
export function inView({ rulesFor, chainFor, widest }: Viewed): ResourceMiddleware {
  const chainOf = keepLatest((held) => composeChain(chainFor(new Set(held.split(' ')))), mostChains);
  const problems = (method: string) => ['internal' as const, ...widest.flatMap((one) => problemsOf(one, method))];
  const view = named(namesOf(widest), async (ctx, next) => {
    const held = await rulesOf(ctx).ask(rulesFor(ctx));
    ctx.exchange?.throwIfGivenUp();
    await chainOf([...held].sort().join(' '))(ctx, next);
  });
  return described({ problems, ...passesOf(widest) }, view);
}

/** What middlewares share of relations: it depends on the rules of the models to which they lead. */
export interface Sighted<Self> {
  /** The rules on which it depends. Empty in a view. */
  readonly rules: readonly string[];
  /** The same for callers for whom these rules hold. */
  seenBy(held: ReadonlySet<string>): Self;
}

/**
 * Makes a middleware that a user gives a model whose policies name rules: one for each view, of which the caller's
 * runs. `related` depends on rules, too. A resource gives its middlewares the views themselves.
 */
export function perView<Related extends readonly (Sighted<unknown> | undefined)[]>(
  given: ModelInput,
  related: Related,
  make: (model: CompiledModel, ...related: Related) => ResourceMiddleware,
): ResourceMiddleware {
  const model = asCompiled(given);
  const rules = model === given ? [] : [model, ...related].flatMap((one) => one?.rules ?? []);
  return perSight(make(model, ...related), rules, (held) => {
    const seen = related.map((one) => one?.seenBy(held)) as unknown as Related;
    return make(viewOf(model, held), ...seen);
  });
}

/** Makes a middleware for each set of rules that hold, of which the caller's runs. `widest` is that for all of them. */
export function perSight(
  widest: ResourceMiddleware,
  rules: readonly string[],
  make: (held: ReadonlySet<string>) => ResourceMiddleware,
): ResourceMiddleware {
  if (rules.length === 0) return widest;
  const asked = [...new Set(rules)];
  return inView({ rulesFor: () => asked, chainFor: (held) => [make(held)], widest: [widest] });
}
