import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const all = { filter: true, sort: true } as const;
const Town = defineModel('Town', {
  collection: 'towns',
  fields: {
    id: t.string({ policy: { sort: true } }),
    name: t.string({ policy: all }),
    size: t.int({ policy: all }),
    twin: t.nullable(t.ref('Town', { id: t.string(), as: 'twinTown' })),
    secret: t.optional(t.string({ policy: { private: true } })),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Town, fields: true, include: ['twinTown'] })]);

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('towns').insertMany([
    { _id: '1', name: 'Ulm', size: 2, twin: '2', secret: 's' },
    { _id: '2', name: 'Rom, Ost', size: 3, twin: null },
    { _id: '3', name: 'Rom', size: 3, twin: null },
    { _id: '4', name: '', size: 1, twin: null },
  ] as never);
});

const list = (query: string) => api.request('GET', `/api/towns?${query.replaceAll(' ', '%20')}`);
const ids = async (query: string) => ((await list(query)).body.data as { id: string }[]).map(({ id }) => id).join('');
const refused = async (query: string, path = '') => {
  const { status, body } = await api.request('GET', `/api/towns${path}?${query}`);
  return [status, body.code, ...(body.errors ?? []).map(({ field }: { field: string }) => field)];
};

describe('[] in a list', () => {
  it('is [in] and [nin] with each value taken whole, commas included', async () => {
    expect(await ids('name[in][]=Ulm&name[in][]=Rom, Ost&sort=id')).toBe('12');
    expect(await ids('name[in][]=Rom, Ost')).toBe('2');
    expect(await ids('name[in]=Rom, Ost')).toBe('3');
    expect(await ids('name[nin][]=Rom, Ost&name[nin][]=Ulm&sort=id')).toBe('34');
    expect(await ids('size[in][]=1&size[in][]=2&sort=id')).toBe('14');
  });

  it('has one empty value where it is empty', async () => {
    expect(await ids('name[in][]=')).toBe('4');
    expect(await ids('name[in]=')).toBe('');
    expect(await ids('name[nin][]=&sort=id')).toBe('123');
  });

  it('adds up with [in] without it', async () => {
    expect(await ids('name[in][]=Rom, Ost&name[in]=Ulm,Rom&sort=id')).toBe('123');
  });

  it('is sort, include and fields, one of them in each value', async () => {
    expect(await ids('sort[]=-size&sort[]=-name')).toBe('2314');
    expect(await ids('sort[]=-size&sort=name,id')).toBe('3214');
    const { body } = await list('fields[]=name&fields[]=size&include[]=twinTown&name=Ulm');
    expect(body.data).toEqual([{ id: '1', name: 'Ulm', size: 2, twinTown: expect.objectContaining({ id: '2' }) }]);
    expect((await api.request('GET', '/api/towns/1?fields[]=name&include[]=twinTown')).body.data).toEqual({
      id: '1',
      name: 'Ulm',
      twinTown: expect.objectContaining({ id: '2' }),
    });
  });

  it('is read as axios, URLSearchParams and jQuery write it', async () => {
    expect(
      await ids(
        new URLSearchParams([
          ['name[in][]', 'Rom, Ost'],
          ['name[in][]', 'Ulm'],
          ['sort[]', '-id'],
        ]).toString(),
      ),
    ).toBe('21');
  });

  it('is kept in links, and its cursor goes on', async () => {
    const first = await list('size[in][]=2&size[in][]=3&sort[]=-name&limit=2');
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
    const second = await api.request('GET', next);
    expect([first, second].flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id))).toEqual(['1', '2', '3']);
  });

  it.each([
    ['a field', 'name[]=Ulm', 'name[]'],
    ['an operator of one value', 'name[eq][]=Ulm', 'name[eq][]'],
    ['prefix', 'name[prefix][]=U', 'name[prefix][]'],
    ['exists', 'name[exists][]=true', 'name[exists][]'],
    ['a parameter of one value', 'limit[]=5', 'limit[]'],
    ['a cursor', 'after[]=x', 'after[]'],
    ['a private field, as one that there is not', 'secret[in][]=s', 'secret[in][]'],
    ['a field that there is not', 'sekret[in][]=s', 'sekret[in][]'],
    ['an index, as some write it', 'name[in][0]=Ulm', 'name[in][0]'],
    ['a value that cannot be cast', 'size[in][]=1,2', 'size[in][]'],
    ['a name with a comma in sort', 'sort[]=size,name', 'sort'],
    ['a name with a comma in include', 'include[]=twinTown,twinTown', 'include'],
    ['a name with a comma in fields', 'fields[]=size,name', 'fields'],
    ['a sort key given twice', 'sort[]=size&sort[]=-size', 'sort'],
    ['more values than are allowed', Array(501).fill('size[in][]=1').join('&'), 'size[in]'],
  ])('is 400 for %s: %s', async (_what, query, field) => {
    expect(await refused(query)).toEqual([400, 'invalid_query', field]);
  });

  it('says the same of a private field as of one that there is not', async () => {
    const message = async (name: string) => (await list(`${name}[in][]=s`)).body.errors[0].message;
    expect(await message('secret')).toBe(await message('zecret'));
  });
});

describe('an empty value of a list parameter', () => {
  it.each(['sort', 'limit', 'include', 'fields', 'total', 'page', 'before', 'after', 'sort[]', 'include[]', 'fields[]'])(
    'is 400: %s=',
    async (name) => {
      const [status, code] = await refused(`${name}=`);
      expect([status, code]).toEqual([400, name === 'after' || name === 'before' ? 'invalid_cursor' : 'invalid_query']);
      expect((await refused(name))[0]).toBe(400);
    },
  );

  it('is 400 within a list of names', async () => {
    for (const query of ['sort=name,', 'sort=,name', 'include=twinTown,', 'fields=name,,size', 'sort=-']) {
      expect([query, (await refused(query))[0]]).toEqual([query, 400]);
    }
  });

  it('is 400 on one record too, where it is read there', async () => {
    for (const query of ['include=', 'fields=', 'include[]=', 'fields[]=']) {
      expect([query, (await refused(query, '/1'))[0]]).toEqual([query, 400]);
    }
    expect((await refused('sort=', '/1'))[0]).toBe(200);
  });
});
