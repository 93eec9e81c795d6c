import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const all = { policy: { filter: true } } as const;
const id = t.string({ policy: { insert: true, sort: true } });
const Item = t.object('Item', { sku: t.string(all), parts: t.array(t.string(), { default: [], ...all }) });
const Numbered = t.object('Numbered', { 3: t.string({ default: '' }) });
const Article = defineModel('Article', {
  collection: 'articles',
  fields: {
    id,
    title: t.optional(t.string(all)),
    lines: t.array(Item, { default: [], policy: { filter: ['exists'] } }),
    closed: t.array(Item, { default: [] }),
    tags: t.array(t.string({ caseless: true }), { default: [], ...all }),
    scores: t.optional(t.array(t.int(), all)),
    maps: t.array(t.map(t.string()), { default: [], policy: { filter: ['exists'] } }),
    anys: t.array(t.any(), { default: [], policy: { filter: ['exists'] } }),
    odd: t.array(Numbered, { default: [], policy: { filter: ['exists'] } }),
    comments: t.hasMany('Comment', { via: 'article' }),
    both: t.hasMany('Link', { via: 'articles' }),
    editor: t.optional(t.ref('Editor', { id: t.string(), ...all })),
  },
});
const Comment = defineModel('Comment', {
  collection: 'comments',
  fields: {
    id,
    article: t.ref('Article', { id: t.string() }),
    link: t.optional(t.ref('Link', { id: t.string() })),
    stars: t.int(all),
    secret: t.string({ default: '', policy: { private: true } }),
  },
});
const Link = defineModel('Link', {
  collection: 'links',
  fields: { id, articles: t.array(t.ref('Article', { id: t.string() })), comments: t.hasMany('Comment', { via: 'link' }) },
});
const Editor = defineModel('Editor', {
  collection: 'editors',
  fields: { id, name: t.string(all), edited: t.hasMany('Article', { via: 'editor' }) },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Article,
      through: ['comments', 'both', 'both.comments', 'editor', 'editor.edited'],
      paging: cursorPaging({ total: true }),
    }),
    shop.resource({ model: Comment, scope: (ctx) => ({ secret: { ne: ctx.principal ?? 'hidden' } }) }),
    shop.resource({ model: Link }),
    shop.resource({ model: Editor }),
  ],
  { authenticate: (ctx) => ctx.get('x-caller') || undefined, maxSortThrough: 8 },
);

beforeAll(async () => {
  const line = (sku: string, parts: string[] = []) => ({ sku, parts });
  const tags = (...texts: string[]) => ({ tags: texts, 'tags[fold2]': texts.map((one) => one.toLowerCase()) });
  const collection = (name: string) => database.db.collection<{ _id: string }>(name);
  await collection('articles').insertMany([
    { _id: 'a0', lines: [], ...tags(), scores: [], editor: 'e1' },
    { _id: 'a1', lines: [line('x')], ...tags('Red'), scores: [5], editor: 'e1' },
    { _id: 'a2', lines: [line('x'), line('y', ['p', 'q'])], ...tags('red', 'Green'), scores: [1, 9], editor: 'e2', maps: [{ 1: 'x' }] },
    { _id: 'a3', lines: [line('y'), line('y'), line('z')], ...tags('blue', 'Redwood', 'green'), scores: [2, 3, 7], editor: 'e1' },
    { _id: 'none' },
  ] as never);
  await collection('comments').insertMany(
    [
      ['a1', 5],
      ['a2', 5],
      ['a2', 1],
      ['a3', 4],
      ['a3', 5],
      ['a3', 5, 'hidden'],
    ].map(([article, stars, secret = 'x'], n) => ({ _id: `c${n}`, article, stars, secret })) as never,
  );
  await collection('links').insertMany([
    { _id: 'l1', articles: ['a1', 'a2', 'a2'] },
    { _id: 'l2', articles: ['a1'] },
    { _id: 'l3', articles: ['a3', 'a1'] },
  ] as never);
  await collection('editors').insertMany([
    { _id: 'e1', name: 'Eve' },
    { _id: 'e2', name: 'Ed' },
  ] as never);
});

async function ask(filter: string, caller = ''): Promise<string> {
  const headers = caller === '' ? {} : { 'x-caller': caller };
  const { status, body } = await api.request('GET', `/api/articles?filter=${encodeURIComponent(filter)}`, { headers });
  if (status !== 200) return `${status} ${body.errors?.[0].message ?? body.code}`;
  return body.data.map((one: { id: string }) => one.id).join(' ');
}

