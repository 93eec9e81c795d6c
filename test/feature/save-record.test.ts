import { Binary, BSON, Decimal128, Double, ObjectId } from 'mongodb';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { stored, type Task, useSavedTasks } from '../support/models/saved-tasks.ts';

const database = useDatabase({ monitorCommands: true });
const saved = useSavedTasks(database);
const { script, tasks, edit } = saved;
const commands = useCommands(database);

/** What the update sets, by path; null where it removes. */
function written(): Record<string, unknown> {
  const event = commands.events.find(({ commandName }) => commandName === 'findAndModify');
  const [stage] = (event?.command.update ?? [{ $set: {} }]) as { $set: Record<string, unknown> }[];
  const { revision: _, updatedAt: __, ...set } = stage?.$set ?? {};
  const values = Object.entries(set).map(([path, value]) => {
    const literal = (value as { $literal?: unknown }).$literal;
    return [path, value === '$$REMOVE' ? null : (literal ?? value)];
  });
  return BSON.deserialize(BSON.serialize(Object.fromEntries(values)), { useBigInt64: true });
}

describe('ctx.save()', () => {
  it.each<[string, (task: Task) => unknown, Record<string, unknown>]>([
    ['a value', (task) => Object.assign(task, { name: 'other' }), { name: 'other' }],
    ['a private value', (task) => Object.assign(task, { secret: 'x' }), { secret: 'x' }],
    ['several at once', (task) => Object.assign(task, { name: 'other', big: 5n }), { name: 'other', big: 5n }],
    ['a key of an embedded object', (task) => Object.assign(task.place ?? {}, { city: 'Rom' }), { 'place.city': 'Rom' }],
    [
      'keys at several depths',
      (task) => Object.assign(task.place ?? {}, { zip: '2', geo: { lat: 1, lon: 9 } }),
      { 'place.zip': '2', 'place.geo.lon': 9 },
    ],
    ['an embedded object that is gone', (task) => Object.assign(task, { place: null }), { place: null }],
    ['an optional key that is deleted', (task) => delete task.note, { note: null }],
    ['one that is set to undefined', (task) => Object.assign(task, { note: undefined }), { note: null }],
    ['one in an embedded object', (task) => delete task.place?.zip, { 'place.zip': null }],
    ['null that is stored as a missing key', (task) => Object.assign(task, { due: null }), { due: null }],
    ['a date that was changed in place', (task) => task.due?.setUTCFullYear(2030), { due: new Date('2030-01-31T12:00:00Z') }],
    [
      'a list, which is written whole, private values included',
      (task) => task.steps.push({ text: 'two', by: 'ben' }),
      { steps: [...stored.steps, { text: 'two', by: 'ben' }] },
    ],
    ['an item of a list', (task) => Object.assign(task.steps[0] ?? {}, { text: '1' }), { steps: [{ text: '1', by: 'ann' }] }],
    ['a map', (task) => Object.assign(task.labels, { $where: '1' }), { labels: { a: '1', $where: '1' } }],
    [
      'an untyped value that was changed in place',
      (task) => (task.extra as { list: unknown[] }).list.pop(),
      { extra: { ...stored.extra, list: [1] } },
    ],
    [
      'nothing that is equal',
      (task) =>
        Object.assign(task, { total: Decimal128.fromString('12.50'), due: new Date(stored.due), steps: [{ by: 'ann', text: 'one' }] }),
      {},
    ],
    [
      'nothing that is a bigint where a number of its value is stored',
      (task) => Object.assign(task, { extra: { ...stored.extra, list: [1n, { at: new Date(0) }], 'a.b': 1n } }),
      {},
    ],
  ])('writes only what has changed: %s', async (_what, run, paths) => {
    script.change = run;
    const { status, headers } = await edit();
    const hasChanged = Object.keys(paths).length > 0;
    expect([status, headers.etag]).toEqual([200, hasChanged ? '"4"' : '"3"']);
    expect(written()).toEqual(paths);
    expect(commands.names).toEqual(hasChanged ? ['find', 'findAndModify'] : ['find']);
    const after = await tasks().findOne({ _id: 'a' });
    expect(after).toMatchObject({ alien: 'of another program', revision: hasChanged ? 4 : 3 });
    if (after?.place) expect(after.place).toMatchObject({ hidden: 'not in the model' });
  });

  it('writes nothing for a number where a bigint of its value is stored, and gives the bigint back', async () => {
    await saved.update({ $set: { big: 5n } });
    script.change = (task) => Object.assign(task, { big: 5 });
    const { status, headers } = await edit();
    expect([status, headers.etag]).toEqual([200, '"3"']);
    expect(commands.names).not.toContain('findAndModify');
    expect(script.seen?.big).toBe(5n);
  });

  it('stores null where the field says so', async () => {
    script.change = (task) => Object.assign(task, { kept: null });
    await edit();
    expect(await tasks().findOne({ _id: 'a' })).toMatchObject({ kept: null });
  });

  it('keeps the types of what it writes', async () => {
    script.change = (task) =>
      Object.assign(task, {
        big: 2n ** 60n,
        total: Decimal128.fromString('1.10'),
        extra: { half: new Double(2), id: new ObjectId('0123456789abcdef01234567'), bytes: new Binary(Buffer.from('x')) },
      });
    await edit();
    const types = [
      {
        $project: {
          big: { $type: '$big' },
          total: { $type: '$total' },
          half: { $type: '$extra.half' },
          id: { $type: '$extra.id' },
          bytes: { $type: '$extra.bytes' },
        },
      },
    ];
    expect(await tasks().aggregate(types).next()).toEqual({
      _id: 'a',
      big: 'long',
      total: 'decimal',
      half: 'double',
      id: 'objectId',
      bytes: 'binData',
    });
  });

  it('writes an embedded object whole where none is stored', async () => {
    await tasks().updateOne({ _id: 'a' }, { $set: { place: null } });
    script.change = (task) => Object.assign(task, { place: { city: 'Rom' } });
    expect((await edit()).status).toBe(200);
    expect(written()).toEqual({ place: { city: 'Rom' } });
  });

  it('brings the record up to date and gives the same object back', async () => {
    script.change = (task) => Object.assign(task, { name: 'other', note: undefined });
    await edit();
    expect(script.seen).toMatchObject({ name: 'other', revision: 4, updatedAt: expect.any(Date) });
    expect(Object.hasOwn(script.seen as object, 'note')).toBe(false);
  });

  it('may be asked again, and then writes what has changed since', async () => {
    script.change = (task) => Object.assign(task, { name: 'other' });
    script.again = (task) => Object.assign(task, { secret: 'new' });
    const { status, headers } = await edit({ 'if-match': '"3"' });
    expect([status, headers.etag]).toEqual([200, '"5"']);
    expect(await tasks().findOne({ _id: 'a' })).toMatchObject({ name: 'other', secret: 'new', revision: 5 });
  });

  it('takes a record without a revision for revision 0', async () => {
    await tasks().updateOne({ _id: 'a' }, { $unset: { revision: 1 } });
    script.change = (task) => Object.assign(task, { name: 'other' });
    const { status, headers } = await edit({ 'if-match': '"0"' });
    expect([status, headers.etag]).toEqual([200, '"1"']);
  });

  it('validates what has changed by the model, and only that; the policy does not count', async () => {
    await tasks().updateOne({ _id: 'a' }, { $set: { total: 'no decimal', 'place.city': 5 } });
    script.change = (task) => Object.assign(task, { name: 'other' });
    expect((await edit()).status).toBe(200);
    script.change = (task) => Object.assign(task, { name: 'x', note: 5, place: { city: 'Rom', geo: { lat: 'north', lon: 1 } } });
    const { status, body } = await edit();
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, ['name', 'note', 'place.geo.lat']]);
    script.change = (task) => Object.assign(task, { name: 'x', secret: '' });
    const both = await edit();
    expect([both.status, both.body.errors]).toEqual([422, [expect.objectContaining({ field: 'name' })]]);
    expect([both.text.includes('secret'), saved.errors]).toEqual([false, []]);
  });

  it.each<[string, (task: Task) => unknown, RegExp]>([
    [
      'a private value that does not fit',
      (task) => Object.assign(task, { secret: '', steps: [{ text: 'x', by: 5 }] }),
      /`secret` must have.*; `steps\.0\.by` must/,
    ],
    ['one inside of a list', (task) => Object.assign(task, { steps: [{ text: 'x', by: 5 }] }), /`steps\.0\.by`/],
    ['a key that is not a field', (task) => Object.assign(task, { nam: 'x' }), /`nam` is not a field/],
    [
      'such a key in an object that is saved whole, beside other mistakes',
      (task) => Object.assign(task, { name: 'x', steps: [{ text: 'x', nothing: 5 }] }),
      /`name` must.*`steps\.0\.nothing` is not a known field/,
    ],
    ['one in an embedded object', (task) => Object.assign(task.place ?? {}, { town: 'x' }), /`place\.town` is not a field/],
    ['another id', (task) => Object.assign(task, { id: 'b' }), /`id` is set by the service/],
    ['another revision', (task) => Object.assign(task, { revision: 9 }), /`revision` is set by the service/],
    ['another time', (task) => Object.assign(task, { updatedAt: new Date(0) }), /`updatedAt` is set by the service/],
  ])('is a mistake of the handler, and a bare 500: %s', async (_what, run, message) => {
    script.change = run;
    const { status, body } = await edit();
    expect([status, body]).toEqual([500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }]);
    expect(saved.errors[0]?.message).toMatch(message);
    expect(await tasks().findOne({ _id: 'a' })).toMatchObject({ name: 'first', revision: 3 });
  });

  it('is 409 for a value that must be unique, naming its field', async () => {
    await tasks().createIndex({ name: 1 }, { unique: true });
    await tasks().insertOne({ _id: 'b', name: 'taken' });
    script.change = (task) => Object.assign(task, { name: 'taken' });
    const { status, body } = await edit();
    await tasks().dropIndexes();
    expect([status, body.errors]).toMatchObject([409, [{ field: 'name', message: 'is already taken' }]]);
  });
});
