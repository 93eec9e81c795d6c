import { defineModel, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const Place = t.object('Place', {
  tenant: t.string({ stored: 't', default: 'closed', policy: { insert: false, update: false } }),
  city: t.string({ stored: 'c', default: '' }),
});
const Visit = defineModel('Visit', {
  collection: 'visits',
  fields: {
    id: t.string({ policy: { insert: true } }),
    trip: t.object('Trip', { place: t.nullable({ ...Place, stored: 'p' } as typeof Place) }, { stored: 'tr' } as Any),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Visit, ops: ['get', 'patch'], scope: () => ({ 'trip.place.tenant': { ne: 'closed' } }) as Any }),
]);
beforeEach(async () => {
  await database.db.collection<Any>('visits').deleteMany({});
  await database.db.collection<Any>('visits').insertOne({ _id: 'a', tr: {}, revision: 0 });
});

describe('the refusal of an object that only the server can create within a scope', () => {
  it('names the field, and not the key under which it is stored', async () => {
    const { status, body } = await api.request('PATCH', '/api/visits/a', { body: { trip: { place: { city: 'Ulm' } } } });
    expect([status, body.errors]).toMatchObject([422, [{ field: 'trip.place', rule: 'server_only' }]]);
    expect(JSON.stringify(body)).not.toMatch(/tr\.p/);
  });
});
