import { applyIndexes, defineModel, planIndexes, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const id = t.string({ policy: { insert: true, sort: true } });
const caseless = t.string({ caseless: true });
const Place = defineModel('Place', {
  collection: 'places',
  fields: { id, name: caseless, others: t.array(t.string({ caseless: true }), { default: [] }) },
  search: { fields: { name: 10, others: 1 } },
});
const Mixed = defineModel('Mixed', {
  collection: 'mixed',
  fields: { id, name: caseless, about: t.string({ default: '' }) },
  search: { fields: { name: 10, about: 1 } },
});
const German = defineModel('German', {
  collection: 'german',
  fields: { id, name: caseless },
  search: { fields: { name: 1 }, language: 'german' },
});

const database = useDatabase();
const api = useApi(database, (shop) => [Place, Mixed, German].map((model) => shop.resource({ model, path: model.collection })));
const build = () => {
  const shop = service();
  return shop.api({ db: database.db, resources: [Place, Mixed, German].map((model) => shop.resource({ model })) });
};

beforeAll(async () => {
  await applyIndexes(build());
  const names = { oster: 'Østergård Strand', lodz: 'Łódź', gross: 'Große Straße', zurich: 'Zürich' };
  for (const path of ['places', 'mixed', 'german'])
    for (const [key, name] of Object.entries(names)) await api.request('POST', `/api/${path}`, { body: { id: key, name } });
  await api.request('POST', '/api/places', { body: { id: 'dakovo', name: 'City', others: ['Đakovo', 'Æblegård'] } });
});

async function find(path: string, q: string): Promise<string> {
  const { status, body } = await api.request('GET', `/api/${path}?q=${encodeURIComponent(q)}`);
  return status === 200 ? body.data.map((one: { id: string }) => one.id).join(' ') : `${status}`;
}

describe('q of a model whose searched fields are all caseless', () => {
  it.each([
    ['ostergard', 'oster'],
    ['ØSTERGÅRD', 'oster'],
    ['lodz', 'lodz'],
    ['grosse strasse', 'gross'],
    ['"GROSSE STRASSE"', 'gross'],
    ['zürich', 'zurich'],
    ['dakovo', 'dakovo'],
    ['aeblegard', 'dakovo'],
    ['oster', ''],
  ])('finds letters as a keyboard without them has them: %s', async (q, ids) => {
    expect(await find('places', q)).toBe(ids);
  });

  it('has its folded texts in its index', async () => {
    const found = await database.db.collection('places').listIndexes().toArray();
    expect(found.find(({ weights }) => weights)?.weights).toEqual({ 'name[fold2]': 10, 'others[fold2]': 1 });
    const { collections } = await planIndexes(build());
    expect(collections.flatMap(({ missing, conflicting }) => [...missing, ...conflicting])).toEqual([]);
  });
});

describe('q of a model with a field that is not, or with a language', () => {
  it.each(['mixed', 'german'])('ignores case and accents only: %s', async (path) => {
    expect([await find(path, 'zurich'), await find(path, 'ostergard')]).toEqual(['zurich', '']);
  });
});
