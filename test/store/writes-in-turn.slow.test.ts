import { defineModel, openStore, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string(), count: t.int(), revision: t.revision() },
  history: true,
});
const at = Array.from({ length: 60 }, (_, index) => index);
const notes = () => openStore(Note, { db: database.db });
const entries = (record: string) => database.db.collection('notes_history').countDocuments({ record });

describe('60 writes of one record at once, whose model has a history', () => {
  it('queue if they are upserts of a new id, and each has its entry', async () => {
    const store = notes();
    const done = await Promise.all(at.map((count) => store.upsert('new', { count })));
    expect(done.filter(({ created }) => created)).toHaveLength(1);
    expect(done.map(({ record: { revision } }) => revision).sort((a, b) => a - b)).toEqual(at);
    expect(await entries('new')).toBe(60);
  });

  it('queue if they are updates', async () => {
    const store = notes();
    await store.create({ id: 'old', count: -1 });
    const done = await Promise.all(at.map((count) => store.update('old', { count })));
    expect(done.map((record) => record.revision).sort((a, b) => a - b)).toEqual(at.map((one) => one + 1));
    expect(await entries('old')).toBe(61);
  });
});
