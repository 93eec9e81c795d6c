import { applyIndexes, ConfigurationError, defineModel, type Service, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = () => t.string({ policy: { insert: true } });
const kept = { revision: t.revision(), updatedAt: t.updatedAt(), deletedAt: t.deletedAt() };
const folder = (onDelete: 'cascade' | 'restrict' | 'nullify' | 'pull') => t.ref('Folder', { id: t.string(), onDelete });

const Folder = defineModel('Folder', { collection: 'folders', fields: { id: id(), upId: t.nullable(folder('cascade')), ...kept } });
const File = defineModel('File', {
  collection: 'files',
  fields: {
    id: id(),
    folderId: folder('cascade'),
    otherId: t.nullable(folder('cascade')),
    backupId: t.nullable(folder('nullify')),
    seenIn: t.array(folder('pull'), { default: [] }),
    name: t.nullable(t.string({ unique: true, policy: { filter: true } })),
    ...kept,
  },
});
const Part = defineModel('Part', {
  collection: 'parts',
  fields: { id: id(), fileId: t.ref('File', { id: t.string(), onDelete: 'cascade' }), ...kept },
});
const Lock = defineModel('Lock', { collection: 'locks', fields: { id: id(), folderId: folder('restrict'), ...kept } });

const database = useDatabase();
const ops = ['get', 'create', 'patch', 'delete', 'restore', 'deleteMany'] as const;
const single = ['get', 'create', 'patch', 'delete', 'restore'] as const;
const define = (shop: Service<never>) => [
  shop.resource({ model: Folder, ops: single }),
  shop.resource({ model: File, ops }),
  shop.resource({ model: Part, ops: single }),
  shop.resource({ model: Lock, ops: single }),
];
const api = useApi(database, define);
const all = (name: string) => database.db.collection<Any>(name);
const create = (path: string, body: object) => api.request('POST', `/api/${path}`, { body });
const remove = (path: string) => api.request('DELETE', `/api/${path}`);
const restore = (path: string) => api.request('POST', `/api/${path}/restore`);
const stored = (path: string) => {
  const [name = '', _id] = path.split('/');
  return all(name).findOne({ _id });
};
/** The paths of the records that live. */
async function living(): Promise<string[]> {
  const found = ['folders', 'files', 'parts', 'locks'].map(async (name) =>
    (await all(name).find({ deletedAt: null }).sort({ _id: 1 }).toArray()).map(({ _id }) => `${name}/${_id}`),
  );
  return (await Promise.all(found)).flat();
}

beforeAll(async () => {
  const shop = service<never>();
  await applyIndexes(shop.api({ db: database.db, resources: define(shop) }));
});
beforeEach(async () => {
  for (const name of ['folders', 'files', 'parts', 'locks']) await all(name).deleteMany({});
  for (const folderId of ['a', 'b']) await create('folders', { id: folderId });
  await create('folders', { id: 'a1', upId: 'a' });
  await create('files', { id: 'x', folderId: 'a1', name: 'X' });
  await create('files', { id: 'y', folderId: 'a', otherId: 'b' });
  await create('parts', { id: 'x1', fileId: 'x' });
});
const everything = ['folders/a', 'folders/a1', 'folders/b', 'files/x', 'files/y', 'parts/x1'];

describe('two models of one collection', () => {
  const kindOf = (name: string, field: string) =>
    defineModel(name, { collection: 'kinds', fields: { id: id(), [field]: t.nullable(folder('cascade')), deletedAt: t.deletedAt() } });
  const kinds = useApi(database, (shop) => [
    shop.resource({ model: Folder, ops: single }),
    shop.resource({ model: kindOf('One', 'a'), path: 'ones', ops: single }),
    shop.resource({ model: kindOf('Two', 'b'), path: 'twos', ops: single }),
    shop.resource({ model: kindOf('Three', 'b'), path: 'threes', ops: single }),
  ]);
  const ask = async (method: string, path: string) => (await kinds.request(method, `/api/${path}`)).status;

  it('restore a record only if it has the parents of both', async () => {
    await all('kinds').deleteMany({});
    await all('kinds').insertMany([
      { _id: 'x', a: 'a', b: 'b' },
      { _id: 'y', a: null, b: 'b' },
    ]);
    expect([await ask('DELETE', 'ones/y'), await ask('DELETE', 'folders/a'), await ask('DELETE', 'folders/b')]).toEqual([204, 204, 204]);
    expect(await ask('POST', 'folders/a/restore')).toBe(200);
    expect(await all('kinds').countDocuments({ deletedAt: null })).toBe(0);
    for (const [path, field] of Object.entries({ ones: '', twos: 'b', threes: 'b' })) {
      const { status, body } = await kinds.request('POST', `/api/${path}/y/restore`);
      expect([path, status, body.errors]).toEqual([path, 422, [expect.objectContaining({ field, rule: 'reference' })]]);
    }
    expect([await ask('POST', 'folders/b/restore'), await ask('POST', 'ones/y/restore')]).toEqual([200, 200]);
  });
});

describe('a delete that takes others along', () => {
  it('marks all of them with its time and its id, one step of the revision each', async () => {
    expect((await remove('folders/a')).status).toBe(204);
    expect(await living()).toEqual(['folders/b']);
    const [a, ...others] = await Promise.all(['folders/a', 'folders/a1', 'files/x', 'files/y', 'parts/x1'].map(stored));
    for (const one of others) expect([one.deletedAt, one._deletion, one.revision]).toEqual([a.deletedAt, a._deletion, 1]);
  });

  it('leaves what was deleted before as it was', async () => {
    await remove('files/x');
    const before = await stored('parts/x1');
    await remove('folders/a');
    expect(await stored('parts/x1')).toEqual(before);
  });

  it('is not refused by a deleted record that refers to it', async () => {
    await create('locks', { id: 'l', folderId: 'a1' });
    expect((await remove('folders/a')).body.code).toBe('still_referenced');
    expect(await living()).toEqual([...everything, 'locks/l']);
    await remove('locks/l');
    expect((await remove('folders/a')).status).toBe(204);
  });
});

describe('a restore', () => {
  it('brings back what the same delete took along, to any depth, in one step of each revision', async () => {
    await remove('folders/a');
    const { status, body } = await restore('folders/a');
    expect([status, body.data.revision]).toEqual([200, 2]);
    expect(await living()).toEqual(everything);
    for (const path of ['folders/a1', 'files/x', 'files/y', 'parts/x1']) {
      const one = await stored(path);
      expect([one.revision, 'deletedAt' in one, '_deletion' in one]).toEqual([2, false, false]);
    }
  });

  it('leaves what another delete has marked, before or as one of several', async () => {
    await remove('files/x');
    await remove('folders/a');
    await restore('folders/a');
    expect(await living()).toEqual(['folders/a', 'folders/a1', 'folders/b', 'files/y']);
    await restore('files/x');
    expect(await living()).toEqual(everything);
    await create('files', { id: 'z', folderId: 'b', name: 'X1' });
    await create('parts', { id: 'z1', fileId: 'z' });
    await api.request('DELETE', '/api/files?name[in]=X,X1');
    await restore('files/z');
    expect(await living()).toEqual(['folders/a', 'folders/a1', 'folders/b', 'files/y', 'files/z', 'parts/z1']);
  });

  it('is 422 for a child whose parent is deleted, and names the reference', async () => {
    await remove('folders/a');
    const { status, body } = await restore('files/x');
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field: 'folderId', rule: 'reference' })]]);
    expect(await living()).toEqual(['folders/b']);
    expect((await restore('folders/a1')).body.errors[0].field).toBe('upId');
  });

  it('does not bring back a child that has lost another parent meanwhile', async () => {
    await remove('folders/a');
    await remove('folders/b');
    expect((await restore('folders/a')).status).toBe(200);
    expect(await living()).toEqual(['folders/a', 'folders/a1', 'files/x', 'parts/x1']);
    expect((await restore('files/y')).status).toBe(422);
    await restore('folders/b');
    expect((await restore('files/y')).status).toBe(200);
    expect(await living()).toEqual(everything);
  });

  it('removes references to lost records where their delete would have removed them', async () => {
    await create('folders', { id: 'c' });
    await api.request('PATCH', '/api/files/x', { body: { backupId: 'c', seenIn: ['c', 'b', 'c'] } });
    await remove('folders/a');
    await remove('folders/c');
    await restore('folders/a');
    const x = await stored('files/x');
    expect([x.backupId, x.seenIn, x.revision]).toEqual([undefined, ['b'], 3]);
    await remove('files/x');
    await remove('folders/b');
    expect((await restore('files/x')).body.data.seenIn).toEqual([]);
  });

  it('works over circles, and for a record that refers to itself', async () => {
    await create('folders', { id: 'p' });
    await create('folders', { id: 'q', upId: 'p' });
    await api.request('PATCH', '/api/folders/p', { body: { upId: 'q' } });
    await remove('folders/p');
    expect((await restore('folders/q')).status).toBe(200);
    expect(await living()).toEqual(['folders/a', 'folders/a1', 'folders/b', 'folders/p', 'folders/q', 'files/x', 'files/y', 'parts/x1']);
    await api.request('PATCH', '/api/folders/p', { body: { upId: 'p' } });
    await remove('folders/p');
    expect((await restore('folders/p')).status).toBe(200);
  });

  it('is 409 if a unique value of one of them was taken, and then restores nothing', async () => {
    await remove('folders/a');
    await create('files', { id: 'thief', folderId: 'b', name: 'X' });
    const { status, body } = await restore('folders/a');
    expect([status, body.code, body.errors]).toEqual([409, 'duplicate_key', undefined]);
    expect(await living()).toEqual(['folders/b', 'files/thief']);
  });

  it('is 404, 412 and 400 like every restore', async () => {
    await remove('folders/a');
    const withTag = (tag: string) => api.request('POST', '/api/folders/a/restore', { headers: { 'if-match': tag } });
    expect([(await restore('folders/b')).status, (await restore('folders/no')).status]).toEqual([404, 404]);
    expect([(await withTag('"0"')).status, (await withTag('x')).status, (await withTag('"1"')).status]).toEqual([412, 400, 200]);
  });

  it.each(['files', 'parts', 'folders'])('restores nothing if the database refuses a write to %s', async (name) => {
    await remove('folders/a');
    const validator = { $or: [{ _id: 'b' }, { deletedAt: { $exists: true } }] };
    await database.db.command({ collMod: name, validator });
    expect((await restore('folders/a')).status).toBe(500);
    expect(await living()).toEqual(['folders/b']);
    await database.db.command({ collMod: name, validator: {} });
    api.errors.length = 0;
    expect((await restore('folders/a')).status).toBe(200);
    expect(await living()).toEqual(everything);
  });

  it('leaves no child without its parent, whatever comes between it and deletes of the parent', async () => {
    for (let round = 0; round < 20; round++) {
      await remove('files/y');
      await Promise.all([restore('files/y'), remove('folders/b')]);
      const [y, b] = [await stored('files/y'), await stored('folders/b')];
      expect('deletedAt' in y || !('deletedAt' in b)).toBe(true);
      await restore('folders/b');
      await restore('files/y');
      expect(await living()).toEqual(everything);
    }
  });
});

