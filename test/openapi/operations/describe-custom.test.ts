import { ConfigurationError, defineModel, jsonBody, openapiDocument, type Service, service, t, toJsonSchema } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { db, Everything, Guarded } from '../fixtures.ts';
import { compileSchema } from '../published.ts';

const Address = t.object('Address', { city: t.string(), checkedBy: t.optional(t.string({ policy: { private: true } })) });
const Order = defineModel('Order', { collection: 'orders', fields: { id: t.uuid(), shipTo: Address, revision: t.revision() } });
const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });

function document(make: (shop: Service<never>) => unknown, options: object = {}) {
  const shop = service();
  return openapiDocument(shop.api({ db, prefix: '/api', resources: [make(shop) as never], ...options }));
}

const handler = () => undefined;

/** A schema with those that it refers to in their places. */
function inPlace(part: unknown, components: Any): unknown {
  if (Array.isArray(part)) return part.map((one) => inPlace(one, components));
  if (typeof part !== 'object' || part === null) return typeof part === 'bigint' ? Number(part) : part;
  if ('$ref' in part) return inPlace(components.schemas[String(part.$ref).split('/').at(-1) as string], components);
  const { anyOf, ...schema } = part as Any;
  const nullable =
    anyOf?.length === 2 && anyOf[1].type === 'null'
      ? { ...(inPlace(anyOf[0], components) as object), type: ['object', 'null'] }
      : { ...(anyOf && { anyOf }) };
  return { ...nullable, ...Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, inPlace(one, components)])) };
}
const SendOrder = t.object('SendOrder', { carrier: t.string({ minLength: 2 }), on: t.optional(t.date()), to: t.nullable(Address) });
const described = document((shop) =>
  shop.resource({
    model: Order,
    guardsFor: { send: [() => true] },
    operations: {
      send: { summary: 'Mark the order as sent', use: [jsonBody({ schema: SendOrder })], answer: 'record', handler },
      'mark-read': { handler },
      look: { method: 'GET', answer: 'record', handler },
      total: {
        method: 'GET',
        path: '/:id/total',
        answer: t.object('Total', { sum: t.decimal(), secret: t.string({ policy: { private: true } }) }),
        handler,
      },
      overdue: { method: 'GET', path: '/overdue', answer: t.array(t.string()), handler },
      clear: { method: 'DELETE', path: '/', answer: 'none', handler },
      line: { method: 'PUT', path: '/:id/lines/:line', use: [jsonBody()], handler },
      replace: { method: 'PUT', path: '/:id', handler },
    },
  }),
);
const at = (path: string, method: string): Any => (described.paths[path] as Any)[method];

/** The headers of every answer of a custom operation. */
const onRecords = ['Cache-Control', 'Vary', 'X-Content-Type-Options'];

