import { defineModel, type Service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ policy: { filter: ['eq'] } }), revision: t.revision() },
  history: true,
});
const database = useDatabase();
const define = (shop: Service<never>) => [
  shop.resource({ model: Note, ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany'] }),
];
const api = useApi(database, define, { maxTimeMS: 400 });
const patient = useApi(database, define);
const notes = () => database.db.collection<{ _id: string; text: string; revision: number }>('notes');

beforeEach(async () => {
  await notes().deleteMany({});
  await notes().insertOne({ _id: 'a', text: 'old', revision: 0 });
});

describe('a write that loses against another one until its time is over', () => {
  it.each([
    ['PATCH', '/notes/a', { text: 'new' }],
    ['PUT', '/notes/a', { text: 'new' }],
    ['DELETE', '/notes/a', undefined],
    ['PATCH', '/notes?text=old', { text: 'new' }],
  ])('%s %s is 503 write_conflict, and can be sent again', async (method, path, body) => {
    const session = database.db.client.startSession();
    session.startTransaction();
    await notes().updateOne({ _id: 'a' }, { $set: { text: 'held' } }, { session });
    const lost = await api.request(method, `/api${path}`, { body });
    expect(lost.body).toEqual({
      type: 'urn:problem:koa-mongo-resource:write_conflict',
      title: 'Other writes were faster',
      status: 503,
      detail:
        'Other requests were changing the same records until the time of this one was over (`maxTimeMS`); nothing was written. Try again.',
      code: 'write_conflict',
    });
    expect(lost.headers['retry-after']).toBe('1');
    await session.abortTransaction();
    await session.endSession();
    expect(await notes().find().toArray()).toEqual([{ _id: 'a', text: 'old', revision: 0 }]);
    expect((await patient.request(method, `/api${path}`, { body })).status).toBeLessThan(300);
  });
});
