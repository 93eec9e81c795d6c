import { ConfigurationError, defineModel, type Model, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Book, Company, Person, type Stored } from '../support/models/books.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi(database, (shop) => [
  shop.resource({ model: Book, include: ['author', 'author.company', 'edition.printer'] }),
  shop.resource({ model: Book, path: 'bare' }),
  shop.resource({ model: Person }),
  shop.resource({ model: Company }),
]);

beforeAll(async () => {
  await database.db.collection<Stored>('people').insertOne({ _id: 'ann', name: 'Ann' });
  await database.db.collection<Stored>('books').insertOne({ _id: 'a', title: 'A', author: 'ann' });
});

const refused = [
  'nobody',
  '',
  ',',
  'author,',
  ',author',
  'author,nobody',
  ' author',
  'Author',
  'AUTHOR',
  'author.',
  '.author',
  'author..company',
  'author.nobody',
  'author.company.owner', // a relation, but not allowed
  'editor',
  'edition',
  'edition.printerId',
  'edition.publisher',
  'informant', // private
  'title',
  'id',
  '_id',
  '__proto__',
  'constructor',
  'author.__proto__',
  'toString',
  '$author',
  '$lookup',
  '$where',
  '{"$gt":""}',
  'author[0]',
  '0',
  '*',
  'true',
  'null',
  'undefined',
  'author;editor',
  'author%00',
  '%FF',
  '%',
  'x'.repeat(10_000),
  `${'author.'.repeat(1_000)}author`,
  'x,'.repeat(5_000),
];

describe('400 answers', () => {
  it.each(refused.map((value) => [value.length > 40 ? `${value.slice(0, 40)}…` : value, value]))(
    'to include=%s, on List and Get',
    async (_shown, value) => {
      for (const path of ['/api/books', '/api/books/a', '/api/bare', '/api/bare/a']) {
        const { status, headers, body } = await api.request('GET', `${path}?include=${value.replaceAll(' ', '%20')}`);
        expect([path, status, body.code]).toEqual([path, 400, 'invalid_query']);
        expect(body.errors).toMatchObject([{ field: 'include', message: expect.any(String) }]);
        expect(body).not.toHaveProperty('data');
        expect(headers).not.toHaveProperty('etag');
      }
      expect([api.errors, commands.names]).toEqual([[], []]);
    },
  );

  it.each(['include[eq]=author', 'include[in]=author', 'Include=author', 'include.author=1'])(
    'to %s on List, which Get ignores',
    async (query) => {
      expect((await api.request('GET', `/api/books?${query}`)).status).toBe(400);
      const { status, body } = await api.request('GET', `/api/books/a?${query}`);
      expect([status, body.data.author]).toEqual([200, 'ann']);
    },
  );

  it('to more than 1,000 parameters, and to none of 1,000', async () => {
    const parameters = (count: number, one: string) => Array(count).fill(one).join('&');
    for (const path of ['/api/books', '/api/books/a']) {
      const { status, body } = await api.request('GET', `${path}?${parameters(1000, 'include=author')}`);
      expect([status, [body.data].flat()[0].author.name]).toEqual([200, 'Ann']);
      expect((await api.request('GET', `${path}?${parameters(1001, 'include=a')}`)).status).toBe(400);
      expect((await api.request('GET', `${path}?${parameters(1000, 'include=a')}`)).body.errors).toHaveLength(1);
    }
    expect((await api.request('GET', `/api/books/a?${parameters(2000, 'a=1')}&include=author`)).body.data.author.name).toBe('Ann');
  });

  it('name the near miss, or what is legal, and everything else that is wrong with the query', async () => {
    const messageOf = async (path: string) =>
      (await api.request('GET', `/api/${path}`)).body.errors.map((error: { message: string }) => error.message);
    expect(await messageOf('books/a?include=auhtor')).toEqual(['cannot include `auhtor`; did you mean `author`?']);
    expect(await messageOf('books/a?include=nobody')).toEqual([
      'cannot include `nobody`. Allowed: author, author.company, edition.printer',
    ]);
    expect(await messageOf('books/a?include=')).toEqual(['must name a relation. Allowed: author, author.company, edition.printer']);
    expect(await messageOf('bare?include=author')).toEqual(['is not available: there are no relations to include here']);
    expect(await messageOf('books?include=nobody&limit=0&x=1')).toHaveLength(3);
  });

  it('report a private relation, and one that is not allowed, exactly as an unknown one', async () => {
    const [hidden, unlisted, unknown] = await Promise.all(
      ['informant', 'editor', 'nobody'].map((name) => api.request('GET', `/api/books/a?include=${name}`)),
    );
    expect(hidden?.text.replaceAll('informant', 'nobody')).toBe(unknown?.text);
    expect(unlisted?.text.replaceAll('editor', 'nobody')).toBe(unknown?.text);
  });
});

interface Definition {
  readonly model?: Model;
  readonly include: unknown;
  readonly others?: readonly object[];
  readonly models?: unknown;
}

