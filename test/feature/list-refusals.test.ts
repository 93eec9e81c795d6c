import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Item, items } from '../support/models/item.ts';

const Bare = defineModel('Bare', { collection: 'items', fields: { id: t.string(), name: t.string() } });
const Sum = defineModel('Sum', {
  collection: 'sums',
  fields: {
    id: t.string(),
    total: t.int({ policy: { filter: ['gte', 'lt'], sort: true } }),
    constructor: t.int({ policy: { filter: true } }),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Item }),
  shop.resource({ model: Bare, path: 'bare' }),
  shop.resource({ model: Sum, paging: cursorPaging({ total: true }) }),
]);

beforeAll(async () => {
  await database.db.collection('items').insertMany(items as never);
  await database.db.collection('sums').insertMany([
    { _id: 'a' as never, total: 5, constructor: 1 },
    { _id: 'b' as never, total: 9 },
  ]);
});

const refuse = async (query: string, path = 'items') => {
  const { status, headers, body } = await api.request('GET', `/api/${path}?${query}`);
  expect(headers['content-type']).toBe(status === 200 ? 'application/json; charset=utf-8' : 'application/problem+json');
  return [status, body.code, ...(body.errors ?? []).map(({ field }: { field: string }) => field)];
};

describe('a list answers 400', () => {
  it.each([
    ['to an unknown parameter', 'colour=red', ['colour']],
    ['to a parameter of an unknown parent', 'place.street=x', ['place.street']],
    ['to a field without a filter', 'shut=s', ['shut']],
    ['to an object', 'place=x', ['place']],
    ['to an operator that the policy does not allow', 'only[prefix]=o', ['only[prefix]']],
    ['to an operator that does not exist', 'name[like]=a', ['name[like]']],
    ['to an operator in another case', 'name[EQ]=a', ['name[EQ]']],
    ['to a private field', 'secret=top', ['secret']],
    ['to a private field with an operator', 'secret[prefix]=t', ['secret[prefix]']],
    ['to a nested private field', 'place.zone=z1', ['place.zone']],
    ['to _id', '_id=a', ['_id']],
    ['to an operator of MongoDB in brackets', 'name[$gt]=', ['name[$gt]']],
    ['to $where', '$where=1', ['$where']],
    ['to $or', '$or[0][name]=a', ['$or[0][name]']],
    ['to an encoded $ key', 'name%5B%24ne%5D=a', ['name[$ne]']],
    ['to an operator on a list parameter', 'limit[eq]=1', ['limit[eq]']],
    ['to brackets alone', '[eq]=1', ['[eq]']],
    ['to empty brackets', 'name[]=1', ['name[]']],
    ['to brackets that do not end', 'name[eq=1', ['name[eq']],
    ['to two pairs of brackets', 'name[in][0]=1', ['name[in][0]']],
    ['to __proto__', '__proto__=1', ['__proto__']],
    ['to __proto__ as an operator', 'name[__proto__]=1', ['name[__proto__]']],
    ['to constructor', 'constructor=1', ['constructor']],
    ['to toString as an operator', 'name[toString]=1', ['name[toString]']],
    ['to a filter key given twice', 'name=a&name=a', ['name']],
    ['to the two spellings of one key', 'name=a&name[eq]=b', ['name']],
    ['to an operator given twice', 'count[gt]=1&count[gt]=2', ['count[gt]']],
    ['to a prefix given twice', 'name[prefix]=a&name[prefix]=b', ['name[prefix]']],
    ['to limit given twice', 'limit=1&limit=1', ['limit']],
    ['to total given twice', 'total=false&total=false', ['total']],
    ['to the paging of the other mode', 'page=1', ['page']],
    ['to both sides of a cursor', 'after=x&before=x', ['before']],
    ['to before given twice', 'before=x&before=x', ['before']],
    ['to fields', 'fields=name', ['fields']],
    ['to include of no relation', 'include=customer', ['include']],
    ['to total where the paging does not allow it', 'total=true', ['total']],
    ['to an estimate where the paging does not allow it', 'total=estimate', ['total']],
    ['to total that is none of its words', 'total=1', ['total']],
    ['to everything at once', 'x=1&limit=0&sort=y&name[$gt]=1', ['x', 'name[$gt]', 'sort', 'limit']],
  ])('%s: %s', async (_rule, query, fields) => {
    expect(await refuse(query)).toEqual([400, 'invalid_query', ...fields]);
  });

  it.each(['0', '-1', '+1', '1.0', '1e1', '0x1', ' 1', '', 'x', 'Infinity', 'NaN', '١', '00', '0'.repeat(30)])(
    'to limit=%s',
    async (limit) => {
      expect(await refuse(`limit=${encodeURIComponent(limit)}`)).toEqual([400, 'invalid_query', 'limit']);
    },
  );

  it.each([
    'x',
    '',
    '-',
    'name,',
    'name,name',
    'name,-name',
    '--name',
    '+name',
    'shut',
    'secret',
    '-secret',
    'tags',
    'place',
    'place.zone',
    'parts.sku',
    '_id',
    '$natural',
    'name:1',
  ])('to sort=%s', async (sort) => {
    expect(await refuse(`sort=${sort}`)).toEqual([400, 'invalid_query', 'sort']);
  });

  it('to a sort key given twice in two parameters', async () => {
    expect(await refuse('sort=name&sort=-name')).toEqual([400, 'invalid_query', 'sort']);
  });

  it('to a list where nothing may be filtered or sorted, also not the id', async () => {
    expect(await refuse('id=a', 'bare')).toEqual([400, 'invalid_query', 'id']);
    expect(await refuse('sort=id', 'bare')).toEqual([400, 'invalid_query', 'sort']);
  });

  it('to more parameters than anybody needs', async () => {
    expect((await refuse(Array.from({ length: 1001 }).fill('a=1').join('&')))[0]).toBe(400);
  });
});

describe('the problem of a list query', () => {
  it('reports a private field exactly as an unknown one', async () => {
    const hidden = await api.request('GET', '/api/items?secret=1&sort=secret');
    const unknown = await api.request('GET', '/api/items?sekret=1&sort=sekret');
    expect(hidden.text.replaceAll('secret', 'sekret')).toBe(unknown.text);
    expect(unknown.text).not.toContain('secret');
  });

  it('names the near miss, and what is legal', async () => {
    const { body } = await api.request('GET', '/api/items?nmae=x&sort=coutn&only[in]=a');
    expect(body.errors).toMatchObject([
      { field: 'nmae', message: expect.stringContaining('did you mean `name`?') },
      { field: 'only[in]', message: expect.stringContaining('Allowed: eq') },
      { field: 'sort', message: expect.stringContaining('did you mean `count`?') },
    ]);
    expect(body).toMatchObject({ type: 'urn:problem:koa-mongo-resource:invalid_query', title: 'Invalid query', status: 400 });
  });
});

describe('a field named as a list parameter or as a member of Object.prototype', () => {
  it('is filtered by its operators, beside the parameter', async () => {
    const { body } = await api.request('GET', '/api/sums?total[gte]=6&total=true');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['b']);
    expect(body.page.total).toBe(1);
    const { body: other } = await api.request('GET', '/api/sums?constructor=1');
    expect(other.data.map(({ id }: { id: string }) => id)).toEqual(['a']);
  });
});
