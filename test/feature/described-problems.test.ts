import { MongoClient } from 'mongodb';
import {
  cursorPaging,
  defineModel,
  findPage,
  listQuery,
  openapiDocument,
  page,
  type Resource,
  type Service,
  service,
  t,
} from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), more: t.string({ default: '' }) },
});
const database = useDatabase();
const never = () => new Promise<never>(() => {});
const nowhere = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 50 });
const away = nowhere.db();
afterAll(() => nowhere.close());

/** The codes that the description of an operation names. */
function codesOf(resource: (shop: Service<never>) => Resource<never>, path: string, method: string, options: object = {}): string[] {
  const shop = service();
  const { paths, components } = openapiDocument(shop.api({ db: away, resources: [resource(shop)], ...options }));
  const references = Object.values((paths[path] as Any)[method].responses).flatMap(({ $ref }: Any) => $ref ?? []);
  return references.flatMap((reference) => {
    const response: Any = components.responses?.[reference.split('/').at(-1)];
    return Object.keys(response.content['application/problem+json'].examples);
  });
}

describe('what a middleware carries', () => {
  const count = Object.assign(async (_ctx: unknown, next: () => Promise<unknown>) => void (await next()), {
    problems: ['overloaded'] as const,
  });
  const plain = async (_ctx: unknown, next: () => Promise<unknown>) => void (await next());
  const withUse = (use: readonly Any[], method: 'GET' | 'POST' = 'GET') =>
    codesOf(
      (shop) => shop.resource({ model: Doc, operations: { tell: { method, path: '/tell', use, handler: () => 1 } } }),
      '/docs/tell',
      method.toLowerCase(),
    );

  it('is in the description of the operations that have it in `use`', () => {
    expect(withUse([plain])).not.toContain('overloaded');
    expect(withUse([count])).toEqual([...withUse([plain]).filter((code) => code !== 'request_given_up'), 'overloaded', 'request_given_up']);
  });

  it('is there for the middlewares of the library, too', () => {
    const list = [listQuery(Doc, cursorPaging()), findPage(Doc, { db: away }), page()];
    const added = withUse(list).filter((code) => !withUse([plain]).includes(code));
    expect(added).toEqual(['invalid_query', 'invalid_cursor', 'database_unavailable', 'database_timeout']);
  });

  it('is there for a guard, in every operation that asks it', () => {
    const guard = Object.assign(() => true, { problems: (method: string) => (method === 'GET' ? [] : (['body_timeout'] as const)) });
    const guarded = (shop: Service<never>) => shop.resource({ model: Doc, guards: [guard] });
    expect(codesOf(guarded, '/docs/{id}', 'delete')).toContain('body_timeout');
    expect(codesOf(guarded, '/docs/{id}', 'get')).not.toContain('body_timeout');
  });

  it.each<[string, object, string]>([
    [
      'a guard',
      { guards: [Object.assign(() => true, { problems: ['overlaoded'] })] },
      '`overlaoded` is not a code of a problem of the library, in `problems` of a guard of resource `docs`; did you mean `overloaded`?',
    ],
    [
      'a guard',
      { guardsFor: { get: [Object.assign(() => true, { problems: 'forbidden' })] } },
      '`problems` of a guard of resource `docs` must be an array of codes.',
    ],
    [
      'a middleware',
      { operations: { tell: { use: [Object.assign(() => undefined, { problems: ['teapot'] })] } } },
      '`teapot` is not a code of a problem of the library, in `problems` of a middleware in `use` of `operations.tell`',
    ],
  ])('must be codes of the library: %s', (_what, options, message) => {
    const shop = service();
    expect(() => shop.api({ db: away, resources: [shop.resource({ model: Doc, ...options })] })).toThrow(message);
  });
});

describe('the description', () => {
  const handled = (handler: (ctx: Any) => unknown, path: `/${string}`) => ({ method: 'POST' as const, path, handler });
  const api = useApi(
    database,
    (shop) => [
      shop.resource({
        model: Doc,
        operations: {
          grow: handled(async (ctx) => {
            const doc = await ctx.load();
            doc.more = 'x'.repeat(10_000_000);
            return ctx.save(doc);
          }, '/:id/grow'),
          count: handled(() => away.collection('docs').findOne(), '/count'),
        },
      }),
    ],
    { requestTimeout: 2000, openapi: { guards: [never] } },
  );

  it('says that a record can become too large when a handler saves it', async () => {
    await database.db.collection<Any>('docs').insertOne({ _id: 'a', text: 'x'.repeat(10_000_000), more: '' });
    const { status, body } = await api.request('POST', '/api/docs/a/grow');
    expect([status, body.code]).toEqual([413, 'body_too_large']);
  });

  it('does not promise 503 for commands of a handler', async () => {
    expect((await api.request('POST', '/api/docs/count')).status).toBe(500);
  });

  it('says of itself that its guards may take too long', async () => {
    const { status, body } = await api.request('GET', '/api/openapi.json');
    expect([status, body.code]).toEqual([503, 'request_given_up']);
  });
});