/** The message of the error that this definition of an api is. */
function mistakeIn({ model = Book, include, others = [{ model: Person }, { model: Company }], models }: Definition): string {
  const shop = service();
  const resources = [{ model, include }, ...others].map((options) => shop.resource(options as unknown as { model: Model }));
  try {
    shop.api({ db: database.db, resources, ...(models === undefined ? {} : { models: models as Model[] }) });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}
const refTo = (model: string, options: object = {}) =>
  defineModel('Doc', { collection: 'docs', fields: { to: t.ref(model, { id: t.string(), ...options }) } }) as unknown as Model;
const all = 'author, editor, translators, readers, edition.publisher, edition.printer, chapters.by';

describe('a configuration error', () => {
  it.each<[string, Definition, string]>([
    [
      'an unknown relation',
      { include: ['nobody'] },
      `\`include\` of resource \`books\` names \`nobody\`: \`nobody\` is not a relation of Book (its relations are ${all}).`,
    ],
    [
      'a near miss',
      { include: ['auhtor'] },
      `\`include\` of resource \`books\` names \`auhtor\`: \`auhtor\` is not a relation of Book; did you mean \`author\`? (its relations are ${all}).`,
    ],
    ['the field instead of its `as`', { include: ['editorId'] }, 'did you mean `editor`?'],
    ['a private relation', { include: ['informant'] }, '`informant` is not a relation of Book'],
    ['a field that is not a relation', { include: ['title'] }, '`title` is not a relation of Book'],
    ['an embedded object', { include: ['edition'] }, '`edition` is not a relation of Book'],
    [
      'an unknown step',
      { include: ['author.compny'] },
      '`compny` is not a relation of Person; did you mean `company`? (its relations are company, boss)',
    ],
    ['an empty step', { include: ['author.'] }, '`` is not a relation of Person'],
    ['an empty name', { include: [''] }, '`` is not a relation of Book'],
    ['a name of Object.prototype', { include: ['constructor'] }, '`constructor` is not a relation of Book'],
    ['no list', { include: 'author' }, "`include` of resource `books` must be an array of relations, such as ['customer']."],
    ['null', { include: null }, '`include` of resource `books` must be an array of relations'],
    ['models of null', { include: [], models: null }, '`models` of an api must be an array of models.'],
    ['a list of something else', { include: [5] }, 'must be an array of relations'],
    [
      'too many steps',
      { include: ['author.boss.boss.boss.boss.boss'] },
      '`include` of resource `books` names `author.boss.boss.boss.boss.boss`: at most 5 relations may follow one another.',
    ],
    [
      'a model that the api does not know',
      { include: ['author.company'], others: [{ model: Person }] },
      'leads to Company, a model that is not known here: add its resource, or the model to `models`.',
    ],
    [
      'several resources of a model, none at its collection',
      {
        include: ['author'],
        others: [
          { model: Person, path: 'a' },
          { model: Person, path: 'b' },
        ],
      },
      'leads to Person and so to several resources: choose by `resource` of `t.ref` among `a`, `b`.',
    ],
    [
      'a resource that there is not',
      { model: refTo('Person', { resource: 'persons' }), include: ['to'] },
      "whose `resource: 'persons'` is not a resource of Person: there are `people`.",
    ],
    [
      'a resource of another model',
      { model: refTo('Person', { resource: 'companies' }), include: ['to'] },
      "whose `resource: 'companies'` is not a resource of Person: there are `people`.",
    ],
    [
      'ids of another type',
      { model: refTo('Person', { id: t.uuid() }), include: ['to'] },
      'ids of Person are of type string, not uuid; say so by `id` of `t.ref`.',
    ],
    [
      'ids that are ObjectIds by default',
      { model: refTo('Person', { id: undefined }), include: ['to'] },
      'ids of Person are of type string, not objectId',
    ],
    ['models that are no list', { include: [], models: Person }, '`models` of an api must be an array of models.'],
    ['something else than a model', { include: [], models: [{}] }, 'A `model` is what `defineModel'],
    [
      'two models of one name',
      { include: [], models: [Person, defineModel('Person', { collection: 'x', fields: {} })] },
      'has two models with the name Person',
    ],
    [
      'a `resource` that is no text',
      { model: refTo('Person', { resource: 5 }), include: [] },
      '`ref` of `to` must be { model, as?, resource?, exists?, onDelete? }',
    ],
    [
      'a map of references, which has no names',
      { model: defineModel('Doc', { collection: 'docs', fields: { to: t.map(t.ref('Person')) } }) as unknown as Model, include: ['to'] },
      'is not a relation of Doc (it has none)',
    ],
    [
      'an `as` in a list that hides a field',
      {
        model: defineModel('Doc', {
          collection: 'docs',
          fields: { a: t.array(t.ref('Person', { as: 'b' })), b: t.string() },
        }) as unknown as Model,
        include: [],
      },
      "`as: 'b'` of `a` is already the name of a field",
    ],
  ])('is %s', (_what, definition, message) => {
    expect(mistakeIn(definition)).toContain(message);
  });

  it('is not a relation to an unknown model that nobody includes', () => {
    const shop = service();
    expect(() =>
      shop.api({ db: database.db, resources: [shop.resource({ model: Book }), shop.resource({ model: refTo('Nobody') })] }),
    ).not.toThrow();
  });

  it('is not a circle, nor five relations after one another, nor a name given twice', () => {
    const shop = service();
    const resources = [
      shop.resource({ model: Person, include: ['boss.boss.boss.boss.boss', 'boss', 'boss', 'company.owner.company'] }),
      shop.resource({ model: Company, include: ['owner.company'] }),
    ];
    expect(() => shop.api({ db: database.db, resources, models: [Company, Company] })).not.toThrow();
  });
});
