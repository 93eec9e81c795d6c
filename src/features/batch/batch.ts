import type { Problem } from '../../errors.ts';
import { asTold } from '../../middleware/exchange/as-told.ts';
import type { CarryOut, Context, NotedRecords, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { described } from '../../middleware/exchange/descriptor.ts';
import { ClientGone, exchangeOf, setJson, workOf } from '../../middleware/exchange/exchange.ts';
import { ofWrite } from '../../middleware/exchange/problem-codes.ts';
import { reportError } from '../../middleware/exchange/report-error.ts';
import { toProblem } from '../../middleware/problems.ts';
import { asDb, type Database } from '../../mongo/driver/database.ts';
import { runTransaction } from '../../mongo/driver/run-transaction.ts';
import { Turn } from '../../mongo/driver/turn.ts';
import { type ShownRecords, textOf } from '../../mongo/shown-record.ts';
import { Answers } from './answers.ts';
import { type HeldOperation, holdAtWrite } from './held-operation.ts';
import { operationContext } from './operation-context.ts';
import { readBatch } from './read-batch.ts';
import { type CreatedId, fillIn } from './refs.ts';

/** The parts of an api that a batch needs. */
export interface BatchSettings {
  readonly db: Database;
  readonly maxTimeMS: number;
  readonly maxOperations: number;
  readonly maxAnswerBytes: number;
  /** Runs the operation at a path below the prefix. Throws 404 or 405 if a batch cannot have it. */
  run(ctx: Context, path: string): Promise<void>;
  /** The id of the record that the operation of a context is about to create; undefined if it creates none. */
  createdId(ctx: Context): CreatedId | undefined;
}

/**
 * Carries out the operations in `ctx.request.body` in one transaction, one after the other. Each runs through its own
 * chain, as the principal of the batch, up to its write; when all of them have come that far, the transaction begins.
 * After the commit, the chains continue with their hooks.
 *
 * If an operation fails, nothing is written, and the answer is its problem, with its index as `operation`. If all
 * answers together would have more than `maxAnswerBytes`, it is 413, and nothing is written either. Between two
 * operations, other requests get their turn.
 */
export function batch(settings: BatchSettings): ResourceMiddleware {
  const { maxTimeMS, maxOperations, maxAnswerBytes } = settings;
  const db = asDb(settings.db);
  const problems = [...ofWrite, 'validation_failed', 'body_too_large', 'replica_set_required', 'request_given_up'] as const;
  return described({ problems }, async function batch(ctx) {
    const turn = new Turn();
    const operations = readBatch(ctx.request.body, maxOperations);
    await turn.pass();
    const held: HeldOperation[] = [];
    const answers = new Answers(maxAnswerBytes);
    const hasKey = ctx.carryOut !== undefined;
    let at: number | undefined; // the operation that is being carried out
    const alone: CarryOut = (step) => runTransaction(db, workOf(ctx), maxTimeMS, step);
    try {
      const ids: (CreatedId | undefined)[] = [];
      for (const [index, operation] of operations.entries()) {
        const filled = fillIn(operation, ids);
        at = index;
        const one = await unlessGone(
          ctx,
          holdAtWrite(operationContext(ctx, filled), (own) => settings.run(own, filled.path)),
        );
        held.push(one);
        ids.push(one.step && settings.createdId(one.ctx));
        at = undefined;
        await turn.pass();
      }
      await (ctx.carryOut ?? alone)(async () => {
        answers.clear();
        const noted: NotedRecords[] = [];
        for (const [index, { ctx: own, step }] of held.entries()) {
          at = index;
          exchangeOf(ctx).throwIfGivenUp();
          await step?.();
          answers.add(own);
          if (hasKey) noted.push(...((await own.replays?.note(own)) ?? [nothingShown]));
          await turn.pass();
        }
        at = undefined;
        if (hasKey) ctx.shown = settle(noted);
        answer(ctx, answers);
      });
    } catch (error) {
      for (const one of held) one.giveUp(error);
      throw at === undefined || error instanceof ClientGone || exchangeOf(ctx).isGivenUp ? error : ofOperation(asTold(ctx, error), at);
    }
    await finish(ctx, held, answers);
  });
}

/** Continues the chains after the commit. If a hook fails, the answer of its operation says so, and the others stay. */
async function finish(ctx: Context, held: readonly HeldOperation[], answers: Answers): Promise<void> {
  let hasFailed = false;
  for (const [index, one] of held.entries()) {
    try {
      await one.goOn();
    } catch (thrown) {
      exchangeOf(ctx).throwIfGivenUp();
      const error = asTold(one.ctx, thrown);
      reportError(one.ctx, error);
      answers.fail(index, error);
      hasFailed = true;
    }
  }
  if (hasFailed) answer(ctx, answers);
}

const nothingShown: NotedRecords = { records: [], refers: [], hasLeft: false };

function answer(ctx: Context, answers: Answers): void {
  ctx.status = 200;
  ctx.set('Cache-Control', 'no-store');
  setJson(ctx, answers.toJson());
}

/** Waits for an operation to come to its write, unless the client goes or the request is given up. */
function unlessGone(ctx: Context, beginning: Promise<HeldOperation>): Promise<HeldOperation> {
  const { signal } = exchangeOf(ctx);
  return new Promise((resolve, reject) => {
    function leave(): void {
      reject(signal.reason);
      beginning.then(({ giveUp }) => giveUp(signal.reason)).catch(() => undefined); // it may come to its write later
    }
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    beginning.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/**
 * The problem of one operation, with its index in the document. For `app.on('error')` it is still the error that was
 * thrown.
 */
export function ofOperation(error: unknown, operation: number): Problem {
  const problem = toProblem(error);
  const { message, stack } = error instanceof Error ? error : problem;
  const toDocument = () => ({ ...problem.toDocument(), operation });
  return Object.create(problem, { toDocument: { value: toDocument }, message: { value: message }, stack: { value: stack } }) as Problem;
}

/**
 * The records that a batch shows in the end: an operation may delete a record that an earlier one has shown, or take it
 * out of the scope.
 */
function settle(noted: readonly NotedRecords[]): readonly ShownRecords[] {
  const left = new Set<string>();
  const settled = noted.toReversed().map(({ records, refers, hasLeft, left: own = [] }) => {
    for (const one of own) left.add(textOf(one));
    return { records, refers, hasLeft: hasLeft || records.some((one) => left.has(textOf(one))) };
  });
  return settled.reverse();
}
