import { cursorPaging, defineModel, openapiDocument, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { db } from '../fixtures.ts';
import { at, describeNote, every, Note, shared } from '../operations.ts';
import { schemaOf } from '../published.ts';

const parametersOf = (path: string, method = 'get'): Any[] => at(path, method).parameters;

/** The headers of every answer with records. */
const onRecords = ['Cache-Control', 'Vary', 'X-Content-Type-Options'];

/** Any text but one with a NUL character. */
const text = { type: 'string', pattern: '^[^\\x00]*$' };

describe('a list', () => {
  const names = parametersOf('/api/all').map(({ name }) => name);

  it('has a query parameter for each operator that a field allows, and another one for several texts', () => {
    expect(names.filter((name) => name.startsWith('text'))).toEqual(
      ['eq', 'ne', 'in', 'in][', 'nin', 'nin][', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix'].map((operator) => `text[${operator}]`),
    );
    expect(names.filter((name) => name.startsWith('flag'))).toEqual(['flag[eq]', 'flag[ne]', 'flag[in]', 'flag[nin]', 'flag[exists]']);
    expect(names.filter((name) => name.startsWith('objectId'))).toEqual(['objectId[in]']);
    expect(names.filter((name) => name.startsWith('any'))).toEqual(['any[exists]']);
    expect(names).toContain('place.city[eq]');
    expect(names.filter((name) => !name.includes('['))).toEqual([
      'filter',
      'near',
      'sort',
      'limit',
      'after',
      'before',
      'total',
      'distances',
    ]);
  });

  it('offers what its resource allows and nothing else', () => {
    expect(parametersOf('/api/guarded').map(({ name }) => name)).toEqual([
      'address.city[eq]',
      'filter',
      'sort',
      'limit',
      'after',
      'before',
    ]);
    expect(parametersOf('/api/prices').map(({ name }) => name)).toEqual(['limit', 'after', 'before', 'include']);
  });

  it.each<[string, object]>([
    ['text[eq]', text], // a field's limits do not count in a filter
    ['text[prefix]', { ...text, maxLength: 1000 }],
    ['text[exists]', { type: 'boolean' }],
    ['int[gte]', { type: 'integer', format: 'int64', minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }],
    ['int64[lt]', { type: 'integer', format: 'int64', minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }],
    ['float[gt]', { type: 'number' }],
    ['flag[eq]', { type: 'boolean' }],
    ['date[gt]', { type: 'string', format: 'date-time' }],
    ['status[ne]', { type: 'string', enum: ['open', 'paid', 'sent'] }],
    ['id[eq]', { type: 'string', format: 'uuid' }],
    ['tags[eq]', text],
  ])('types %s', (name, schema) => {
    expect(parametersOf('/api/all').find((one) => one.name === name).schema).toEqual(schema);
  });

  it('writes lists of values with commas', () => {
    expect(parametersOf('/api/all').find(({ name }) => name === 'status[in]')).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'string', enum: ['open', 'paid', 'sent'] }, maxItems: 500 },
    });
  });

  it('offers the word null where null can be meant', () => {
    const schemaOf = (wanted: string) => parametersOf('/api/all').find(({ name }) => name === wanted).schema;
    expect(schemaOf('choice[eq]')).toEqual({ type: 'string', enum: ['a', 'b', 'null'] });
    expect(schemaOf('choice[in]').items).toEqual({ type: 'string', enum: ['a', 'b', 'null'] });
    expect(schemaOf('choice[gt]')).toEqual({ type: 'string', enum: ['a', 'b'] });
    expect(schemaOf('code[eq]')).toEqual(text);
    const Dated = defineModel('Dated', { collection: 'dated', fields: { on: t.nullable(t.date(), { policy: { filter: ['eq'] } }) } });
    const shop = service();
    const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Dated })] }));
    expect((document.paths['/dated'] as Any).get.parameters[0].schema).toEqual({
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', enum: ['null'] },
      ],
    });
  });

  it('sorts by the sortable fields, either way', () => {
    const sort = parametersOf('/api/all').find(({ name }) => name === 'sort');
    expect(sort).toMatchObject({ style: 'form', explode: false, schema: { type: 'array', minItems: 1, uniqueItems: true } });
    expect(sort.schema.items.enum).toEqual(['id', '-id', 'text', '-text', 'int', '-int', 'date', '-date', 'createdAt', '-createdAt']);
  });

  it('answers with records, their page and a link', () => {
    const answer = at('/api/all', 'get').responses[200];
    expect(Object.keys(answer.headers)).toEqual(['Link', ...onRecords]);
    expect(answer.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/EverythingPage' });
    const { properties, required } = schemaOf(every, 'EverythingPage');
    expect(required).toEqual(['data', 'page']);
    expect(properties.data).toEqual({ type: 'array', items: { $ref: '#/components/schemas/EverythingRead' } });
    expect(properties.page).toMatchObject({
      properties: {
        size: { maximum: 50 },
        has_next: { type: 'boolean' },
        next_cursor: { type: ['string', 'null'] },
        total: { type: 'integer' },
      },
      required: ['size', 'has_next', 'next_cursor', 'prev_cursor'],
    });
    expect(schemaOf(every, 'GuardedPage').properties.page.properties).not.toHaveProperty('total');
  });

  it('has its default size', () => {
    const shop = service();
    const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Note, paging: cursorPaging({ max: 7 }) })] }));
    const limit = (document.paths['/notes'] as Any).get.parameters.find(({ name }: Any) => name === 'limit');
    expect(limit).toMatchObject({
      description: expect.stringMatching(/^Page size; above 7 it is 7\. /),
      schema: { type: 'integer', minimum: 1, default: 7 },
    });
  });

  it('can be 422 only where an integer can be filtered', () => {
    expect(at('/api/all', 'get').responses).toHaveProperty('422');
    expect(at('/api/guarded', 'get').responses).not.toHaveProperty('422');
  });
});

