import { defineModel, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const tag = (options = {}) => t.ref('Tag', { id: t.string(), exists: true, ...options });
const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string({ policy: { insert: true } }) } });
const Box = t.object('Box', { note: t.optional(t.string()), tagId: tag({ default: 'gone' }) });
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: t.string({ policy: { insert: true } }),
    team: t.string({ policy: { filter: true } }),
    tagIds: t.array(tag(), { default: [] }),
    box: t.optional(Box),
  },
});
const api = useApi(database, (shop) => [shop.resource({ model: Tag }), shop.resource({ model: Task, ops: ['get', 'patchMany'] })]);
const tasks = () => database.db.collection<Any>('tasks');
const patch = (body: object) => api.request('PATCH', '/api/tasks?team=x', { body });
const fieldsOf = ({ status, body }: Any) => [status, body.errors?.map(({ field }: Any) => field)];

beforeEach(async () => {
  for (const name of ['tags', 'tasks']) await database.db.collection(name).deleteMany({});
  await api.request('POST', '/api/tags', { body: { id: 'red' } });
  await tasks().insertMany(['a', 'b', 'c'].map((_id) => ({ _id, team: 'x', tagIds: ['old', 'older'], box: { tagId: 'red' } })));
  commands.clear();
});

describe('a PATCH of many that names references', () => {
  it('lets a missing record be named again by those that have it, and by no others', async () => {
    expect((await patch({ tagIds: ['older', 'red', 'old'] })).status).toBe(200);
    await tasks().updateOne({ _id: 'b' }, { $set: { tagIds: ['old'] } });
    expect(fieldsOf(await patch({ tagIds: ['older', 'none', 'red', 'old'] }))).toEqual([422, ['tagIds.0', 'tagIds.1']]);
    await tasks().updateOne({ _id: 'c' }, { $set: { tagIds: [] } });
    expect(fieldsOf(await patch({ tagIds: ['old'] }))).toEqual([422, ['tagIds.0']]);
  });

  it('asks for them together, however many are missing', async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `none${index}`);
    const { status, body } = await patch({ tagIds: many });
    expect([status, body.errors.length]).toEqual([422, 100]);
    expect(commands.names.join()).toBe('find,find');
  });

  it('takes the default of an embedded object for named only where a record gets it', async () => {
    expect((await patch({ box: { note: 'n' } })).status).toBe(200);
    await tasks().updateOne({ _id: 'b' }, { $unset: { box: 1 } });
    expect(fieldsOf(await patch({ box: { note: 'n' } }))).toEqual([422, ['box.tagId']]);
    expect(fieldsOf(await patch({ box: { tagId: 'none' } }))).toEqual([422, ['box.tagId']]);
    expect((await patch({ box: { tagId: 'red' } })).status).toBe(200);
  });

  it('asks once for a record whose ids have other types and equal texts', async () => {
    await tasks().updateMany({}, { $set: { tagIds: [new Date(0)] } });
    expect(fieldsOf(await patch({ tagIds: ['1970-01-01T00:00:00.000Z'] }))).toEqual([422, ['tagIds.0']]);
    expect(commands.names.join()).toBe('update,find,find');
  });

  it('asks about many records at once, however they differ', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `old${index}`);
    const records = ids.map((one) => ({ _id: one, team: 'x', tagIds: ids.filter((other) => other !== one) }));
    await tasks().deleteMany({});
    await tasks().insertMany(records);
    commands.clear();
    const { status, body } = await patch({ tagIds: ids });
    expect([status, body.errors.length, commands.names.join()]).toEqual([422, 100, 'find,find']);
  });

  it('names what only the last of many records lack', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => `old${index}`);
    const of = (from: number, lacking: number) =>
      Array.from({ length: 120 }, (_, index) => ({ _id: `r${from + index}`, team: 'x', tagIds: ids.filter((_id, at) => at !== lacking) }));
    await tasks().deleteMany({});
    await tasks().insertMany([...of(0, 3), ...of(120, 1)]);
    commands.clear();
    expect(fieldsOf(await patch({ tagIds: ids }))).toEqual([422, ['tagIds.1', 'tagIds.3']]);
    expect(commands.names.join()).toBe('find,find,find,find');
  });

  it('reads no more at once than one answer of the database holds', async () => {
    const ids = ['old', 'a', 'b'];
    const large = (size: number, lacking: string) => [...ids.filter((id) => id !== lacking), 'x'.repeat(size)];
    await tasks().deleteMany({});
    await tasks().insertMany([
      { _id: 'a', team: 'x', tagIds: large(9 * 2 ** 20, 'a') },
      { _id: 'b', team: 'x', tagIds: large(9 * 2 ** 20, 'b') },
    ]);
    commands.clear();
    expect(fieldsOf(await patch({ tagIds: ids }))).toEqual([422, ['tagIds.1', 'tagIds.2']]);
    expect(commands.names.filter((name) => name === 'getMore')).toEqual([]);
  });
});
