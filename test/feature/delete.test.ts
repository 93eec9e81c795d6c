import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string(), text: t.string(), owner: t.string({ policy: { private: true } }), revision: t.revision() },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Note, scope: () => ({ owner: 'ann' }) })]);
const notes = () => database.db.collection<{ _id: string }>('notes');

beforeEach(async () => {
  await notes().deleteMany({});
  await notes().insertMany([
    { _id: 'a', text: 'x', owner: 'ann', revision: 2 },
    { _id: 'b', text: 'x', owner: 'ben', revision: 2 },
  ] as never);
});

describe('DELETE /:id', () => {
  it('answers 204 without a body, and the record is gone', async () => {
    const { status, headers, text } = await api.request('DELETE', '/api/notes/a');
    expect([status, text]).toEqual([204, '']);
    for (const name of ['etag', 'content-type', 'content-length', 'location']) expect(headers).not.toHaveProperty(name);
    expect(await notes().distinct('_id')).toEqual(['b']);
    expect((await api.request('GET', '/api/notes/a')).status).toBe(404);
  });

  it('answers 404 for a record that is not there, a second time too', async () => {
    await api.request('DELETE', '/api/notes/a');
    const { status, body } = await api.request('DELETE', '/api/notes/a');
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('answers 404 for a record out of scope, whatever If-Match says, and leaves it', async () => {
    for (const headers of [{}, { 'if-match': '*' }, { 'if-match': '"2"' }, { 'if-match': '"9"' }]) {
      expect((await api.request('DELETE', '/api/notes/b', { headers })).status).toBe(404);
    }
    expect(await notes().distinct('_id')).toEqual(['a', 'b']);
  });

  it('needs no body, and ignores one', async () => {
    expect((await api.request('DELETE', '/api/notes/a', { body: 'no JSON', headers: { 'content-type': 'text/plain' } })).status).toBe(204);
  });
});