describe('the operations on one record', () => {
  it('take its id in the path', () => {
    expect((every.paths['/api/all/{id}'] as Any).parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'The id of the record.',
        schema: { type: 'string', format: 'uuid', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' },
      },
    ]);
    expect((every.paths['/api/prices/{id}'] as Any).parameters[0].schema).toEqual({ type: 'string', pattern: '^[0-9a-f]{24}$' });
  });

  it('take a string id in the path that they take in the body', () => {
    const Named = defineModel('Named', { collection: 'named', fields: { id: t.string({ maxLength: 20, policy: { insert: true } }) } });
    const shop = service();
    const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Named })] }));
    const { schema } = (document.paths['/named/{id}'] as Any).parameters[0];
    expect(schema).toMatchObject({ type: 'string', minLength: 1, maxLength: 20 });
    expect((document.components.schemas as Any).NamedCreate.properties.id).toEqual(schema);
    const fits = (id: string) => new RegExp(schema.pattern, 'u').test(id);
    expect(['', '.', '..', 'a\0', '\0', '.\0'].map(fits)).not.toContain(true);
    expect(['a', '...', '.a', '..a', '\n', '...\n', '😀'].map(fits)).not.toContain(false);
  });

  it('answer with the record and its entity tag', () => {
    for (const [method, status] of [
      ['get', 200],
      ['patch', 200],
      ['put', 200],
    ] as const) {
      const answer = at('/api/all/{id}', method).responses[status];
      expect(Object.keys(answer.headers)).toEqual(['ETag', ...onRecords]);
      expect(answer.content['application/json'].schema).toEqual({
        type: 'object',
        properties: { data: { $ref: '#/components/schemas/EverythingRead' } },
        required: ['data'],
      });
    }
  });

  it('do not say that they vary where their resource says so', () => {
    expect(Object.keys(describeNote('get', { vary: [] }).responses[200].headers)).toEqual(['Cache-Control', 'X-Content-Type-Options']);
  });

  it('have no entity tag without a revision, and no 304 then', () => {
    expect(Object.keys(describeNote('get', {}).responses[200].headers)).toEqual(onRecords);
    expect(describeNote('get', {}).responses).not.toHaveProperty('304');
    expect(describeNote('get', {}).parameters).toEqual([{ $ref: '#/components/parameters/IfStillMatch' }]);
  });

  it('take If-None-Match and If-Match, to read and to write', () => {
    expect(shared('parameters', parametersOf('/api/all/{id}')[0])).toMatchObject({
      name: 'If-None-Match',
      in: 'header',
      schema: { type: 'string' },
    });
    expect(shared('parameters', parametersOf('/api/all/{id}')[1])).toMatchObject({ name: 'If-Match', in: 'header' });
    const notModified = at('/api/all/{id}', 'get').responses[304];
    expect(Object.keys(notModified)).toEqual(['description', 'headers']);
    expect(Object.keys(notModified.headers)).toEqual(['ETag', ...onRecords]);
    for (const method of ['patch', 'put', 'delete']) {
      const [first, second] = parametersOf('/api/all/{id}', method);
      expect(shared('parameters', first)).toMatchObject({ name: 'If-Match', in: 'header', required: false });
      expect(shared('parameters', second)).toMatchObject({ name: 'If-None-Match', in: 'header' });
    }
  });

  it('require If-Match where the resource does, with 428', () => {
    for (const method of ['patch', 'put', 'delete']) {
      const [reference] = parametersOf('/api/guarded/{id}', method);
      expect(shared('parameters', reference)).toMatchObject({ name: 'If-Match', required: true });
      expect(at('/api/guarded/{id}', method).responses).toHaveProperty('428');
    }
    expect(at('/api/all/{id}', 'patch').responses).not.toHaveProperty('428');
  });

  it('writes to many records with the filters of the list, and a limit', () => {
    const filters = parametersOf('/api/all').filter(({ name }) => name.includes('['));
    for (const method of ['patch', 'delete']) {
      const parameters = parametersOf('/api/all', method);
      expect(parameters.slice(0, -1)).toEqual(filters);
      expect(parameters.at(-1)).toMatchObject({
        name: 'max_affected',
        schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
      });
      const { responses, operationId } = at('/api/all', method);
      expect(operationId).toBe(`${method}ManyAll`);
      const { data } = responses[200].content['application/json'].schema.properties;
      expect([Object.keys(data.properties), data.required]).toEqual([
        ['matched', 'modified'],
        ['matched', 'modified'],
      ]);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '422', '501', '503', '504']));
    }
    expect(at('/api/all', 'patch').requestBody).toEqual(at('/api/all/{id}', 'patch').requestBody);
    expect(at('/api/all', 'delete')).not.toHaveProperty('requestBody');
  });

  it('delete without an answer', () => {
    const { headers, ...rest } = at('/api/all/{id}', 'delete').responses[204];
    expect(rest).toEqual({ description: 'The record is deleted.' });
    expect(Object.keys(headers)).toEqual(['X-Content-Type-Options']);
  });
});

