import fc from 'fast-check';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { carryOut, clear, Project, treeApi } from './tree.ts';

const database = useDatabase();
afterEach(() => clear(database));

const place = fc.nat(11);
const maybe = fc.option(place, { nil: undefined });
const world = fc.record({
  tasks: fc.array(fc.record({ project: fc.nat(2), parent: maybe }), { minLength: 6, maxLength: 12 }),
  comments: fc.array(fc.record({ task: place }), { maxLength: 8 }),
  invoices: fc.array(fc.record({ task: maybe, comment: maybe, project: fc.option(fc.nat(2), { nil: undefined }) }), { maxLength: 3 }),
  plans: fc.array(fc.record({ main: maybe, tasks: fc.uniqueArray(place, { maxLength: 4 }) }), { maxLength: 4 }),
});

const names = ['projects', 'tasks', 'comments', 'invoices', 'plans'];

/** Writes a world as it is: references to records that are not there are left out. */
async function write({ tasks, comments, invoices, plans }: Any): Promise<void> {
  const task = (at: number | undefined) => (at !== undefined && at < tasks.length ? `t${at}` : undefined);
  const defined = (row: object) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
  const rows: Record<string, object[]> = {
    projects: [0, 1, 2].map((at) => ({ _id: `p${at}` })),
    tasks: tasks.map(({ project, parent }: Any, at: number) => ({ _id: `t${at}`, project: `p${project}`, parent: task(parent) })),
    comments: comments.map((one: Any, at: number) => ({ _id: `c${at}`, task: task(one.task) ?? 't0' })),
    invoices: invoices.map((one: Any, at: number) => ({
      _id: `i${at}`,
      task: task(one.task),
      comment: one.comment < comments.length ? `c${one.comment}` : undefined,
      project: one.project === undefined ? undefined : `p${one.project}`,
    })),
    plans: plans.map((one: Any, at: number) => ({
      _id: `x${at}`,
      main: task(one.main),
      tasks: one.tasks.flatMap((at: number) => task(at) ?? []),
    })),
  };
  for (const [name, own] of Object.entries(rows))
    if (own.length > 0) await database.db.collection<Any>(name).insertMany(own.map((row) => defined({ ...row, revision: 0 })));
}

/** What is stored, without what differs in each run, and without how often a record was written. */
async function read(): Promise<unknown> {
  const all = await Promise.all(names.map((name) => database.db.collection<Any>(name).find().sort({ _id: 1 }).toArray()));
  return all.map((records) =>
    records.map(({ _id, project, parent, task, comment, main, tasks, deletedAt }) => ({
      _id,
      project,
      parent,
      task,
      comment,
      main,
      tasks,
      isDeleted: Boolean(deletedAt),
    })),
  );
}

async function outcome(remove: Promise<unknown>): Promise<string> {
  return remove.then(
    () => 'done',
    (error) => error.code,
  );
}

it('a delete in the background comes to the same as one in a request, and stops where that is refused', async () => {
  const [large, small] = [treeApi(database, { maxCascade: 1_000 }), treeApi(database)];
  let done = 0;
  let stopped = 0;
  const same = fc.asyncProperty(world, async (given) => {
    await clear(database);
    await write(given);
    const before = await outcome(large.store(Project).remove('p0'));
    const expected = await read();
    await clear(database);
    await write(given);
    const after = await outcome(small.store(Project).remove('p0', { inBackground: true }));
    await carryOut(small, database);
    const removal = await database.db.collection('removals').findOne();
    if (before === 'done') {
      done++;
      expect([after, removal?.status]).toEqual(['done', 'done']);
      expect(await read()).toEqual(expected);
    } else {
      stopped++;
      expect([before, removal?.status ?? after]).toEqual(['still_referenced', removal ? 'stopped' : 'still_referenced']);
    }
  });
  await fc.assert(same, cases(30));
  expect([done > 0, stopped > 0]).toEqual([true, true]);
}, 300_000);
