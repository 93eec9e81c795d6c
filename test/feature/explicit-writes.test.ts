import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Part = t.object('Part', { size: t.int({ policy: { insert: true, update: true } }), weight: t.int({ default: 1 }) });
const Open = t.object('Open', { size: t.int({ policy: { insert: true, update: true } }) });

const Item = defineModel('Item', {
  collection: 'items',
  fields: {
    name: t.string({ policy: { insert: true, update: true } }),
    kind: t.string({ default: 'plain' }),
    label: t.optional(t.string({ policy: { insert: true } })),
    grade: t.optional(t.string({ policy: { update: true } })),
    part: t.nullable(Part, { policy: { insert: true, update: true } }),
    open: t.nullable(Open, { policy: { insert: true, update: true } }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Item, ops: ['get', 'create', 'patch', 'put'], explicitWrites: true }),
  shop.resource({ model: Item, path: 'lenient', ops: ['get', 'create', 'patch', 'put'] }),
]);

beforeEach(async () => {
  await database.db.collection('items').deleteMany({});
  await database.db.collection<{ _id: string }>('items').insertOne({ _id: 'x' });
});

async function createItem(body: object = { name: 'a', part: { size: 1 }, open: { size: 1 } }): Promise<string> {
  const { status, body: answer } = await api.request('POST', '/api/items', { body });
  expect(status).toBe(201);
  return answer.data.id;
}

describe('explicitWrites', () => {
  it.each<[method: string, body: object, closed: string]>([
    ['POST', { name: 'a', kind: 'b' }, 'kind'],
    ['POST', { name: 'a', grade: 'b' }, 'grade'],
    ['POST', { name: 'a', part: { size: 1, weight: 2 } }, 'part.weight'],
    ['PATCH', { kind: 'b' }, 'kind'],
    ['PATCH', { label: 'b' }, 'label'],
    ['PATCH', { part: { weight: 2 } }, 'part.weight'],
    ['PUT', { name: 'a', kind: 'b', part: { size: 1 } }, 'kind'],
  ])('closes to %s %j what no policy opens', async (method, body, closed) => {
    const path = method === 'POST' ? '/api/items' : `/api/items/${await createItem()}`;
    const answer = await api.request(method, path, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ field: closed, message: `cannot be set on ${method === 'POST' ? 'create' : 'update'}` }]);
  });

  it('leaves a field writable that its policy opens', async () => {
    const id = await createItem({ name: 'a', label: 'l', part: { size: 1 } });
    const { status, body } = await api.request('PATCH', `/api/items/${id}`, { body: { name: 'b', grade: 'g', part: { size: 2 } } });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ name: 'b', label: 'l', grade: 'g', part: { size: 2, weight: 1 } });
  });

  it('counts as protected what it closes: such an object cannot be set to null, one that is open throughout can', async () => {
    const id = await createItem();
    const refused = await api.request('PATCH', `/api/items/${id}`, { body: { part: null } });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'part']);
    const cleared = await api.request('PATCH', `/api/items/${id}`, { body: { open: null } });
    expect(cleared.body.data.open).toBeNull();
  });

  it('belongs to the resource: another one over the same model is open', async () => {
    const { status, body } = await api.request('POST', '/api/lenient', { body: { name: 'a', kind: 'b', part: { size: 1, weight: 2 } } });
    expect(status).toBe(201);
    const cleared = await api.request('PATCH', `/api/lenient/${body.data.id}`, { body: { part: null } });
    expect(cleared.body.data.part).toBeNull();
  });
});
