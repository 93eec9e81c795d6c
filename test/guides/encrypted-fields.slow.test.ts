import { randomBytes } from 'node:crypto';
import Module from 'node:module';
import { applyIndexes } from 'koa-mongo-resource';
import type { Db, MongoClient } from 'mongodb';
import { cacheFolder } from '../../dev/cache-folder.ts';
import { installClientEncryption } from '../../dev/client-encryption.ts';
import { logToStderr } from '../../dev/log.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/encrypted-fields.md';
const database = useDatabase();
const serve = useServer();
const authenticate = byName({ ann: { name: 'ann', roles: [] }, hal: { name: 'hal', roles: ['hr'] } });
const hal = { authorization: 'Bearer hal' };
const keys = { k1: randomBytes(32), k2: randomBytes(32) };
const indexKey = randomBytes(32);

let written: WrittenPage;
let createVault: Any;
beforeAll(async () => {
  written = await writePage(page);
  ({ createVault } = await written.load('vault.ts'));
});

async function openOffice(db: Db, vault: Any): Promise<{ readonly api: Any; readonly server: TestServer }> {
  const api = (await written.load('people.ts')).createOffice({ db, vault, authenticate });
  await applyIndexes(api);
  return { api, server: await serve(api.routes()) };
}

/** Whether a text stands anywhere in a database, as the bytes of its records. */
async function has(db: Db, text: string): Promise<boolean> {
  for (const { name } of await db.listCollections().toArray())
    for await (const bytes of db.collection(name).find({}, { raw: true })) if (Buffer.from(bytes as Any).includes(text)) return true;
  return false;
}

describe('the guide on encrypted fields', () => {
  it('is answered as it shows, and stores no clear text anywhere', async () => {
    const { server } = await openOffice(database.db, createVault({ keys, current: 'k1', indexKey }));
    const player = new Player(server.port);
    await player.playAll(exchangesOf(page));
    const id = player.known.get('6b01b4bf4ace1bf9239ebeed');
    expect((await server.request('PUT', `/api/people/${id}/ssn`, { headers: hal, body: { ssn: '123-45-6780' } })).status).toBe(200);
    const history = await server.request('GET', `/api/people/${id}/history`, { headers: hal });
    expect([history.status, history.text.includes('ssn'), history.text.includes('123-45')]).toEqual([200, false, false]);
    expect([await has(database.db, 'Ben'), await has(database.db, '123-45-678')]).toEqual([true, false]);
  });

  it('lets callers of no role neither set, find nor name the field', async () => {
    const { server } = await openOffice(database.db, createVault({ keys, current: 'k1', indexKey }));
    const ann = { authorization: 'Bearer ann' };
    const [person] = (await server.request('GET', '/api/people', { headers: ann })).body.data;
    expect(Object.keys(person)).toEqual(['id', 'name', 'revision']);
    const statuses = [
      await server.request('PUT', `/api/people/${person.id}/ssn`, { headers: ann, body: { ssn: '123-45-6789' } }),
      await server.request('POST', '/api/people/find', { headers: ann, body: { ssn: '123-45-6789' } }),
      await server.request('GET', '/api/people?fields=ssn', { headers: ann }),
      await server.request('PATCH', `/api/people/${person.id}`, { headers: hal, body: { ssn: '123-45-6789' } }),
      await server.request('GET', '/api/people'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 400, 422, 401]);
  });

  it('opens what was sealed in its own record alone', async () => {
    const vault = createVault({ keys, current: 'k1', indexKey });
    const { server } = await openOffice(database.db, vault);
    const { body } = await server.request('POST', '/api/people', { headers: hal, body: { name: 'Eve' } });
    const people = database.db.collection('people');
    const ben = await people.findOne({ name: 'Ben' });
    await people.updateOne({ name: 'Eve' }, { $set: { sealedSsn: ben?.sealedSsn } });
    expect((await server.request('GET', `/api/people/${body.data.id}`, { headers: hal })).status).toBe(500);
    expect(server.errors[0]?.message).toContain('The computed field `ssn`');
    await people.deleteOne({ name: 'Eve' });
  });

  it('seals again with a new key, and then needs the old one no more', async () => {
    const vault = createVault({ keys, current: 'k2', indexKey });
    const { api } = await openOffice(database.db, vault);
    const { sealAgain } = await written.load('rotate.ts');
    expect([await sealAgain(api, vault, 'k1'), await sealAgain(api, vault, 'k1')]).toEqual([1, 0]);
    const { server } = await openOffice(database.db, createVault({ keys: { k2: keys.k2 }, current: 'k2', indexKey }));
    const found = await server.request('POST', '/api/people/find', { headers: hal, body: { ssn: '123-45-6780' } });
    expect(found.body.data).toMatchObject([{ name: 'Ben', ssn: '123-45-6780' }]);
  });
});

describe('with client-side field level encryption', () => {
  const before = process.env.NODE_PATH;
  const clients: MongoClient[] = [];
  const find = (folder: string | undefined) => {
    if (folder === undefined) delete process.env.NODE_PATH;
    else process.env.NODE_PATH = folder;
    (Module as Any)._initPaths();
  };
  // A machine without a compiler installs one first.
  beforeAll(async () => find(await installClientEncryption(cacheFolder(process.env), logToStderr)), 300_000);
  afterAll(async () => {
    find(before);
    for (const client of clients) await client.close();
  });

  it('the api answers alike, stores no clear text, and outlives a new master key', async () => {
    const { connect } = await written.load('csfle.ts');
    const { index } = createVault({ keys, current: 'k1', indexKey });
    const [local, next] = [{ key: randomBytes(96) }, { key: randomBytes(96) }];
    const { client, encryption, vault } = await connect(process.env.MONGODB_URI, { local, 'local:next': next }, index);
    clients.push(client);
    const name = `${database.db.databaseName}_csfle`;
    const { server } = await openOffice(client.db(name), vault);
    await new Player(server.port).playAll(exchangesOf(page));
    const plain = database.client.db(name);
    expect(await plain.collection('people').findOne()).toMatchObject({ name: 'Ben', sealedSsn: { sub_type: 6 } });
    expect([await has(plain, 'Ben'), await has(plain, '123-45-6789')]).toEqual([true, false]);

    expect((await encryption.rewrapManyDataKey({}, { provider: 'local:next' })).bulkWriteResult.modifiedCount).toBe(1);
    const later = await connect(process.env.MONGODB_URI, { 'local:next': next }, index);
    clients.push(later.client);
    const listed = await (await openOffice(later.client.db(name), later.vault)).server.request('GET', '/api/people', { headers: hal });
    expect(listed.body.data).toMatchObject([{ name: 'Ben', ssn: '123-45-6789' }]);
    await plain.dropDatabase();
    await database.client.db('encryption').dropDatabase();
  });
});
