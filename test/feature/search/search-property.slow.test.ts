import { useDatabase } from '../../support/database/database.ts';
import { randomFrom } from '../../support/fuzzing/random-from.ts';
import { seedNotes, useNotes } from './notes.ts';

const database = useDatabase();
const notes = useNotes(database, { maxSearchMatches: 10_000 });

const next = randomFrom(11);
const integer = (most: number) => Math.floor(next() * (most + 1));
const pick = <Value>(values: readonly Value[]): Value => values[integer(values.length - 1)] as Value;
const many = <Value>(least: number, most: number, make: () => Value) => Array.from({ length: least + integer(most - least) }, make);

const words = [
  'milk',
  'Milk',
  'MILKS',
  'buttermilk',
  'fresh',
  'Café',
  'cafe',
  'the',
  'x1',
  'over',
  'ilk',
  "don't",
  '-milk',
  'a.b',
  'C++',
  'straße',
  'back\\slash',
];
const text = () => many(0, 5, () => pick(words)).join(pick([' ', ' ', '  ', '-', ', ']));

interface Noted {
  readonly _id: string;
  readonly tenant: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly place?: { readonly text: string };
  readonly lines: readonly { readonly text: string }[];
  readonly size: number;
  readonly deletedAt?: Date;
}

const stored = Array.from(
  { length: 200 },
  (_, index): Noted => ({
    _id: String(index).padStart(3, '0'),
    tenant: pick(['ann', 'ben']),
    title: text(),
    tags: many(0, 2, text),
    ...(next() < 0.5 && { place: { text: text() } }),
    lines: many(0, 2, () => ({ text: text() })),
    size: integer(3),
    ...(next() < 0.2 && { deletedAt: new Date() }),
  }),
);

/** Without case and accents. */
const fold = (one: string) =>
  one
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .normalize('NFC');
const wordsOf = (one: string) =>
  fold(one)
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean);
const textsOf = ({ title, tags, place, lines }: Noted) => [title, ...tags, place?.text ?? '', ...lines.map((line) => line.text)];

/** The rules of the reference once more: every term lies in a text, and one of their words is a word of a text. */
function matches(record: Noted, terms: readonly string[]): boolean {
  const texts = textsOf(record);
  const own = new Set(texts.flatMap(wordsOf));
  return terms.every((term) => texts.some((one) => fold(one).includes(fold(term)))) && terms.flatMap(wordsOf).some((word) => own.has(word));
}

describe('a search of random texts', () => {
  it('finds what the rules say, whatever stands beside it', async () => {
    await seedNotes(database, stored as never);
    let found = 0;
    for (let round = 0; round < 250; round++) {
      const terms = many(1, 3, () => (next() < 0.3 ? many(1, 2, () => pick(words)).join(' ') : pick(words)));
      const q = terms.map((term) => (term.includes(' ') || next() < 0.3 ? `"${term}"` : term)).join(pick([' ', '  ']));
      const tenant = pick(['ann', 'ben']);
      const size = integer(3);
      const [more, isShown] = pick<readonly [string, (one: Noted) => boolean]>([
        ['', () => true],
        [`&size=${size}`, (one) => one.size === size],
        [`&size[gte]=${size}`, (one) => one.size >= size],
        [`&filter=${encodeURIComponent(`size = ${size} OR size = 0`)}`, (one) => one.size === size || one.size === 0],
      ]);
      const isDeleted = next() < 0.3;
      const expected = stored
        .filter((one) => one.tenant === tenant && (one.deletedAt !== undefined) === isDeleted && isShown(one) && matches(one, terms))
        .map(({ _id }) => _id);
      const query = `q=${encodeURIComponent(q)}${more}${isDeleted ? '&deleted=only' : ''}`;
      const ask = async (own: string) => (await notes.send('GET', `notes?${query}${own}`, { headers: { authorization: tenant } })).body;
      const byRelevance = await ask('&limit=100&total=true');
      expect([q, more, byRelevance.data.map(({ id }: { id: string }) => id).sort(), byRelevance.page.total]).toEqual([
        q,
        more,
        expected,
        expected.length,
      ]);
      const walked: string[] = [];
      for (let cursor = ''; ; ) {
        const { data, page } = await ask(`&sort=id&limit=7${cursor}`);
        walked.push(...data.map(({ id }: { id: string }) => id));
        if (page.next_cursor === null) break;
        cursor = `&after=${page.next_cursor}`;
      }
      expect(walked).toEqual(expected);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(500);
  });
});
