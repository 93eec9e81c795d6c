import { defineModel, everything, service, t, toJsonSchema } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const rules = {
  staff: (user: string) => user.includes('staff'),
  finance: async (user: string) => user.includes('finance'),
};
const Place = t.object('Place', { city: t.string(), code: t.string({ policy: { read: 'staff' } }) });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string(),
    margin: t.decimal({ description: 'What is left.', policy: { read: ['staff', 'finance'] } }),
    place: Place,
    at: t.date(),
  },
});
/** A model without rules: only the answers of its operations have some. */
const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });
const Summary = t.object('Summary', { count: t.int(), sum: t.decimal({ policy: { read: 'finance' } }), place: t.nullable(Place) });
const ofOrders = t.array(t.from(toJsonSchema(Order, 'read')));

const database = useDatabase();
const serve = useServer();
const shop = service({ authenticate: (ctx) => ctx.get('authorization') || undefined, rules });
const makeApi = () =>
  shop.api({
    db: database.db,
    prefix: '/api',
    openapi: { perCaller: true },
    idempotency: { principal: () => 'one of them' },
    models: [Order],
    resources: [
      shop.resource({
        model: Note,
        ops: ['get'],
        operations: {
          stored: { method: 'GET', path: '/stored', answer: ofOrders, handler: (ctx) => ctx.store(Order, { scope: everything }).find({}) },
          plain: {
            method: 'GET',
            path: '/plain',
            answer: ofOrders,
            handler: () => [{ id: 'x', margin: '1.50', place: { city: 'Bern', code: 'zq' }, at: '2026-01-01T00:00:00.000Z' }],
          },
          documents: {
            method: 'GET',
            path: '/documents',
            answer: ofOrders,
            handler: () => [{ id: 'x', place: { city: 'Bern' }, at: new Date(0) }],
          },
          wrong: { method: 'GET', path: '/wrong', answer: ofOrders, handler: () => [{ id: 'x', place: { city: 'Bern' }, at: 'zq' }] },
          more: {
            method: 'GET',
            path: '/more',
            answer: ofOrders,
            handler: () => [{ id: 'x', place: { city: 'Bern' }, at: '2026-01-01T00:00:00.000Z', secret: 'zq' }],
          },
          summary: {
            path: '/summary',
            answer: Summary,
            handler: async (ctx) => ({ count: 1, sum: '5', place: (await ctx.store(Order, { scope: everything }).get('o1')).place }),
          },
        },
      }),
    ],
  });
let server: TestServer;

beforeAll(async () => {
  server = await serve(makeApi().routes());
});

beforeEach(async () => {
  const orders = database.db.collection<{ _id: string }>('orders');
  await orders.deleteMany({});
  await orders.insertOne({ _id: 'o1', margin: 1, place: { city: 'Bern', code: 'zq' }, at: new Date(0) } as never);
});

const ask = async (path: string, user: string | undefined, method = 'GET', headers = {}) =>
  server.request(method, `/api/${path}`, { headers: { authorization: user, ...headers } });

describe('an answer whose schema has fields by role', () => {
  it.each([
    [undefined, {}, {}],
    ['ann', {}, {}],
    ['finance', { margin: '1' }, {}],
    ['staff', { margin: '1' }, { code: 'zq' }],
  ])('shows %s of a record, and of other values, what its rules allow', async (user, ofOrder, ofPlace) => {
    const stored = await ask('notes/stored', user);
    expect([stored.status, stored.body]).toEqual([
      200,
      { data: [{ id: 'o1', ...ofOrder, place: { city: 'Bern', ...ofPlace }, at: '1970-01-01T00:00:00.000Z' }] },
    ]);
    const plain = await ask('notes/plain', user);
    const margin = 'margin' in ofOrder ? { margin: '1.50' } : {};
    expect(plain.body.data).toEqual([{ id: 'x', ...margin, place: { city: 'Bern', ...ofPlace }, at: '2026-01-01T00:00:00.000Z' }]);
    expect(server.errors).toEqual([]);
  });

  it('need not have what the caller cannot see, and hides it in parts of records', async () => {
    expect((await ask('notes/summary', 'ann', 'POST')).body).toEqual({ data: { count: 1, place: { city: 'Bern' } } });
    expect((await ask('notes/summary', 'finance', 'POST')).body).toEqual({ data: { count: 1, sum: '5', place: { city: 'Bern' } } });
    expect((await ask('notes/summary', 'staff', 'POST')).body).toEqual({ data: { count: 1, place: { city: 'Bern', code: 'zq' } } });
  });

  it('is not shown again to a caller of another view', async () => {
    const send = (user: string) => ask('notes/summary', user, 'POST', { 'idempotency-key': 'k1' });
    expect((await send('finance')).body.data.sum).toBe('5');
    expect((await send('finance')).body.data.sum).toBe('5');
    const { status, text, headers } = await send('staff');
    expect([status, text, headers['idempotency-replayed']]).toEqual([204, '', 'true']);
  });

  it.each([
    ['documents', /`data.0.at` must be a string/],
    ['wrong', /`data.0.at` must have the format date-time/],
    ['more', /the name of a private field|`data.0.secret` is not a known field/],
  ])('must fit in the form that clients read: %s', async (path, message) => {
    const { status, text } = await ask(`notes/${path}`, 'staff');
    expect([status, text.includes('zq')]).toEqual([500, false]);
    expect(server.errors[0]?.message).toMatch(message);
    server.errors.length = 0;
  });

  it('is described to each caller as it is', async () => {
    const namesFor = async (user: string) => {
      const { components, paths } = (await ask('openapi.json', user)).body;
      const { schema } = paths['/api/notes/stored'].get.responses[200].content['application/json'];
      expect(schema.properties.data.items).toEqual({ $ref: '#/components/schemas/Order' });
      const { properties, required } = components.schemas.Order;
      return [Object.keys(properties), Object.keys(properties.place.properties), required, properties.margin?.description];
    };
    expect(await namesFor('ann')).toEqual([['id', 'place', 'at'], ['city'], ['id', 'place', 'at'], undefined]);
    expect(await namesFor('finance')).toEqual([['id', 'margin', 'place', 'at'], ['city'], ['id', 'place', 'at'], 'What is left.']);
    expect((await namesFor('staff'))[1]).toEqual(['city', 'code']);
  });
});

describe('the rules in the schema of an answer', () => {
  const define =
    (answer: unknown, own: object | undefined = rules) =>
    () => {
      const club = service({ authenticate: () => 'ann', ...(own ? { rules: own as typeof rules } : {}) });
      const find = { method: 'GET', path: '/find', answer, handler: () => [] };
      return club.api({ db: database.db, models: [Order], resources: [club.resource({ model: Note, operations: { find } } as Any)] });
    };

  it('are those of the service, and make the answer no secret itself', () => {
    expect(define(t.object('A', { a: t.string({ policy: { read: 'stuff' } }) }))).toThrow(
      'A policy in `answer` of `operations.find` of resource `notes` names the rule `stuff`, which the service does not have; did you mean `staff`?',
    );
    expect(define(t.string({ policy: { read: 'staff' } }))).toThrow(
      '`answer` of `operations.find` of resource `notes` is hidden by its own `policy`',
    );
    expect(define(t.object('A', { a: t.string({ policy: { read: 'auditor' } }) }), { ...rules, auditor: () => true })).not.toThrow();
  });
});
