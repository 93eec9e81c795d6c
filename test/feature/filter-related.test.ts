import { cursorPaging, defineModel, everything, type RequestContext, type Service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const all = { filter: true, sort: true } as const;
const id = t.string({ policy: { insert: true, ...all } });
const ref = { id: t.string() };

const Author = defineModel('Author', {
  collection: 'authors',
  fields: {
    id,
    homes: t.array(t.object('Home', { city: t.string({ policy: { filter: true } }), rooms: t.int({ policy: { filter: true } }) }), {
      default: [],
    }),
    name: t.string({ policy: all }),
    salary: t.optional(t.int({ policy: { private: true } })),
  },
});

const Article = defineModel('Article', {
  collection: 'articles',
  fields: {
    id,
    title: t.string({ policy: all }),
    author: t.optional(t.ref('Author', ref)),
    comments: t.hasMany('Comment', { via: 'article' }),
    marks: t.hasMany('Mark', { via: 'articles', count: true }),
  },
});

const Comment = defineModel('Comment', {
  collection: 'comments',
  fields: {
    id,
    tenant: t.string(),
    article: t.optional(t.ref('Article', ref)),
    author: t.optional(t.ref('Author', ref)),
    text: t.string({ policy: all }),
    stars: t.int({ policy: all }),
    flag: t.optional(t.string({ policy: { private: true } })),
  },
});

/** Refers to several articles at once. */
const Mark = defineModel('Mark', {
  collection: 'marks',
  fields: { id, articles: t.array(t.ref('Article', ref)), colour: t.string({ policy: { filter: ['eq'] } }) },
});

interface Caller {
  readonly tenant: string;
}

const through = ['author', 'comments', 'comments.author', 'marks'] as const;

const resources = (shop: Service<Caller>) => [
  shop.resource({ model: Article, through, paging: cursorPaging({ total: true }) }),
  shop.resource({
    model: Comment,
    scope: (ctx: RequestContext<Caller>) => (ctx.principal ? { tenant: ctx.principal.tenant } : everything),
    guards: [(ctx) => ctx.principal?.tenant !== 'guest'],
  }),
  shop.resource({ model: Author }),
  shop.resource({ model: Mark }),
];

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const authenticate = (ctx: { get(name: string): string }) => (ctx.get('x-tenant') ? { tenant: ctx.get('x-tenant') } : undefined);
const byIds = useApi<Caller>(database, resources, { authenticate });
const byLookup = useApi<Caller>(database, resources, { authenticate, maxIdsThrough: 1 });

const data: Readonly<Record<string, readonly { readonly _id: string; readonly [key: string]: unknown }[]>> = {
  authors: [
    {
      _id: 'ann',
      name: 'Ann',
      salary: 7,
      homes: [
        { city: 'Ulm', rooms: 3 },
        { city: 'Bern', rooms: 2 },
      ],
    },
    { _id: 'ben', name: 'Ben' },
  ],
  articles: [
    { _id: 'a1', title: 'One', author: 'ann' },
    { _id: 'a2', title: 'Two', author: 'ben' },
    { _id: 'a3', title: 'Three' },
    { _id: 'a4', title: 'Four', author: 'gone' },
  ],
  comments: [
    { _id: 'c1', tenant: 'x', article: 'a1', author: 'ben', text: 'good', stars: 5, flag: 'f' },
    { _id: 'c2', tenant: 'x', article: 'a1', author: 'ann', text: 'bad', stars: 1 },
    { _id: 'c3', tenant: 'x', article: 'a2', author: 'ben', text: 'bad', stars: 5 },
    { _id: 'c4', tenant: 'y', article: 'a3', author: 'ann', text: 'good', stars: 5 },
    { _id: 'c5', tenant: 'x', text: 'good', stars: 5 },
  ],
  marks: [
    { _id: 'm1', articles: ['a1', 'a4'], colour: 'red' },
    { _id: 'm2', articles: [], colour: 'red' },
    { _id: 'm3', articles: ['a4', 'a2'], colour: 'blue' },
  ],
};

beforeAll(async () => {
  for (const [name, records] of Object.entries(data)) await database.db.collection<{ _id: string }>(name).insertMany([...records]);
});

const plans = [
  ['by ids', byIds],
  ['by $lookup', byLookup],
] as const;

describe.each(plans)('a filter through relations, %s', (_plan, api) => {
  async function ask(filter: string, tenant = 'x'): Promise<string> {
    const path = `/api/articles?total=true&filter=${encodeURIComponent(filter)}`;
    const { status, body } = await api.request('GET', path, { headers: { 'x-tenant': tenant } });
    expect([filter, status, body.errors]).toEqual([filter, 200, undefined]);
    expect(body.page.total).toBe(body.data.length);
    return body.data.map((one: { id: string }) => one.id).join(' ');
  }

  it.each([
    ['author.name = "Ann"', 'a1'],
    ['author.homes.city = "Ulm" AND author.homes.rooms = 2', 'a1'],
    ['any(author.homes, city = "Ulm" AND rooms = 2)', ''],
    ['any(author.homes, city = "Ulm" AND rooms = 3)', 'a1'],
    ['any(comments, any(author.homes, city = "Bern"))', 'a1'],
    ['NOT author.name = "Ann"', 'a2 a3 a4'],
    ['author.name = "Ann" OR title = "Three"', 'a1 a3'],
    ['author.name = "Ann" OR any(comments, text = "bad")', 'a1 a2'],
    ['any(author, name = "Ann" OR name = "Ben")', 'a1 a2'],
    ['none(author)', 'a3 a4'],
    ['any(comments)', 'a1 a2'],
    ['none(comments)', 'a3 a4'],
    ['NOT none(comments)', 'a1 a2'],
    ['any(comments, text = "good")', 'a1'],
    ['any(comments, text = "bad" AND stars = 5)', 'a2'],
    ['any(comments, text = "bad") AND any(comments, stars = 5)', 'a1 a2'],
    ['any(comments, text = "bad" AND NOT stars = 5)', 'a1'],
    ['any(comments, author.name = "Ann")', 'a1'],
    ['any(comments, any(author, name = "Ben") AND stars > 1)', 'a1 a2'],
    ['none(comments, author.name = "Ann")', 'a2 a3 a4'],
    ['any(comments.author, name = "Ann")', 'a1'],
    ['any(marks, colour = "red")', 'a1 a4'],
    ['any(marks, colour = "blue") AND NOT author.name = "Ben"', 'a4'],
    ['none(marks)', 'a3'],
    ['title != "One" AND (any(marks, colour = "red") OR none(comments, stars > 0))', 'a3 a4'],
    ['any(comments, text = "nothing")', ''],
    ['NOT any(comments, text = "nothing")', 'a1 a2 a3 a4'],
  ])('%s finds %s', async (filter, ids) => expect(await ask(filter)).toBe(ids));

  it('sees the related records that the caller sees', async () => {
    expect(await ask('any(comments, text = "good")', 'y')).toBe('a3');
    expect(await ask('any(comments)', 'guest')).toBe('');
    expect(await ask('none(comments)', 'guest')).toBe('a1 a2 a3 a4');
    expect(await ask('any(comments, text = "good") OR title = "Two"', 'guest')).toBe('a2');
  });
});

describe('a filter through relations', () => {
  it.each([
    ['comments.text = "x"', 'not_comparable', 'lies in one of many records: write any(comments, …), what one of them must fulfil'],
    ['any(comments, flag = "f")', 'unknown_parameter', 'is not a field of `comments`'],
    ['any(comments, nono = "f")', 'unknown_parameter', 'is not a field of `comments`'],
    ['any(comments, txet = "f")', 'unknown_parameter', 'is not a field of `comments`; did you mean `text`?'],
    [
      'author.homes = "x"',
      'not_filterable',
      'cannot be filtered. Allowed: id, title, author.id, author.homes.city, author.homes.rooms, author.name, comments.id, comments.text, comments.stars, comments.author.id, …',
    ],
    ['author.salary = 1', 'unknown_parameter', 'is not a field of this list'],
    ['any(comments, author.salary = 1)', 'unknown_parameter', 'is not a field of `comments`'],
    ['any(marks, colour > "a")', 'unknown_operator', 'does not have the operator `gt`. Allowed: eq'],
    ['any(comments, tenant = "x")', 'unknown_parameter', 'is not a field of `comments`'],
    ['any(coments)', 'unknown_parameter', 'is not a field of this list; did you mean `comments`?'],
  ])('%s is refused: %s', async (filter, rule, message) => {
    commands.clear();
    const { status, body } = await byIds.request('GET', `/api/articles?filter=${encodeURIComponent(filter)}`);
    expect([status, body.errors?.length, body.errors?.[0].rule]).toEqual([400, 1, rule]);
    expect(body.errors[0].message.replace(/^`[\w.]+` at character \d+ /, '')).toBe(message);
    expect(commands.events).toEqual([]);
  });

  it('is no parameter behind many records', async () => {
    const { status, body } = await byIds.request('GET', '/api/articles?comments.text=good');
    expect([status, body.errors[0].rule]).toEqual([400, 'unknown_parameter']);
    const sorted = await byIds.request('GET', '/api/articles?sort=comments.text');
    expect([sorted.status, sorted.body.errors[0].rule]).toEqual([400, 'not_sortable']);
  });

  it('asks for no relation that stands in no filter', async () => {
    commands.clear();
    await byIds.request('GET', `/api/articles?filter=${encodeURIComponent('title = "One"')}`, { headers: { 'x-tenant': 'x' } });
    expect(commands.events.map(({ commandName }) => commandName)).toEqual(['find']);
  });
});

describe('what a filter asks about related records', () => {
  const send = (filter: string, api = byIds) =>
    api.request('POST', '/api/articles/query', { headers: { 'x-tenant': 'x' }, body: { filter } });
  const found = ({ body }: Awaited<ReturnType<typeof send>>) => body.data?.map((one: { id: string }) => one.id).join(' ');
  const anyOf = (...texts: readonly string[]) => texts.map((text) => `any(comments, text = "${text}")`).join(' AND ');

  const nones = Array.from({ length: 199 }, (_, n) => `none(comments, stars = ${n + 2})`);

  it.each(plans)('is one query for hundreds of `none` of one relation, %s', async (_plan, api) => {
    for (const [parts, ids] of [
      [Array(400).fill('none(comments)'), 'a3 a4'],
      [[...nones, 'none(comments, text = "no")'], 'a3 a4'],
    ] as const) {
      commands.clear();
      const answer = await send(parts.join(' AND '), api);
      expect([answer.status, found(answer), commands.names.length]).toEqual([200, ids, 2]);
    }
  });

  it.each([
    ['any(comments, text = "good") AND (title = "One" OR NOT (title = "Two" AND any(comments, text = "good")))', 'a1', 2],
    ['any(comments, author.name = "Ben" AND stars = 5) AND any(comments, author.name = "Ben" AND text = "good")', 'a1', 4],
    ['author.name = "Ann" AND author.homes.city = "Ulm" AND any(author)', 'a1', 2],
    ['NOT author.name = "Ann" OR NOT author.homes.city = "Ulm"', 'a2 a3 a4', 2],
  ])('is asked once where it is equal or about one record: %s', async (filter, ids, count) => {
    for (const [, api] of plans) {
      commands.clear();
      const answer = await send(filter, api);
      expect([answer.status, found(answer), commands.names.length]).toEqual([200, ids, count]);
    }
  });

  it('is at most 16 different questions', async () => {
    const texts = Array.from({ length: 17 }, (_, n) => `t${n}`);
    expect((await send(anyOf(...texts.slice(1)))).status).toBe(200);
    commands.clear();
    const { status, body } = await send(anyOf(...texts));
    expect([status, body.code, commands.names]).toEqual([400, 'invalid_query', []]);
    expect(body.errors).toEqual([
      {
        field: 'filter',
        message: 'has 17 conditions on related records: at most 16 are allowed',
        rule: 'too_complex',
        params: { limit: 16 },
      },
    ]);
  });

  describe('with `maxConditionsThrough` of the api', () => {
    const strict = useApi<Caller>(database, resources, { authenticate, maxConditionsThrough: 1 });

    it('is at most so many', async () => {
      expect((await send(anyOf('good'), strict)).status).toBe(200);
      expect((await send(anyOf('good', 'bad'), strict)).body.errors[0].params).toEqual({ limit: 1 });
    });
  });
});

describe('a list through a relation by `t.hasMany` alone', () => {
  const marked = useApi<Caller>(
    database,
    (shop) => [shop.resource({ model: Article, through: ['marks'] }), shop.resource({ model: Mark })],
    { models: [Comment, Author] },
  );

  it.each([
    ['any(marks, colour = "blue")', ['a2', 'a4']],
    ['none(marks)', ['a3']],
  ])('%s finds %s', async (filter, found) => {
    const { body } = await marked.request('GET', `/api/articles?filter=${encodeURIComponent(filter)}`);
    expect(body.data?.map(({ id }: { id: string }) => id)).toEqual(found);
  });
});
