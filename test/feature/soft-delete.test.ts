import { BSON } from 'mongodb';
import { planStep } from '../../src/features/counters/plan-step.ts';
import { planElement } from '../../src/features/links/plan-element.ts';
import { planUpsert } from '../../src/features/upsert/plan-upsert.ts';
import { applyIndexes, cursorPaging, openStore, service } from '../../src/index.ts';
import { compileModel } from '../../src/model/compile/compile-model.ts';
import { Room } from '../../src/model/relations/included.ts';
import { type ModelCollection, openCollection } from '../../src/mongo/collection/collection.ts';
import { idsOnly, partsAt, partsInOneReply, whole } from '../../src/mongo/collection/find.ts';
import { countOf } from '../../src/mongo/collection/summary.ts';
import { findAgain, findTargets, readParts } from '../../src/mongo/collection/whole-records.ts';
import {
  planHold,
  planInsert,
  planPurge,
  planRemove,
  planRemoveMany,
  planRestore,
  planRewrite,
  planUpdate,
  planUpdateMany,
} from '../../src/mongo/collection/write-plan.ts';
import type { FirstBatch } from '../../src/mongo/driver/read-batches.ts';
import { Work } from '../../src/mongo/driver/work.ts';
import { living } from '../../src/mongo/lifecycle/within.ts';
import { reachable } from '../../src/mongo/through/reachable.ts';
import { type Operation, operations } from '../../src/resource/define/standard-operations.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Parcel } from '../support/models/parcel.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Parcel,
      ops: operations,
      scope: () => ({ owner: 'ann' }),
      scopeFields: ['owner'],
      include: ['from'],
      paging: cursorPaging({ total: true }),
    }),
  ],
  { batch: true },
);
const parcels = () => database.db.collection<Any>('parcels');
const stored = (id: string) => parcels().findOne({ _id: id });
const post = (body: object) => api.request('POST', '/api/parcels', { body });
const remove = (id: string, headers = {}) => api.request('DELETE', `/api/parcels/${id}`, { headers });
const ids = ({ body }: { body: Any }) => body.data.map(({ id }: Any) => id);

const deletedAt = new Date('2026-01-02T03:04:05.678Z');
const life = { place: 'here', owner: 'ann', revision: 3, createdAt: deletedAt, updatedAt: deletedAt };

beforeAll(async () => {
  const shop = service();
  await applyIndexes(shop.api({ db: database.db, resources: [shop.resource({ model: Parcel })] }));
});
beforeEach(async () => {
  await parcels().deleteMany({});
  await parcels().insertMany([
    { _id: 'live', code: 'L', ...life },
    { _id: 'gone', code: 'G', ...life, deletedAt },
  ]);
  commands.clear();
});

