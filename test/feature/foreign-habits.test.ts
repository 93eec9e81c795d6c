import { cursorPaging, defineModel, offsetPaging, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Name = t.object('Name', { first: t.string(), last: t.string(), secret: t.optional(t.string({ policy: { private: true } })) });
const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    name: Name,
    tags: t.optional(t.map(t.string())),
    hidden: t.optional(t.object('Hidden', { a: t.string() }, { policy: { private: true } })),
    shipped: t.optional(t.boolean({ policy: { filter: ['eq'] } })),
    total: t.int({ policy: { filter: ['gte'], sort: true } }),
    friend: t.optional(t.ref('Person', { as: 'friendRecord' })),
  },
});
const Filed = defineModel('Filed', { collection: 'filed', fields: { data: t.object('Data', { a: t.int() }) } });
const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({
    model: Person,
    ops: ['list', 'create', 'get', 'patch', 'put'],
    include: ['friendRecord'],
    fields: true,
    paging: cursorPaging(),
  }),
  shop.resource({ model: Person, path: 'numbered', paging: offsetPaging(), include: [] }),
  shop.resource({ model: Filed, path: 'filed' }),
]);
const person = { name: { first: 'a', last: 'b' }, total: 1 };

const messagesOf = async (method: string, path: string, body?: object) => {
  const answer = await api.request(method, `/api${path}`, { body });
  return Object.fromEntries((answer.body.errors ?? []).map(({ field, message }: Record<string, string>) => [field, message]));
};

describe('a parameter as other APIs call it', () => {
  it.each([
    ['people', 'per_page', 'limit'],
    ['people', 'pageSize', 'limit'],
    ['people', '$top', 'limit'],
    ['people', 'offset', 'after'],
    ['people', 'skip', 'after'], // and not `shipped`
    ['people', 'cursor', 'after'],
    ['people', 'orderBy', 'sort'],
    ['people', 'sort_by', 'sort'],
    ['people', 'select', 'fields'],
    ['people', 'populate', 'include'],
    ['people', '$expand', 'include'],
    ['numbered', 'offset', 'page'],
    ['numbered', 'skip', 'page'],
  ])('of %s: %s, is 400 with the name that it has here: %s', async (path, name, ours) => {
    expect(await messagesOf('GET', `/${path}?${encodeURIComponent(name)}=5`)).toEqual({
      [name]: `is not a field or parameter of this list; did you mean \`${ours}\`?`,
    });
  });

  it('is not said to be one that the list does not have', async () => {
    expect(await messagesOf('GET', '/numbered?populate=friend&cursor=x&afte=x')).toEqual({
      populate: 'is not a field or parameter of this list',
      cursor: 'is not a field or parameter of this list',
      afte: 'is not a field or parameter of this list',
    });
  });
});

describe('a direction of a sort as other APIs write it', () => {
  it.each([
    ['total:desc', 'total:desc', '-total'],
    ['total:asc', 'total:asc', 'total'],
    ['total+DESC', 'total DESC', '-total'],
    ['total.descending', 'total.descending', '-total'],
    ['total,desc', 'desc', '-total'],
  ])('%s is 400 with what it is here', async (sort, name, ours) => {
    expect(await messagesOf('GET', `/people?sort=${sort}`)).toEqual({ sort: `cannot sort by \`${name}\`; did you mean \`${ours}\`?` });
  });

  it.each(['name:desc', 'desc', ':desc'])('%s, of what cannot be sorted by, is no suggestion', async (sort) => {
    expect(await messagesOf('GET', `/people?sort=${sort}`)).toEqual({ sort: `cannot sort by \`${sort}\`. Allowed: total` });
  });
});

describe('a dotted key of a body', () => {
  const nested = (json: string) => `is not a known field: objects are nested, as in \`${json}\``;
  it.each([
    ['name.last', nested('{"name":{"last":…}}')],
    ['name.last.x', nested('{"name":{"last":{"x":…}}}')],
    ['tags.a"b', nested('{"tags":{"a\\"b":…}}')],
    ['hidden.a', 'is not a known field'],
    ['other.a', 'is not a known field'],
    ['total.a', 'is not a known field; did you mean `total`?'],
    [`name.${'x'.repeat(60)}`, 'is not a known field'],
  ])('%s is told how objects are sent, and nothing of what clients do not see', async (key, message) => {
    expect(await messagesOf('POST', '/people', { ...person, [key]: 'c' })).toEqual({ [key]: message });
    const { insertedId } = await database.db.collection('people').insertOne({ ...person });
    expect(await messagesOf('PATCH', `/people/${insertedId}`, { [key]: 'c' })).toEqual({ [key]: message });
    await database.db.collection('people').deleteMany({});
  });
});

describe('a body in the envelope of answers', () => {
  it.each(['POST', 'PATCH', 'PUT'])('of %s is told to leave it out', async (method) => {
    const { insertedId } = await database.db.collection('people').insertOne({ ...person });
    const path = method === 'POST' ? '/people' : `/people/${insertedId}`;
    const errors = await messagesOf(method, path, { data: person });
    expect(errors.data).toBe('is not a known field: only answers have `data` around a record; send what is in it');
  });

  it('is no envelope where a field has its name, or it is no object', async () => {
    expect((await api.request('POST', '/api/filed', { body: { data: { a: 1 } } })).status).toBe(201);
    expect(await messagesOf('POST', '/people', { ...person, data: 5 })).toEqual({ data: 'is not a known field' });
    expect(await messagesOf('POST', '/people', { ...person, name: { ...person.name, data: {} } })).toEqual({
      'name.data': 'is not a known field',
    });
  });
});
