import { ObjectId } from 'mongodb';
import { Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Task } from '../support/models/task.ts';

/** What the server fields are in the test at hand. */
let returned: unknown;

const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Task, serverFields: () => ({ owner: 'ann' }) }),
    shop.resource({ model: Task, path: 'late', serverFields: async () => ({ owner: 'ben', status: 'done' as const, secret: 'x' }) }),
    shop.resource({ model: Task, path: 'ownerless' }),
    shop.resource({ model: Task, path: 'misfit', serverFields: () => ({ owner: 5 as unknown as string }) }),
    shop.resource({ model: Task, path: 'unknown', serverFields: () => ({ owner: 'ann', onwer: 'ann' }) as never }),
    shop.resource({ model: Task, path: 'scripted', serverFields: () => returned as object }),
    shop.resource({
      model: Task,
      path: 'members-only',
      serverFields: () => {
        throw new Unauthorized('Who are you?', { 'www-authenticate': 'Bearer' });
      },
    }),
  ],
  { undescribed: ['unauthorized'] },
);

const stored = (id: string) => database.db.collection('tasks').findOne({ _id: new ObjectId(id) });

beforeEach(async () => {
  await database.db.collection('tasks').deleteMany({});
  api.errors.length = 0;
});

describe('POST /', () => {
  it('answers 201 with the record, its ETag of revision 0, and the path of the new record', async () => {
    const { status, headers, body } = await api.request('POST', '/api/tasks', { body: { title: 'Sweep' } });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['data']);
    expect(headers).toMatchObject({
      etag: '"0"',
      location: `/api/tasks/${body.data.id}`,
      'content-type': 'application/json; charset=utf-8',
    });
    expect(headers).not.toHaveProperty('link');
    expect(body.data.revision).toBe(0);
  });

  it('gives every readable field, defaults and nulls included, but no absent optional one and nothing private', async () => {
    const { body } = await api.request('POST', '/api/tasks', { body: { title: 'Sweep', password: 'hunter2', place: { city: 'Ulm' } } });
    expect(Object.keys(body.data)).toEqual(
      [
        'id',
        'title',
        'priority',
        'tags',
        'due',
        'parent',
        'status',
        'code',
        'owner',
        'rank',
        'place',
        'revision',
        'createdAt',
        'updatedAt',
      ], //
    );
    expect(body.data).toMatchObject({
      priority: 3,
      tags: [],
      due: null,
      parent: null,
      status: 'open',
      code: 'none',
      owner: 'ann',
      rank: 0,
    });
    expect(body.data.place).toEqual({ city: 'Ulm', zip: null, country: 'DE', checked: false });
    expect(body.data.createdAt).toBe(body.data.updatedAt);
    expect(new Date(body.data.createdAt).toISOString()).toBe(body.data.createdAt);
  });

  it('leads by its Location to exactly what it answered', async () => {
    const created = await api.request('POST', '/api/tasks', {
      body: { title: 'Swéep', due: '2026-01-31T12:00:00+01:00', extra: { a: [1.5, null] } },
    });
    const read = await api.request('GET', created.headers.location ?? '');
    expect(read.status).toBe(200);
    expect(read.text).toBe(created.text);
    expect(read.headers.etag).toBe(created.headers.etag);
  });

  it('stores null as a missing key, and as null where the field is StoreNone', async () => {
    const { body } = await api.request('POST', '/api/tasks', { body: { title: 'Sweep', due: null, parent: null } });
    const document = await stored(body.data.id);
    expect(document).not.toHaveProperty('due');
    expect(document).not.toHaveProperty('note');
    expect(document).not.toHaveProperty('place');
    expect(document).toHaveProperty('parent', null);
    expect(document).toMatchObject({ revision: 0, tags: [], owner: 'ann' });
  });

  it.each<[rule: string, body: object, errors: [field: string, message: RegExp][]]>([
    ['a required field is missing', {}, [['title', /^is required$/]]],
    ['a required field is null', { title: null }, [['title', /^must not be null$/]]],
    ['an optional field is null', { title: 'x', note: null }, [['note', /null/]]],
    ['a field is closed by insert: false', { title: 'x', status: 'done' }, [['status', /^cannot be set on create$/]]],
    ['a field belongs to the server', { title: 'x', owner: 'eve' }, [['owner', /^cannot be set on create$/]]],
    ['a field is private', { title: 'x', secret: 's' }, [['secret', /^is not a known field$/]]],
    ['a field does not exist', { title: 'x', sekret: 's' }, [['sekret', /^is not a known field$/]]],
    ['a nested field is private', { title: 'x', place: { city: 'Ulm', geoHash: 'u0' } }, [['place.geoHash', /^is not a known field$/]]],
    ['a nested field is closed', { title: 'x', place: { city: 'Ulm', checked: true } }, [['place.checked', /^cannot be set on create$/]]],
    ['a nested field does not exist', { title: 'x', place: { city: 'Ulm', street: 'A' } }, [['place.street', /^is not a known field$/]]],
    ['a nested required field is missing', { title: 'x', place: {} }, [['place.city', /^is required$/]]],
    ['the client names the id', { title: 'x', id: '0123456789abcdef01234567' }, [['id', /^cannot be set on create$/]]],
    ['the client names _id', { title: 'x', _id: '0123456789abcdef01234567' }, [['_id', /^is not a known field/]]],
    ['the client names the revision', { title: 'x', revision: 0 }, [['revision', /^cannot be set on create$/]]],
    ['the client names a timestamp', { title: 'x', createdAt: '2026-01-01T00:00:00Z' }, [['createdAt', /^cannot be set on create$/]]],
    ['an operator-like object stands for a scalar', { title: { $gt: '' } }, [['title', /^must be a string$/]]],
    [
      'a value would have to be coerced',
      { title: 5, priority: '5', tags: 'a' },
      [
        ['title', /string/],
        ['priority', /integer/],
        ['tags', /list/],
      ],
    ],
    ['an integer is beyond 64 bits', { title: 'x', priority: 2 ** 70 }, [['priority', /integer between/]]],
    [
      'everything is wrong at once',
      { rank: 'x', x: 1, tags: [1], place: { city: 1 } },
      [
        ['x', /known/],
        ['title', /required/],
        ['tags.0', /string/],
        ['rank', /integer/],
        ['place.city', /string/],
      ],
    ],
  ])('answers 422 naming the field when %s', async (_rule, body, errors) => {
    const answer = await api.request('POST', '/api/tasks', { body });
    expect(answer.status).toBe(422);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers).not.toHaveProperty('location');
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.body).toMatchObject({ status: 422, code: 'validation_failed' });
    const found = new Map(answer.body.errors.map((error: { field: string; message: string }) => [error.field, error.message]));
    expect([...found.keys()].sort()).toEqual(errors.map(([field]) => field).sort());
    for (const [field, message] of errors) expect(found.get(field)).toMatch(message);
    expect(await database.db.collection('tasks').countDocuments()).toBe(0);
  });

  it('lets a client write a private field that insert: true opens, and never shows it', async () => {
    const { status, body, text } = await api.request('POST', '/api/tasks', { body: { title: 'Sweep', password: 'hunter2' } });
    expect(status).toBe(201);
    expect(text).not.toContain('hunter2');
    expect(await stored(body.data.id)).toHaveProperty('password', 'hunter2');
  });

  it('sets the server fields, also closed and private ones, and awaits them', async () => {
    const { body } = await api.request('POST', '/api/late', { body: { title: 'Sweep' } });
    expect(body.data).toMatchObject({ owner: 'ben', status: 'done' });
    expect(await stored(body.data.id)).toMatchObject({ owner: 'ben', status: 'done', secret: 'x' });
  });

  it.each([
    ['nobody sets a required field that the client cannot send', 'ownerless', 'owner'],
    ['a server field does not fit its type', 'misfit', 'owner'],
    ['a server field does not exist', 'unknown', 'onwer'],
  ])("answers a bare 500 when %s: the deployer's fault", async (_fault, path, field) => {
    const answer = await api.request('POST', `/api/${path}`, { body: { title: 'Sweep' } });
    expect(answer.body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(api.errors.map((error) => error.message)).toEqual([expect.stringContaining(field)]);
    expect(await database.db.collection('tasks').countDocuments()).toBe(0);
  });

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    [false, 'false'],
    ['ann', 'a string'],
    [[{ owner: 'ann' }], 'an array'],
    [new Map([['owner', 'ann']]), 'a Map'],
  ])('answers a bare 500 when the server fields are no object, and says so: %o', async (value, what) => {
    returned = value;
    const answer = await api.request('POST', '/api/scripted', { body: { title: 'Sweep' } });
    expect(answer.status).toBe(500);
    expect(api.errors.map((error) => error.message)).toEqual([
      `\`serverFields\` returned ${what}: it must return an object of values, \`{}\` where it sets none.`,
    ]);
    expect(await database.db.collection('tasks').countDocuments()).toBe(0);
  });

  it('takes the server fields of an object of a class', async () => {
    returned = new (class {
      owner = 'ann';
    })();
    expect((await api.request('POST', '/api/scripted', { body: { title: 'Sweep' } })).status).toBe(201);
  });

  it('answers 401 with its headers when the server fields throw Unauthorized', async () => {
    const { status, headers } = await api.request('POST', '/api/members-only', { body: { title: 'Sweep' } });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(api.errors).toEqual([]);
  });

  it('makes a fresh default for every record', async () => {
    const one = await api.request('POST', '/api/tasks', { body: { title: 'a' } });
    await api.request('PATCH', one.headers.location ?? '', { body: { tags: ['changed'] } });
    const two = await api.request('POST', '/api/tasks', { body: { title: 'b' } });
    expect(two.body.data.tags).toEqual([]);
  });
});