describe('a create', () => {
  it('takes its schema and answers with Location and ETag', () => {
    const { requestBody, responses } = at('/api/all', 'post');
    expect(requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/EverythingCreate' } } },
    });
    expect(Object.keys(responses[201].headers)).toEqual(['Location', 'ETag', ...onRecords]);
  });

  it('takes If-None-Match, and can be 412, where clients choose ids', () => {
    const shop = service();
    const Named = defineModel('Named', { collection: 'named', fields: { id: t.string({ policy: { insert: true } }) } });
    const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Named })] }));
    const { parameters, responses } = (document.paths['/named'] as Any).post;
    expect(parameters).toEqual([{ $ref: '#/components/parameters/IfFree' }]);
    expect(responses).toHaveProperty('412');
    expect(at('/api/prices', 'post')).not.toHaveProperty('parameters');
    expect(at('/api/prices', 'post').responses).not.toHaveProperty('412');
  });
});

describe('security', () => {
  const schemes = { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, key: { type: 'apiKey', in: 'header', name: 'x-key' } } };
  const documentOf = (options: object, authenticated = true) => {
    const shop = authenticated ? service({ authenticate: () => 'ann' }) : service();
    return openapiDocument(shop.api({ db, resources: [], ...options }));
  };

  it('is any of the schemes by itself, unless the api says otherwise', () => {
    expect(documentOf(schemes).security).toEqual([{ bearer: [] }, { key: [] }]);
    expect(documentOf({ ...schemes, security: [{ bearer: [], key: [] }] }).security).toEqual([{ bearer: [], key: [] }]);
    expect(documentOf(schemes).components.securitySchemes).toEqual(schemes.securitySchemes);
  });

  it('is none for an api that does not authenticate, and not known where nobody told it', () => {
    expect(documentOf({}, false).security).toEqual([]);
    expect(documentOf({})).not.toHaveProperty('security');
  });

  it('may be left out where neither a guard nor a scope asks who is calling', () => {
    expect(describeNote('get', {}, schemes, true).security).toEqual([{ bearer: [] }, { key: [] }, {}]);
    expect(describeNote('get', { guards: [() => true] }, schemes, true)).not.toHaveProperty('security');
    expect(describeNote('get', { scope: () => ({ text: 'a' }) }, schemes, true)).not.toHaveProperty('security');
  });

  it('is none for the description itself', () => {
    expect(at('/api/openapi.json', 'get').security).toEqual([]);
    expect(Object.keys(at('/api/openapi.json', 'get').responses)).toEqual(['200', '304', '405', '503']);
  });
});
