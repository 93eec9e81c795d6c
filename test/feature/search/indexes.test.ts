import { applyIndexes, planIndexes } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useNotes } from './notes.ts';

const database = useDatabase();
const notes = useNotes(database);
const collection = () => database.db.collection('notes');
const planned = async () => (await planIndexes(notes.build())).collections.find((one) => one.collection === 'notes');
const isText = ({ key }: { readonly key: readonly (readonly [string, unknown])[] }) => key.some(([, direction]) => direction === 'text');

beforeEach(async () => {
  await collection().drop();
  notes.errors.length = 0;
});

describe('the text index', () => {
  it('is planned and created, with its weights, its language and the fields of the scope', async () => {
    const missing = (await planned())?.missing.find(isText);
    expect(missing?.reasons).toEqual(['Note: search']);
    await applyIndexes(notes.build());
    const found = (await collection().listIndexes().toArray()).find(({ weights }) => weights);
    expect(found).toMatchObject({
      key: { tenant: 1, _fts: 'text', _ftsx: 1 },
      weights: { title: 10, tags: 5, 'place.text': 1, 'lines.text': 1 },
      default_language: 'none',
      language_override: '[language]',
      textIndexVersion: 3,
    });
    const plan = await planned();
    expect([plan?.missing, plan?.conflicting, plan?.unused]).toEqual([[], [], []]);
    expect(plan?.existing.some(isText)).toBe(true);
  });

  it('may have another name', async () => {
    const options = { name: 'mine', weights: { title: 10, tags: 5, 'place.text': 1, 'lines.text': 1 }, default_language: 'none' };
    const key = { tenant: 1, 'lines.text': 'text', tags: 'text', title: 'text', 'place.text': 'text' } as const;
    await collection().createIndex(key, { ...options, language_override: '[language]' });
    expect((await planned())?.existing.find(isText)?.existing.name).toBe('mine');
  });

  it.each<[string, object, object]>([
    ['a foreign one', { other: 'text' }, {}],
    ['one of all texts', { '$**': 'text' }, {}],
    [
      'other weights',
      { tenant: 1, title: 'text', tags: 'text', 'place.text': 'text', 'lines.text': 'text' },
      { default_language: 'none', language_override: '[language]' },
    ],
    [
      'another language',
      { tenant: 1, title: 'text', tags: 'text', 'place.text': 'text', 'lines.text': 'text' },
      { weights: { title: 10, tags: 5 }, language_override: '[language]' },
    ],
    [
      'no scope',
      { title: 'text', tags: 'text', 'place.text': 'text', 'lines.text': 'text' },
      { weights: { title: 10, tags: 5 }, default_language: 'none', language_override: '[language]' },
    ],
  ])('is in conflict with %s, which is not dropped', async (_what, key, options) => {
    await collection().createIndex(key as never, options);
    expect((await planned())?.conflicting.map(({ reasons }) => reasons)).toEqual([['Note: search']]);
    await expect(applyIndexes(notes.build())).rejects.toThrow(/`notes` needs \{ tenant: 1, title: 'text', .* and has `/);
    expect((await collection().listIndexes().toArray()).filter(({ weights }) => weights)).toHaveLength(1);
  });

  it('does not pass for an index of the scope', async () => {
    await collection().createIndex({ tenant: 1, title: 'text' });
    expect((await planned())?.missing.some(({ key }) => key[0]?.[0] === 'tenant' && key[1]?.[0] === '_id')).toBe(true);
  });

  it('is named by the error of a search without it', async () => {
    await database.db.createCollection('notes');
    await collection().insertOne({ tenant: 'ann', title: 'x' });
    for (const more of ['', '&sort=size', '&total=true']) expect(await notes.find(`q=x${more}`)).toBe('500 ');
    expect((await notes.send('GET', 'notes/aggregate?q=x')).status).toBe(500);
    expect((await notes.send('GET', 'notes?q=x', { headers: { accept: 'text/csv' } })).status).toBe(500);
    const [error, ...others] = notes.errors;
    expect(error?.message).toBe(
      "The collection `notes` has no text index, so that `search` of Note fails. Call `applyIndexes(api)`, or: db.collection(\"notes\").createIndex({ tenant: 1, title: 'text', tags: 'text', 'place.text': 'text', 'lines.text': 'text' }, { weights: { title: 10, tags: 5, 'place.text': 1, 'lines.text': 1 }, default_language: 'none', language_override: '[language]', textIndexVersion: 3 })",
    );
    expect(others.map(({ message }) => message)).toEqual(Array.from({ length: 4 }, () => error?.message));
  });

  it('is named by the error of a search with another one', async () => {
    await collection().createIndex({ size: 1, title: 'text' });
    await collection().insertOne({ tenant: 'ann', title: 'x' });
    expect(await notes.find('q=x')).toBe('500 ');
    expect(notes.errors[0]?.message).toMatch(/^The collection `notes` has another text index, so that `search` of Note fails/);
  });
});
