import { applyIndexes, ConfigurationError, cursorPaging, defineModel, offsetPaging, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useExplain } from '../support/database/explain.ts';
import { useApi } from '../support/http/api.ts';
import { Parcel } from '../support/models/parcel.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explain = useExplain(database, commands);
let asked = 0;
const api = useApi(database, (shop) => {
  const deleted = { guards: [(ctx: Any) => ++asked > 0 && ctx.get('x-admin') === 'yes'] };
  const scope = () => ({ owner: 'ann' });
  return [
    shop.resource({
      model: Parcel,
      scope,
      scopeFields: ['owner'],
      deleted,
      include: ['from'],
      fields: true,
      paging: cursorPaging({ total: true }),
    }),
    shop.resource({ model: Parcel, path: 'numbered', ops: ['list'], deleted, paging: offsetPaging({ total: true }) }),
    shop.resource({ model: Parcel, path: 'closed', ops: ['list', 'get'] }),
  ];
});
const parcels = () => database.db.collection<Any>('parcels');
const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const life = { place: 'here', owner: 'ann', revision: 3, createdAt: at(1), updatedAt: at(1) };
const admin = { 'x-admin': 'yes' };
const get = (path: string, headers: object = admin) => api.request('GET', `/api/${path}`, { headers: { ...headers } });
const ids = ({ body }: { body: Any }) => body.data.map(({ id }: Any) => id);

beforeAll(async () => {
  const shop = service();
  const resources = [
    shop.resource({ model: Parcel, scope: () => ({ owner: 'ann' }), scopeFields: ['owner'], deleted: { guards: [() => true] } }),
  ];
  await applyIndexes(shop.api({ db: database.db, resources }));
});
beforeEach(async () => {
  asked = 0;
  await parcels().deleteMany({});
  await parcels().insertMany([
    { _id: 'a', ...life },
    { _id: 'b', ...life, deletedAt: at(3), from: 'c' },
    { _id: 'c', ...life, from: 'b' },
    { _id: 'd', ...life, deletedAt: at(2), code: 'D' },
    { _id: 'e', ...life, owner: 'ben', deletedAt: at(2) },
  ]);
  commands.clear();
});

describe('?deleted= of a list', () => {
  it('shows deleted records only, or all of them, within the scope, with the time; the total too', async () => {
    const only = await get('parcels?deleted=only&total=true');
    expect([ids(only), only.body.page.total, [...commands.names].sort()]).toEqual([['b', 'd'], 2, ['aggregate', 'find']]);
    expect(only.body.data[0].deletedAt).toBe(at(3).toISOString());
    const both = await get('parcels?deleted=with&total=true');
    expect([ids(both), both.body.page.total]).toEqual([['a', 'b', 'c', 'd'], 4]);
    expect(both.body.data.map((one: Any) => 'deletedAt' in one)).toEqual([false, true, false, true]);
    expect(ids(await get('parcels'))).toEqual(['a', 'c']);
  });

  it('has all filters, sorts, fields and includes; included records are living ones', async () => {
    expect(ids(await get('parcels?deleted=only&sort=deletedAt'))).toEqual(['d', 'b']);
    expect(ids(await get('parcels?deleted=only&code=D'))).toEqual(['d']);
    expect(ids(await get(`parcels?deleted=with&deletedAt[gte]=${at(3).toISOString()}`))).toEqual(['b']);
    const { body } = await get('parcels?deleted=with&include=from&fields=from');
    expect(body.data.map(({ from }: Any) => from?.id ?? from)).toEqual([undefined, 'c', 'b', undefined]);
  });

  it('is 403 for a caller whom a guard does not let, whatever the value, and for nobody without the parameter', async () => {
    for (const value of ['only', 'with', 'all', '']) expect((await get(`parcels?deleted=${value}`, {})).status).toBe(403);
    asked = 0;
    expect(ids(await get('parcels', {}))).toEqual(['a', 'c']);
    expect(asked).toBe(0);
  });

  it.each(['deleted=all', 'deleted=', 'deleted=only&deleted=only', 'deleted=true', 'deleted[]=only', 'deleted[eq]=only', 'deletd=only'])(
    'is 400 for ?%s',
    async (query) => {
      const { status, body } = await get(`parcels?${query}`);
      expect([status, body.code, body.errors.length]).toEqual([400, 'invalid_query', 1]);
    },
  );

  it('is suggested where its name is misspelt, and an unknown parameter where a resource does not have it', async () => {
    expect((await get('parcels?deletd=only')).body.errors[0].message).toContain('did you mean `deleted`?');
    for (const query of ['deleted=only', 'deleted=with', 'deletd=only']) {
      const { status, body } = await get(`closed?${query}`);
      expect([status, body.errors[0].rule]).toEqual([400, 'unknown_parameter']);
      expect(body.errors[0].message).not.toContain('deleted?');
    }
  });

  it('cuts pages, whose cursors belong to their value: in a list with another one they are 400', async () => {
    const first = await get('parcels?deleted=with&limit=2');
    const { next_cursor } = first.body.page;
    expect(first.headers.link).toContain('deleted=with');
    expect(ids(await get(`parcels?deleted=with&limit=2&after=${next_cursor}`))).toEqual(['c', 'd']);
    for (const query of ['', '&deleted=only']) {
      const { status, body } = await get(`parcels?limit=2&after=${next_cursor}${query}`);
      expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    }
    const living = (await get('parcels?limit=1')).body.page.next_cursor;
    expect((await get(`parcels?limit=1&deleted=with&after=${living}`)).status).toBe(400);
    expect((await get(`parcels?limit=1&after=${living}`, {})).status).toBe(200);
  });

  it('works by number too', async () => {
    expect(ids(await get('numbered?deleted=only&limit=2&page=2'))).toEqual(['e']);
  });

  it('reads deleted records by an index', async () => {
    await parcels().insertMany(Array.from({ length: 200 }, (_, index) => ({ _id: `n${index}`, ...life })));
    await get('parcels?deleted=only&sort=deletedAt');
    const { stages, keys, documents } = await explain();
    expect([stages.has('COLLSCAN'), keys, documents]).toEqual([false, 2, 2]);
  });
});

