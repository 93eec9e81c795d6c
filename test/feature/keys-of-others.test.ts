import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Place = t.object('Place', { city: t.string() });
const Sheet = defineModel('Sheet', {
  collection: 'sheets',
  fields: {
    title: t.string(),
    place: Place,
    places: t.array(Place),
    map: t.map(Place),
    merged: t.map(Place, { merge: true }),
  },
});
const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Sheet, ops: ['get', 'patch', 'put'] }),
  shop.resource({ model: Sheet, path: 'whole', mergePatch: false }),
]);

const place = { city: 'Ulm', more: 1 };
const stored = { title: 'a', place, places: [place, place], map: { x: place }, merged: { x: place, y: place }, more: 1 };

/** What is left of a record after a write, and whether the key of another program is still there, in each place. */
async function write(method: string, body: object, path = 'sheets') {
  const { insertedId } = await database.db.collection('sheets').insertOne({ ...stored } as never);
  const { status } = await api.request(method, `/api/${path}/${insertedId}`, { body });
  expect(status).toBe(200);
  const { _id, ...after } = (await database.db.collection('sheets').findOne({ _id: insertedId })) as never as Record<string, never>;
  return after;
}

const sent = { city: 'Bonn' };

const all = { title: 'b', place: sent, places: [sent], map: { x: sent }, merged: { x: sent } };

describe('keys that are no fields', () => {
  it('stay where a patch merges, and go with what it replaces: arrays, and maps without `merge`', async () => {
    expect(await write('PATCH', all)).toEqual({
      title: 'b',
      place: { city: 'Bonn', more: 1 },
      places: [sent],
      map: { x: sent },
      merged: { x: { city: 'Bonn', more: 1 }, y: place },
      more: 1,
    });
  });

  it('stay in what a patch does not name', async () => {
    expect(await write('PATCH', { title: 'b' })).toEqual({ ...stored, title: 'b' });
  });

  it('go with an object that is replaced without `mergePatch`', async () => {
    expect(await write('PATCH', { place: sent }, 'whole')).toEqual({ ...stored, place: sent });
  });

  it('stay at the record that is put, and go with the values of its fields', async () => {
    expect(await write('PUT', all)).toEqual({ ...all, more: 1 });
  });
});
