import { MongoClient, type MongoClientOptions } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import { type CompiledModel, compileModel } from '../../../src/model/compile/compile-model.ts';
import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import { viewOf } from '../../../src/model/compile/view-of.ts';
import { openCollection } from '../../../src/mongo/collection/collection.ts';
import { whole } from '../../../src/mongo/collection/find.ts';
import { planRemove, planUpdate } from '../../../src/mongo/collection/write-plan.ts';
import type { Target } from '../../../src/mongo/collection/writer.ts';
import { Work } from '../../../src/mongo/driver/work.ts';
import { living } from '../../../src/mongo/lifecycle/within.ts';
import type { ListQuery } from '../../../src/mongo/list/parse-list-query.ts';
import { useDatabase } from '../../support/database/database.ts';
import { inserting } from '../../support/database/inserting.ts';

const model = compileModel(
  defineModel('Doc', {
    collection: 'docs',
    fields: {
      id: t.string(),
      big: t.nullable(t.int64()),
      bytes: t.optional(t.binary()),
      any: t.optional(t.any()),
      secret: t.optional(t.string({ policy: { private: true } })),
      revision: t.revision(),
    },
  }),
);
const database = useDatabase();
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
const target = (id: string): Target => ({ id, within: living(model, undefined), precondition: undefined });

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'a', big: 9007199254740993n, bytes: Buffer.from('x'), any: /a/i, revision: 1 });
});