describe('?deleted= of a get', () => {
  it('shows a deleted record, and with `only` no other', async () => {
    const { status, body, headers } = await get('parcels/b?deleted=with');
    expect([status, body.data.deletedAt, headers.etag]).toEqual([200, at(3).toISOString(), '"3"']);
    expect((await get('parcels/b?deleted=only')).status).toBe(200);
    expect((await get('parcels/a?deleted=with')).status).toBe(200);
    expect((await get('parcels/a?deleted=only')).status).toBe(404);
    expect((await get('parcels/e?deleted=with')).status).toBe(404);
    expect((await get('parcels/b')).status).toBe(404);
  });

  it('is 403 for a caller whom a guard does not let, also if there is no such record', async () => {
    for (const id of ['a', 'b', 'never']) expect((await get(`parcels/${id}?deleted=with`, {})).status).toBe(403);
  });

  it('is 400 for another value, and is ignored like every unknown parameter where a resource does not have it', async () => {
    expect((await get('parcels/b?deleted=x')).status).toBe(400);
    expect((await get('closed/b?deleted=with')).status).toBe(404);
    expect((await get('closed/a?deleted=only')).status).toBe(200);
  });

  it('does not mix gets that share a command with those that see other records', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => get(`parcels/b${['', '?deleted=only', '?deleted=with'][index % 3]}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 3 === 0 ? 404 : 200)));
  });
});

describe('writes', () => {
  it('take no `deleted`, and see living records only', async () => {
    const { status } = await api.request('PATCH', '/api/parcels/b?deleted=with', { headers: admin, body: { place: 'x' } });
    expect(status).toBe(404);
    expect((await api.request('DELETE', '/api/parcels/b?deleted=with', { headers: admin })).status).toBe(404);
  });
});

describe('the option `deleted`', () => {
  const shop = service();
  const make =
    (options: object, model: Any = Parcel) =>
    () =>
      shop.api({ db: database.db, resources: [shop.resource({ model, ...options } as Any)] });
  const guards = [() => true];
  const Named = defineModel('Named', {
    collection: 'named',
    fields: { deleted: t.boolean({ policy: { filter: true } }), deletedAt: t.deletedAt() },
  });

  it.each<[what: string, options: object, message: string, model: unknown]>([
    ['no guards', { deleted: {} }, '`guards`', Parcel],
    ['an empty array of guards', { deleted: { guards: [] } }, 'an array of at least one function', Parcel],
    ['a guard that is none', { deleted: { guards: [undefined] } }, 'an array of at least one function', Parcel],
    ['an array', { deleted: guards }, '`deleted`', Parcel],
    ['undefined', { deleted: undefined }, '`deleted`', Parcel],
    ['a misspelt option', { deleted: { guards, guard: [] } }, '`guard`', Parcel],
    ['no read', { ops: ['patch'], deleted: { guards } }, 'needs `list` or `get` in `ops`', Parcel],
    ['a field of this name that is filtered', { deleted: { guards } }, '`policy.filter` of `deleted` in Named', Named],
    ['an estimate as the only total', { paging: cursorPaging({ total: 'estimate' }) }, "cannot have `total: 'estimate'`", Parcel],
  ])('is a ConfigurationError with %s', (_what, options, message, model) => {
    expect(make(options, model)).toThrow(ConfigurationError);
    expect(make(options, model)).toThrow(message);
  });

  it('leaves a filterable field of this name alone where it is not used', () => {
    expect(make({}, Named)).not.toThrow();
  });
});
