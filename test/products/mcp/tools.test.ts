import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { createAtlas } from '../../../examples/atlas/api.ts';
import { createShop } from '../../../examples/orders/api.ts';
import { createProjects } from '../../../examples/projects/api.ts';
import { type Api, ConfigurationError, openapiText } from '../../../src/index.ts';
import { mcpServer } from '../../../src/products/mcp/mcp.ts';
import { useDatabase } from '../../support/database/database.ts';
import { connect } from './connect.ts';
import { createOdd } from './odd-api.ts';

const database = useDatabase();
let apis: Record<'orders' | 'atlas' | 'projects' | 'odd', Api<never>>;
beforeAll(() => {
  const { db } = database;
  apis = { orders: createShop(db), atlas: createAtlas(db), projects: createProjects(db), odd: createOdd(db).api } as typeof apis;
});

async function toolsOf(name: keyof typeof apis, options = {}): Promise<Tool[]> {
  const { client } = await connect(apis[name], { headers: { authorization: name === 'orders' ? 'Bearer ann-token' : 'ann' }, ...options });
  const { tools } = await client.listTools();
  return tools;
}

describe('the tools', () => {
  it('are the operations that read, unless `write` allows the others', async () => {
    const reads = ['orders_list', 'orders_get', 'customers_list', 'customers_get', 'customers_orders_list'];
    expect((await toolsOf('orders')).map(({ name }) => name)).toEqual(reads);
    const all = (await toolsOf('orders', { write: true })).map(({ name }) => name);
    const writes = ['create', 'patch', 'put', 'delete'].map((name) => `orders_${name}`);
    const ofCustomers = ['create', 'patch', 'delete', 'orders_create'].map((name) => `customers_${name}`);
    expect(all.sort()).toEqual([...reads, ...writes, ...ofCustomers].sort());
  });

  it('are only those that were chosen', async () => {
    const chosen = await toolsOf('odd', { write: true, operations: ['things.ship', 'things.get'] });
    expect(chosen.map(({ name }) => name)).toEqual(['things_get', 'things_ship']);
  });

  it.each(['orders', 'atlas', 'projects', 'odd'] as const)(
    'of %s have names, arguments and schemas that every client takes',
    async (name) => {
      const tools = await toolsOf(name, { write: true });
      expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
      for (const tool of tools) {
        expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
        expect(Object.keys(tool.inputSchema).sort()).toEqual(
          tool.inputSchema.required ? ['properties', 'required', 'type'] : ['properties', 'type'],
        );
        for (const argument of Object.keys(tool.inputSchema.properties ?? {})) expect(argument).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        for (const schema of schemasIn(tool.inputSchema)) {
          expect(legal).toEqual(expect.arrayContaining(Object.keys(schema)));
          expect([undefined, 'string', 'integer', 'number', 'boolean', 'array', 'object', 'null']).toContain(schema.type);
          if (schema.type === 'array') expect(schema).toHaveProperty('items');
        }
      }
    },
  );

  it.each([
    ['orders', 5_000, 10_000],
    ['atlas', 5_100, 13_100],
  ] as const)('of %s fit into %d bytes, and with all writes into %d', async (name, reading, writing) => {
    expect(JSON.stringify(await toolsOf(name)).length).toBeLessThan(reading);
    const all = JSON.stringify(await toolsOf(name, { write: true })).length;
    expect(all).toBeLessThan(writing);
    expect(all).toBeLessThan(openapiText(apis[name]).length / 4);
  });

  it('say by annotations what they change', async () => {
    const tools = await toolsOf('projects', { write: true });
    const odd = await toolsOf('odd', { write: true });
    const all = [...tools, ...odd, ...(await toolsOf('orders', { write: true }))];
    const hints = (name: string) => all.find((tool) => tool.name === name)?.annotations;
    expect(hints('orders_list')).toEqual({ readOnlyHint: true });
    expect(hints('orders_create')).toEqual({ readOnlyHint: false, destructiveHint: false });
    expect(hints('customers_orders_create')).toEqual({ readOnlyHint: false, destructiveHint: false });
    expect(hints('orders_patch')).toEqual({ readOnlyHint: false, destructiveHint: true });
    expect(hints('orders_put')).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(hints('orders_delete')).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(hints('things_restore')).toEqual({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
    expect(hints('things_deleteMany')).toEqual({ readOnlyHint: false, destructiveHint: true });
    expect(hints('things_ship')).toEqual({ readOnlyHint: false, destructiveHint: true });
  });

  it('name filters after their fields and operators, and keep apart what would be one name', async () => {
    const [list] = await toolsOf('odd', { operations: ['things.list'] });
    const properties = (list?.inputSchema.properties ?? {}) as Record<string, { description?: string }>;
    const names = Object.keys(properties);
    expect(names).toEqual(
      expect.arrayContaining(['id', 'id_in', 'big', 'big_ne', 'big_in', 'big_gte', 'label_exists', 'gr_e_ber_alles_gte']),
    );
    const collided = names.filter((name) => name.startsWith('ship_to_city'));
    expect(collided).toEqual([expect.stringMatching(/_[0-9a-f]{8}$/), expect.stringMatching(/_[0-9a-f]{8}$/)]);
    expect(collided.map((name) => properties[name]?.description)).toEqual(['Filter ship_to_city[eq]', 'Filter ship.to_city[eq]']);
    const long = names.filter((name) => name.startsWith('xxx'));
    expect(long).toHaveLength(2);
    for (const name of long) expect(properties[name]?.description).toMatch(/^Filter x{80}\[(?:eq|prefix)\]$/);
  });

  it('keep a parameter of the path apart from the body', async () => {
    const [line] = await toolsOf('odd', { write: true, operations: ['things.line'] });
    expect(line?.inputSchema.required).toEqual(['id', 'body']);
  });

  it('require `if_match` where the api does', async () => {
    const [patch, remove] = await toolsOf('orders', { write: true, operations: ['customers.patch', 'customers.delete'] });
    expect(patch?.inputSchema.required).toEqual(['id', 'if_match', 'body']);
    expect(remove?.inputSchema.required).toEqual(['id', 'if_match']);
  });

  it('are described by the server: what it is, and how to page', async () => {
    const { client } = await connect(apis.orders, { write: true });
    expect(client.getServerVersion()).toEqual({ name: 'Shop', version: '1.0.0' });
    expect(client.getInstructions()).toBe(
      [
        'Orders of a shop, for whoever has a token.',
        'Lists come in pages: pass `page.next_cursor` as `after` until it is null.',
        'To write only if nobody has changed the record since you read it, pass its `revision` as `if_match`.',
      ].join('\n'),
    );
    const own = await connect(apis.orders, { name: 'shop', version: '2', instructions: 'Be brief.' });
    expect([own.client.getServerVersion(), own.client.getInstructions()]).toEqual([{ name: 'shop', version: '2' }, 'Be brief.']);
  });
});

describe('mcpServer', () => {
  it.each<[string, object, string]>([
    ['an unknown option', { operation: [] }, '`operation` is not an option of `mcpServer`; did you mean `operations`?'],
    [
      'an operation that is not served',
      { operations: ['orders.lst'] },
      'names `orders.lst`, which the api does not serve; did you mean `orders.list`?',
    ],
    [
      'an operation that writes without `write`',
      { operations: ['orders.create'] },
      '`orders.create` of `operations` of an MCP server writes: set `write: true`',
    ],
    ['headers that are none', { headers: 'x' }, '`headers` of `mcpServer` must be an object of headers'],
    ['an answer that is too small', { maxAnswer: 1 }, '`maxAnswer` of `mcpServer` must be a whole number of bytes, at least 1000'],
  ])('refuses %s', (_what, options, message) => {
    expect(() => mcpServer(apis.orders, options)).toThrow(ConfigurationError);
    expect(() => mcpServer(apis.orders, options)).toThrow(message);
  });
});

const legal = [
  ...[
    'type',
    'description',
    'default',
    'enum',
    'anyOf',
    'properties',
    'required',
    'items',
    'additionalProperties',
    'format',
    'minimum',
    'maximum',
  ],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
];

type Simple = Readonly<Record<string, unknown>>;

/** All schemas inside of one. */
function schemasIn(schema: Simple): Simple[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema;
  const inside = [...Object.values(properties as object), ...(anyOf as unknown[]), items, additionalProperties];
  return [schema, ...inside.filter((one) => one !== undefined).flatMap((one) => schemasIn(one as Simple))];
}