describe('openCollection()', () => {
  it('opens one collection for all views of a model, and shows each caller what is theirs', async () => {
    const pay = t.int({ policy: { read: ['payroll'], insert: true, update: true } });
    const Person = compileModel(defineModel('Person', { collection: 'people', fields: { id: t.string(), name: t.string(), pay } }));
    const [wide, narrow] = [['payroll'], []].map((held) => viewOf(Person, new Set(held))) as [CompiledModel, CompiledModel];
    const { db } = database;
    const store = openCollection(wide, { db });
    expect(openCollection(narrow, { db })).toBe(store);
    expect(openCollection(Person, { db })).toBe(store);

    const records = [1, 2].map((n) => ({ _id: `p${n}`, name: `name ${n}`, pay: n }));
    for (const one of records) await inserting(Person, store).insert(one, new Work());
    const textsIn = (view: CompiledModel) => [1, 2].map((n) => `{"id":"p${n}","name":"name ${n}"${view === wide ? `,"pay":${n}` : ''}}`);
    const list: ListQuery = {
      conditions: [],
      through: [],
      sort: [{ field: Person.scopeFields.get('id') as QueryField, direction: 1 }],
      limit: 10,
      window: { mode: 'cursor', from: undefined, direction: 1, list: '' },
      total: undefined,
      fields: undefined,
      isSelectable: false,
      include: [],
    };
    for (const view of [wide, narrow]) {
      const within = living(view, undefined);
      const target = { id: 'p1', within, precondition: undefined };
      const ids = new Map([
        ['"p1"', 'p1'],
        ['"p2"', 'p2'],
      ]);
      const texts = textsIn(view);
      expect((await store.findOne('p1', within, {}, new Work())).toText()).toBe(texts[0]);
      expect((await store.findOne('p1', within, { fetchPrivate: true }, new Work())).toText()).toBe(texts[0]);
      expect((await store.find({ among: ['p1'], within }, whole(), new Work())).map((one) => one.toText())).toEqual(texts.slice(0, 1));
      expect((await store.findRelated({ ids, within }, 'record', new Work())).map(({ taken }) => taken.toText())).toEqual(texts);
      expect((await store.findPage(list, within, { maxPageBytes: 10_000 }, new Work())).records.map((one) => one.toText())).toEqual(texts);
      const same = { assignments: [{ path: 'name', value: 'name 1' }], embedded: [] };
      expect((await store.write(planUpdate(view, target, same), new Work())).toText()).toBe(texts[0]);
    }
  });

  it.each<[string, MongoClientOptions]>([
    ['its defaults', {}],
    ['promoteLongs: false', { promoteLongs: false }],
    ['promoteValues: false', { promoteValues: false }],
    ['promoteBuffers: true', { promoteBuffers: true }],
    ['bsonRegExp: false', { bsonRegExp: false }],
    ['raw: true', { raw: true }],
    ['ignoreUndefined: true', { ignoreUndefined: true }],
    ['retryWrites and retryReads: false', { retryWrites: false, retryReads: false }],
  ])('reads and writes the same, however the client of the driver was opened: %s', async (_name, options) => {
    const client = await MongoClient.connect(process.env.MONGODB_URI ?? '', options);
    try {
      const store = openCollection(model, { db: client.db(database.db.databaseName) });
      const text = '{"id":"a","big":9007199254740993,"bytes":"eA==","any":"a","revision":1}';
      expect((await store.findOne('a', living(model, undefined), {}, new Work())).toText()).toBe(text);
      const changes = { assignments: [{ path: 'big', value: 9007199254740995n }], embedded: [] };
      const updated = await store.write(planUpdate(model, target('a'), changes), new Work());
      expect(updated.toText()).toBe('{"id":"a","big":9007199254740995,"bytes":"eA==","any":"a","revision":2}');
      expect(updated.entityTag).toBe('"2"');
      expect(updated.document).toMatchObject({ id: 'a', big: 9007199254740995n, revision: 2 });
      expect((await store.write(planRemove(model, target('a')), new Work())).toText()).toBe(updated.toText());
      expect((await inserting(model, store).insert({ _id: 'n', big: 1n, revision: 0 }, new Work())).toText()).toBe(
        '{"id":"n","big":1,"revision":0}',
      );
    } finally {
      await client.close();
    }
  });

  it('opens a collection once for all that have the same database, model and settings', () => {
    const definition = defineModel('Doc', { collection: 'docs', fields: { id: t.string() } });
    const { db } = database;
    const open = (more: object = {}) => openCollection(compileModel(definition), { db, ...more });
    expect(compileModel(definition)).toBe(compileModel(definition));
    expect(open({ maxTimeMS: 10_000 })).toBe(open());
    const others = [
      open({ maxTimeMS: 5 }),
      open({ shareRoundTrips: false }),
      open({ warnOnScan: true }),
      open({ db: database.client.db('other') }),
    ];
    expect(new Set([open(), ...others]).size).toBe(5);
  });

  it('gives back what it was given: neither filters nor documents are changed', async () => {
    const store = openCollection(model, { db: database.db });
    const stored = Object.freeze({ _id: 'n', big: 1n, revision: 0 });
    await inserting(model, store).insert(stored, new Work());
    const scope = Object.freeze({ big: Object.freeze({ $eq: 1n }) });
    expect((await store.findOne('n', living(model, scope), { fetchPrivate: true }, new Work())).id).toBe('n');
    const precondition = Object.freeze({ ifMatch: Object.freeze([{ weak: false, tag: '0' }]) });
    await store.write(planRemove(model, { id: 'n', within: living(model, scope), precondition }), new Work());
    expect(await docs().countDocuments()).toBe(1);
  });

  it('gives up with 503 a write that misses again and again, though nothing explains it', async () => {
    const store = openCollection(model, { db: database.db });
    // Nobody but a program that changes the record between each write and its explanation could do so: an update that
    // never matches.
    const changes = {
      assignments: [{ path: 'text', value: 'x' }],
      embedded: [{ path: 'big', whole: undefined, refused: [] }],
    };
    await expect(store.write(planUpdate(model, target('a'), changes), new Work())).rejects.toMatchObject({
      code: 'write_conflict',
      detail: 'The record was changed by others at each of 8 attempts, and nothing was written. Try again.',
      status: 503,
      headers: { 'retry-after': '1' },
    });
  });
});
