import type { Db, Document } from 'mongodb';
import { openStore } from '../../../src/index.ts';
import { Note } from './models.ts';

const names = ['notes', 'notes_history', 'labels', 'items', 'tags', 'idempotency_keys'] as const;

/** Stores what the requests of the matrix find. The function that is returned stores it again, and nothing else. */
export async function store(db: Db): Promise<() => Promise<void>> {
  const insert = (name: string, ...records: readonly object[]) => db.collection(name).insertMany(records as Document[]);
  await Promise.all(names.map((name) => db.createCollection(name)));
  await insert('tags', { _id: 'a', text: 'a' }, { _id: 'b', text: 'b' });
  await insert('items', { _id: 'a', text: 'a' });
  await insert('labels', { _id: 'a', text: 'a', tagIds: ['a'], revision: 0 });
  const notes = openStore(Note, { db });
  await notes.create({ id: 'a', text: 'z', tagIds: ['a'] });
  await notes.update('a', { text: 'a' });
  await notes.create({ id: 'gone', text: 'gone' });
  await notes.remove('gone');
  const all = await Promise.all(names.map(async (name) => [name, await db.collection(name).find().toArray()] as const));
  return async function restore() {
    await Promise.all(
      all.map(async ([name, records]) => {
        await db.collection(name).deleteMany({});
        if (records.length > 0) await db.collection(name).insertMany(records);
      }),
    );
  };
}
