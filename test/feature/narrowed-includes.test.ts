import { applyIndexes, cursorPaging, defineModel, openapiDocument, planIndexes, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { examinedBy } from '../support/database/examined.ts';
import { useApi } from '../support/http/api.ts';

const id = t.int({ policy: { sort: true, filter: true } });
const plain = t.int();
const Post = defineModel('Post', {
  collection: 'posts',
  fields: {
    id,
    blogId: t.ref('Blog', { id: plain, as: 'blog' }),
    comments: t.hasMany('Comment', { via: 'postId', max: 6 }),
    commentCount: t.hasMany('Comment', { via: 'postId', count: true, max: 9 }),
    notes: t.hasMany('Note', { via: 'postId', max: 4 }),
  },
});
const Blog = defineModel('Blog', { collection: 'blogs', fields: { id, posts: t.hasMany('Post', { via: 'blogId', max: 3 }) } });
const Comment = defineModel('Comment', {
  collection: 'comments',
  fields: {
    id,
    postId: t.ref('Post', { id: plain, as: 'post', policy: { filter: true } }),
    owner: t.string({ policy: { filter: true } }),
    rank: t.int({ policy: { sort: true } }),
    label: t.string({ policy: { sort: true } }),
    weight: t.int(),
    secret: t.optional(t.int({ policy: { private: true } })),
    deletedAt: t.deletedAt(),
  },
});
const Note = defineModel('Note', { collection: 'notes', fields: { id, postId: t.ref('Post', { id: plain }) } });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const include = [
  { relation: 'comments', max: 3, sort: '-rank', sorts: ['rank', 'label,-rank', 'weight'] },
  { relation: 'commentCount', max: 4 },
  { relation: 'notes', max: 2 },
  'blog',
  'comments.post',
] as const;
const shop = service();
const define = (one: typeof shop) => [
  one.resource({ model: Post, include, nested: ['comments'], fields: true, export: {}, paging: cursorPaging({ max: 200 }) }),
  one.resource({ model: Blog, include: [{ relation: 'posts.comments' }, { relation: 'posts', max: 2, sort: '-id' }] }),
  one.resource({
    model: Comment,
    include: [{ relation: 'post.comments' }],
    guards: [(ctx) => ctx.get('x-user') !== 'shut'],
    scope: (ctx) => (ctx.get('x-user') === 'root' ? { owner: { in: ['ann', 'ben'] } } : { owner: ctx.get('x-user') }),
    scopeFields: ['owner'],
  }),
  one.resource({ model: Note }),
];
const api = useApi<never>(database, define as never);

const posts = 5;
interface StoredComment {
  readonly _id: number;
  readonly postId: number;
  readonly owner: string;
  readonly rank: number;
  readonly label: string;
  readonly weight: number;
  readonly deletedAt?: Date;
}
/** Ranks and labels are often equal, so that the id decides. */
const comments: StoredComment[] = Array.from({ length: 60 }, (_, _id) => ({
  _id,
  postId: (_id * 7) % posts,
  owner: ['ann', 'ben', 'ann', 'eve'][_id % 4] as string,
  rank: (_id * 5) % 4,
  label: ['x', 'y'][_id % 2] as string,
  weight: (_id * 11) % 13,
  ...(_id % 6 === 0 && { deletedAt: new Date(0) }),
}));

beforeAll(async () => {
  const { db } = database;
  await applyIndexes(shop.api({ db, resources: define(shop) }));
  await db.collection('blogs').insertOne({ _id: 1 as never });
  await db.collection('posts').insertMany(Array.from({ length: posts }, (_, one) => ({ _id: one as never, blogId: 1 })));
  await db.collection('comments').insertMany(comments as never);
  await db.collection('notes').insertMany([1, 2, 3].map((one) => ({ _id: one as never, postId: 0 })));
});
beforeEach(() => commands.clear());

const as = (user: string) => ({ headers: { 'x-user': user } });
const get = (path: string, user = 'root') => api.request('GET', `/api/${path}`, as(user));
const dataOf = async (path: string, user?: string): Promise<Any> => (await get(path, user)).body.data;
const idsOf = (records: Any): number[] => records.map((one: Any) => one.id);

/** The comments of a post as a user sees them, in an order. */
function expected(post: number, user: string, order: string): number[] {
  const keys = [...order.split(',')].map((key) => [key.replace('-', ''), key.startsWith('-') ? -1 : 1] as const);
  const last = keys.at(-1)?.[1] ?? 1;
  const compared = [...keys, ['_id', last] as const];
  const isSeen = ({ owner }: StoredComment) => (user === 'root' ? owner !== 'eve' : owner === user);
  const own = comments.filter((one) => one.postId === post && isSeen(one) && !one.deletedAt);
  const compare = (a: Any, b: Any) => {
    for (const [key, direction] of compared) if (a[key] !== b[key]) return a[key] < b[key] ? -direction : direction;
    return 0;
  };
  return [...own].sort(compare).map((one) => one._id);
}

describe('include of a relation that is narrowed', () => {
  it('shows as many records as its resource allows, in the order of the resource', async () => {
    const post = await dataOf('posts/1?include=comments');
    expect(idsOf(post.comments)).toEqual(expected(1, 'root', '-rank').slice(0, 3));
    expect(post.comments_has_next).toBe(true);
  });

  it.each(['root', 'ann', 'ben', 'eve', 'lost'])(
    'answers %s as if it had been asked in memory, for every limit and order',
    async (user) => {
      for (const order of ['', 'rank', 'label,-rank', 'weight'])
        for (const limit of [undefined, 1, 2, 3, 9]) {
          const asked = `${limit === undefined ? '' : `&comments[limit]=${limit}`}${order === '' ? '' : `&comments[sort]=${order}`}`;
          const shown = Math.min(limit ?? 3, 3);
          for (const post of await dataOf(`posts?sort=id&include=comments${asked}`, user)) {
            const all = expected(post.id, user, order === '' ? '-rank' : order);
            expect([post.id, asked, idsOf(post.comments)]).toEqual([post.id, asked, all.slice(0, shown)]);
            expect(post.comments_has_next).toBe(all.length > shown ? true : undefined);
            expect('comments_list' in post).toBe(all.length > shown);
          }
        }
    },
  );

  it('shows an empty array, and nothing of more, to whom no guard opens', async () => {
    const post = await dataOf('posts/1?include=comments&comments[limit]=1', 'shut');
    expect([post.comments, Object.keys(post).at(-1)]).toEqual([[], 'comments']);
  });

  it('counts up to the number of its resource', async () => {
    const [one] = await dataOf('posts?sort=id&limit=1&include=commentCount');
    expect([one.commentCount, one.commentCount_has_next, 'commentCount_list' in one]).toEqual([4, true, false]);
  });

  it('leads on to the list of all of them, in the same order if the list has it', async () => {
    const post = await dataOf('posts/1?include=comments');
    expect(post.comments_list).toBe('/api/posts/1/comments?sort=-rank');
    const all = (await api.request('GET', post.comments_list, as('root'))).body.data;
    expect(idsOf(all)).toEqual(expected(1, 'root', '-rank'));
    const chosen = await dataOf('posts/1?include=comments&comments[sort]=label,-rank');
    expect(chosen.comments_list).toBe('/api/posts/1/comments?sort=label,-rank');
    const unlisted = await dataOf('posts/1?include=comments&comments[sort]=weight');
    expect(unlisted.comments_list).toBe('/api/posts/1/comments');
    expect((await dataOf('posts?sort=id&limit=1&include=comments'))[0].comments_list).toBe('/api/posts/0/comments?sort=-rank');
  });

  it('leads on to no list where nothing serves it', async () => {
    const post = await dataOf('posts/0?include=notes');
    expect([idsOf(post.notes), post.notes_has_next, 'notes_list' in post]).toEqual([[1, 2], true, false]);
  });

  it('is narrowed by the resource that is asked, wherever the relation is on the way', async () => {
    const blog = await dataOf('blogs/1?include=posts.comments');
    expect(idsOf(blog.posts)).toEqual([4, 3]);
    expect(blog.posts.map((post: Any) => idsOf(post.comments))).toEqual([4, 3].map((one) => expected(one, 'root', 'id').slice(0, 6)));
    expect(blog.posts[0].comments_list).toBe('/api/posts/4/comments');
    expect('posts_list' in blog).toBe(false);
    const less = await dataOf('blogs/1?include=posts.comments&posts[limit]=1&posts.comments[limit]=2');
    expect(less.posts.map((post: Any) => [post.id, idsOf(post.comments)])).toEqual([[4, expected(4, 'root', 'id').slice(0, 2)]]);
    const [way] = await dataOf('posts?sort=id&limit=1&include=comments.post&comments[limit]=1');
    expect(way.comments.map((one: Any) => one.post.id)).toEqual([0]);
  });

  it('leads on from a record that is reached through others', async () => {
    const [comment] = await dataOf('comments?limit=1&include=post.comments&post.comments[limit]=1');
    expect(comment.post.comments_list).toBe(`/api/posts/${comment.post.id}/comments`);
  });

  it('is the same in a list whose parameters stand in a body', async () => {
    const body = { sort: ['id'], include: ['comments'], 'comments[limit]': 2, 'comments[sort]': 'label,-rank' };
    const { body: answer } = await api.request('POST', '/api/posts/query', { ...as('root'), body });
    expect(answer.data.map((one: Any) => idsOf(one.comments))).toEqual(
      [0, 1, 2, 3, 4].map((one) => expected(one, 'root', 'label,-rank').slice(0, 2)),
    );
    expect(answer.data[0].comments_list).toBe('/api/posts/0/comments?sort=label,-rank');
    for (const wrong of [{ 'comments[limit]': '2' }, { 'comments[sort]': ['rank'] }, { 'comments[limit]': [2] }])
      expect((await api.request('POST', '/api/posts/query', { ...as('root'), body: { include: ['comments'], ...wrong } })).status).toBe(
        400,
      );
  });

  it('sends one command for each relation, whatever the number of records, and reads of each at most one more than it shows', async () => {
    await get('posts?sort=id&include=comments,notes,commentCount&comments[limit]=2&comments[sort]=weight');
    expect(commands.events).toHaveLength(4);
    const read = commands.events.find(({ command }) => command.pipeline?.[1].$lookup.pipeline.some((stage: Any) => stage.$limit === 3));
    const { documents, scans } = await examinedBy(database.db, read?.command);
    expect(scans).toBe(0);
    expect(documents).toBeLessThanOrEqual(posts * 2 * 3); // of two owners in the scope
  });

  it('has an index planned for its order, and for each that clients may choose', async () => {
    const plan = String(await planIndexes(shop.api({ db: database.db, resources: define(shop) })));
    for (const key of ['rank: -1, _id: -1', 'label: 1, rank: -1, _id: -1', 'weight: 1, _id: 1'])
      expect(plan).toContain(`{ owner: 1, postId: 1, ${key} }`);
    expect(plan).toContain('posts: include comments by weight');
  });
});

describe('what clients may ask of an included relation', () => {
  it.each([
    ['comments[limit]=0', 'comments[limit]', 'positive_integer'],
    ['comments[limit]=', 'comments[limit]', 'positive_integer'],
    ['comments[limit]=-1', 'comments[limit]', 'positive_integer'],
    ['comments[limit]=1e9', 'comments[limit]', 'positive_integer'],
    ['comments[limit]=1&comments[limit]=1', 'comments[limit]', 'repeated_parameter'],
    ['comments[sort]=-rank', 'comments[sort]', 'enum'],
    ['comments[sort]=secret', 'comments[sort]', 'enum'],
    ['comments[sort]=', 'comments[sort]', 'enum'],
    ['comments[sort]=__proto__', 'comments[sort]', 'enum'],
    ['comments[sort]=rank&comments[sort]=weight', 'comments[sort]', 'repeated_parameter'],
    ['notes[limit]=1', 'notes[limit]', 'not_available'],
  ])('answers 400 for %s, on a list and on one record', async (query, field, rule) => {
    for (const path of ['posts', 'posts/1']) {
      const { status, body } = await get(`${path}?include=comments&${query}`);
      expect([path, status, body.errors?.[0]?.field, body.errors?.[0]?.rule]).toEqual([path, 400, field, rule]);
    }
  });

  it.each([
    'comments[limit][]=1',
    'comments[max]=1',
    'comments=1',
    'notes[sort]=id',
    'commentCount[limit]=1',
    'secret[limit]=1',
    '$comments[limit]=1',
  ])('does not know %s: 400 on a list, ignored on one record', async (query) => {
    expect((await get(`posts?include=comments,notes,commentCount&${query}`)).body.errors[0].rule).toBe('unknown_parameter');
    expect((await get(`posts/1?include=comments,notes,commentCount&${query}`)).status).toBe(200);
  });

  it('names the orders that are allowed', async () => {
    const { body } = await get('posts/1?include=comments&comments[sort]=owner');
    expect(body.errors[0]).toMatchObject({ params: { values: ['rank', 'label,-rank', 'weight'] } });
  });

  it('takes any limit above the largest for the largest', async () => {
    expect((await dataOf('posts/1?include=comments&comments[limit]=99999999999999999999')).comments).toHaveLength(3);
  });

  it('chooses fields beside it', async () => {
    const post = await dataOf('posts/1?include=comments&comments[limit]=1&fields=comments.label');
    expect(post.comments.map(Object.keys)).toEqual([['id', 'label']]);
  });

  it('is refused by an export, which has no includes, with a sentence', async () => {
    const headers = { 'x-user': 'root', accept: 'application/x-ndjson' };
    const { status, text } = await api.request('GET', '/api/posts?comments[limit]=1', { headers });
    expect([status, JSON.parse(text).errors[0]]).toMatchObject([400, { field: 'comments[limit]', rule: 'not_available' }]);
  });
});

describe('the description of a narrowed include', () => {
  const parametersOf = (path: string): Any[] =>
    (openapiDocument(shop.api({ db: database.db, resources: define(shop) })).paths as Any)[path].get.parameters;

  it('has the parameters of what is declared, on a list and on one record, and no others', () => {
    for (const path of ['/posts', '/posts/{id}']) {
      const own = parametersOf(path).filter(({ name }) => /\[(?:limit|sort)\]$/.test(name));
      expect(own.map(({ name, schema }) => [name, schema])).toEqual([
        ['comments[limit]', { type: 'integer', minimum: 1, default: 3 }],
        ['comments[sort]', { type: 'string', enum: ['rank', 'label,-rank', 'weight'] }],
        ['notes[limit]', { type: 'integer', minimum: 1, default: 2 }],
      ]);
    }
  });

  it('has the member that leads on to a list where there is one', () => {
    const { schemas } = openapiDocument(shop.api({ db: database.db, resources: define(shop) })).components as Any;
    expect(schemas.PostRead.properties.comments_list).toMatchObject({ type: 'string' });
    expect('notes_list' in schemas.PostRead.properties).toBe(false);
    expect('posts_list' in schemas.BlogRead.properties).toBe(false);
  });
});

describe('a narrowed include in development', () => {
  it('warns once of an order that no index serves, and names the index', async () => {
    const warnings: string[] = [];
    const warned = new Promise<void>((resolve) => {
      jest.spyOn(process, 'emitWarning').mockImplementation((...given: unknown[]) => {
        warnings.push(String(given[0]));
        if (String(given[0]).startsWith('An include')) resolve();
      });
    });
    const resources = [shop.resource({ model: Post, include: ['notes'] }), shop.resource({ model: Note }), ...define(shop).slice(1, 3)];
    const watching = shop.api({ db: database.db, resources, warnOnScan: true });
    const ask = () => watching.fetch(new Request('http://in-process/posts/0?include=notes'));
    await database.db.collection('notes').dropIndexes();
    expect((await ask()).status).toBe(200);
    await warned;
    expect((await ask()).status).toBe(200);
    const own = warnings.filter((text) => text.startsWith('An include'));
    expect(own).toEqual([
      'An include of `notes` looks through the whole collection: postId=…, sort=id. This index would help: db.collection("notes").createIndex({ postId: 1, _id: 1 })',
    ]);
    jest.restoreAllMocks();
  });
});

describe('a narrowed include of a model with rules', () => {
  const Card = defineModel('Card', {
    collection: 'cards',
    fields: { id, notes: t.hasMany('Line', { via: 'cardId', max: 3 }) },
  });
  const Line = defineModel('Line', {
    collection: 'lines',
    fields: {
      id,
      cardId: t.ref('Card', { id: plain, policy: { read: 'staff' } }),
      price: t.int({ policy: { read: 'staff' } }),
    },
  });
  const makeApi = (entry: object) => {
    const cards = service({ authenticate: (ctx) => ctx.get('x-user') || undefined, rules: { staff: (user) => user === 'staff' } });
    const resources = [
      cards.resource({ model: Card, ops: ['list', 'get'], include: [{ relation: 'notes', max: 1, ...entry }] }),
      cards.resource({ model: Line, ops: ['list', 'get'] }),
    ];
    return cards.api({ db: database.db, resources });
  };

  it('is as unknown to who does not read the reference as one that does not exist', async () => {
    const views = makeApi({});
    await database.db.collection('cards').insertOne({ _id: 1 as never });
    await database.db.collection('lines').insertMany([1, 2].map((one) => ({ _id: one as never, cardId: 1, price: one })));
    const ask = async (query: string, user: string) => {
      const answer = await views.fetch(new Request(`http://in-process/cards?${query}`, { headers: { 'x-user': user } }));
      return answer.text();
    };
    expect(JSON.parse(await ask('include=notes&notes[limit]=1', 'staff')).data[0]).toMatchObject({
      notes: [{ id: 1 }],
      notes_has_next: true,
    });
    const told = await ask('notes[limit]=1', 'guest');
    expect(told.replaceAll('notes', 'other')).toBe(await ask('other[limit]=1', 'guest'));
  });

  it('has no order by a field that not every caller reads', () => {
    for (const entry of [{ sort: 'price' }, { sorts: ['-price'] }])
      expect(() => makeApi(entry)).toThrow(/`price` of Line, which not every caller may read: the order would tell of its values/);
  });
});
