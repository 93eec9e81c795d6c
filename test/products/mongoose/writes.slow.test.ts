import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { unique, useMongoose, versions } from './use-mongoose.ts';
import { deleting, inserting, pipelines, replacing, saving, updates, updating } from './ways.ts';

const database = useDatabase();

/** Every update of every kind. */
const written: Readonly<Record<string, { readonly update: Any; readonly options?: object }>> = {
  ...updates,
  ...Object.fromEntries(
    Object.entries(pipelines).map(([name, update]) => [`pipeline: ${name}`, { update, options: { updatePipeline: true } }]),
  ),
};

/** The records that a replacement may leave. */
const replacements: Readonly<Record<string, object>> = {
  'without what is maintained': {},
  'with the values that were read': { revision: 3, createdAt: new Date('2020-01-01T00:00:00Z') },
  'with others': { revision: 70, createdAt: new Date('2021-01-01T00:00:00Z') },
};

const settings = [undefined, false].flatMap((timestamps) => [false, true].map((transaction) => ({ timestamps, transaction })));

/**
 * Two of the eight ways to cross an upsert, timestamps and a transaction, for the `row`th way to write and the
 * `column`th thing to write. Each way is played in all of them, and each thing.
 */
function crossed(row: number, column: number): { upsert: boolean; timestamps: boolean | undefined; transaction: boolean }[] {
  return [false, true].map((upsert, index) => ({ upsert, ...(settings[(row + column + 2 * index) % 4] as (typeof settings)[number]) }));
}