describe('a delete of a record with t.deletedAt()', () => {
  it('marks it with the time, in one step of its revision and one command, and answers 204', async () => {
    const before = Date.now();
    const { status, text } = await remove('live');
    expect([status, text, commands.names]).toEqual([204, '', ['findAndModify']]);
    const { deletedAt: at, updatedAt, revision, _deletion, ...others } = await stored('live');
    expect(at.getTime()).toBeGreaterThanOrEqual(before);
    expect([updatedAt, revision, _deletion._bsontype]).toEqual([at, 4, 'ObjectId']);
    expect(others).toEqual({ _id: 'live', code: 'L', place: 'here', owner: 'ann', createdAt: deletedAt });
  });

  it('is 404 the second time, and changes nothing more', async () => {
    await remove('live');
    const marked = await stored('live');
    expect((await remove('live')).status).toBe(404);
    expect(await stored('live')).toEqual(marked);
  });

  it('honours If-Match: 412 leaves the record alive, and a match deletes it', async () => {
    expect((await remove('live', { 'if-match': '"2"' })).status).toBe(412);
    expect(await stored('live')).toMatchObject({ revision: 3 });
    expect((await remove('live', { 'if-match': '"3"' })).status).toBe(204);
    expect((await remove('live', { 'if-match': '"4"' })).status).toBe(404);
  });

  it('leaves out the time and the deletion id from the record as long as it lives', async () => {
    await post({ id: 'new' });
    expect(Object.keys(await stored('new'))).toEqual(['_id', 'place', 'owner', 'uses', 'revision', 'createdAt', 'updatedAt']);
    expect((await api.request('GET', '/api/parcels/new')).body.data).not.toHaveProperty('deletedAt');
  });

  it('keeps the id taken: a create with it is the 409 that it is for a living record', async () => {
    const [dead, alive] = [await post({ id: 'gone' }), await post({ id: 'live' })];
    expect([dead.status, dead.body.code]).toEqual([409, 'duplicate_key']);
    expect(dead.body).toEqual(alive.body);
  });

  it('frees the values of unique fields', async () => {
    expect((await post({ id: 'new', code: 'L' })).status).toBe(409);
    await remove('live');
    expect((await post({ id: 'new', code: 'L' })).status).toBe(201);
    expect((await post({ id: 'newer', code: 'G' })).status).toBe(201);
  });

  it('lets nobody write the time: not a create, a patch, a put, a patch of many or a member of a batch', async () => {
    const at = deletedAt.toISOString();
    const sent: [method: string, path: string, body: object][] = [
      ['POST', '/api/parcels', { id: 'n', deletedAt: at }],
      ['PATCH', '/api/parcels/live', { deletedAt: at }],
      ['PATCH', '/api/parcels/live', { deletedAt: null }],
      ['PUT', '/api/parcels/live', { code: 'L', deletedAt: at }],
      ['PATCH', '/api/parcels?place=here', { deletedAt: at }],
    ];
    for (const [method, path, sentBody] of sent) {
      const { status, body } = await api.request(method, path, { body: sentBody });
      expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field: 'deletedAt', rule: 'not_writable' })]]);
    }
    expect((await api.request('PUT', '/api/parcels/live', { body: { code: 'M' } })).body.data).not.toHaveProperty('deletedAt');
    expect((await api.request('PATCH', '/api/parcels/live', { body: { _deletion: 'x' } })).status).toBe(422);
  });
});

describe('every operation sees a deleted record as gone', () => {
  const cases: Readonly<Record<Operation, () => Promise<void>>> = {
    list: async () => {
      const { body } = await api.request('GET', '/api/parcels?total=true');
      expect([ids({ body }), body.page.total]).toEqual([['live'], 1]);
      expect(ids(await api.request('GET', '/api/parcels?code=G'))).toEqual([]);
      expect(ids(await api.request('GET', `/api/parcels?deletedAt=${deletedAt.toISOString()}`))).toEqual([]);
    },
    get: async () => {
      expect((await api.request('GET', '/api/parcels/gone')).status).toBe(404);
      expect((await api.request('GET', '/api/parcels/live')).status).toBe(200);
      expect((await api.request('GET', '/api/parcels')).status).toBe(200);
      expect(commands.names).toEqual(['find', 'find', 'find']);
    },
    create: async () => expect((await post({ id: 'new', code: 'G' })).status).toBe(201),
    patch: async () => expect((await api.request('PATCH', '/api/parcels/gone', { body: { place: 'there' } })).status).toBe(404),
    put: async () => expect((await api.request('PUT', '/api/parcels/gone', { body: {} })).status).toBe(404),
    delete: async () => expect((await remove('gone')).status).toBe(404),
    restore: async () => expect((await api.request('POST', '/api/parcels/live/restore')).status).toBe(404),
    patchMany: async () => {
      const { body } = await api.request('PATCH', '/api/parcels?place=here', { body: { place: 'there' } });
      expect(body.data).toEqual({ matched: 1, modified: 1 });
    },
    deleteMany: async () => {
      const { body } = await api.request('DELETE', '/api/parcels?place=here');
      expect(body.data).toEqual({ matched: 1, modified: 1 });
    },
  };

  it.each(operations)('%s', async (operation) => {
    await cases[operation]();
    expect(await stored('gone')).toEqual({ _id: 'gone', code: 'G', ...life, deletedAt });
  });

  it('says no more of it than of one that never was, whatever the preconditions', async () => {
    for (const [method, sent] of Object.entries({ GET: {}, PATCH: { body: { place: 'x' } }, PUT: { body: {} }, DELETE: {} })) {
      for (const headers of [{}, { 'if-match': '"3"' }, { 'if-match': '"9"' }, { 'if-none-match': '*' }]) {
        const [dead, never] = [
          await api.request(method, '/api/parcels/gone', { ...sent, headers }),
          await api.request(method, '/api/parcels/never', { ...sent, headers }),
        ];
        expect([dead.status, dead.body]).toEqual([never.status, never.body]);
        expect(dead.status).toBe(404);
      }
    }
  });

  it('an include leaves it out, as one that dangles', async () => {
    await parcels().insertOne({ _id: 'child', ...life, from: 'gone' });
    expect((await api.request('GET', '/api/parcels/child?include=from')).body.data.from).toBe('gone');
    await parcels().updateOne({ _id: 'child' }, { $set: { from: 'live' } });
    expect((await api.request('GET', '/api/parcels/child?include=from')).body.data.from).toMatchObject({ id: 'live' });
  });

  it('a batch', async () => {
    const patchIn = (id: string) => {
      const operations = [{ method: 'PATCH', path: `/parcels/${id}`, body: { place: 'x' } }];
      return api.request('POST', '/api/batch', { body: { operations } });
    };
    const [dead, alive] = [await patchIn('gone'), await patchIn('live')];
    expect([dead.status, dead.body.code, alive.status]).toEqual([404, 'not_found', 200]);
  });

  it('the gets that share a command', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => (index % 2 ? 'gone' : 'live'));
    const answers = await Promise.all(paths.map((id) => api.request('GET', `/api/parcels/${id}`)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map((id) => (id === 'gone' ? 404 : 200)));
  });

  it('a total cannot be estimated: the statistics also count deleted records', async () => {
    const { status, body } = await api.request('GET', '/api/parcels?total=estimate');
    expect([status, body.errors[0].rule]).toEqual([400, 'not_estimable']);
  });
});

