import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Inner = t.object('Inner', { code: t.nullable(t.string({ policy: { private: true, update: true } })), label: t.nullable(t.string()) });
const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    name: t.string({ policy: { filter: ['eq'] } }),
    pin: t.nullable(t.string({ policy: { private: true, update: true } })),
    note: t.nullable(t.string()),
    inner: t.nullable(Inner),
  },
}); // neither a revision nor `updatedAt`: the database tells which records have changed

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Card, ops: ['patchMany'] })]);

describe('`modified` of a PATCH of many records', () => {
  it.each([
    ['a private field', { pin: '1234' }, { pin: '0000' }],
    ['a private field of an embedded object', { inner: { code: 'a' } }, { inner: { code: 'b' } }],
  ])('counts every match where the caller writes %s, and so does not tell its value', async (_what, right, wrong) => {
    await database.db.collection('cards').deleteMany({});
    await database.db.collection('cards').insertOne({ name: 'ann', pin: '1234', note: 'x', inner: { code: 'a', label: 'l' } });
    for (const body of [right, wrong])
      expect((await api.request('PATCH', '/api/cards?name=ann', { body })).body).toEqual({ data: { matched: 1, modified: 1 } });
  });

  it('counts what has changed where the caller may read it', async () => {
    await database.db.collection('cards').deleteMany({});
    await database.db.collection('cards').insertOne({ name: 'ann', note: 'x', inner: { label: 'l' } });
    for (const [body, modified] of [
      [{ note: 'x' }, 0],
      [{ inner: { label: 'l' } }, 0],
      [{ note: 'y' }, 1],
    ] as const)
      expect((await api.request('PATCH', '/api/cards?name=ann', { body })).body).toEqual({ data: { matched: 1, modified } });
  });
});
