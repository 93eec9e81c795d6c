import { problemCodes } from '../../src/errors.ts';
import { parseJson, stringifyJson } from '../../src/http/json.ts';
import { defineModel, type OpenapiDocument, openapiDocument, openapiText, service, t } from '../../src/index.ts';
import { rules } from '../../src/rules.ts';
import type { Any } from '../support/any.ts';
import { referencesOf, walk } from './documents.ts';
import { everyApi } from './every-api.ts';
import { db } from './fixtures.ts';
import { compileNamed } from './published.ts';

const every = openapiDocument(everyApi());

describe('the document', () => {
  it('is OpenAPI 3.1.0 and says of the api what the api said', () => {
    expect(every.openapi).toBe('3.1.0');
    expect(every.info).toEqual({
      title: 'Shop',
      version: '2.1.0',
      description: 'Everything at once.',
      contact: { name: 'Ann', email: 'ann@example.org' },
      license: { name: 'MIT', identifier: 'MIT' },
    });
  });

  it('has a title and a version though none were given', () => {
    const { info } = openapiDocument(service().api({ db, resources: [] }));
    expect(info).toEqual({ title: 'API', version: '1.0.0' });
  });

  it('has every path under the prefix, and the server where the app is mounted', () => {
    expect(every.servers).toEqual([{ url: '/' }]);
    expect(Object.keys(every.paths)).toEqual([
      '/api/all',
      '/api/all/query',
      '/api/all/{id}',
      '/api/guarded',
      '/api/guarded/query',
      '/api/guarded/{id}',
      '/api/old-guarded',
      '/api/old-guarded/query',
      '/api/old-guarded/{id}',
      '/api/prices',
      '/api/prices/query',
      '/api/prices/{id}',
      '/api/prices/{id}/visits',
      '/api/prices/{id}/visits/query',
      '/api/visits',
      '/api/visits/query',
      '/api/visits/{id}',
      '/api/visits/{id}/look',
      '/api/visits/{id}/remark',
      '/api/visits/hours',
      '/api/openapi.json',
    ]);
  });

  it('has a tag with a description for every resource', () => {
    expect(every.tags).toEqual([
      { name: 'all', description: 'All there is.' },
      { name: 'guarded', description: 'Records of Guarded.' },
      { name: 'old-guarded', description: 'Records of Guarded.' },
      { name: 'prices', description: 'Records of Price.' },
      { name: 'visits', description: 'Records of Visit.' },
      { name: 'openapi.json', description: 'The description of the api.' },
    ]);
  });

  it('names its operations after what they do', () => {
    const ids = [...walk(every.paths)].flatMap(({ part }) => (typeof part.operationId === 'string' ? [part.operationId] : []));
    expect(ids).toEqual(
      expect.arrayContaining(['listAll', 'getEverything', 'createEverything', 'putEverything', 'deleteEverything', 'getOpenapiDocument']),
    );
  });

  it('tells the operations of resources over one model apart', () => {
    const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });
    const shop = service();
    const resources = [
      shop.resource({ model: Note, ops: ['get'] }),
      shop.resource({ model: Note, path: 'a-b', ops: ['list'] }),
      shop.resource({ model: Note, path: 'a_b', ops: ['list'] }),
    ];
    const text = openapiText(shop.api({ db, resources }));
    for (const id of ['getNoteNotes', 'listAB', 'listAB2']) expect(text).toContain(`"operationId":"${id}"`);
  });

  it('shows nothing private anywhere, write-only fields included', () => {
    expect(openapiText(everyApi())).not.toMatch(/secret/i);
  });

  it('is made anew each time, from an api that stays as it is', () => {
    const api = everyApi();
    const first = openapiDocument(api) as { tags: unknown };
    first.tags = 'changed';
    expect(openapiDocument(api)).toEqual(every);
  });

  it('is there though the api does not serve it, and is then no part of itself', () => {
    const document = openapiDocument(service().api({ db, resources: [], openapi: false }));
    expect(document).toEqual({
      openapi: '3.1.0',
      info: { title: 'API', version: '1.0.0' },
      servers: [{ url: '/' }],
      security: [],
      tags: [],
      paths: {},
      components: {},
    });
  });
});

describe('the text of the document', () => {
  it('has every digit of 64-bit bounds', () => {
    const text = openapiText(everyApi());
    expect(text).toContain('"minimum":-9223372036854775808,"maximum":9223372036854775807');
    expect(text).toContain('"maximum":9223372036854775806');
    expect(parseJson(text, { maxDepth: 100 })).toEqual(parseJson(stringifyJson(every), { maxDepth: 100 }));
  });
});