describe('every method of a collection sees a deleted record as gone', () => {
  const collection = () => openCollection(compileModel(Parcel), { db: database.db });
  const within = living(compileModel(Parcel), undefined);
  const target = { id: 'gone', within, precondition: undefined };
  const many = { conditions: [], within, max: 10 };
  const changes = { assignments: [{ path: 'place', value: 'x' }], embedded: [] };
  const notFound = { code: 'not_found' };
  const query = {
    conditions: [],
    through: [],
    sort: [{ field: compileModel(Parcel).scopeFields.get('id') as Any, direction: 1 as const }],
    limit: 10,
    window: { mode: 'cursor', from: undefined, direction: 1, list: '' } as const,
    total: 'exact' as const,
    fields: undefined,
    isSelectable: false,
    include: [],
  };
  const children = { path: 'place', idTypes: ['string'], sort: new Map([['_id', 1 as const]]), max: 10 };
  const field = compileModel(Parcel).root.byName.get('place') as Any;
  const element: Any = {
    field: { ...field, makeDefault: undefined, node: { kind: 'array', keywords: {} } },
    query: compileModel(Parcel).scopeFields.get('place'),
    show: () => [],
    kind: 'add',
    element: 'x',
    changes: { assignments: [], embedded: [] },
  };
  const counter = compileModel(Parcel).root.byName.get('uses') as Any;
  const noChanges = { assignments: [], embedded: [] };
  const cases: { readonly [Name in keyof ModelCollection]: (c: ModelCollection) => Promise<unknown> } = {
    findOne: (c) => expect(c.findOne('gone', within, {}, new Work())).rejects.toMatchObject(notFound),
    findPage: async (c) => {
      const { records, total } = await c.findPage(query, within, { maxPageBytes: 1_000_000 }, new Work());
      expect([records.map(({ id }) => id), total?.count]).toEqual([['live'], 1]);
    },
    summarize: async (c) => {
      const ids = {
        stages: [{ $project: { _id: 1 } }],
        limit: 10,
        take: ({ found }: FirstBatch) => found.map((one) => BSON.deserialize(one)),
      };
      expect(await c.summarize({ query, within }, ids, new Work())).toEqual([{ _id: 'live' }]);
      expect(await c.summarize({ query, within }, countOf(9), new Work())).toBe(1);
    },
    insertEach: async (c) => expect([...(await c.insertEach([{ _id: 'gone' }], new Work())).keys()]).toEqual([0]),
    insertAll: (c) => expect(c.insertAll([{ _id: 'gone' }], new Work())).rejects.toMatchObject({ code: 'duplicate_key' }),
    write: async (c) => {
      const parcel = compileModel(Parcel);
      const plans = [
        planUpdate(parcel, target, changes),
        planStep(parcel, target, { field: counter, add: 1, changes: noChanges }),
        planElement(parcel, target, element),
        planRemove(parcel, target),
        planRestore(parcel, { ...target, id: 'live' }),
      ];
      for (const plan of plans) await expect(c.write(plan, new Work())).rejects.toMatchObject(notFound);
      for (const plan of [planInsert({ _id: 'gone' }, within), planUpsert(parcel, target, { _id: 'gone' })])
        await expect(c.write(plan, new Work())).rejects.toMatchObject({ code: 'duplicate_key' });
    },
    find: async (c) => {
      expect((await findTargets(c, many, new Work())).map(({ id }) => id)).toEqual(['live']);
      expect((await findAgain(c, await findTargets(c, many, new Work()), new Work())).map(({ id }) => id)).toEqual(['live']);
      for await (const some of readParts(c, ['live', 'gone'], within, new Work())) expect(some.map(({ id }) => id)).toEqual(['live']);
      expect(await c.find({ within, limit: 10 }, idsOnly, new Work())).toEqual(['live']);
      expect(await c.find({ path: 'place', among: ['here'], within }, idsOnly, new Work())).toEqual(['live']);
      const both = { among: ['gone', 'live'], within };
      expect(await c.find(both, partsAt(['place']), new Work())).toEqual([{ _id: 'live', place: 'here' }]);
      expect(await c.find(both, partsInOneReply(['place']), new Work())).toEqual([{ _id: 'live', place: 'here' }]);
      expect((await c.find(both, whole(), new Work())).map(({ id }) => id)).toEqual(['live']);
    },
    writeMany: async (c) => {
      const parcel = compileModel(Parcel);
      const known = { ids: ['gone', 'live'], within };
      const plans = [
        planHold(known),
        planRewrite(known, [[{ $set: { place: 'y' } }]]),
        planUpdateMany(parcel, many, changes),
        planRemoveMany(parcel, many),
      ];
      for (const plan of plans) expect(await c.writeMany(plan, new Work())).toMatchObject({ matched: 1, modified: 1 });
      for (const plan of [planRemoveMany(parcel, known), planPurge(known)])
        expect(await c.writeMany(plan, new Work())).toMatchObject({ matched: 0, modified: 0 });
    },
    findIdsThrough: async (c) =>
      expect(await c.findIdsThrough({ filter: reachable(within), stages: [] }, { ids: 10, bytes: 1_000 }, new Work())).toEqual(['live']),
    countThrough: async (c) => {
      const via = { field: 'place', path: 'place', idTypes: ['string'] };
      const counted = await c.countThrough({ filter: reachable(within), stages: [] }, via, 10, new Work());
      expect(counted).toEqual([{ id: 'here', records: 1 }]);
    },
    findRelated: async (c) => {
      const both = { ids: new Map([['"gone"', 'gone'] as const, ['"live"', 'live'] as const]), within };
      const referring = { ids: new Map([['"here"', 'here']]), within, children, most: 10 };
      for (const which of [both, referring]) {
        const found = await c.findRelated({ ...which, room: new Room(1_000) }, 'record', new Work());
        expect(found.map(({ taken }) => taken.id)).toEqual(['live']);
        expect(await c.findRelated(which, 'bytes', new Work())).toMatchObject([{ key: which === both ? '"live"' : '"here"' }]);
      }
      expect(await c.findRelated(referring, 'count', new Work())).toEqual([{ key: '"here"', taken: 1 }]);
    },
  };

  it('there is a case for each', () => {
    expect(Object.keys(cases).sort()).toEqual(Object.keys(collection()).sort());
  });

  it.each(Object.keys(cases) as (keyof ModelCollection)[])('%s', async (name) => {
    await cases[name](collection());
    expect(await stored('gone')).toEqual({ _id: 'gone', code: 'G', ...life, deletedAt });
  });

  it('none takes a scope alone', async () => {
    // @ts-expect-error A scope does not say whether the records live.
    await expect(collection().findOne('gone', { place: 'here' }, {}, new Work())).rejects.toThrow(TypeError);
  });

  it('also within a scope that names the time itself', async () => {
    const scope = { deletedAt: { $gte: new Date(0) } };
    expect(await collection().summarize({ query, within: living(compileModel(Parcel), scope) }, countOf(), new Work())).toBe(0);
    await expect(collection().findOne('gone', living(compileModel(Parcel), scope), {}, new Work())).rejects.toMatchObject(notFound);
    await expect(
      collection().write(planUpdate(compileModel(Parcel), { ...target, within: living(compileModel(Parcel), scope) }, changes), new Work()),
    ).rejects.toMatchObject(notFound);
  });
});