describe('a filter about how many items an array has', () => {
  it.each([
    ['count(lines) > 1', 'a2 a3'],
    ['count(lines) >= 3', 'a3'],
    ['count(lines) = 1', 'a1'],
    ['count(lines) != 1', 'a0 a2 a3 none'],
    ['count(lines) < 2', 'a0 a1 none'],
    ['count(lines) <= 2', 'a0 a1 a2 none'],
    ['count(lines) = 0', 'a0 none'],
    ['count(lines) > 0', 'a1 a2 a3'],
    ['any(lines)', 'a1 a2 a3'],
    ['none(lines)', 'a0 none'],
    ['count(tags) >= 2 AND count(scores) = 2', 'a2'],
    ['any(lines, count(parts) = 2)', 'a2'],
    ['any(lines, none(parts))', 'a1 a2 a3'],
    ['count(lines) > 1 OR title = "x"', 'a2 a3'],
    ['NOT count(lines) > 1', 'a0 a1 none'],
  ])('%s', async (filter, ids) => {
    expect(await ask(filter)).toBe(ids);
  });

  it.each([
    ['count(closed) > 1', 'needs a condition: its policy does not open whether it has items'],
    ['count(title) > 1', 'is neither an array of objects or of values nor a relation that a filter may name'],
    ['count(maps) > 1', 'has items that have no number of their own'],
    ['count(odd) > 1', 'has items that have no number of their own'],
    ['count(lines.parts) > 1', 'lies in another array: write any(…) about its items'],
    ['count(anys) > 1', 'has items that have no number of their own'],
    ['count(lines, sku = "x") > 0', 'cannot be counted so'],
    ['count(lines, sku = "x") > 1', 'cannot be counted so: count(…) takes an array without a condition, or a relation by `t.hasMany`'],
    ['count(lines) >= 0', 'has a count that is always so, or never: compare it with at least 1, or by =, !=, > or <='],
    ['count(lines) < 0', 'has a count that is always so, or never'],
    ['count(lines) = 1.5', 'a whole number of at most 9 digits was expected'],
    ['count(lines) = -1', 'a whole number of at most 9 digits was expected'],
    ['count(lines) IN (1, 2)', '=, !=, <, <=, > or >= behind count(…) was expected'],
    ['count(lines)', '=, !=, <, <=, > or >= behind count(…) was expected'],
  ])('is refused where it could not be true: %s', async (filter, message) => {
    expect(await ask(filter)).toContain(message);
  });
});

it('tells a count that is refused once', async () => {
  const { body } = await api.request('GET', `/api/articles?filter=${encodeURIComponent('count(lines, sku = "x") = 2')}`);
  expect(body.errors).toHaveLength(1);
});

describe('a filter about one item of an array of values', () => {
  it.each([
    ['any(scores, item > 1 AND item < 5)', 'a3'],
    ['any(scores, item IN (1, 7))', 'a2 a3'],
    ['any(scores, item != 5)', 'a2 a3'],
    ['none(scores, item >= 5)', 'a0 none'],
    ['any(tags, item = "RED")', 'a1 a2'],
    ['any(tags, prefix(item, "re") AND item > "red")', 'a3'],
    ['any(tags, prefix(item, ""))', 'a1 a2 a3'],
    ['any(lines, any(parts, item = "q"))', 'a2'],
    ['any(tags)', 'a1 a2 a3'],
  ])('%s', async (filter, ids) => {
    expect(await ask(filter)).toBe(ids);
  });

  it.each([
    ['any(scores, item > 1 OR item < 5)', 'takes comparisons of `item` that AND joins, each operator once'],
    ['any(scores, item > 1 AND item > 5)', 'each operator once'],
    ['any(scores, exists(item))', 'each operator once'],
    ['any(scores, other = 1)', 'is not a field of an item of `scores`'],
    ['any(scores, item = "x")', 'must be an integer'],
    ['any(maps, item = 1)', 'is neither an array of objects or of values'],
  ])('is refused: %s', async (filter, message) => {
    expect(await ask(filter)).toContain(message);
  });
});

describe('a filter about how many related records there are', () => {
  it.each([
    ['count(comments) >= 2', 'a2 a3'],
    ['count(comments, stars > 3) >= 2', 'a3'],
    ['count(comments) = 2', 'a2 a3'],
    ['count(comments) = 1', 'a1'],
    ['count(comments) = 0', 'a0 none'],
    ['count(comments) < 2', 'a0 a1 none'],
    ['count(comments) > 1 AND title = "x"', ''],
    ['count(both) >= 2', 'a1'],
    ['count(both) = 3', 'a1'],
    ['count(editor.edited) >= 3', 'a0 a1 a3'],
    ['count(editor.edited) != 3', 'a2'],
    ['count(editor.edited) < 2', 'a2'],
    ['count(comments) >= 1', 'a1 a2 a3'],
  ])('%s', async (filter, ids) => {
    expect(await ask(filter)).toBe(ids);
  });

  it('counts those that its caller sees, and no others', async () => {
    expect([await ask('count(comments) >= 3'), await ask('count(comments) >= 3', 'nobody')]).toEqual(['', 'a3']);
  });

  it('asks one command for a number, and none for those of an array', async () => {
    await ask('count(comments) >= 2');
    expect(commands.names).toEqual(['aggregate', 'find']);
    for (const filter of ['count(comments) = 2', '(count(comments) >= 2 OR title = "x") AND (count(comments) < 3 OR title = "y")']) {
      commands.clear();
      await ask(filter);
      expect(commands.names).toEqual(['aggregate', 'find']);
    }
    commands.clear();
    await ask('count(lines) >= 2');
    expect(commands.names).toEqual(['find']);
  });

  it('is 422 where more related records match than `maxSortThrough`', async () => {
    const more = Array.from({ length: 4 }, (_, n) => ({ _id: `more${n}`, article: 'a0', stars: 1, secret: 'x' }));
    await database.db.collection<{ _id: string }>('comments').insertMany(more as never);
    expect(await ask('count(comments) >= 2')).toBe('422 too_many_matches');
    expect(await ask('count(comments, stars > 3) >= 2')).toBe('a3');
    await database.db.collection<{ _id: string }>('comments').deleteMany({ _id: /^more/ } as never);
  });

  it.each([
    ['count(editor) >= 2', 'cannot be counted so'],
    ['count(editor) >= 1', 'cannot be counted so'],
    ['count(both.comments) >= 2', 'lies in one of many records: write any(both, …)'],
    ['count(comments, secret = "x") >= 2', 'is not a field of `comments`'],
  ])('is refused: %s', async (filter, message) => {
    expect(await ask(filter)).toContain(message);
  });
});
