import { defineModel, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type Agent, connect } from './connect.ts';

const Order = defineModel('Order', { collection: 'orders', fields: { id: t.string(), title: t.string() } });
const database = useDatabase();
let agent: Agent;

beforeAll(async () => {
  const shop = service();
  const orders = shop.resource({
    model: Order,
    operations: {
      search: {
        method: 'GET',
        path: '/search',
        query: {
          after: t.optional(t.string({ description: 'The last title. Of the page before.' })),
          sort: t.enum(['title', 'id'], { default: 'title' }),
          id: t.optional(t.int()),
          tags: t.array(t.string()),
          include: t.optional(t.array(t.string())),
        },
        handler: (ctx) => ctx.typedQuery,
      },
      found: { method: 'GET', path: '/found', answer: 'records', handler: (ctx) => ctx.store(Order).find({}) },
    },
  });
  agent = await connect(shop.api({ db: database.db, resources: [orders] }));
  await database.db.collection<{ _id: string; title: string }>('orders').insertOne({ _id: 'a', title: 'A' });
});

describe('the query of an operation', () => {
  it('is the arguments of its tool, with the meaning that the operation gives to their names', async () => {
    const { tools } = await agent.client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === 'orders_search') ?? {};
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        after: { type: 'string', description: 'The last title.' },
        sort: { type: 'string', enum: ['title', 'id'], default: 'title' },
        id: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 500 },
        include: { type: 'array', items: { type: 'string' }, maxItems: 500 },
      },
      required: ['tags'],
    });
  });

  it('reaches the handler as it was given', async () => {
    const { json } = await agent.call('orders_search', { after: 'a&b', id: 5, tags: ['a,b', '', '[]'], sort: 'id' });
    expect(json.data).toEqual({ after: 'a&b', id: 5, tags: ['a,b', '', '[]'], sort: 'id' });
    expect((await agent.call('orders_search', { tags: [] })).json.data).toEqual({ tags: [], sort: 'title' });
    const refused = await agent.call('orders_search', { tags: [], sort: 'price' });
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('must be one of')]);
  });

  it('may find records', async () => {
    expect((await agent.call('orders_found')).json).toEqual({ data: [{ id: 'a', title: 'A' }] });
  });
});
