import { useDatabase } from '../support/database/database.ts';
import { stored, type Task, useSavedTasks } from '../support/models/saved-tasks.ts';

const saved = useSavedTasks(useDatabase());
const { script, tasks, edit, update } = saved;

describe.each([
  ['tasks', 'by its revision'],
  ['bare', 'by the old values of what is written'],
])('ctx.save() on %s, where somebody was faster, %s', (resource) => {
  it.each<[string, number, () => Promise<unknown>]>([
    ['the same value was changed: 412', 412, () => update({ $set: { name: 'faster' }, $inc: { revision: 1 } })],
    ['it was removed: 412', 412, () => update({ $unset: { name: 1 }, $inc: { revision: 1 } })],
    ['what it was in has gone: 412', 412, () => update({ $set: { place: null }, $inc: { revision: 1 } })],
    ['the record was deleted: 404', 404, () => tasks().deleteOne({ _id: 'a' })],
    ['the record left the scope: 404', 404, () => tasks().updateOne({ _id: 'a' }, { $set: { owner: 'ben' } })],
  ])('%s', async (_what, status, race) => {
    script.change = async (task) => {
      await race();
      Object.assign(task, { name: 'slower' });
      if (task.place) Object.assign(task.place, { zip: undefined });
    };
    expect((await edit({}, resource)).status).toBe(status);
    expect(await tasks().countDocuments({ name: 'slower' })).toBe(0);
    expect(saved.errors).toEqual([]);
  });
});

describe('ctx.save() without a revision', () => {
  it('does not mind what others have written elsewhere', async () => {
    script.change = async (task) => {
      await tasks().updateOne({ _id: 'a' }, { $set: { note: 'faster', 'place.city': 'Rom' } });
      Object.assign(task, { name: 'slower' });
      Object.assign(task.place ?? {}, { zip: '3' });
    };
    expect((await edit({}, 'bare')).status).toBe(200);
    expect(await tasks().findOne({ _id: 'a' })).toMatchObject({ name: 'slower', note: 'faster', place: { city: 'Rom', zip: '3' } });
  });

  it.each<[string, Record<string, unknown>, (task: Task) => unknown, object]>([
    ['a missing value', {}, (task) => Object.assign(task, { note: 'new' }), { $set: { note: null } }],
    ['a null', { kept: null }, (task) => Object.assign(task, { kept: 'new' }), { $unset: { kept: '' } }],
    ['a list', {}, (task) => Object.assign(task, { steps: [] }), { $push: { steps: { text: 'two' } } }],
    ['an item that equals the value', { extra: 'x' }, (task) => Object.assign(task, { extra: 'y' }), { $set: { extra: ['x'] } }],
  ])('compares exactly: %s', async (_what, before, run, race) => {
    await tasks().updateOne({ _id: 'a' }, 'kept' in before || 'extra' in before ? { $set: before } : { $unset: { note: 1 } });
    script.change = run;
    expect((await edit({}, 'bare')).status).toBe(200);
    await tasks().replaceOne(
      { _id: 'a' },
      { ...stored, ...before, ...(Object.keys(before).length === 0 && { note: undefined }) },
      { ignoreUndefined: true },
    );
    script.change = async (task) => {
      await update(race);
      run(task);
    };
    expect((await edit({}, 'bare')).status).toBe(412);
  });
});
