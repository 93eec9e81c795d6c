import { type Api, applyIndexes, defineModel, everything, openapiText, planIndexes, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const id = t.string({ policy: { insert: true } });
const Product = defineModel('Product', {
  collection: 'products',
  fields: {
    id,
    attributes: t.map(t.string(), {
      merge: true,
      default: {},
      stored: 'attrs',
      filterKeys: ['colour', 'size'],
      policy: { filter: ['eq', 'in', 'exists', 'prefix'] },
    }),
    inner: t.optional(t.object('Inner', { counts: t.map(t.int(), { filterKeys: ['a'], policy: { filter: true } }) })),
    secret: t.map(t.string(), { default: {}, filterKeys: ['a'], policy: { filter: true, read: 'staff' } }),
    tags: t.map(t.string(), { merge: true, default: { state: 'closed' }, filterKeys: ['state'], policy: { filter: true } }),
    revision: t.revision(),
  },
});

let api: Any;
beforeAll(() => {
  const shop = service({
    authenticate: (ctx): string | undefined => ctx.get('authorization') || undefined,
    rules: { staff: (name) => name === 'staff' },
  });
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
  const products = shop.resource({
    model: Product,
    ops: [...ops],
    scope: (ctx) =>
      ctx.principal === 'not closed'
        ? { 'tags.state': { ne: 'closed' } }
        : ctx.principal?.startsWith('only ')
          ? { 'attributes.colour': ctx.principal.slice(5) }
          : everything,
  });
  api = shop.api({ db: database.db, resources: [products], title: 'Shop' });
});
beforeEach(async () => {
  await database.db.collection('products').deleteMany({});
  await create({ id: 'a', attributes: { colour: 'red', size: 'L', 'x.y': '1' }, inner: { counts: { a: 5 } } });
  await create({ id: 'b', attributes: { colour: 'blue' }, inner: { counts: { a: 7 } } });
  await create({ id: 'c' });
});

async function send(method: string, path: string, body?: unknown, authorization = ''): Promise<Any> {
  const init = {
    method,
    headers: { 'content-type': 'application/json', authorization },
    body: body === undefined ? null : JSON.stringify(body),
  };
  const answer: Response = await (api as Api).fetch(new Request(`http://api${path}`, init as RequestInit));
  return { status: answer.status, ...JSON.parse((await answer.text()) || '{}') };
}
const create = (body: object, authorization?: string) => send('POST', '/products', body, authorization);
const list = async (query: string, authorization?: string) => {
  const { data, status, errors } = await send('GET', `/products?${query}`, undefined, authorization);
  return data ? data.map((one: Any) => one.id) : [status, errors.map(({ field, rule }: Any) => [field, rule])];
};
const errorsOf = ({ status, errors }: Any) => [status, errors?.map(({ field, rule }: Any) => [field, rule])];

describe('the keys of a map that `filterKeys` names', () => {
  it.each([
    ['attributes.colour=red', ['a']],
    ['attributes.colour[in]=red,blue', ['a', 'b']],
    ['attributes.size[exists]=false', ['b', 'c']],
    ['attributes.colour[prefix]=bl', ['b']],
    ['inner.counts.a[gte]=6', ['b']],
    [`filter=${encodeURIComponent('attributes.colour = "red" OR inner.counts.a = 7')}`, ['a', 'b']],
  ])('filter lists: %s', async (query, ids) => {
    expect(await list(query)).toEqual(ids);
  });

  it.each([
    'attributes.x=1',
    'attributes=1',
    'attributes.colour[$ne]=x',
    'attributes.colour[$where]=1',
    'attributes.__proto__=x',
    'attributes.$colour=x',
    'attributes.colour.x=1',
    'attributes[exists]=true',
    'sort=attributes.colour',
  ])('are the only ones, and are not sorted by: %s is 400', async (query) => {
    expect((await list(query))[0]).toBe(400);
  });

  it('are no fields that can be chosen', async () => {
    expect((await list('fields=attributes.colour'))[0]).toBe(400);
    expect((await send('GET', '/products/a?fields=attributes')).data.attributes).toEqual({ colour: 'red', size: 'L', 'x.y': '1' });
  });

  it('belong to the view of the map', async () => {
    expect(await list('secret.a=1', 'staff')).toEqual([]);
    const hidden = await send('GET', '/products?secret.a=1');
    const unknown = await send('GET', '/products?secret.b=1');
    expect(JSON.stringify(hidden).replaceAll('secret.a', 'secret.b')).toBe(JSON.stringify(unknown));
  });

  it('are parameters in the description, and have indexes', async () => {
    const { parameters } = JSON.parse(openapiText(api)).paths['/products'].get;
    const names = parameters.map(({ name }: Any) => name);
    expect(names).toEqual(expect.arrayContaining(['attributes.colour[eq]', 'attributes.colour[in]', 'inner.counts.a[gte]']));
    expect(names).not.toContain('attributes.x');
    const plan = String(await planIndexes(api));
    for (const path of ['attrs.colour', 'attrs.size', 'inner.counts.a', 'secret.a']) expect(plan).toContain(`{ '${path}': 1`);
    await expect(applyIndexes(api)).resolves.toBeDefined();
  });

  it('may be named by a scope, which bounds writes', async () => {
    expect(await list('', 'only red')).toEqual(['a']);
    expect((await create({ id: 'd', attributes: { colour: 'red' } }, 'only red')).status).toBe(201);
    const outside = [422, [['attributes.colour', 'scope']]];
    expect(errorsOf(await create({ id: 'e', attributes: { colour: 'blue' } }, 'only red'))).toEqual(outside);
    expect(errorsOf(await send('PATCH', '/products/a', { attributes: { colour: 'blue' } }, 'only red'))).toEqual(outside);
    expect(errorsOf(await send('PATCH', '/products/a', { attributes: { colour: null } }, 'only red'))).toEqual(outside);
    expect(errorsOf(await send('PUT', '/products/a', { attributes: {} }, 'only red'))).toEqual(outside);
    expect((await send('PATCH', '/products/a', { attributes: { size: 'M' } }, 'only red')).data.attributes.size).toBe('M');
  });

  it('keep a write within a scope that the default of a missing map would leave', async () => {
    await database.db.collection<Any>('products').insertOne({ _id: 'old', revision: 0 });
    const outside = [422, [['tags.state', 'scope']]];
    expect(errorsOf(await send('PATCH', '/products/old', { tags: { a: '1' } }, 'not closed'))).toEqual(outside);
    const { data } = await send('PATCH', '/products/old', { tags: { a: '1', state: 'open' } }, 'not closed');
    expect(data.tags).toEqual({ a: '1', state: 'open' });
    expect((await send('PATCH', '/products/old', { tags: { b: '2' } }, 'not closed')).status).toBe(200);
  });
});

describe('a definition', () => {
  const compile = (field: Any) => {
    const shop = service();
    return () =>
      shop.api({ db: database.db, resources: [shop.resource({ model: defineModel('Bad', { collection: 'bad', fields: { m: field } }) })] });
  };

  it.each<[string, Any, string]>([
    ['no policy', t.map(t.string(), { filterKeys: ['a'] }), '`filterKeys` of `m` needs `policy.filter`'],
    ['no keys', t.map(t.string(), { filterKeys: [], policy: { filter: true } }), '`filterKeys` of `m` must be different keys'],
    ['a key twice', t.map(t.string(), { filterKeys: ['a', 'a'], policy: { filter: true } }), '`filterKeys` of `m` must be different keys'],
    ['a key with a dot', t.map(t.string(), { filterKeys: ['a.b'], policy: { filter: true } }), '`m.a.b` is not a valid field name'],
    ['arrays', t.map(t.array(t.string()), { filterKeys: ['a'], policy: { filter: true } }), '`filterKeys` of `m` needs single values'],
    [
      'an operator that does not fit',
      t.map(t.int(), { filterKeys: ['a'], policy: { filter: ['prefix'] } }),
      '`policy.filter` of field `m.a` names `prefix`',
    ],
  ])('refuses %s', (_what, field, message) => {
    expect(compile(field)).toThrow(message);
  });
});
