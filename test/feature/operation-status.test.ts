import { ConfigurationError, defineModel, jsonBody, openapiDocument, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});
const Other = defineModel('Other', { collection: 'others', fields: { id: t.string() } });
const Note = t.object('Note', { text: t.string() });

const order: string[] = [];
const loads = async (ctx: Any, next: Any) => {
  order.push(`${ctx.params.id} ${(await ctx.load()).text}`);
  await next();
};
const database = useDatabase();
const define = () =>
  service().resource({
    model: Doc,
    ops: ['get', 'create'],
    operations: {
      copy: { status: 201, answer: 'record', handler: (ctx) => ctx.load() },
      place: { path: '/', method: 'PUT', status: 201, handler: () => ({ placed: true }) },
      deep: { path: '/:id/parts/:part', status: 201, handler: (ctx) => ctx.load() },
      queue: { status: 202, answer: 'none', handler: () => undefined },
      typed: {
        status: 202,
        answer: 'none',
        handler(ctx) {
          ctx.type = 'json';
        },
      },
      job: { status: 202, answer: t.object('Job', { job: t.int() }), handler: () => ({ job: 1 }) },
      own: {
        status: 202,
        handler(ctx) {
          ctx.status = 203;
          return { own: true };
        },
      },
      moved: {
        status: 201,
        handler(ctx) {
          ctx.set('Location', '/elsewhere');
          return ctx.load();
        },
      },
      note: { use: [jsonBody({ optional: true, schema: Note })], handler: (ctx) => ({ text: ctx.request.body?.text ?? 'none' }) },
      any: { use: [jsonBody({ optional: true })], handler: (ctx) => ({ body: ctx.request.body ?? 'none' }) },
      early: { use: [loads], handler: () => ({ done: true }) },
      late: { use: [jsonBody({ schema: Note }), loads], handler: () => ({ done: true }) },
      change: {
        use: [
          async (ctx, next) => {
            const record = await ctx.load();
            record.text = 'changed';
            await next();
          },
        ],
        handler: async (ctx) => ctx.save(await ctx.load()),
      },
    },
  });
const api = useApi(database, () => [define() as never]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

beforeEach(async () => {
  order.length = 0;
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'a b', text: 'x', revision: 1 });
});

describe('`status` of a custom operation', () => {
  it.each([
    ['copy', 201, '/api/docs/a%20b', '"1"'],
    ['parts/1', 201, '/api/docs/a%20b', '"1"'],
    ['moved', 201, '/elsewhere', '"1"'],
    ['queue', 202, undefined, undefined],
    ['job', 202, undefined, undefined],
    ['own', 203, undefined, undefined],
  ])('%s answers %i, with `Location` %s', async (name, status, location, etag) => {
    const answer = await api.request('POST', `/api/docs/a%20b/${name}`);
    expect([answer.status, answer.headers.location, answer.headers.etag]).toEqual([status, location, etag]);
  });

  it.each(['queue', 'typed'])('has no body if nothing is returned (%s)', async (name) => {
    const answer = await api.request('POST', `/api/docs/a%20b/${name}`);
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([202, '', undefined]);
  });

  it('has no `Location` without a record of the model', async () => {
    const answer = await api.request('PUT', '/api/docs');
    expect([answer.status, answer.body, answer.headers.location]).toEqual([201, { data: { placed: true } }, undefined]);
  });

  it('does not replace the status of a problem', async () => {
    expect((await api.request('POST', '/api/docs/none/copy')).status).toBe(404);
  });

  it('is described', () => {
    const { paths } = openapiDocument(service().api({ db: database.db, resources: [define()] })) as Any;
    const good = (path: string) => Object.entries(paths[path].post.responses as Record<string, Any>).filter(([status]) => status < '300');
    expect(good('/docs/{id}/copy')).toMatchObject([['201', { headers: { Location: expect.anything(), ETag: expect.anything() } }]]);
    expect(good('/docs/{id}/queue')).toEqual([['202', { description: 'It is done.', headers: expect.anything() }]]);
    expect(good('/docs/{id}/job')).toMatchObject([['202', { content: expect.anything() }]]);
    expect(good('/docs/{id}/own')).toMatchObject([['202', { content: expect.anything() }]]);
    expect(good('/docs/{id}/note').map(([status]) => status)).toEqual(['200', '204']);
  });

  it.each([100, 205, 206, 302, 404, '201', 201.5])('cannot be %o', (status) => {
    const make = () => service().api({ db: database.db, resources: [resourceWith({ status, handler: () => 1 })] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/`status` of `operations.go` of resource `others` must be a status from 200 to 299, other than 205 and 206/);
  });

  it("can be 204 with `answer: 'none'` only", () => {
    const make = (more: object) => () =>
      service().api({ db: database.db, resources: [resourceWith({ status: 204, handler: () => undefined, ...more })] });
    expect(make({})).toThrow(/can be 204 with `answer: 'none'` only/);
    expect(make({ answer: 'none' })).not.toThrow();
  });
});

const resourceWith = (go: object) => service().resource({ model: Other, operations: { go } } as never);

describe('an optional body', () => {
  it('is undefined if the request has none', async () => {
    expect((await api.request('POST', '/api/docs/a/note')).body).toEqual({ data: { text: 'none' } });
    expect((await api.request('POST', '/api/docs/a/any')).body).toEqual({ data: { body: 'none' } });
  });

  it('is validated if there is one', async () => {
    expect((await api.request('POST', '/api/docs/a/note', { body: { text: 'x' } })).body).toEqual({ data: { text: 'x' } });
    expect((await api.request('POST', '/api/docs/a/note', { body: {} })).body).toMatchObject({ status: 422, errors: [{ field: 'text' }] });
    expect((await api.request('POST', '/api/docs/a/note', { body: null as never })).status).toBe(422);
    expect((await api.request('POST', '/api/docs/a/any', { body: [] as never })).status).toBe(422);
  });

  it('is described as not required', () => {
    const { paths } = openapiDocument(service().api({ db: database.db, resources: [define()] })) as Any;
    expect(['note', 'any', 'late'].map((name) => paths[`/docs/{id}/${name}`].post.requestBody.required)).toEqual([false, false, true]);
  });
});

describe('`ctx.load()` in `use`', () => {
  it('is there without a `jsonBody`, and below one', async () => {
    expect((await api.request('POST', '/api/docs/a%20b/early')).status).toBe(200);
    expect((await api.request('POST', '/api/docs/a%20b/late', { body: { text: '' } })).status).toBe(200);
    expect(order).toEqual(['a b x', 'a b x']);
  });

  it('compares `If-Match`, which is read before: 400 and 412 before what the middleware does', async () => {
    for (const [header, status] of [
      ['x', 400],
      ['"9"', 412],
    ] as const)
      expect((await api.request('POST', '/api/docs/a%20b/early', { headers: { 'if-match': header } })).status).toBe(status);
    expect(order).toEqual([]);
  });

  it('comes after the validation of the body', async () => {
    expect((await api.request('POST', '/api/docs/none/late', { body: {} })).status).toBe(422);
    expect((await api.request('POST', '/api/docs/none/late', { body: { text: '' } })).status).toBe(404);
  });

  it('is the record that the handler gets', async () => {
    expect((await api.request('POST', '/api/docs/a%20b/change')).body).toMatchObject({ data: { text: 'changed', revision: 2 } });
  });
});