describe.each(versions)('with %s', (version) => {
  const tasks = useMongoose(database, version);

  /** Runs a write outside of a transaction, or in one. */
  async function within(transaction: boolean, run: (session: Any) => Promise<unknown>): Promise<void> {
    if (!transaction) return void (await run(undefined));
    const session = await tasks.mongoose.startSession();
    await session.withTransaction(() => run(session));
    await session.endSession();
  }

  async function expectStep(before: Any, label: string): Promise<Any> {
    const after = await tasks.read({ _id: before._id });
    expect([label, after?.revision]).toEqual([label, before.revision + 1]);
    expect(Object.keys(after).filter((key) => key.startsWith('['))).toEqual([]);
    await tasks.get(before._id);
    expect([label, await tasks.patch(before._id, before.revision)]).toEqual([label, 412]);
    expect([label, await tasks.patch(before._id, after.revision)]).toEqual([label, 200]);
    return after;
  }

  /** A new record begins at 0, and at 1 where a `bulkWrite` has made it. */
  async function expectNew(filter: object, way: string, label: string, isWhole = true): Promise<void> {
    const made = await database.db.collection('tasks').find(filter).toArray();
    const begins = way.includes('bulkWrite') ? 1 : 0;
    expect([label, made.map(({ revision }) => revision)]).toEqual([label, [begins]]);
    if (isWhole) await tasks.get(made[0]?._id);
    expect([label, await tasks.patch(made[0]?._id, begins)]).toEqual([label, 200]);
  }

  describe.each(Object.entries(updating).map(([way, how], row) => ({ way, row, ...how })))(
    '$way',
    ({ way, row, single, operatorsOnly, run }) => {
      const all = Object.entries(written)
        .map(([name, one], column) => ({ name, column, ...one }))
        .filter(({ update }) => !(Array.isArray(update) && operatorsOnly));
      it.each(all)('steps the revision once: $name', async ({ name, column, update, options }) => {
        for (const { upsert, timestamps, transaction } of crossed(row, column)) {
          const before = await tasks.insert();
          const isRefused = way.includes('bulkWrite') && Array.isArray(update);
          const settings = {
            ...options,
            ...(timestamps === undefined ? {} : { timestamps }),
            ...(upsert && !isRefused && { upsert }),
          };
          const given = { Task: tasks.Task, filter: { title: before.title }, id: before._id.toHexString() };
          await within(transaction, (session) =>
            run({ ...given, options: { ...settings, ...(session && { session }) } }, structuredClone(update)),
          );
          const label = `${name} ${JSON.stringify({ upsert, timestamps, transaction })}`;
          const after = await expectStep(before, label);
          if (!Array.isArray(update)) expect([label, after.createdAt]).toEqual([label, before.createdAt]);
          expect([label, after.updatedAt > before.updatedAt]).toEqual([label, timestamps !== false]);
        }
      });

      if (single) return;
      const made = all.filter(({ update }) => !(way.includes('bulkWrite') && Array.isArray(update))); // which is refused
      it.each(made)('begins a new record where the library does: $name', async ({ name, column, update, options }) => {
        for (const { upsert, timestamps, transaction } of crossed(row, column)) {
          if (!upsert) continue;
          const filter = { title: unique() };
          const settings = { ...options, ...(timestamps === undefined ? {} : { timestamps }), upsert };
          await within(transaction, (session) =>
            run(
              { Task: tasks.Task, filter, id: undefined, options: { ...settings, ...(session && { session }) } },
              structuredClone(update),
            ),
          );
          const isWhole = timestamps !== false || Array.isArray(update); // else nobody sets `createdAt`
          await expectNew(filter, way, `${name} ${JSON.stringify({ timestamps, transaction })}`, isWhole);
        }
      });
    },
  );

  describe.each(Object.entries(replacing).map(([way, how], row) => ({ way, row, ...how })))('$way', ({ way, row, single, run }) => {
    it.each(Object.entries(replacements).map(([name, others], column) => ({ name, others, column })))(
      'steps the revision once, and keeps `createdAt`: a record $name',
      async ({ name, others, column }) => {
        for (const { upsert, timestamps, transaction } of crossed(row, column)) {
          const before = await tasks.insert();
          const settings = { ...(timestamps === undefined ? {} : { timestamps }), ...(upsert && { upsert }) };
          const given = { Task: tasks.Task, filter: { title: before.title }, id: before._id.toHexString() };
          await within(transaction, (session) =>
            run({ ...given, options: { ...settings, ...(session && { session }) } }, { title: before.title, note: 'replaced', ...others }),
          );
          const label = `${name} ${JSON.stringify({ upsert, timestamps, transaction })}`;
          const after = await expectStep(before, label);
          expect([label, after.note, after.place, after.createdAt]).toEqual([label, 'replaced', undefined, before.createdAt]);
        }
      },
    );

    if (single) return;
    it('begins a new record where the library does', async () => {
      for (const transaction of [false, true]) {
        const filter = { title: unique() };
        await within(transaction, (session) =>
          run(
            { Task: tasks.Task, filter, id: undefined, options: { upsert: true, ...(session && { session }) } },
            { ...filter, revision: 9 },
          ),
        );
        await expectNew(filter, way, `${transaction}`);
      }
    });
  });

  describe.each(Object.entries(saving))('%s', (_way, save) => {
    it.each([false, true])('compares the revision, and steps it once; in a transaction: %s', async (transaction) => {
      for (const options of [{}, { timestamps: false }]) {
        const before = await tasks.insert();
        await within(transaction, async (session) => {
          const document = await tasks.Task.findById(before._id.toHexString()).session(session ?? null);
          document.done = true;
          document.tags.push('b');
          await save(tasks.Task, document, { ...options, ...(session && { session }) });
          expect(document.revision).toBe(4);
        });
        await expectStep(before, JSON.stringify(options));
        const stale = await tasks.Task.findById(before._id.toHexString());
        expect(await tasks.patch(before._id, 5)).toBe(200);
        stale.done = false;
        await expect(save(tasks.Task, stale, options)).rejects.toThrow(/^No matching document found|due to incorrect version/);
      }
    });

    it.each([undefined, null])('compares a revision that is %s as 0', async (revision) => {
      const { _id } = await tasks.insert({ revision });
      if (revision === undefined) await database.db.collection('tasks').updateOne({ _id }, { $unset: { revision: 1 } });
      const stale = await tasks.Task.findById(_id.toHexString());
      const document = await tasks.Task.findById(_id.toHexString());
      document.note = 'first';
      if (revision === undefined) await save(tasks.Task, document, {});
      else expect(await tasks.patch(_id, 0)).toBe(200);
      expect(await tasks.patch(_id, 0)).toBe(412);
      stale.note = 'second';
      await expect(save(tasks.Task, stale, {})).rejects.toThrow();
      expect((await tasks.read({ _id })).note).not.toBe('second');
    });
  });

  it.each(Object.entries(inserting))('%s makes a record that begins where the library begins', async (name, insert) => {
    if (!tasks.Task.insertOne && name.endsWith('insertOne')) return expect(version).toBe('mongoose-8');
    const title = unique();
    await insert(tasks.Task, { title });
    const made = await tasks.read({ title });
    expect(made.revision ?? 0).toBe(0);
    if (!name.endsWith('lean')) await tasks.get(made._id);
    expect(await tasks.patch(made._id, 0)).toBe(200);
  });

  it.each(Object.entries(deleting))('%s deletes', async (_name, remove) => {
    const { _id, title } = await tasks.insert();
    await remove(tasks.Task, { title }, _id.toHexString());
    expect(await tasks.patch(_id, 3)).toBe(404);
  });
});
