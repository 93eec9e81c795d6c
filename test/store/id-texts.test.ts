import { ObjectId, UUID } from 'mongodb';
import { defineModel, openStore, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    project: t.ref('Project'),
    tag: t.nullable(t.ref('Tag', { id: t.uuid() })),
    fans: t.array(t.ref('User'), { default: [] }),
    lines: t.array(t.object('Line', { item: t.ref('Item', { id: t.int64() }) }), { default: [] }),
    place: t.nullable(t.object('Place', { city: t.ref('City') })),
    other: t.optional(t.objectId()),
    count: t.int({ default: 1 }),
    at: t.optional(t.date()),
  },
});
const Numbered = defineModel('Numbered', { collection: 'numbered', fields: { id: t.int64(), text: t.optional(t.string()) } });

const database = useDatabase();
const [project, other, fan, city] = [new ObjectId(), new ObjectId(), new ObjectId(), new ObjectId()];
const tag = new UUID();
const store = (scope?: object) => openStore(Task, { db: database.db, ...(scope && { scope: scope as never }) });
let id: ObjectId;

const api = useApi(database, (shop) => [
  shop.resource({ model: Task, ops: ['list', 'create'], scope: () => ({ project: String(project) }) }),
]);

beforeEach(async () => {
  await database.db.dropDatabase();
  const made = await store().create({ project, tag, fans: [fan], lines: [{ item: 5n }], place: { city }, other });
  id = made.id;
  await store().create({ project: other });
});

describe('a filter of a store', () => {
  it('takes the text of an id for the id, for references at any depth, and for any other ObjectId', async () => {
    const texts = {
      id: String(id),
      project: String(project).toUpperCase(),
      tag: String(tag),
      fans: String(fan),
      other: String(other),
      'lines.item': '5',
      'place.city': String(city),
    };
    for (const [name, text] of Object.entries(texts)) {
      expect(await store().count({ [name]: text })).toBe(1);
      expect((await store().find({ [name]: { in: [text] } })).map((one) => one.id)).toEqual([id]);
      expect(await store().count({ [name]: { ne: text } })).toBe(1);
      for await (const one of store().each({ [name]: { eq: text } })) expect(one.id).toEqual(id);
    }
    expect(await store().count({ id: { gte: String(id), lte: id } })).toBe(1);
    expect(await store().updateMany({ project: String(project) }, { count: 2 })).toEqual({ matched: 1, modified: 1 });
    expect(await store().removeMany({ id: { in: [String(id), new ObjectId()] } })).toEqual({ matched: 1, modified: 1 });
  });

  it('takes it for an id of any type', async () => {
    const numbered = openStore(Numbered, { db: database.db });
    await numbered.create({ id: 12n });
    expect(await numbered.find({ id: '12' })).toEqual([{ id: 12n }]);
    expect(await numbered.count({ id: { lt: '12' } })).toBe(0);
  });

  it('refuses a text that no id can have, and a text for anything else', async () => {
    for (const filter of [{ id: 'x' }, { project: { in: [project, 'x'] } }, { tag: String(project) }, { 'lines.item': 'x' }])
      await expect(store().count(filter as never)).rejects.toThrow('The filter');
    for (const filter of [{ count: '1' }, { at: '2026-01-31T12:00:00Z' }, { project: 5 }, { project: {} }])
      await expect(store().count(filter as never)).rejects.toThrow('The filter');
  });

  it('never reads a text as an operator', async () => {
    for (const text of ['$ne', '{"$ne":null}', '__proto__', '']) await expect(store().find({ project: text })).rejects.toThrow('ObjectId');
    await expect(store().find({ project: { $ne: 'x' } } as never)).rejects.toThrow('`$ne`');
  });
});

describe('a scope', () => {
  it('takes it too, and binds what is written', async () => {
    const mine = store({ project: String(project) });
    expect(await mine.count({})).toBe(1);
    expect(await mine.create({ project })).toMatchObject({ project });
    await expect(mine.create({ project: other })).rejects.toMatchObject({ status: 422, errors: [{ field: 'project', rule: 'scope' }] });
    const { body } = await api.request('GET', '/api/tasks');
    expect(body.data.map((one: { project: string }) => one.project)).toEqual([String(project), String(project)]);
    const sent = await api.request('POST', '/api/tasks', { body: { project: String(other) } });
    expect([sent.status, sent.body.errors[0].rule]).toEqual([422, 'scope']);
  });
});
