import { noSuchPath } from '../errors.ts';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { isGuards } from '../middleware/exchange/descriptor.ts';
import { inView } from '../middleware/exchange/in-view.ts';
import { checkOrder } from '../middleware/exchange/order.ts';
import { composeChain, madeLate, step } from '../middleware/exchange/step.ts';
import { upToReplays } from '../middleware/idempotency/replays.ts';
import { live } from '../middleware/live.ts';
import type { GuardedSource } from '../middleware/relations/relation-targets.ts';
import { setView } from '../middleware/views/view.ts';
import { once } from '../mistakes.ts';
import type { Step } from '../mongo/relations/include/read-included.ts';
import { chainsOf } from './chains.ts';
import { answerRules } from './define/answer-rules.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import { listQueryName, standardEndpoints } from './define/endpoints.ts';
import { historyName } from './define/history-options.ts';
import { aggregateName } from './define/whole-list.ts';
import { exportChainOf } from './export-chains.ts';
import { liveChainOf } from './live-chains.ts';
import { type ServedOperation, servedOperations } from './served-operations.ts';

/** A resource with its operations, and what they run. */
export interface ServedResource extends CompiledResource {
  readonly served: readonly ServedOperation[];
  /** All middlewares of an operation, by its name: the ones before every operation of the api, and its own. */
  chainOf(operation: string): readonly ResourceMiddleware[];
  /** Its own middlewares only. */
  ownChainOf(operation: string): readonly ResourceMiddleware[];
  /** Runs an operation in the view of its caller. */
  runOf(operation: string): ResourceMiddleware;
  /** Runs it without the middlewares before every operation of the api. */
  ownRunOf(operation: string): ResourceMiddleware;
  /** All middlewares that keep what an operation shows true, as a stream. Empty if it cannot. */
  keptChainOf(operation: string): readonly ResourceMiddleware[];
  /** Runs what a caller passes to see an answer of the operation again. */
  replayRunOf(operation: string): ResourceMiddleware;
}

/** Finds a resource as callers see it for whom these rules hold. */
export type InView = (resource: CompiledResource, held: ReadonlySet<string>) => CompiledResource;

type Chain = readonly ResourceMiddleware[];

/** What an api runs before every operation, and the part of it that finds out who the caller is. */
export interface Around {
  readonly before: Chain;
  readonly identifying: Chain;
}

/**
 * Makes the chain of each operation of a resource, once: what is served and what is described are the same. Those of
 * the standard operations are made by their first request, or by the description: their parts have been checked, and
 * are copies of what the app has given.
 */
export function serveResource(resource: CompiledResource, { before, identifying }: Around, resourceIn: InView): ServedResource {
  const own = new Map([...chainsOf(resource)].map(([name, make]) => [name, once(() => inOrder(make(), name, resource))] as const));
  const chainOf = (name: string) => own.get(name)?.() ?? [];
  const others = [...own.keys()].filter((name) => name !== listQueryName && !Object.hasOwn(standardEndpoints, name));
  for (const name of others) chainOf(name);

  /** What an operation runs: its chain, or that of the caller's view if it depends on rules. `part` cuts the chain. */
  function runOf(name: string, part: (chain: Chain) => Chain): Chain {
    const { own: ownRules, related } = rulesOf(resource, name);
    const all = [...new Set([...ownRules, ...related])];
    const widest = part(chainOf(name));
    if (all.length === 0) return widest;
    const isInBody = name.endsWith('.query');
    const rulesFor = ({ querystring }: Context) => (querystring === '' && !isInBody ? ownRules : all);
    // Who is refused by a guard is asked nothing else. A relation that a caller does not know has no guards either.
    const ofGuards = isOfRelation(resource, name) ? 0 : widest.findIndex((one) => !isGuards(one));
    const chainFor = (held: ReadonlySet<string>) => {
      const seen = resourceIn(resource, held);
      const chain = chainsOf(seen).get(name)?.() ?? [hidden];
      return [
        step({}, function view(ctx) {
          setView(ctx, seen.model);
        }),
        ...part(chain).slice(ofGuards),
      ];
    };
    return [...widest.slice(0, ofGuards), inView({ rulesFor, chainFor, widest: widest.slice(ofGuards) })];
  }

  const whole = (chain: Chain) => chain;
  return Object.assign({}, resource, {
    served: servedOperations(resource),
    chainOf: (name: string) => [...before, ...chainOf(name)],
    ownChainOf: chainOf,
    runOf: (name: string) => madeLate(name, () => composeChain([...before, ...runOf(name, whole)])),
    ownRunOf: (name: string) => madeLate(name, () => composeChain(runOf(name, whole))),
    keptChainOf(name: string) {
      const chain = liveChainOf.get(name) ?? '';
      if (!own.has(chain)) return [];
      const { db, liveStreams: streams } = resource;
      return [...before, live(runOf(chain, whole), { db, streams, again: identifying })];
    },
    replayRunOf: (name: string) => madeLate(name, () => composeChain(runOf(name, upToReplays))),
  });
}

/** Refuses a chain in a wrong order when it is made. */
function inOrder(chain: Chain, operation: string, { path }: CompiledResource): Chain {
  checkOrder(chain, `\`${operation}\` of \`${path}\``);
  return chain;
}

/** Answers for a relation that the caller does not know. */
const hidden = step({ problems: ['not_found'] }, function hidden() {
  throw noSuchPath();
});

/** The operations that read with parameters: those which may name related records. */
const reads: ReadonlySet<string> = new Set([
  'get',
  'list',
  listQueryName,
  aggregateName,
  historyName,
  ...exportChainOf.values(),
  ...liveChainOf.values(),
]);

function isOfRelation({ ops, operations }: CompiledResource, name: string): boolean {
  return (
    !reads.has(name) &&
    !(ops as readonly string[]).includes(name) &&
    !operations.some((one) => one.name === name && !one.counter?.rules?.read)
  );
}

/** The rules on which an operation depends: always, and where its query string names relations. */
interface OperationRules {
  readonly own: readonly string[];
  readonly related: readonly string[];
}

const none: OperationRules = { own: [], related: [] };

function rulesOf(resource: CompiledResource, name: string): OperationRules {
  if (name === 'delete') return none; // it takes no field and shows none
  const nested = resource.nested.find(({ operations }) => operations.some((one) => one.name === name));
  const own = [...new Set([...resource.model.rules, ...(nested?.target.model.rules ?? [])])];
  const reading = nested ? nested.target : reads.has(name) ? resource : undefined;
  return { own, related: reading ? relatedRules(stepsOf(reading)) : [] };
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

function stepsOf({ includes, through }: Pick<CompiledResource, 'includes' | 'through'>): readonly Step<GuardedSource>[] {
  return [...includes.steps, ...(through?.steps ?? [])];
}

function relatedRules(steps: readonly Step<GuardedSource>[]): string[] {
  return steps.flatMap(({ source, steps: further }) => [...source.model.rules, ...relatedRules(further)]);
}
