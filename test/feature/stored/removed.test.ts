import { type Api, applyIndexes, defineModel, openStore, service, t } from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';
import { applyFolds } from '../../../src/products/audit/apply-folds.ts';
import { auditCollection } from '../../../src/products/audit/audit-collection.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';

const id = t.string({ policy: { insert: true, filter: true } });
const life = { revision: t.revision({ stored: 'r' }), deletedAt: t.deletedAt({ stored: 'gone' }), updatedAt: t.updatedAt({ stored: 'u' }) };
const Root = defineModel('Root', { collection: 'roots', fields: { id, ...life } });
const Leaf = defineModel('Leaf', {
  collection: 'leaves',
  fields: {
    id,
    root: t.ref('Root', { stored: 'label', id: t.string(), as: 'of', onDelete: 'cascade' }),
    label: t.string({ stored: 'root', default: 'none', policy: { filter: true } }),
    ...life,
  },
  history: true,
  outbox: true,
});
const Guard = defineModel('Guard', {
  collection: 'guards',
  fields: {
    id,
    spot: t.nullable(
      t.object(
        'Spot',
        {
          leaf: t.nullable(t.ref('Leaf', { stored: 'l', id: t.string(), as: 'of', onDelete: 'nullify' })),
          note: t.string({ stored: 'leaf', default: 'leaf1' }),
        },
        {},
      ),
      { stored: 's' } as Any,
    ),
    spots: t.array(
      t.object('Place', {
        leaf: t.nullable(t.ref('Leaf', { stored: 'x', id: t.string(), as: 'of', onDelete: 'nullify' })),
        leaves: t.array(t.ref('Leaf', { id: t.string(), as: 'all', onDelete: 'pull' }), { stored: 'y', default: [] }),
      }),
      { stored: 'leaves', default: [] },
    ),
    leaves: t.array(t.ref('Leaf', { id: t.string(), as: 'all', onDelete: 'pull' }), { stored: 'spots', default: [] }),
    revision: t.revision({ stored: 'v' }),
  },
  history: true,
});
const Removal = defineRemovals();
const database = useDatabase();
const of = (name: string) => database.db.collection<Any>(name);
const names = ['roots', 'leaves', 'guards', 'removals', 'removals_steps', 'leaves_history', 'guards_history', 'events', 'cities'];
afterEach(async () => {
  for (const name of names) await of(name).deleteMany({});
});
const models = [Root, Leaf, Guard] as Any;

describe('a delete in the background', () => {
  it('follows references and marks records under the keys that they are stored by', async () => {
    const api: Api = service().api({ db: database.db, resources: [], models, removals: Removal, maxCascade: 3 } as Any);
    await applyIndexes(api);
    const root = (api as Any).store(Root) as Any;
    const leaf = (api as Any).store(Leaf) as Any;
    const guard = (api as Any).store(Guard) as Any;
    for (const one of ['r1', 'r2']) await root.create({ id: one });
    for (let n = 0; n < 6; n++) await leaf.create({ id: `leaf${n}`, root: n < 5 ? 'r1' : 'r2', label: 'r1' });
    await guard.create({
      id: 'g',
      spot: { leaf: 'leaf1', note: 'leaf1' },
      spots: [
        { leaf: 'leaf2', leaves: ['leaf3', 'leaf5'] },
        { leaf: 'leaf5', leaves: [] },
      ],
      leaves: ['leaf0', 'leaf5'],
    });
    const removal = await root.remove('r1', { inBackground: true });
    expect(removal).toBeDefined();
    const worker = await api.deliver({ handle: () => undefined, poll: 100, observe: () => undefined } as Any);
    await until(async () => (await of('removals').countDocuments({ state: 'pending' })) === 0);
    await worker.close();
    expect(
      (
        await of('leaves')
          .find({ gone: { $type: 'date' } })
          .toArray()
      )
        .map(({ _id }) => _id)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4].map((n) => `leaf${n}`));
    expect(await of('guards').findOne()).toMatchObject({
      spots: ['leaf5'],
      leaves: [{ y: ['leaf5'] }, { x: 'leaf5', y: [] }],
      s: { leaf: 'leaf1' },
    });
    expect(await guard.get('g')).toMatchObject({
      spot: { leaf: null, note: 'leaf1' },
      leaves: ['leaf5'],
      spots: [
        { leaf: null, leaves: ['leaf5'] },
        { leaf: 'leaf5', leaves: [] },
      ],
    });
    expect((await of('guards_history').find().toArray()).flatMap(({ paths }) => paths)).toEqual(
      expect.arrayContaining(['spot.leaf', 'spots', 'leaves']),
    );
    expect((await of('leaves_history').find({ change: 'deleted' }).toArray()).map(({ paths }) => paths)).toEqual(
      Array(5).fill(['deletedAt']),
    );
    await root.restore('r1');
    expect(await of('leaves').countDocuments({ gone: null })).toBe(6);
  });
});

const City = defineModel('City', {
  collection: 'cities',
  fields: {
    id,
    name: t.string({ stored: 'alias', unique: true, caseless: true, policy: { filter: true, sort: true } }),
    alias: t.optional(t.string({ stored: 'name', unique: true, caseless: { accents: false }, policy: { filter: true } })),
    towns: t.array(t.object('Town', { name: t.string({ stored: 'N', caseless: true, policy: { filter: true } }) }), {
      stored: 't',
      default: [],
    }),
    at: t.counter({ stored: 'n', default: 3 }),
    revision: t.revision({ stored: 'v' }),
  },
});

describe('folded texts of fields that are stored elsewhere', () => {
  it('are found missing and stored by their keys, and keep upserts apart', async () => {
    await applyIndexes(service().api({ db: database.db, resources: [], models: [City] } as Any));
    await of('cities').insertMany([{ _id: 'a', alias: 'ZÜRICH', name: 'Zürich', t: [{ N: 'Örlikon' }] }]);
    for await (const _progress of applyFolds(City, { db: database.db }) as Any);
    expect(await of('cities').findOne({ _id: 'a' })).toMatchObject({
      'alias[fold2]': 'zurich',
      t: [{ N: 'Örlikon', 'N[fold2]': 'orlikon' }],
      'name[fold2]': 'zurich',
    });
    for await (const audit of auditCollection(City, { db: database.db }))
      if (audit.isComplete) expect([audit.misfits, audit.unknownKeys]).toEqual([[], []]);
    const store = openStore(City, { db: database.db }) as Any;
    await expect(store.create({ id: 'b', name: 'zürich' })).rejects.toMatchObject({ code: 'duplicate_key', errors: [{ field: 'name' }] });
    await expect(store.upsert('b', { name: 'x', alias: 'zurich' })).rejects.toMatchObject({
      code: 'duplicate_key',
      errors: [{ field: 'alias' }],
    });
    await store.upsert('a', { name: 'Zürich', alias: 'ZURICH', towns: [{ name: 'ÄRZTE' }] });
    expect((await store.find({ 'towns.name': 'ÄRZTE' })).map(({ id }: Any) => id)).toEqual(['a']);
    expect(await of('cities').findOne({ _id: 'a' })).toMatchObject({
      t: [{ N: 'ÄRZTE', 'N[fold2]': 'arzte' }],
      alias: 'Zürich',
      name: 'ZURICH',
    });
    expect((await store.step('a', 'at', 2)).at).toBe(5);
  });
});