describe('every method of a store sees a deleted record as gone', () => {
  const store = () => openStore(Parcel, { db: database.db });
  const notFound = { code: 'not_found' };
  const cases: { readonly [Name in keyof ReturnType<typeof store>]: (s: ReturnType<typeof store>) => Promise<unknown> } = {
    get: (s) => expect(s.get('gone')).rejects.toMatchObject(notFound),
    find: async (s) => expect((await s.find({})).map(({ id }) => id)).toEqual(['live']),
    each: async (s) => {
      for await (const { id } of s.each({})) expect(id).toBe('live');
    },
    count: async (s) => expect(await s.count({})).toBe(1),
    create: (s) => expect(s.create({ id: 'gone' })).rejects.toMatchObject({ code: 'duplicate_key' }),
    createMany: async (s) => expect((await s.createMany([{ id: 'gone' }]))[0]?.error).toMatchObject({ code: 'duplicate_key' }),
    upsert: (s) => expect(s.upsert('gone', {})).rejects.toMatchObject({ code: 'duplicate_key' }),
    update: (s) => expect(s.update('gone', { place: 'x' })).rejects.toMatchObject(notFound),
    step: (s) => expect(s.step('gone', 'uses', 1)).rejects.toMatchObject(notFound),
    updateMany: async (s) => expect(await s.updateMany({}, { place: 'x' })).toEqual({ matched: 1, modified: 1 }),
    save: async (s) => {
      const held = await s.get('live');
      await s.remove('live');
      held.place = 'x';
      await expect(s.save(held)).rejects.toMatchObject(notFound);
    },
    remove: (s) => expect(s.remove('gone')).rejects.toMatchObject(notFound),
    removeMany: async (s) => expect(await s.removeMany({})).toEqual({ matched: 1, modified: 1 }),
    restore: (s) => expect(s.restore('live')).rejects.toMatchObject(notFound),
    purge: async (s) => expect(await s.purge({ olderThan: new Date(0) })).toBe(0),
    history: (s) => expect(s.history('gone').next()).rejects.toThrow('`history` of Parcel'), // others: test/feature/ledger/
  };

  it('there is a case for each', () => {
    expect(Object.keys(cases).sort()).toEqual(Object.keys(store()).sort());
  });

  it.each(Object.keys(cases) as (keyof typeof cases)[])('%s', async (name) => {
    await cases[name](store());
    expect(await stored('gone')).toEqual({ _id: 'gone', code: 'G', ...life, deletedAt });
  });

  it('and none of them writes the time', async () => {
    const at = new Date();
    const never = { code: 'validation_failed' };
    await expect(store().create({ id: 'n', deletedAt: at } as Any)).rejects.toMatchObject(never);
    await expect(store().update('live', { deletedAt: at } as Any)).rejects.toMatchObject(never);
    await expect(store().updateMany({}, { deletedAt: at } as Any)).rejects.toMatchObject(never);
    const held = await store().get('live');
    held.deletedAt = at;
    await expect(store().save(held)).rejects.toThrow('`deletedAt` is set by the service itself');
    expect(await stored('live')).toEqual({ _id: 'live', code: 'L', ...life });
  });
});

describe('a delete of many', () => {
  it('marks all of them with one time and one deletion id, and a step of each revision', async () => {
    await parcels().insertOne({ _id: 'other', ...life });
    expect((await api.request('DELETE', '/api/parcels?place=here')).body.data).toEqual({ matched: 2, modified: 2 });
    const [live, other] = [await stored('live'), await stored('other')];
    expect([live.deletedAt, live._deletion, live.revision]).toEqual([other.deletedAt, other._deletion, 4]);
    expect(live.updatedAt).toEqual(live.deletedAt);
    expect(live.deletedAt).not.toEqual(deletedAt);
  });
});
