import { noSuchPath } from '../errors.ts';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { isGuards } from '../middleware/exchange/descriptor.ts';
import { inView } from '../middleware/exchange/in-view.ts';
import { checkOrder } from '../middleware/exchange/order.ts';
import { upToReplays } from '../middleware/exchange/replays.ts';
import { composeChain, madeLate, step } from '../middleware/exchange/step.ts';
import type { GuardedSource } from '../middleware/relations/relation-targets.ts';
import { setView } from '../middleware/views/view.ts';
import { once } from '../mistakes.ts';
import type { IncludedStep } from '../mongo/relations/include/read-included.ts';
import { answerRules } from './define/answer-rules.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import type { Chain, Row } from './table/row.ts';
import { rowsOf } from './table/rows.ts';

/** A row of the table, and what it runs. */
export interface ServedRow extends Row {
  /** Whether every caller knows it, whatever rules hold. */
  isKnownToAll(): boolean;
  /** All of its middlewares: the ones before every operation of the api, and its own. */
  whole(): Chain;
  /** Runs it in the view of its caller. */
  readonly run: ResourceMiddleware;
  /** Runs it without the middlewares before every operation of the api. */
  readonly ownRun: ResourceMiddleware;
  /** Runs what a caller passes to see an answer of it again. */
  readonly replayRun: ResourceMiddleware;
}

/** A resource with the table of its operations, and what they run. */
export interface ServedResource extends CompiledResource {
  readonly rows: readonly ServedRow[];
}

/** Finds a resource as callers see it for whom these rules hold. */
export type InView = (resource: CompiledResource, held: ReadonlySet<string>) => CompiledResource;

/** What an api runs before every operation, and the part of it that finds out who the caller is. */
export interface Around {
  readonly before: Chain;
  readonly identifying: Chain;
}

/**
 * Makes the chains of a resource, once: what is served and what is described are the same. Those of the standard
 * operations are made by their first request, or by the description: their parts have been checked, and are copies of
 * what the app has given.
 */
export function serveResource(resource: CompiledResource, { before, identifying }: Around, resourceIn: InView): ServedResource {
  const rows = rowsOf(resource).map((row) => ({ ...row, chain: once(() => checkedChain(row, resource)) }));
  for (const { subject, chain } of rows) if (subject.kind !== 'standard' && subject.kind !== 'query') chain();

  /** What a row runs: its chain, or that of the caller's view if it depends on rules. `part` cuts the chain. */
  function partOf(row: Row, part: (chain: Chain) => Chain): Chain {
    const { own, related } = rulesOf(row);
    const all = [...new Set([...own, ...related])];
    const widest = part(row.chain());
    if (all.length === 0) return widest;
    const isInBody = row.twinOf !== undefined;
    const rulesFor = ({ querystring }: Context) => (querystring === '' && !isInBody ? own : all);
    // Who is refused by a guard is asked nothing else. A relation that a caller does not know has no guards either.
    const ofGuards = row.isHidable ? 0 : widest.findIndex((one) => !isGuards(one));
    const chainFor = (held: ReadonlySet<string>) => {
      const seen = resourceIn(resource, held);
      const chain = rowIn(seen, row)?.chain() ?? [hidden];
      return [
        step({}, function view(ctx) {
          setView(ctx, seen.model);
        }),
        ...part(chain).slice(ofGuards),
      ];
    };
    return [...widest.slice(0, ofGuards), inView({ rulesFor, chainFor, widest: widest.slice(ofGuards) })];
  }

  function kept(row: Row): Chain {
    const chain = partOf(row, whole);
    return row.keep ? [row.keep(chain, identifying)] : chain;
  }

  function serve(row: Row): ServedRow {
    return {
      ...row,
      isKnownToAll: once(() => !row.isHidable || rowIn(resourceIn(resource, noRules), row) !== undefined),
      whole: () => [...before, ...(row.keep ? kept(row) : row.chain())],
      run: madeLate(row.name, () => composeChain([...before, ...kept(row)])),
      ownRun: madeLate(row.name, () => composeChain(kept(row))),
      replayRun: madeLate(row.name, () => composeChain(partOf(row, upToReplays))),
    };
  }

  return Object.assign({}, resource, { rows: rows.map(serve) });
}

const whole = (chain: Chain) => chain;

const noRules: ReadonlySet<string> = new Set();

/** The same row of a resource in a view. Undefined if its callers do not know it. */
function rowIn(seen: CompiledResource, { name, method }: Row): Row | undefined {
  return rowsOf(seen).find((other) => other.name === name && other.method === method);
}

/** Refuses a chain in a wrong order when it is made. */
function checkedChain({ name, chain }: Row, { path }: CompiledResource): Chain {
  const made = chain();
  checkOrder(made, `\`${name}\` of \`${path}\``);
  return made;
}

/** Answers for a relation that the caller does not know. */
const hidden = step({ problems: ['not_found'] }, function hidden() {
  throw noSuchPath();
});

/** The rules on which a row depends: always, and where its parameters name relations. */
interface RowRules {
  readonly own: readonly string[];
  readonly related: readonly string[];
}

function rulesOf({ fieldsOf, mayNameRelations }: Row): RowRules {
  const reading = mayNameRelations ? fieldsOf.at(-1) : undefined;
  return {
    own: [...new Set(fieldsOf.flatMap(({ model }) => model.rules))],
    related: reading ? relatedRules(stepsOf(reading)) : [],
  };
}

/** The rules on which anything of a resource depends. */
export function relevantRules({ model, operations, includes, through, nested }: CompiledResource): readonly string[] {
  return [
    ...model.rules,
    ...operations.flatMap(answerRules),
    ...relatedRules(stepsOf({ includes, through })),
    ...nested.flatMap(({ target }) => [...target.model.rules, ...relatedRules(stepsOf(target))]),
  ];
}

function stepsOf({ includes, through }: Pick<CompiledResource, 'includes' | 'through'>): readonly IncludedStep<GuardedSource>[] {
  return [...includes.steps, ...(through?.steps ?? [])];
}

function relatedRules(steps: readonly IncludedStep<GuardedSource>[]): string[] {
  return steps.flatMap(({ source, steps: further }) => [...source.model.rules, ...relatedRules(further)]);
}
