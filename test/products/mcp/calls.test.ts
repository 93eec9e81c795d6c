import { ObjectId } from 'mongodb';
import { createShop } from '../../../examples/orders/api.ts';
import { applyIndexes } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type Agent, connect } from './connect.ts';

const database = useDatabase();
let ann: Agent;
let bob: Agent;
let root: Agent;
let nobody: Agent;
const customerId = new ObjectId().toString();

beforeAll(async () => {
  const shop = createShop(database.db);
  await applyIndexes(shop);
  const as = (user: string) => connect(shop, { write: true, headers: { authorization: `Bearer ${user}-token` } });
  [ann, bob, root] = await Promise.all([as('ann'), as('bob'), as('root')]);
  nobody = await connect(shop, { write: true });
});

let numbers = 0;
async function order(agent = ann, body: object = {}) {
  const { json } = await agent.call('orders_create', { body: { number: `A-${numbers++}`, total: '12.50', customerId, ...body } });
  return json.data;
}

describe('a call', () => {
  it('answers what the api answers, to whom the headers name', async () => {
    const mine = await order();
    const { isError, json } = await ann.call('orders_get', { id: mine.id });
    expect([isError, json]).toEqual([false, { data: mine }]);
    expect(mine).toMatchObject({ owner: 'ann', total: '12.50', revision: 0 });
  });

  it('cannot reach the record of somebody else: 404, with the tool that finds ids', async () => {
    const { id } = await order();
    for (const [tool, given] of Object.entries({
      orders_get: {},
      orders_patch: { body: { total: '0' } },
      orders_put: { body: { total: '0', customerId } },
    })) {
      const { isError, text, structured } = await bob.call(tool, { id, ...given });
      expect([isError, text]).toEqual([true, 'Not Found (not_found): There is no such record.\nFind existing ids by `orders_list`.']);
      expect(structured).toEqual({ status: 404, code: 'not_found', hint: 'Find existing ids by `orders_list`.' });
    }
    expect((await bob.call('orders_list')).json.data).toEqual([]);
  });

  it('is refused by the guards of the operation: nothing that the model can mend', async () => {
    const { id } = await order();
    const { isError, text } = await ann.call('orders_delete', { id });
    expect([isError, text]).toEqual([
      true,
      'Forbidden (forbidden): You may not do this.\nThe caller of this connection may not do this. Other arguments do not help: tell the user.',
    ]);
    expect(await database.db.collection('orders').countDocuments({ _id: new ObjectId(id) })).toBe(1);
    expect(await root.call('orders_delete', { id })).toMatchObject({ isError: false, text: 'Done (204).' });
  });

  it('without credentials is 401', async () => {
    expect(await nobody.call('orders_list')).toMatchObject({ isError: true, structured: { status: 401, code: 'unauthorized' } });
  });

  it('reports errors of the body by the path in the arguments', async () => {
    const { text, structured } = await ann.call('orders_create', {
      body: { number: 'N', total: 'much', owner: 'bob', shipTo: { city: 5 } },
    });
    expect(text.split('\n')).toEqual([
      'Validation failed (validation_failed): 5 fields are not acceptable.',
      '- body.owner: cannot be set on create',
      '- body.total: must be a decimal number, such as 12.50 or "12.50"',
      '- body.shipTo.city: must be a string',
      '- body.shipTo.street: is required',
      '- body.customerId: is required',
    ]);
    expect(structured.errors).toContainEqual({ argument: 'body.owner', message: 'cannot be set on create', rule: 'not_writable' });
  });

  it('reports errors of the query by the name of the argument', async () => {
    const { text } = await ann.call('orders_list', { total_gte: 'much', limit: 0, customer_name_prefix: '' });
    expect(text).toMatch(/^Invalid query \(invalid_query\): The query string is not acceptable\.$/m);
    expect(text).toMatch(/^- total_gte: /m);
    expect(text).toMatch(/^- limit: /m);
    expect(text).not.toContain('[');
  });

  it('names the arguments that there are if one is unknown', async () => {
    const { isError, text } = await ann.call('orders_list', { totl_gte: '5' });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^There is no argument `totl_gte`; did you mean `total_gte`\? The arguments are number, /),
    ]);
  });

  it('says where fields belong that were sent beside the body', async () => {
    const { text } = await ann.call('orders_patch', { id: 'x', status: 'paid', total: '5' });
    expect(text).toBe(
      'There is no argument `status`, `total`: send the fields of the record in `body`. The arguments are id, if_match, body.',
    );
  });

  it('names the argument that takes several values', async () => {
    const { text } = await ann.call('orders_list', { status: ['open', 'paid'] });
    expect(text).toBe('`status` takes one value, and not a list: for several, there is `status_in`.');
    expect((await ann.call('orders_list', { number: ['a'] })).text).toBe('`number` takes one value, and not a list.');
  });

  it('names the arguments that are missing', async () => {
    expect((await ann.call('orders_patch')).text).toBe('These arguments are required: `id`, `body`.');
  });

  it('names the tool that was meant', async () => {
    expect(await ann.call('order_list')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^There is no tool `order_list`; did you mean `orders_list`\? The tools are orders_list, orders_get, /),
    });
  });

  it('filters, sorts and pages by arguments', async () => {
    const wanted = await Promise.all(['31', '32', '33'].map((total) => order(ann, { total, shipTo: { street: 's', city: 'Bern, BE' } })));
    const given = {
      total_gte: '31',
      shipTo_city: 'Bern, BE',
      status_in: ['open', 'paid'],
      sort: ['-total', 'number'],
      limit: 2,
      total: 'true',
    };
    const first = (await ann.call('orders_list', given)).json;
    expect(first.page).toMatchObject({ size: 2, has_next: true, total: 3 });
    const second = (await ann.call('orders_list', { ...given, after: first.page.next_cursor })).json;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(wanted.map(({ id }) => id).reverse());
    expect(second.page.has_next).toBe(false);
  });

  it('says how to page if a cursor belongs to another list', async () => {
    await order();
    await order();
    const { page } = (await ann.call('orders_list', { limit: 1 })).json;
    const { text } = await ann.call('orders_list', { limit: 1, sort: ['total'], after: page.next_cursor });
    expect(text).toMatch(/^Begin again without a cursor\. For the next page, pass `page\.next_cursor` with the same filters and sort\.$/m);
  });

  it('writes only if the revision is that of `if_match`', async () => {
    const { id } = await order();
    const patch = (if_match: unknown, total: string) => ann.call('orders_patch', { id, if_match, body: { total } });
    expect((await patch(0, '1')).json.data).toMatchObject({ total: '1', revision: 1 });
    const { text } = await patch(0, '2');
    expect(text).toBe(
      'Precondition Failed (precondition_failed): The record has changed since: `if_match` names another revision. Read it again.\nRead the record again by `orders_get`, and decide with its new `revision` as `if_match`.',
    );
    expect((await patch('"1"', '3')).json.data.revision).toBe(2);
    expect((await patch('*', '4')).json.data.revision).toBe(3);
    expect((await patch('x\r\nauthorization: Bearer root-token', '5')).text).toBe(
      '`if_match` must be the `revision` of the record, such as 3.',
    );
  });

  it('takes a body that the client has sent as its text', async () => {
    const { id } = await order();
    expect((await ann.call('orders_patch', { id, body: '{"total":"7"}' })).json.data.total).toBe('7');
    expect((await ann.call('orders_patch', { id, body: 'total: 7' })).text).toBe('`body` must be an object, and not a string.');
  });
});
