import { Double } from 'mongodb';
import { applyIndexes, cursorPaging, defineModel, type Service, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const fields = { id: t.string(), name: t.string(), at: t.point({ policy: { near: { maxMetres: 50_000 } } }) };
const Cafe = defineModel('Cafe', { collection: 'cafes', fields, search: { fields: { name: 1 } } });
/** The same records, found by an engine of the application. */
const Found = defineModel('Found', { collection: 'cafes', fields });

const database = useDatabase();
const searched: string[] = [];
const define = (shop: Service<string>) => [
  shop.resource({ model: Cafe, ops: ['list'], paging: cursorPaging({ total: true }), aggregate: true, export: {} }),
  shop.resource({
    model: Found,
    path: 'found',
    ops: ['list'],
    aggregate: true,
    search: (q) => {
      searched.push(q);
      return Promise.resolve(['b']);
    },
  }),
];
const api = useApi(database, define);

beforeAll(async () => {
  await applyIndexes(service<string>().api({ db: database.db, resources: define(service<string>()) }));
  await database.db.collection<Any>('cafes').insertMany(
    ['a', 'b'].map((_id, index) => ({
      _id,
      name: `Odeon ${_id}`,
      at: { type: 'Point', coordinates: [new Double(index / 1000), new Double(0)] },
    })),
  );
});

const body = (sent: object) => ({ headers: { 'content-type': 'application/json' }, body: sent });
const conflict = { field: 'q', rule: 'conflicting_parameter', params: { with: 'near' } };

describe('q beside near', () => {
  it.each([
    ['GET', '/cafes?near=0,0,1000&q=odeon'],
    ['GET', '/cafes?q=odeon&near[at]=0,0,1000&distances=true&total=true'],
    ['GET', '/found?distances=true&near=0,0,1000&q=odeon'],
    ['GET', '/cafes/aggregate?near=0,0,1000&q=odeon'],
    ['GET', '/found?near=0,0,1000&q=odeon'],
    ['GET', '/found/aggregate?near=0,0,1000&q=odeon'],
    ['POST', '/cafes/query', { near: [0, 0, 1000], q: 'odeon' }],
    ['QUERY', '/cafes', { near: [0, 0, 1000], q: 'odeon' }],
    ['POST', '/found/query', { near: [0, 0, 1000], q: 'odeon' }],
  ])('is 400: %s %s %j', async (method, path, sent?: object) => {
    const answer = await api.request(method, `/api${path}`, sent && body(sent));
    expect([answer.status, answer.body.code, answer.body.errors]).toMatchObject([400, 'invalid_query', [conflict]]);
    expect(answer.body.errors[0].message).toBe('cannot stand beside near: leave one of them out');
    expect(searched).toEqual([]);
  });

  it('is named with what else is wrong, such as the place, a sort or a page', async () => {
    const { status, body } = await api.request('GET', '/api/cafes?near=0,91,1000&q=odeon&after=x');
    expect([status, body.errors]).toMatchObject([400, [{ field: 'near' }, { field: 'after', rule: 'conflicting_parameter' }, conflict]]);
    expect(body.errors).toHaveLength(3);
  });

  it('is not what is wrong with an export, which has no place for near', async () => {
    const { status, body } = await api.request('GET', '/api/cafes?near=0,0,1000&q=odeon', { headers: { accept: 'text/csv' } });
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ field: 'near', rule: 'not_available' })]]);
  });
});

describe('a list that has both', () => {
  const ids = ({ body }: { body: Any }) => body.data.map(({ id }: Any) => id);

  it('takes each of them by itself', async () => {
    expect(ids(await api.request('GET', '/api/cafes?near=0.001,0,1000'))).toEqual(['b', 'a']);
    expect(ids(await api.request('GET', '/api/cafes?q=odeon'))).toEqual(['a', 'b']);
  });

  it('takes a search with `distances=false`, also by an engine of the application', async () => {
    expect(ids(await api.request('GET', '/api/cafes?q=odeon&distances=false'))).toEqual(['a', 'b']);
    expect(ids(await api.request('GET', '/api/found?q=odeon&distances=false'))).toEqual(['b']);
    expect(searched.splice(0)).toEqual(['odeon']);
  });
});
