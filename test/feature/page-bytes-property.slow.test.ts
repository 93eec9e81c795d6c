import fc from 'fast-check';
import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';
import type { Stored } from '../support/models/books.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { sort: true } }),
    rank: t.optional(t.int({ policy: { sort: true } })),
    text: t.string(),
    next: t.optional(t.ref('Note', { id: t.string() })),
  },
});

const maxPageBytes = 2000;
const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Note, include: ['next'], paging: cursorPaging() }),
    shop.resource({ model: Note, path: 'hooked', include: ['next'], paging: cursorPaging(), after: { list: [() => undefined] } }),
  ],
  { maxPageBytes },
);

// An included record is never larger than the bound: it would be the 400 of include.
const note = fc.record({
  rank: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  text: fc.tuple(fc.constantFrom('x', '€', '\u0001', '"'), fc.integer({ min: 0, max: 250 })).map(([one, count]) => one.repeat(count)),
  large: fc.boolean(),
  next: fc.option(fc.nat(), { nil: undefined }),
});

describe('pages of records of any size', () => {
  it('are walked in both directions, each record once, and none has more bytes than the bound unless it has one record', async () => {
    const notes = database.db.collection<Stored>('notes');
    const query = fc.record({
      path: fc.constantFrom('notes', 'hooked'),
      limit: fc.integer({ min: 1, max: 30 }),
      sort: fc.constantFrom('id', '-id', 'rank', '-rank', 'rank,-id'),
      include: fc.constantFrom('', '&include=next'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(note, { minLength: 1, maxLength: 25 }), query, async (made, { path, limit, sort, include }) => {
        await notes.deleteMany({});
        const small = made.flatMap(({ large }, index) => (large ? [] : [`n${index}`]));
        await notes.insertMany(
          made.map(({ rank, text, large, next }, index) => ({
            _id: `n${index}`,
            ...(rank === undefined ? {} : { rank }),
            text: large ? text.repeat(10) : text,
            ...(next === undefined || small.length === 0 ? {} : { next: small[next % small.length] }),
          })),
        );
        const { there, back } = await walkList(api, `/api/${path}?limit=${limit}&sort=${sort}${include}`);
        expect(idsOf(there).sort()).toEqual(made.map((_one, index) => `n${index}`).sort());
        expect(idsOf(back)).toEqual(there.flatMap(({ ids }) => ids));
        for (const { ids, bytes } of [...there, ...back]) {
          expect(ids.length).toBeLessThanOrEqual(limit);
          expect(ids.length === 1 || bytes <= maxPageBytes).toBe(true);
        }
      }),
      cases(30),
    );
  });
});
