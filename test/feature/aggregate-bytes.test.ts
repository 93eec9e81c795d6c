import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string({ policy: { group: true } }) } });
const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Note, aggregate: true })], { maxPageBytes: 10_000 });

describe('GET /<resource>/aggregate', () => {
  it('is 422 beyond `maxPageBytes` of the api, as a page would end', async () => {
    const notes = database.db.collection('notes');
    await notes.insertMany(Array.from({ length: 9 }, (_, n) => ({ text: `${n}${'x'.repeat(1_000)}` })));
    expect((await api.request('GET', '/api/notes/aggregate?group=text')).body.data).toHaveLength(9);
    await notes.insertOne({ text: 'y'.repeat(1_000) });
    const { status, body } = await api.request('GET', '/api/notes/aggregate?group=text');
    expect([status, body.code, body.detail]).toEqual([
      422,
      'too_many_matches',
      'The answer would have more than 10000 bytes: narrow the list by filters, or group it by fewer fields.',
    ]);
  });
});
