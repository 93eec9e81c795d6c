import { defineModel, openapiDocument, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const all = { policy: { filter: true } } as const;
const Row = defineModel('Row', {
  collection: 'rows',
  fields: {
    id: t.string(),
    holed: t.array(t.nullable(t.int()), all),
    whole: t.array(t.int(), all),
    missing: t.nullable(t.array(t.int()), all),
    parts: t.array(t.object('Part', { size: t.nullable(t.int(), all) }), { default: [] }),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Row })]);

beforeAll(() =>
  database.db.collection<{ _id: string }>('rows').insertMany([
    { _id: 'a', holed: [1, null], whole: [1, 2], missing: null, parts: [{ size: 1 }, { size: null }] },
    { _id: 'b', holed: [2], whole: [2], missing: [1], parts: [{ size: 2 }] },
    { _id: 'c', holed: [], whole: [], missing: [2], parts: [] },
  ] as never),
);

async function find(query: string): Promise<string> {
  const { status, body } = await api.request('GET', `/api/rows?${query}`);
  return status === 200 ? body.data.map(({ id }: { id: string }) => id).join('') : `${status}`;
}

describe('a filter on a list', () => {
  it.each([
    ['holed=null', 'a'],
    ['holed[in]=null,2', 'ab'],
    ['holed[nin]=null', 'bc'],
    ['holed[ne]=null', 'bc'],
    ['holed[gt]=null', '400'],
    ['whole=null', '400'],
    ['missing=null', 'a'],
    ['parts.size=null', 'a'],
  ])('knows null where an element, or the list itself, can be it: %s', async (query, expected) => {
    expect(await find(query)).toBe(expected);
  });

  it.each([
    ['whole[ne]=1', 'bc'],
    ['whole[nin]=1', 'bc'],
    ['whole[nin]=1,2', 'c'],
  ])('by ne and nin matches when no element is equal: %s', async (query, expected) => {
    expect(await find(query)).toBe(expected);
  });

  it('says so in the OpenAPI description', () => {
    const shop = service();
    const { paths } = openapiDocument(shop.api({ db: database.db, resources: [shop.resource({ model: Row })] }));
    const { parameters } = (paths['/rows'] as { get: { parameters: { name: string; description: string; schema: object }[] } }).get;
    const schemaOf = (wanted: string) => parameters.find(({ name }) => name === wanted)?.schema;
    expect(schemaOf('holed[eq]')).toMatchObject({ anyOf: [{ type: 'integer' }, { enum: ['null'] }] });
    expect(schemaOf('whole[eq]')).toMatchObject({ type: 'integer' });
    expect(parameters.find(({ name }) => name === 'whole[ne]')?.description).toBe('No item of `whole` equals this.');
  });
});
