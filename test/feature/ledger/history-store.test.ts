import { ObjectId } from 'mongodb';
import { defineModel, everything, openStore, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { insert: true } }),
    owner: t.string(),
    count: t.optional(t.int64()),
    due: t.optional(t.date()),
    box: t.optional(t.object('Box', { city: t.string(), code: t.string({ default: 'hidden', policy: { private: true } }) })),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
    deletedAt: t.deletedAt(),
  },
  history: { scopeFields: ['owner'] },
});

const database = useDatabase();
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Note,
      ops: ['get'],
      scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
      operations: {
        changes: {
          method: 'GET',
          path: '/:id/changes',
          problems: ['not_found'],
          async handler(ctx) {
            const found: Any[] = [];
            for await (const one of ctx.store(Note).history(String(ctx.params.id))) found.push(one.revision);
            return { found };
          },
        },
      },
    }),
  ],
  { authenticate: (ctx) => ctx.get('authorization') || undefined },
);
const store = (options: object = {}) => openStore(Note, { db: database.db, ...options });
const changesOf = async (id: string, options?: Any, given?: object) => {
  const found: Any[] = [];
  for await (const one of store(given).history(id, options)) found.push(one);
  return found;
};

beforeEach(async () => {
  for (const name of ['notes', 'notes_history']) await database.db.collection(name).deleteMany({});
  await store().create({ id: 'n', owner: 'ann', secret: 'canary', box: { city: 'Ulm' } } as Any);
});

describe('`history` of a store', () => {
  it('reads the changes of a record, the last one first, with its values as documents and private fields by name only', async () => {
    await store().update('n', { count: 2n ** 60n, due: new Date(5), secret: 'other canary' });
    expect(await changesOf('n')).toEqual([
      {
        revision: 1,
        at: expect.any(Date),
        change: 'patched',
        actor: null,
        changes: [
          { path: 'count', after: 2n ** 60n },
          { path: 'due', after: new Date(5) },
        ],
        private: ['secret'],
      },
      {
        revision: 0,
        at: expect.any(Date),
        change: 'created',
        actor: null,
        changes: [
          { path: 'owner', after: 'ann' },
          { path: 'box', after: { city: 'Ulm' } },
        ],
        private: ['secret'],
      },
    ]);
  });

  it('reads any number of them, and no more than `limit`', async () => {
    const [first] = await database.db.collection('notes_history').find().toArray();
    const more = Array.from({ length: 1200 }, (_, at) => ({
      ...first,
      _id: new ObjectId(),
      revision: at + 1,
      previous: at,
      change: 'patched',
      was: { owner: 'ann' },
    }));
    await database.db.collection('notes_history').insertMany(more);
    const revisions = (await changesOf('n')).map(({ revision }) => revision);
    expect(revisions).toEqual(Array.from({ length: 1201 }, (_, at) => 1200 - at));
    expect((await changesOf('n', { limit: 3 })).map(({ revision }) => revision)).toEqual([1200, 1199, 1198]);
    expect(await changesOf('n', { limit: 0 })).toEqual([]);
  });

  it('is within the scope of the store, twice', async () => {
    await store().update('n', { owner: 'ben' });
    await store().update('n', { count: 1n });
    const ofBen = { scope: { owner: 'ben' } };
    expect((await changesOf('n', {}, ofBen)).map(({ revision }) => revision)).toEqual([2]);
    await expect(changesOf('n', {}, { scope: { owner: 'ann' } })).rejects.toMatchObject({ code: 'not_found' });
    expect(await changesOf('n', {}, { scope: everything })).toHaveLength(3);
    const inRequest = (who: string) => api.request('GET', '/api/notes/n/changes', { headers: { authorization: who } });
    expect((await inRequest('ben')).body).toEqual({ data: { found: [2] } });
    expect((await inRequest('ann')).status).toBe(404);
  });

  it('sees a deleted record only with `deleted`, and none that is not there', async () => {
    await store().remove('n');
    await expect(changesOf('n')).rejects.toMatchObject({ code: 'not_found' });
    await expect(changesOf('none')).rejects.toMatchObject({ code: 'not_found' });
    expect((await changesOf('n', { deleted: 'with' })).map(({ change }) => change)).toEqual(['deleted', 'created']);
    await expect(changesOf('n', { deleted: true })).rejects.toThrow('deleted');
  });

  it('is there for `api.store` and in transactions, and refuses a model without a history', async () => {
    const shop = service();
    const made = shop.api({ db: database.db, resources: [], models: [Note] });
    expect((await made.store(Note).history('n').next()).value).toMatchObject({ revision: 0 });
    await made.transaction(async (tx) => {
      await tx.store(Note).update('n', { count: 7n });
      expect((await tx.store(Note).history('n').next()).value).toMatchObject({ revision: 1 });
    });
    const Plain = defineModel('Plain', { collection: 'plains', fields: { text: t.string() } });
    await expect(openStore(Plain, { db: database.db }).history(new ObjectId()).next()).rejects.toThrow('needs `history` of Plain');
  });
});
