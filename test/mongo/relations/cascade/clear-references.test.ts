import { defineModel, t } from '../../../../src/index.ts';
import { buildClear } from '../../../../src/mongo/relations/cascade/clear-references.ts';
import { useDatabase } from '../../../support/database/database.ts';
import { openMemory } from '../memory.ts';

const to = (onDelete: string) => t.ref('Label', { id: t.string(), onDelete } as never);
const At = t.object('At', { label: t.optional(to('nullify')), labels: t.array(to('pull')) });
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: t.string(),
    label: t.optional(to('nullify')),
    kept: t.nullable(to('nullify'), { storeNone: true }),
    labels: t.array(to('pull')),
    slots: t.array(t.nullable(to('nullify'))),
    at: t.optional(At),
    lines: t.array(At),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});
const { edge } = openMemory([Task, defineModel('Label', { collection: 'labels', fields: { id: t.string() } })]);
const database = useDatabase();
const tasks = () => database.db.collection<{ _id: string; [key: string]: unknown }>('tasks');
const now = new Date('2026-01-02T03:04:05.678Z');

beforeEach(() => tasks().deleteMany({}));

/** What is left of a record after the ids of one or several fields were removed. */
async function clear(record: object, fields: readonly string[], ids: readonly unknown[], at?: Date): Promise<object> {
  await tasks().insertOne({ _id: 't', ...record });
  const lost = fields.map((field) => ({ edge: edge('Task', field), ids }));
  await tasks().updateOne({ _id: 't' }, buildClear(lost, at));
  const { _id, ...left } = (await tasks().findOne({ _id: 't' })) ?? {};
  return left;
}

describe('buildClear()', () => {
  it.each<[string, string, object, object]>([
    ['the key of a single reference', 'label', { label: 'x', labels: ['x'] }, { labels: ['x'] }],
    ['the value, and stores null where the field does', 'kept', { kept: 'x' }, { kept: null }],
    ['the items of an array', 'labels', { labels: ['x', 'a', 'y', 'x'] }, { labels: ['a'] }],
    ['the values of items that may be null, which keep their places', 'slots', { slots: ['x', 'a', null] }, { slots: [null, 'a', null] }],
    ['the key in an embedded object', 'at.label', { at: { label: 'x', labels: ['x'], more: 1 } }, { at: { labels: ['x'], more: 1 } }],
    ['the items of an array in an embedded object', 'at.labels', { at: { labels: ['x', 'a'] } }, { at: { labels: ['a'] } }],
    [
      'the keys in the objects of an array',
      'lines.label',
      { lines: [{ label: 'x', n: 1 }, { label: 'a' }] },
      { lines: [{ n: 1 }, { label: 'a' }] },
    ],
    [
      'the items of the arrays in the objects of an array',
      'lines.labels',
      { lines: [{ labels: ['x', 'a'] }, { labels: ['y'] }] },
      { lines: [{ labels: ['a'] }, { labels: [] }] },
    ],
  ])('removes %s', async (_what, field, stored, left) => {
    expect(await clear(stored, [field], ['x', 'y'])).toEqual(left);
  });

  it.each<[string, string, object]>([
    ['another id', 'label', { label: 'a' }],
    ['a missing key', 'label', {}],
    ['a missing object', 'at.label', {}],
    ['null in place of an object', 'at.label', { at: null }],
    ['a text in place of an object', 'at.label', { at: 'x' }],
    ['items that are no objects', 'lines.label', { lines: ['x', null, 1] }],
    ['a single value where an array should be', 'labels', { labels: 'x' }],
  ])('leaves %s as it is stored', async (_what, field, stored) => {
    expect(await clear(stored, [field], ['x'])).toEqual(stored);
  });

  it('takes ids and keys for values, also those that begin with a dollar sign', async () => {
    expect(await clear({ labels: ['$kept', 'a'], kept: 'a' }, ['labels'], ['$kept'])).toEqual({ labels: ['a'], kept: 'a' });
  });

  it('removes several references in one write', async () => {
    expect(await clear({ label: 'x', labels: ['x', 'a'] }, ['label', 'labels'], ['x'])).toEqual({ labels: ['a'] });
  });

  it('makes one step of the revision, and sets `updatedAt`, in the first write only', async () => {
    expect(await clear({ label: 'x', revision: 4 }, ['label'], ['x'], now)).toEqual({ revision: 5, updatedAt: now });
    await tasks().deleteMany({});
    expect(await clear({ label: 'x', revision: 4 }, ['label'], ['x'])).toEqual({ revision: 4 });
  });
});
