import { type Context, defineModel, openapiDocument, Problem, service, t, typedQuery } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { db } from '../fixtures.ts';
import { compileSchema } from '../published.ts';

const Order = defineModel('Order', { collection: 'orders', fields: { text: t.string(), revision: t.revision() } });
const query = {
  q: t.string({ minLength: 1, description: 'What to look for.', examples: ['milk'] }),
  all: t.array(t.int()),
  code: t.optional(t.string({ pattern: '^[A-Z]', deprecated: true })),
  limit: t.int({ minimum: 1, maximum: 50, default: 20 }),
  big: t.int64({ default: 9007199254740993n }),
  at: t.date({ default: () => new Date() }),
  since: t.date({ default: '2026-01-01T00:00:00Z' as never }),
  least: t.optional(t.decimal({ minimum: 0 })),
  place: t.optional(t.enum(['Rome', 'Washington, D.C.'])),
  places: t.optional(t.array(t.enum(['Rome', 'Washington, D.C.']))),
  tags: t.array(t.string({ maxLength: 3 }), { uniqueItems: true, default: ['a'] }),
  few: t.optional(t.array(t.int(), { minItems: 1, maxItems: 2 })),
};
const shop = service();
const document = openapiDocument(
  shop.api({
    db,
    maxFilterValues: 7,
    resources: [
      shop.resource({
        model: Order,
        ops: [],
        operations: {
          search: { method: 'GET', path: '/search', query, answer: 'records', handler: async () => [] },
          page: { path: '/page', status: 202, answer: 'page', handler: async () => ({ records: [] }) },
        },
      }),
    ],
  }),
);
const search = (document.paths['/orders/search'] as Any).get;
const parameter = (name: string): Any => search.parameters.find((one: Any) => one.name === name);

describe('the query of an operation in the description', () => {
  it('has a parameter for each field, with what is required and what it is by default', () => {
    expect(search.parameters.map(({ name, required = false }: Any) => [name, required])).toEqual([
      ['q', true],
      ['all', true],
      ...['code', 'limit', 'big', 'at', 'since', 'least', 'place', 'places[]', 'tags', 'tags[]', 'few'].map((name) => [name, false]),
    ]);
    expect(parameter('q')).toEqual({
      name: 'q',
      in: 'query',
      description: 'What to look for.',
      required: true,
      schema: { type: 'string', minLength: 1, pattern: '^[^\\x00]*$', examples: ['milk'] },
    });
    expect(parameter('code')).toMatchObject({ deprecated: true, schema: { allOf: [{ pattern: '^[A-Z]' }, { pattern: '^[^\\x00]*$' }] } });
    const defaults = ['limit', 'big', 'at', 'since', 'tags'].map((name) => parameter(name).schema.default);
    expect(defaults).toEqual([20, 9007199254740993n, undefined, '2026-01-01T00:00:00.000Z', ['a']]);
  });

  it('separates the items of arrays by commas', () => {
    expect(parameter('tags')).toMatchObject({ style: 'form', explode: false, schema: { maxItems: 7, uniqueItems: true } });
    expect(parameter('tags').schema.items).toEqual({ type: 'string', maxLength: 3, pattern: '^[^\\x00,]*$' });
    expect(parameter('few').schema).toMatchObject({ minItems: 1, maxItems: 2 });
  });

  it('offers a parameter for each item that may have a comma', () => {
    expect(parameter('tags[]')).toMatchObject({ style: 'form', explode: true, schema: { maxItems: 7, uniqueItems: true } });
    expect(parameter('tags[]').schema.items).toEqual({ type: 'string', maxLength: 3, pattern: '^[^\\x00]*$' });
    expect(parameter('places[]').schema.items).toEqual({ type: 'string', enum: ['Rome', 'Washington, D.C.'] });
  });

  it('has the problems of a query string, and those of too many records', () => {
    expect(Object.keys(search.responses)).toEqual(['200', '400', '405', '500', '503']);
    expect(JSON.stringify(search.responses[400])).toContain('InvalidQuery');
  });

  it.each<[string, boolean, unknown]>([
    ['q', true, 'milk'],
    ['q', false, ''],
    ['q', false, 'a\0'],
    ['code', true, 'A\n'],
    ['code', false, 'a'],
    ['code', false, 'A\0'],
    ['limit', true, 50],
    ['limit', false, 51],
    ['limit', false, 1.5],
    ['least', true, '1e3'],
    ['least', false, 'x'],
    ['since', false, 'yesterday'],
    ['place', true, 'Washington, D.C.'],
    ['tags', true, ['a', 'b']],
    ['tags', false, ['a', 'a']],
    ['tags', false, ['abcd']],
    ['tags', false, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    ['few', false, []],
    ['few', true, [1, 2]],
    ['few', false, [1, 2, 3]],
    ['places[]', true, ['Rome', 'Rome', 'Washington, D.C.']],
    ['places[]', false, ['Washington']],
    ['tags[]', true, ['a,b', 'a']],
    ['tags[]', false, ['a', 'a']],
  ])('agrees with the code that reads it: %s, %j, %j', async (name, accepted, value) => {
    const texts = [value].flat();
    const own = (name.endsWith('[]') ? texts : [texts.join(',')]).map((text): [string, string] => [name, String(text)]);
    const sent = new URLSearchParams([...own, ['all', '1'], ...(name === 'q' ? [] : [['q', 'x'] as [string, string]])]);
    const context = { querystring: String(sent) } as Context;
    const read = async () => typedQuery(query, { maxItems: 7 })(context, async () => {});
    const taken = await read().then(
      () => true,
      (error: unknown) => {
        if (error instanceof Problem && error.code === 'invalid_query') return false;
        throw error;
      },
    );
    expect([compileSchema(document, parameter(name).schema)(value), taken]).toEqual([accepted, accepted]);
  });
});

describe('records in the description of an answer', () => {
  const schemaOf = (operation: Any, status: number) => operation.responses[status].content['application/json'].schema;

  it('are those of the model, without an ETag', () => {
    expect(schemaOf(search, 200)).toEqual({
      type: 'object',
      properties: { data: { type: 'array', items: { $ref: '#/components/schemas/OrderRead' } } },
      required: ['data'],
    });
    expect(Object.keys(search.responses[200].headers)).not.toContain('ETag');
  });

  it('have a page with the members that an operation can answer', () => {
    const operation = (document.paths['/orders/page'] as Any).post;
    const fits = compileSchema(document, schemaOf(operation, 202));
    const page = { size: 0, has_next: false, next_cursor: null };
    expect(operation.responses[202].headers).not.toHaveProperty('Location');
    expect([
      fits({ data: [], page }),
      fits({ data: [], page: { ...page, total: 3 } }),
      fits({ data: [] }),
      fits({ data: [{}], page }),
    ]).toEqual([true, true, false, false]);
  });
});
