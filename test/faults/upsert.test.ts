import type { Db } from 'mongodb';
import { defineModel, openStore, t } from '../../src/index.ts';
import { type Deployment, failCommands, startMongods } from './parts/mongods.ts';

const Task = defineModel('Task', {
  collection: 'tasks',
  fields: { id: t.string(), owner: t.string({ default: 'ann' }), revision: t.revision() },
});

let deployment: Deployment;
let db: Db;
const sent: string[] = [];
beforeAll(async () => {
  deployment = await startMongods(1);
  const client = await deployment.connect();
  client.on('commandStarted', ({ commandName }) => sent.push(commandName));
  db = client.db('upserts');
});
afterAll(() => deployment.stop());
beforeEach(async () => {
  await db.collection('tasks').deleteMany({});
  sent.length = 0;
});
afterEach(() => failCommands(deployment, 'off'));

const taken = { errorCode: 11_000, errorExtraInfo: { keyPattern: { _id: 1 }, keyValue: { _id: 'n' } } };
const fail = (mode: object, data: object) => failCommands(deployment, mode as never, { failCommands: ['findAndModify'], ...data });
const open = (scope?: { owner: string }) => openStore(Task, { db, ...(scope && { scope }) });
const stored = () => db.collection<{ _id: string }>('tasks').findOne({ _id: 'n' });

describe('an upsert whose id another write has taken meanwhile', () => {
  it('is tried again, and looks first whether the record is outside of its scope', async () => {
    await fail({ times: 2 }, taken);
    expect(await open().upsert('n', {})).toMatchObject({ created: true });
    expect(sent).toEqual(['findAndModify', 'findAndModify', 'findAndModify']);
    sent.length = 0;
    await fail({ times: 1 }, taken);
    expect(await open({ owner: 'ann' }).upsert('n', {})).toMatchObject({ created: false });
    expect(sent).toEqual(['findAndModify', 'find', 'findAndModify']);
  });

  it('is 503 if that happens again and again', async () => {
    await fail({ times: 50 }, taken);
    await expect(open().upsert('n', {})).rejects.toMatchObject({ code: 'write_conflict' });
    expect([sent.length, await stored()]).toEqual([8, null]);
  });

  it('is not tried again where another value is taken', async () => {
    await fail({ times: 1 }, { ...taken, errorExtraInfo: { keyPattern: { owner: 1 }, keyValue: { owner: 'ann' } } });
    await expect(open().upsert('n', {})).rejects.toMatchObject({ code: 'duplicate_key', errors: [{ field: 'owner' }] });
    expect(sent).toEqual(['findAndModify']);
  });
});

describe('an upsert whose connection ends', () => {
  it('is carried out once by the retry of the driver', async () => {
    await fail({ times: 1 }, { closeConnection: true });
    expect(await open().upsert('n', {})).toMatchObject({ created: true, record: { revision: 0 } });
  });

  it('has an unknown outcome if its retry ends so, too', async () => {
    await fail({ times: 2 }, { closeConnection: true });
    await expect(open().upsert('n', {})).rejects.toMatchObject({ code: 'write_outcome_unknown' });
  });

  it('is refused if the server says that it has done nothing', async () => {
    await fail({ times: 1 }, { errorCode: 112 });
    await expect(openStore(Task, { db, maxTimeMS: 2_000 }).upsert('n', {})).rejects.toMatchObject({ status: 503 });
    expect(await stored()).toBeNull();
  });
});