describe('problems', () => {
  const fits = compileNamed(every, 'Problem');

  it('have one schema, with every code and every rule, and room for those of an application', () => {
    const schema = every.components.schemas?.Problem as Any;
    expect(schema.required).toEqual(['type', 'title', 'status']);
    expect(schema.properties.code.anyOf[0]).toEqual({ type: 'string', enum: Object.keys(problemCodes) });
    const { items } = schema.properties.errors;
    expect(items.required).toEqual(['field', 'message', 'rule']);
    expect(items.properties.rule.anyOf[0]).toEqual({ type: 'string', enum: Object.keys(rules) });
    const problem = { type: 'urn:problem:app:taken', title: 'Taken', status: 409, code: 'taken' };
    expect(fits({ ...problem, errors: [{ field: 'a', message: 'is odd', rule: 'odd', params: { by: 1 } }] })).toBe(true);
    expect(fits({ ...problem, errors: [{ field: 'a', message: 'is odd' }] })).toBe(false);
  });

  it('have examples that fit it, by their codes', () => {
    const responses = Object.values(every.components.responses ?? {}) as {
      content: Record<string, { examples: Record<string, { value: unknown }> }>;
    }[];
    const examples = responses.flatMap(({ content }) => Object.entries(content['application/problem+json']?.examples ?? {}));
    expect(new Set(examples.map(([code]) => code)).size).toBeGreaterThan(15);
    for (const [code, { value }] of examples) {
      expect([code, fits(value)]).toEqual([code, true]);
      expect(value).toMatchObject({ status: problemCodes[code as keyof typeof problemCodes].status });
    }
  });

  it('of a bug say nothing but type, title and status', () => {
    const bug = every.components.responses?.Internal as { content: Record<string, { examples: { internal: unknown } }> };
    expect(bug.content['application/problem+json']?.examples.internal).toEqual({
      value: { type: 'about:blank', title: 'Internal Server Error', status: 500 },
    });
  });
});

describe('the problems of the app above the api', () => {
  it('are in every operation, with batches and the description itself', () => {
    const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string(), revision: t.revision() } });
    const resources = [service().resource({ model: Doc, operations: { ping: { method: 'GET', path: '/ping', handler: () => 'pong' } } })];
    const describeWith = (options: object) => openapiDocument(service().api({ db, resources, batch: true, ...options } as never));
    const statuses = ({ paths }: OpenapiDocument) =>
      Object.values(paths).flatMap((item) =>
        Object.entries(item).flatMap(([method, operation]) =>
          ['parameters', 'summary'].includes(method) ? [] : [Object.keys((operation as Any).responses).includes('429')],
        ),
      );
    const all = statuses(describeWith({ problems: ['too_many_requests'] }));
    expect([all.length, new Set(all)]).toEqual([9, new Set([true])]);
    expect(new Set(statuses(describeWith({})))).toEqual(new Set([false]));
    expect(describeWith({ problems: ['too_many_requests'] }).components.responses?.TooManyRequests).toMatchObject({
      headers: { 'Retry-After': {} },
    });
  });
});

describe('the id of a request in the description', () => {
  const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string(), revision: t.revision() } });
  const describeWith = (options: object) =>
    openapiDocument(service().api({ db, resources: [service().resource({ model: Doc })], ...options } as never));
  const responsesOf = (document: OpenapiDocument): Any[] => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const own = operations.flatMap((operation) => Object.values((operation as { responses?: object }).responses ?? {}));
    return [...own.filter((response) => !('$ref' in response)), ...Object.values(document.components.responses ?? {})];
  };

  it.each([{ requestIds: true }, { observe: () => undefined }])('is a header of every response: %o', (options) => {
    const document = describeWith(options);
    const responses = responsesOf(document);
    expect(responses.length).toBeGreaterThan(10);
    for (const { headers } of responses) expect(headers).toHaveProperty('X-Request-Id', { $ref: '#/components/headers/X-Request-Id' });
    expect(document.components.headers).toHaveProperty('X-Request-Id');
    expect(referencesOf(document)).toContain('#/components/headers/X-Request-Id');
  });

  it.each([{}, { observe: () => undefined, requestIds: false }])('is not there where there is none: %o', (options) => {
    const document = describeWith(options);
    for (const { headers = {} } of responsesOf(document)) expect(headers).not.toHaveProperty('X-Request-Id');
    expect(document.components.headers).not.toHaveProperty('X-Request-Id');
  });
});
