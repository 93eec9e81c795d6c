import fc from 'fast-check';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { type Answer, playStep, send, type Told } from '../support/fuzzing/play-relations.ts';
import { describeStep, mostModels, resolve, type Scenario, scenario } from '../support/fuzzing/random-relations.ts';
import { expectedOf, readsOf, storedOf } from '../support/fuzzing/read-relations.ts';
import { type Graph, isPrivate, type Outcome, type Step } from '../support/fuzzing/relation-graph.ts';
import { RelationOracle } from '../support/fuzzing/relation-oracle.ts';
import { type Discrepancy, ledgerDiscrepancies } from '../support/fuzzing/replay-ledger.ts';
import { serveRelations } from '../support/fuzzing/serve-relations.ts';

const database = useDatabase({ monitorCommands: true });
const names = [
  ...['log', 'idempotency_keys', 'events'],
  ...Array.from({ length: mostModels }, (_, model) => [`m${model}`, `m${model}_history`]).flat(),
];
beforeAll(async () => {
  for (const name of names) await database.db.createCollection(name);
});

type Again = NonNullable<Told['again']>;

const tally = new Map<string, number>();

function count({ writes: [{ kind }], isBatch }: Step, { status, code }: Outcome): void {
  note(`${isBatch ? 'batch' : kind} ${code ?? status}`);
}

function note(name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}

/** What has to happen in the runs, so that the test says something. */
const usual = Object.entries({
  create: ['201', 'validation_failed', 'duplicate_key', 'hook_refused'],
  nested: ['201', 'not_found'],
  patch: ['200', 'validation_failed', 'not_found', 'precondition_failed'],
  put: ['200'],
  link: ['204'],
  unlink: ['204'],
  remove: ['204', 'not_found', 'precondition_failed', 'too_many_references'],
  restore: ['200', 'not_found', 'precondition_failed', 'validation_failed'],
  patchMany: ['200'],
  removeMany: ['200'],
  createMany: ['200'],
  createAll: ['200', 'validation_failed', 'duplicate_key'],
  purge: ['200'],
  batch: ['200', 'validation_failed', 'not_found', 'hook_refused'],
  left: ['before a write', 'behind a write'],
  request: ['again: done', 'again: refused', 'again, left before: done', 'again, left before: refused'],
}).flatMap(([kind, answers]) => answers.map((answer) => `${kind} ${answer}`));

describe('random models with references', () => {
  it('are written, deleted, restored and shown as the documentation says, and no reference with `onDelete` leads nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const history: Step[] = [];
        try {
          await play(given, history);
        } catch (error) {
          (error as Error).message += `\nAfter these steps:\n${history.map(describeStep).join('\n')}`;
          throw error;
        }
      }),
      { ...cases(20), endOnFailure: true },
    );
    expect(usual.filter((name) => !tally.has(name))).toEqual([]);
  }, 500_000); // a net for a hung run: a busy machine takes four times as long
});

async function play({ graph, steps }: Scenario, history: Step[]): Promise<void> {
  for (const name of names) await database.db.collection(name).deleteMany({});
  const oracle = new RelationOracle(graph);
  const served = serveRelations(database.db, graph);
  const models = [...graph.soft.keys()];
  const allOf = () => models.map((model) => expectedOf(oracle, model));
  const readAll = () => Promise.all(models.map((model) => storedOf(database.db, model)));
  for (const given of steps) {
    const step = resolve(oracle, given);
    history.push(step);
    served.after.length = 0;
    const before = allOf();
    const expected = oracle.play(step);
    let told = await playStep(served, graph, step);
    let stored = await readAll();
    if (!told.outcome && !told.again) {
      const isDone = oracle.within.length > 0 ? (await database.db.collection('log').countDocuments()) > 0 : !isEqual(stored, before);
      note(`left ${isDone ? 'behind' : 'before'} a write`);
      if (!isDone) {
        expect(stored).toEqual(before);
        served.after.length = 0;
        told = await playStep(served, graph, { ...step, sending: 'once' });
        stored = await readAll();
      }
    }
    count(step, expected);
    const { outcome, answer, again } = told;
    if (outcome) expect(outcome).toEqual(expected);
    if (again) compareAgain(oracle, step, expected, answer, again);
    await compareHooks(oracle, served.after, expected);
    expect(oracle.orphans()).toEqual([]);
    expect(stored).toEqual(allOf());
    expect((await Promise.all(models.map((model) => discrepancies(graph, model)))).flat()).toEqual([]);
    if (!given.reader) continue;
    const reader = { ...given.reader, model: given.reader.model % graph.soft.length };
    for (const { path, data } of readsOf(oracle, reader)) {
      const { body } = await send(served.api, 'GET', path, undefined, { 'x-user': reader.asker });
      const read = body.data?.map((one: Any) => (one.deletedAt ? { ...one, deletedAt: true } : one));
      expect({ path, read, total: body.page?.total }).toEqual({ path, read: data, total: data.length });
    }
  }
}

/** What the history and the events of a model say that is not so. */
function discrepancies({ kept, edges }: Graph, model: number): Promise<readonly Discrepancy[]> | [] {
  const isHidden = (path: string) => edges.some((spec, index) => path === `e${index}` && isPrivate(spec));
  return kept[model] ? ledgerDiscrepancies(database.db, `m${model}`, `M${model}`, isHidden) : [];
}

/** Whether `toEqual` holds. */
function isEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

/**
 * A request that comes again with its key is carried out once: a refusal is one again, and an answer is the same, if
 * what it shows is within reach.
 */
function compareAgain(oracle: RelationOracle, { writes }: Step, expected: Outcome, first: Answer | undefined, again: Again): void {
  const isKept = first !== undefined && expected.status < 300;
  const shown = expected.status < 300 ? writes.filter(({ kind }) => kind !== 'remove' && kind !== 'patchMany') : [];
  const isWithinReach = shown.every(({ asker, model, id }) => oracle.sees(asker, model, id));
  if (isWithinReach) note(`request ${first ? 'again' : 'again, left before'}: ${expected.status < 300 ? 'done' : 'refused'}`);
  if (isKept && isWithinReach) expect(again.answer).toEqual(first);
  else if (!isWithinReach && (isKept || again.answer.status !== 200)) expect([204, 404]).toContain(again.answer.status);
  else expect(again.outcome).toEqual(expected);
}

/**
 * What hooks of `within` have written is stored if the write is, and those of `after` have run once for each record.
 */
async function compareHooks(oracle: RelationOracle, after: readonly string[], { status }: Outcome): Promise<void> {
  const log = database.db.collection('log');
  const written = (await log.find().toArray()).map(({ text }) => text);
  if (written.length > 0) await log.deleteMany({});
  expect(written.sort()).toEqual(oracle.within.sort());
  // The first one that throws is the last one.
  if (status === 500) expect(oracle.after).toEqual(expect.arrayContaining([...after]));
  else expect([...after].sort()).toEqual(oracle.after.sort());
}
