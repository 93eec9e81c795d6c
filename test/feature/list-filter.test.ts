import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Item, items, key, ref } from '../support/models/item.ts';

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Item })]);

beforeAll(async () => {
  await database.db.collection('items').insertMany(items as never);
});

async function find(query: string): Promise<string> {
  const { status, body } = await api.request('GET', `/api/items?${query}`);
  if (status !== 200) return `${status} ${body.code} ${body.errors?.map(({ field }: { field: string }) => field)}`;
  return body.data.map(({ id }: { id: string }) => id).join('');
}

describe('a filter', () => {
  it.each([
    // eq, bare and in brackets
    ['name=alpha', 'a'],
    ['name[eq]=alpha', 'a'],
    ['name=ALPHA', ''],
    ['name=%C3%A4lpha', 'c'],
    ['note=', 'c'],
    ['note', 'c'],
    ['count=1', 'a'],
    ['id=b', 'b'],
    ['place.city=Ulm', 'a'],
    // ne and nin include records without a value
    ['count[ne]=1', 'bcnz'],
    ['note[ne]=', 'abnz'],
    ['count[nin]=1,2', 'cnz'],
    ['place.city[ne]=Ulm', 'bcnz'],
    // in
    ['count[in]=1,2', 'ab'],
    ['count[in]=1', 'a'],
    ['name[in]=alpha,zeta,none', 'az'],
    ['id[in]=a,z', 'az'],
    // an empty in matches nothing, an empty nin everything
    ['count[in]=', ''],
    ['count[nin]=', 'abcnz'],
    ['count[in]=&count[in]=2', 'b'],
    // in and nin may be repeated: their values add up
    ['count[in]=1&count[in]=2,-3', 'abc'],
    ['count[nin]=1&count[nin]=2', 'cnz'],
    // order operators never match null or a missing value
    ['count[gt]=1', 'b'],
    ['count[gte]=1', 'ab'],
    ['count[lt]=2', 'ac'],
    ['count[lte]=2', 'abc'],
    ['name[gte]=b', 'cnz'],
    ['at[lt]=2026-06-01T00:00:00Z', 'a'],
    ['id[gt]=b', 'cnz'],
    ['ref[gte]=000000000000000000000000', 'a'],
    // exists sees what is stored, a null included
    ['count[exists]=true', 'abcn'],
    ['count[exists]=false', 'z'],
    ['place.city[exists]=true', 'ab'],
    ['tags[exists]=false', 'nz'],
    // prefix is literal and case-sensitive
    ['name[prefix]=al', 'a'],
    ['name[prefix]=b', ''],
    ['name[prefix]=B', 'b'],
    ['name[prefix]=%C3%A4', 'c'],
    ['name[prefix]=', 'abcnz'],
    ['note[prefix]=x.', 'a'],
    ['note[prefix]=x.y*', 'a'],
    ['note[prefix]=.', ''],
    ['note[prefix]=%5E', ''],
    ['note[prefix]=(', ''],
    ['note[prefix]=[', ''],
    ['note[prefix]=%5C', ''],
    ['note[prefix]=x%0A', ''],
    ['kind[prefix]=sm', 'a'],
    ['kind[prefix]=', 'abcnz'],
    // several conditions hold together, on one field and on several
    ['count[gte]=1&count[lt]=2', 'a'],
    ['count[gte]=1&name[prefix]=B', 'b'],
    ['count=1&name=zeta', ''],
    ['count[ne]=1&count[exists]=true', 'bcn'],
    // on a list an element decides
    ['tags=red', 'ab'],
    ['tags[in]=blue,green', 'a'],
    ['tags[ne]=blue', 'bcnz'],
    ['tags[nin]=blue,red', 'cnz'],
    ['tags[prefix]=bl', 'a'],
    ['parts.sku=s2', 'a'],
    ['parts.sku[in]=s1,s9', 'a'],
    // operators as data
    ['name=$gt', ''],
    ['name=%7B%22$ne%22:null%7D', ''],
    ['name[in]=$where,a.b', ''],
    // nothing at all
    ['', 'abcnz'],
    ['&&', 'abcnz'],
  ])('%s matches %s', async (query, ids) => {
    expect(await find(query)).toBe(ids);
  });
});

