import { useDatabase } from '../support/database/database.ts';
import { type Task, useSavedTasks } from '../support/models/saved-tasks.ts';

const saved = useSavedTasks(useDatabase());
const { script, tasks, edit } = saved;
const stored = async (): Promise<Record<string, unknown>> => (await tasks().findOne({ _id: 'a' })) ?? {};

describe('a record that was saved', () => {
  it('keeps the objects and lists in it, so that what a handler holds of them can be changed and saved again', async () => {
    let held: Task | undefined;
    script.change = (task) => {
      held = { ...task };
      Object.assign(task.place ?? {}, { city: 'Rom' });
      task.steps.push({ text: 'two', by: 'ben' });
      Object.assign(task.labels, { b: '2' });
    };
    script.again = (task) => {
      expect([task.place, task.steps, task.labels, task.extra, task.due]).toEqual([
        { city: 'Rom', zip: '1', geo: { lat: 1, lon: 2 } },
        [
          { text: 'one', by: 'ann' },
          { text: 'two', by: 'ben' },
        ],
        { a: '1', b: '2' },
        expect.anything(),
        expect.any(Date),
      ]);
      for (const name of ['place', 'steps', 'labels', 'extra', 'due'] as const) expect(task[name]).toBe(held?.[name]);
      Object.assign(held?.place?.geo ?? {}, { lat: 9 });
      Object.assign(held?.steps[1] ?? {}, { text: 'zwei' });
      Object.assign(held?.labels ?? {}, { b: '3' });
      (task.extra as { list: unknown[] }).list.push('x');
      held?.due?.setUTCFullYear(2030);
    };
    expect((await edit()).status).toBe(200);
    expect(await stored()).toMatchObject({
      place: { city: 'Rom', geo: { lat: 9 } },
      steps: [{ text: 'one' }, { text: 'zwei' }],
      labels: { a: '1', b: '3' },
      extra: { list: [1, { at: new Date(0) }, 'x'] },
      due: new Date('2030-01-31T12:00:00Z'),
      revision: 5,
    });
  });

  it('has what the model adds to what a handler has put in', async () => {
    const step = { text: 'two' } as Task['steps'][number];
    script.change = (task) => task.steps.push(step);
    script.again = (task) => {
      expect(task.steps[1]).toBe(step);
      expect(step).toEqual({ text: 'two', by: 'nobody' });
    };
    expect((await edit()).status).toBe(200);
  });

  it('may hold what cannot be changed', async () => {
    const place = Object.freeze({ city: 'Rom', zip: undefined });
    script.change = (task) => Object.assign(task, { place, steps: Object.freeze([{ text: 'x' }]) });
    script.again = (task) => {
      expect(task.place).toEqual({ city: 'Rom' });
      expect(task.steps).toEqual([{ text: 'x', by: 'nobody' }]);
    };
    expect((await edit()).status).toBe(200);
  });
});

describe('a change that a handler makes while ctx.save() is under way', () => {
  it('stays, and the next save writes it', async () => {
    script.change = (task) => {
      Object.assign(task, { name: 'second', note: 'going' });
      setImmediate(() => {
        task.name = 'third';
        task.steps.push({ text: 'two', by: 'ben' });
        Object.assign(task.place ?? {}, { city: 'Rom' });
        delete task.note;
      });
    };
    script.again = (task) => {
      expect(task).toMatchObject({ name: 'third', steps: [{ text: 'one' }, { text: 'two' }], place: { city: 'Rom' }, revision: 4 });
    };
    expect((await edit()).status).toBe(200);
    const { name, steps, place, revision, ...rest } = await stored();
    expect([name, steps, place, revision]).toMatchObject(['third', [{ text: 'one' }, { text: 'two' }], { city: 'Rom', zip: '1' }, 5]);
    expect(rest).not.toHaveProperty('note');
  });
});

describe('ctx.save() of what was left out or deleted', () => {
  it.each<[string, object | null]>([
    ['there was an object before', { city: 'Ulm', zip: '1', geo: { lat: 1, lon: 2 } }],
    ['there was none', null],
  ])('is as on create, where %s', async (_what, place) => {
    await tasks().updateOne({ _id: 'a' }, { $set: { place } });
    script.change = (task) => Object.assign(task, { place: { city: 'Rom', geo: { lat: 3 } } });
    const refused = await edit();
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ field: 'place.geo.lon', message: 'is required' }]]);
    script.change = (task) => Object.assign(task, { place: { city: 'Rom' } });
    const { status, body } = await edit();
    expect([status, body.data.place]).toEqual([200, { city: 'Rom' }]);
  });

  it('stores the default, null or nothing', async () => {
    script.change = (task) => {
      for (const name of ['secret', 'due', 'kept', 'note', 'labels', 'steps', 'total', 'big']) Reflect.deleteProperty(task, name);
    };
    expect((await edit()).status).toBe(200);
    const { due, note, ...rest } = await stored();
    expect([due, note]).toEqual([undefined, undefined]);
    expect(rest).toMatchObject({ secret: 's', kept: null, labels: {}, steps: [], revision: 4 });
    expect(script.seen).toMatchObject({ secret: 's', due: null, kept: null, labels: {}, steps: [], big: 0n });
  });

  it('writes nothing where that is what is stored', async () => {
    await tasks().updateOne({ _id: 'a' }, { $set: { secret: 's', due: null, steps: [] } });
    script.change = (task) => {
      for (const name of ['secret', 'due', 'steps']) Reflect.deleteProperty(task, name);
    };
    expect((await edit()).headers.etag).toBe('"3"');
  });

  it('is an error for what is required', async () => {
    script.change = (task) => Reflect.deleteProperty(task, 'name');
    const { status, body } = await edit();
    expect([status, body.errors]).toMatchObject([422, [{ field: 'name', message: 'is required' }]]);
  });
});

describe('a hole of a list', () => {
  it.each<[string, (task: Task) => unknown, number]>([
    ['that setting an item far behind has left', (task) => (task.tags[3] = 'z'), 1],
    ['that `length` has left', (task) => (task.tags.length = 3), 1],
    ['that `delete` has left', (task) => delete task.tags[0], 0],
  ])('is an undefined item, which is refused: %s', async (_what, change, index) => {
    script.change = change;
    const { status, body } = await edit();
    expect([status, body.errors?.[0]]).toMatchObject([422, { field: `tags.${index}`, message: 'must be a string' }]);
    expect(await stored()).toMatchObject({ tags: ['x'], revision: 3 });
  });

  it('is refused in untyped data too', async () => {
    script.change = (task) => ((task.extra as { list: unknown[] }).list.length = 5);
    const { status, body } = await edit();
    expect([status, body.errors]).toMatchObject([422, [{ field: 'extra', message: 'must be a value that BSON can store' }]]);
  });
});