describe('a custom operation in the description', () => {
  it('has its path, its name, its summary and the tag of its resource', () => {
    expect(at('/api/orders/{id}/send', 'post')).toMatchObject({
      operationId: 'sendOrder',
      summary: 'Mark the order as sent',
      description: 'Mark the order as sent',
      tags: ['orders'],
    });
    expect(at('/api/orders/{id}/mark-read', 'post')).toMatchObject({ operationId: 'markReadOrder', summary: 'mark-read' });
    expect((described.paths['/api/orders/{id}/send'] as Any).parameters).toEqual([
      expect.objectContaining({ name: 'id', schema: expect.objectContaining({ type: 'string', format: 'uuid' }) }),
    ]);
    expect((described.paths['/api/orders/{id}/lines/{line}'] as Any).parameters.map(({ name }: Any) => name)).toEqual(['id', 'line']);
    expect(described.paths['/api/orders/overdue']).not.toHaveProperty('parameters');
  });

  it('shares a path with standard operations', () => {
    expect(Object.keys(described.paths['/api/orders'] as object)).toEqual(['get', 'post', 'delete']);
    expect(Object.keys(described.paths['/api/orders/{id}'] as object)).toEqual(['parameters', 'get', 'patch', 'delete', 'put']);
  });

  it('has the schema of its body where that is known, and any object where there is one', () => {
    const { required, content } = at('/api/orders/{id}/send', 'post').requestBody;
    const { schema } = content['application/json'];
    expect(required).toBe(true);
    expect(schema).toMatchObject({ title: 'SendOrder', type: 'object', required: ['carrier'], additionalProperties: false });
    const fits = compileSchema(described, schema);
    expect([
      fits({ carrier: 'DHL', to: { city: 'Rom' } }),
      fits({ carrier: 'D' }),
      fits({ carrier: 'DHL', to: { city: 'Rom', checkedBy: 'x' } }),
    ]).toEqual([true, false, false]);
    expect(at('/api/orders/{id}/lines/{line}', 'put').requestBody.content['application/json'].schema).toEqual({ type: 'object' });
    for (const [path, method] of [
      ['/api/orders/{id}/mark-read', 'post'],
      ['/api/orders', 'delete'],
    ] as const)
      expect(at(path, method)).not.toHaveProperty('requestBody');
  });

  it('has the answer that it was said to have', () => {
    const answers = (path: string, method: string): Any => at(path, method).responses;
    const schemaOf = (path: string, method: string): Any => answers(path, method)[200].content['application/json'].schema;
    expect(schemaOf('/api/orders/{id}/send', 'post').properties.data).toEqual({ $ref: '#/components/schemas/OrderRead' });
    expect(Object.keys(answers('/api/orders/{id}/send', 'post')[200].headers)).toEqual(['ETag', ...onRecords]);
    expect(answers('/api/orders/{id}/send', 'post')).not.toHaveProperty('204');
    expect(answers('/api/orders/{id}/look', 'get')).toHaveProperty('304');
    expect(schemaOf('/api/orders/overdue', 'get')).toMatchObject({
      properties: { data: { type: 'array', items: { type: 'string' } } },
      required: ['data'],
    });
    expect(described.components.schemas?.Total).toMatchObject({ properties: { sum: { type: 'string' } } });
    expect(JSON.stringify(described.components.schemas?.Total)).not.toContain('secret');
    expect(Object.keys(answers('/api/orders', 'delete'))).toEqual(['204', '400', '405', '409', '500', '503']);
  });

  it('may have any answer where nothing was said', () => {
    const { responses } = at('/api/orders/{id}/mark-read', 'post');
    expect(responses[200].content['application/json'].schema).toEqual({ type: 'object', properties: { data: {} }, required: ['data'] });
    expect(responses[200].headers.ETag).not.toHaveProperty('required');
    expect(responses).toHaveProperty('204');
  });

  it('has the problems of what it does', () => {
    const statuses = (path: string, method: string) => Object.keys(at(path, method).responses).map(Number);
    expect(statuses('/api/orders/{id}/send', 'post')).toEqual([200, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 500, 503, 504]);
    expect(statuses('/api/orders/{id}/look', 'get')).toEqual([200, 304, 400, 404, 405, 412, 500, 503, 504]);
    expect(statuses('/api/orders/overdue', 'get')).toEqual([200, 400, 405, 500, 503]);
  });

  it('takes preconditions where it is about a record, and must have it where the resource says so', () => {
    const onWrites = ['IfMatch', 'UnlessMatch'].map((name) => ({ $ref: `#/components/parameters/${name}` }));
    expect(at('/api/orders/{id}/send', 'post').parameters).toEqual(onWrites);
    const [ifNoneMatch, ifStillMatch] = ['IfNoneMatch', 'IfStillMatch'].map((name) => ({ $ref: `#/components/parameters/${name}` }));
    expect(at('/api/orders/{id}/look', 'get').parameters).toEqual([ifNoneMatch, ifStillMatch]);
    expect(at('/api/orders/{id}/total', 'get').parameters).toEqual([ifStillMatch]);
    for (const [path, method] of [
      ['/api/orders/overdue', 'get'],
      ['/api/orders', 'delete'],
    ] as const) {
      expect(at(path, method)).not.toHaveProperty('parameters');
    }
    const careful = document((shop) =>
      shop.resource({ model: Note, ops: [], preconditionRequired: true, operations: { touch: { answer: 'record', handler } } }),
    );
    const operation = (careful.paths['/api/notes/{id}/touch'] as Any).post;
    expect(operation.parameters[0]).toEqual({ $ref: '#/components/parameters/IfMatchRequired' });
    expect(operation.responses).toHaveProperty('428');
    expect(Object.keys(operation.responses[200].headers)).toEqual(onRecords);
    expect(Object.keys(careful.components.schemas ?? {})).toEqual(['NoteRead', 'Problem']);
  });

  it('asks for credentials by the guards of its own', () => {
    const shop = document(
      (one) => one.resource({ model: Note, guardsFor: { close: [() => true] }, operations: { close: { handler }, open: { handler } } }),
      { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'authorization' } } },
    );
    expect((shop.paths['/api/notes/{id}/close'] as Any).post).not.toHaveProperty('security');
    expect((shop.paths['/api/notes/{id}/open'] as Any).post.security).toEqual([{ key: [] }, {}]);
  });

  it('has a name of its own, even one that every object has', () => {
    const names = ['constructor', 'toString'];
    const { paths } = document((shop) =>
      shop.resource({ model: Note, operations: Object.fromEntries(names.map((name) => [name, { use: [jsonBody()], handler }])) }),
    );
    for (const name of names) {
      const { requestBody, responses } = (paths[`/api/notes/{id}/${name}`] as Any).post;
      expect(requestBody.content['application/json'].schema).toEqual({ type: 'object' });
      expect(responses[200].content['application/json'].schema).toMatchObject({ properties: { data: {} } });
    }
  });

  it.each([
    ['every builder', Everything],
    ['every policy', Guarded],
  ])('describes what is read of a model by the schema of it: %s', (_name, given) => {
    const model = given as unknown as typeof Note;
    const answer = t.array(t.from(toJsonSchema(model, 'read')));
    const found = { method: 'GET', path: '/found', answer, handler: () => [] } as const;
    const { components, paths } = document((shop) => shop.resource({ model, path: 'things', ops: ['get'], operations: { found } }));
    const { data } = (paths['/api/things/found'] as Any).get.responses[200].content['application/json'].schema.properties;
    expect(data).toEqual({ type: 'array', items: { $ref: `#/components/schemas/${model.name}` } });
    expect(inPlace(data.items, components)).toEqual(inPlace({ $ref: `#/components/schemas/${model.name}Read` }, components));
  });

  it('refuses an answer that is none', () => {
    const make = (answer: unknown) => () =>
      document((shop) => shop.resource({ model: Note, operations: { a: { handler, answer: answer as 'none' } } }));
    expect(make('recrods')).toThrow(ConfigurationError);
    expect(make('recrods')).toThrow(
      "`answer` of `operations.a` of resource `notes` must be 'record', 'records', 'page', 'none', or the schema of `data`.",
    );
    expect(make({ type: 'string', minLenght: 1 })).toThrow('`minLenght` of `answer.data`');
  });
});
