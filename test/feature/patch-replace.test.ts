import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Address = t.object('Address', {
  street: t.string(),
  city: t.string({ default: 'Ulm' }),
  zip: t.nullable(t.string()),
  note: t.nullable(t.string(), { storeNone: true }),
  door: t.optional(t.string()),
  hidden: t.string({ default: 'h', policy: { private: true } }),
  shut: t.int({ default: 1, policy: { update: false } }),
  geo: t.optional(t.object('Geo', { lat: t.float(), mark: t.string({ default: 'm', policy: { update: false } }) })),
});
const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    id: t.string(),
    name: t.string(),
    home: t.nullable(Address),
    plain: t.nullable(t.object('Pair', { a: t.int(), b: t.nullable(t.int()) })),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Person, mergePatch: false }),
  shop.resource({ model: Person, path: 'merging' }),
]);
const people = () => database.db.collection<{ _id: string; [key: string]: unknown }>('people');
const stored = () => people().findOne({ _id: 'p' });
const patch = (body: unknown, path = 'people') => api.request('PATCH', `/api/${path}/p`, { body });
const home = {
  street: 'A',
  city: 'Rom',
  zip: '1',
  note: 'n',
  door: 'd',
  hidden: 'secret',
  shut: 9,
  geo: { lat: 1, mark: 'x' },
  old: 'unknown',
};

beforeEach(async () => {
  await people().deleteMany({});
  await people().insertOne({ _id: 'p', name: 'n', home, plain: { a: 1, b: 2 }, revision: 0 });
});

describe('PATCH with mergePatch: false', () => {
  it('replaces an embedded object by the one sent: every unsent value in it, closed ones too, returns to its default', async () => {
    const { status, headers, body } = await patch({ home: { street: 'B' } });
    expect([status, headers.etag]).toEqual([200, '"1"']);
    expect(body.data.home).toEqual({ street: 'B', city: 'Ulm', zip: null, note: null, shut: 1 });
    expect((await stored())?.home).toEqual({ street: 'B', city: 'Ulm', note: null, hidden: 'h', shut: 1 });
  });

  it('leaves top-level fields partial', async () => {
    const { body } = await patch({ plain: { a: 5 } });
    expect(body.data).toMatchObject({ name: 'n', plain: { a: 5, b: null }, revision: 1 });
    expect((await stored())?.home).toEqual(home);
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
  ])('overwrites an object that is stored as %s', async (_name, value) => {
    await people().replaceOne({ _id: 'p' }, { name: 'n', ...(value === null && { home: value }) });
    const { status, body } = await patch({ home: { street: 'B', geo: { lat: 2 } } });
    expect(status).toBe(200);
    expect(body.data.home).toMatchObject({ street: 'B', geo: { lat: 2, mark: 'm' } });
  });

  it.each<[rule: string, body: object, errors: object[]]>([
    ['a nested key the policy closes', { home: { street: 'B', shut: 1 } }, [{ field: 'home.shut', message: 'cannot be set on update' }]],
    ['a nested private key', { home: { street: 'B', hidden: 'x' } }, [{ field: 'home.hidden', message: 'is not a known field' }]],
    [
      'a key closed two levels down',
      { home: { street: 'B', geo: { lat: 1, mark: 'y' } } },
      [{ field: 'home.geo.mark', message: 'cannot be set on update' }],
    ],
    ['a missing required key', { home: { city: 'X' } }, [{ field: 'home.street', message: 'is required' }]],
    ['an unknown key', { home: { street: 'B', x: 1 } }, [{ field: 'home.x', message: 'is not a known field' }]],
    ['something that is no object', { plain: 5 }, [{ field: 'plain', message: 'must be an object' }]],
    [
      'an operator-like object',
      { plain: { $set: { a: 1 } } },
      [
        { field: 'plain.$set', message: 'is not a known field' },
        { field: 'plain.a', message: 'is required' },
      ],
    ],
  ])('answers 422 to %s', async (_rule, body, errors) => {
    const answer = await patch(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject(errors);
    expect((await stored())?.home).toEqual(home);
  });

  it('sets to null what is nullable, closed values or not, at any depth', async () => {
    const inner = await patch({ home: { street: 'B', city: 'x', geo: null } });
    expect([inner.status, inner.body.data.home]).toEqual([200, { street: 'B', city: 'x', zip: null, note: null, shut: 1 }]);
    const { status, body } = await patch({ home: null, plain: null });
    expect([status, body.data.home, body.data.plain]).toEqual([200, null, null]);
    expect(await stored()).toEqual({ _id: 'p', name: 'n', revision: 2 });
  });

  it('belongs to the resource: another one over the same model merges', async () => {
    const { body } = await patch({ home: { street: 'B' } }, 'merging');
    expect(body.data.home).toMatchObject({ street: 'B', city: 'Rom', zip: '1' });
    expect((await stored())?.home).toEqual({ ...home, street: 'B' });
  });
});