describe('a cast', () => {
  it.each([
    ['on=true', 'a'],
    ['on=TRUE', 'a'],
    ['on=1', 'a'],
    ['on=False', 'b'],
    ['on=0', 'b'],
    ['count=1.0', 'a'],
    ['count=1.', 'a'],
    ['count=-3', 'c'],
    ['count=-0', ''],
    [`count=%2B${'0'.repeat(500)}1.${'0'.repeat(500)}`, 'a'],
    ['count=9223372036854775807', ''],
    ['big=9007199254740993', 'a'],
    ['big=9007199254740992', ''],
    ['big[gt]=9007199254740992', 'a'],
    ['big[gt]=-9223372036854775808', 'a'],
    ['ratio=0.5', 'a'],
    ['ratio=5e-1', 'a'],
    ['ratio=2', 'c'],
    ['price=12.5', 'a'],
    ['price=12.50', 'a'],
    ['price=1.25e1', 'a'],
    ['price[lt]=0', 'c'],
    ['at=2026-01-31T12:00:00Z', 'a'],
    ['at=2026-01-31T13:00:00.000%2B01:00', 'a'],
    ['at=2026-01-31T12:00:00', 'a'],
    ['kind=small', 'a'],
    ['kind=null', 'c'],
    [`ref=${ref.toUpperCase()}`, 'a'],
    [`key=${key.toUpperCase()}`, 'a'],
    // null, on a nullable field that is not a string
    ['count=null', 'nz'],
    ['count[ne]=null', 'abc'],
    ['count[in]=1,null', 'anz'],
    ['count[nin]=1,null', 'bc'],
    ['on=null', 'cnz'],
    ['at=null', 'cnz'],
    ['note=null', ''],
    ['note[in]=null', ''],
    ['name=null', 'n'],
  ])('reads %s by the type of its field: %s', async (query, ids) => {
    expect(await find(query)).toBe(ids);
  });

  it.each([
    'on=yes',
    'on=2',
    'on=',
    'count=x',
    'count=1.5',
    'count=',
    'count=1e2',
    'count=0x10',
    'count=NaN',
    'count=Null',
    'count=true',
    'count[in]=1,,2',
    'count[in]=1,x',
    'count[gt]=null',
    'ratio=NaN',
    'ratio=Infinity',
    'ratio=-Infinity',
    'ratio=1e999',
    'ratio=x',
    'price=NaN',
    'price=1,5',
    `price=${'9'.repeat(35)}`,
    'at=2026-01-31',
    'at=2026-02-30T00:00:00Z',
    'at=x',
    'at=1769860800000',
    'kind=Small',
    'kind=',
    'ref=1',
    'ref=null!',
    `key=${key.replaceAll('-', '')}`,
    'count[exists]=1',
    'count[exists]=TRUE',
    'count[exists]=',
    `name[prefix]=${'x'.repeat(1001)}`,
    `count[in]=${Array.from({ length: 501 }).fill('1').join()}`,
    `count[in]=${Array.from({ length: 300 }).fill('1').join()}&count[in]=${Array.from({ length: 300 }).fill('2').join()}`,
    'name=a%00b',
    'name[prefix]=%00',
    'name[in]=a,%00',
    'name=%ff',
    'name=%ED%A0%80',
    'name=%zz',
  ])('answers 400 to what it cannot read: %s', async (query) => {
    const { status, body } = await api.request('GET', `/api/items?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_query']);
    expect(body.errors[0]).toMatchObject({ field: query.split('=')[0], message: expect.any(String) });
    expect(body).not.toHaveProperty('data');
  });

  it.each(['2026-01-31T13:00:00+01:00', '+010000-01-01T00:00:00Z'])('hints at a plus sign that came as a space: %s', async (text) => {
    const { status, body } = await api.request('GET', `/api/items?at=${text}`);
    expect([status, body.errors]).toMatchObject([400, [{ field: 'at', message: expect.stringMatching(/; its \+ must be sent as %2B$/) }]]);
    expect((await api.request('GET', '/api/items?at=2026-01-31T13:00:00+1')).body.errors[0].message).not.toMatch('%2B');
  });

  it.each([
    ...[20, 400, 401, 9000].flatMap((digits) => [`count=${'9'.repeat(digits)}`, `big[gt]=-${'9'.repeat(digits)}.0`]),
    ...['count=9223372036854775808', 'count[gt]=-9223372036854775809', 'big[in]=1,99999999999999999999', 'big=99999999999999999999.0'],
  ])('answers 422 to an integer of more than 64 bits: %s', async (query) => {
    expect(await find(query)).toBe(`422 validation_failed ${query.split('=')[0]}`);
  });
});