describe('a cascade that a restore could not take back', () => {
  it('is a ConfigurationError that names both ends', () => {
    const Leaf = defineModel('Leaf', { collection: 'leaves', fields: { folderId: folder('cascade') } });
    const shop = service();
    const make = () => shop.api({ db: database.db, resources: [shop.resource({ model: Folder }), shop.resource({ model: Leaf })] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/`folderId` of Leaf has `onDelete: 'cascade'`, and Folder has `t.deletedAt\(\)`/);
  });

  it('is legal the other way round: the children of a record that is removed are marked, and can only be purged', async () => {
    const Shelf = defineModel('Shelf', { collection: 'shelves', fields: { id: id() } });
    const Book = defineModel('Book', {
      collection: 'books',
      fields: { id: id(), shelfId: t.ref('Shelf', { id: t.string(), onDelete: 'cascade' }), ...kept },
    });
    const shop = service();
    const own = shop.api({ db: database.db, resources: [shop.resource({ model: Shelf }), shop.resource({ model: Book })] });
    await own.store(Shelf).create({ id: 's' });
    await own.store(Book).create({ id: 'b', shelfId: 's' });
    await own.store(Shelf).remove('s');
    expect(await own.store(Book).count({}, { deleted: 'only' })).toBe(1);
    await expect(own.store(Book).restore('b')).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await own.store(Book).purge({ olderThan: 0 })).toBe(1);
  });
});
