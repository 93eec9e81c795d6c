import { join } from 'node:path';
import type Koa from 'koa';
import type { Db } from 'mongodb';
import * as library from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';
import { useLibrary } from '../support/processes/use-library.ts';

// An app and a package that it uses may each have a copy of the library: `npm ls koa-mongo-resource` shows both.

const { ConfigurationError, Problem, StoredRecord, Unauthorized, defineModel, everything, service } = library;
const { folder } = useLibrary();
const database = useDatabase();
const serve = useServer();
let other: typeof library;
let otherMcp: typeof import('../../src/products/mcp/mcp.ts');
beforeAll(async () => {
  other = await import(join(folder, 'index.js'));
  otherMcp = await import(join(folder, 'products/mcp/mcp.js'));
});

const fields = ({ t }: typeof library) => ({
  name: t.string({ minLength: 2, policy: { filter: true } }),
  owner: t.string({ default: 'ann' }),
  note: t.optional(t.string()),
  parent: t.optional(t.ref('Thing', { as: 'above' })),
  below: t.hasMany('Thing', { via: 'parent' }),
  revision: t.revision(),
});
const Thing = defineModel('Thing', { collection: 'things', fields: fields(library) });

/** What a handler, a guard, a hook or `authenticate` throws is the answer. */
async function answerTo(error: () => unknown, place: 'handler' | 'guard' | 'before' | 'within' | 'authenticate') {
  const fail = (): never => {
    throw error();
  };
  const shop = service({ authenticate: place === 'authenticate' ? fail : () => ({ name: 'ann' }) });
  const things = shop.resource({
    model: Thing,
    ops: ['create'],
    guards: [place === 'guard' ? fail : () => true],
    before: { create: [place === 'before' ? fail : () => {}] },
    within: { create: [place === 'within' ? fail : () => {}] },
    operations: { fail: { method: 'POST', path: '/fail', handler: place === 'handler' ? fail : () => ({}) } },
  });
  const api = shop.api({ db: database.db, resources: [things] });
  const path = place === 'before' || place === 'within' ? 'things' : 'things/fail';
  const response = await api.fetch(post(path, { name: 'desk' }));
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function post(path: string, body: unknown): Request {
  return new Request(`http://in-process/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const read = async (response: Response | Promise<Response>) => (await response).json() as Promise<Record<string, never>>;

it('loads two copies', () => {
  expect(other.Problem).not.toBe(Problem);
  expect(other.StoredRecord).not.toBe(StoredRecord);
});

describe('a problem of another copy', () => {
  it.each(['handler', 'guard', 'before', 'within', 'authenticate'] as const)('is the answer if it is thrown by %s', async (place) => {
    const errors = [{ field: 'seat', message: 'is taken', rule: 'free' }];
    const problem = () =>
      new other.Problem({ status: 409, code: 'ticket_taken', title: 'Ticket taken', errors, headers: { 'x-seat': '5' } });
    const { status, headers, body } = await answerTo(problem, place);
    expect([status, headers.get('x-seat')]).toEqual([409, '5']);
    expect(body).toEqual({ type: 'urn:problem:app:ticket_taken', title: 'Ticket taken', status: 409, code: 'ticket_taken', errors });
  });

  it('is the answer if `Unauthorized` of the other copy is thrown', async () => {
    const { status, headers, body } = await answerTo(
      () => new other.Unauthorized('The token has expired.', { 'www-authenticate': 'Bearer' }),
      'authenticate',
    );
    expect([status, headers.get('www-authenticate'), body]).toEqual([
      401,
      'Bearer',
      expect.objectContaining({ code: 'unauthorized', detail: 'The token has expired.' }),
    ]);
  });

  it('is the answer if a store of the other copy has thrown it', async () => {
    const store = other.openStore(other.defineModel('Thing', { collection: 'things', fields: fields(other) }), { db: database.db });
    const shop = service();
    const things = shop.resource({
      model: Thing,
      operations: { look: { method: 'GET', path: '/look', handler: () => store.get('0123456789abcdef01234567') } },
    });
    const response = await shop.api({ db: database.db, resources: [things] }).fetch(new Request('http://in-process/things/look'));
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });
});

describe('instanceof', () => {
  const caught = { Problem: () => new other.Problem({ code: 'not_found' }), Unauthorized: () => new other.Unauthorized() };

  it('knows the errors of another copy', () => {
    expect(caught.Problem()).toBeInstanceOf(Problem);
    expect(caught.Unauthorized()).toBeInstanceOf(Problem);
    expect(caught.Unauthorized()).toBeInstanceOf(Unauthorized);
    expect(new other.ConfigurationError('x')).toBeInstanceOf(ConfigurationError);
  });

  it('is false for what has another class', () => {
    expect(caught.Problem()).not.toBeInstanceOf(Unauthorized);
    expect(caught.Problem()).not.toBeInstanceOf(ConfigurationError);
    expect(new other.ConfigurationError('x')).not.toBeInstanceOf(Problem);
    for (const value of [
      undefined,
      null,
      1,
      'Problem',
      {},
      new Error('x'),
      { name: 'Problem', status: 404 },
      JSON.parse('{"status":404}'),
    ]) {
      expect(value instanceof Problem).toBe(false);
      expect(value instanceof ConfigurationError).toBe(false);
      expect(value instanceof StoredRecord).toBe(false);
    }
  });

  it('asks for the class itself if the application has derived it', () => {
    class Taken extends Problem {}
    class Expired extends Unauthorized {}
    class Missing extends ConfigurationError {}
    const taken = new Taken({ status: 409 });
    expect([taken instanceof Taken, taken instanceof Problem, taken instanceof Expired]).toEqual([true, true, false]);
    const expired = new Expired();
    expect([expired instanceof Expired, expired instanceof Unauthorized, expired instanceof Taken]).toEqual([true, true, false]);
    expect([new Missing('x') instanceof Missing, new ConfigurationError('x') instanceof Missing]).toEqual([true, false]);
    expect([new Problem({ status: 409 }) instanceof Taken, new Unauthorized() instanceof Expired]).toEqual([false, false]);
  });

  it('adds nothing to what is printed of an error', () => {
    expect(Reflect.ownKeys(new Problem({ code: 'not_found' })).filter((key) => typeof key === 'symbol')).toEqual([]);
  });

  it('knows the records of another copy, which can also be the answer', async () => {
    const { insertedId } = await database.db.collection('things').insertOne({ name: 'desk', owner: 'ann', revision: 3 });
    let record: unknown;
    const look: Koa.Middleware = async (ctx, next) => {
      ctx.params = { id: String(insertedId) };
      await next();
      record = ctx.record;
    };
    const server = await serve(other.problems(), look, other.findRecord(Thing as never, { db: database.db }), other.record());
    await server.request('GET', '/');
    expect(record).toBeInstanceOf(StoredRecord);
    const shop = service();
    const handler = () => record as never;
    const things = shop.resource({ model: Thing, operations: { look: { method: 'GET', path: '/look', answer: 'record', handler } } });
    const answer = await shop.api({ db: database.db, resources: [things] }).fetch(new Request('http://in-process/things/look'));
    expect(await answer.json()).toEqual({ data: { id: String(insertedId), name: 'desk', owner: 'ann', revision: 3 } });
  });
});

describe('`everything`', () => {
  it('is the same symbol', () => {
    expect(other.everything).toBe(everything);
  });
});

describe('a model of another copy', () => {
  it('is served, with optional fields, references and the other side of them', async () => {
    const shop = service();
    const model = other.defineModel('Thing', { collection: 'things', fields: fields(other) });
    const things = shop.resource({ model, include: ['above', 'below'] });
    const api = shop.api({ db: database.db, resources: [things] });
    expect((await api.fetch(post('things', { name: 'x' }))).status).toBe(422);
    const { id } = (await read(api.fetch(post('things', { name: 'desk' })))).data as unknown as { id: string };
    expect((await api.fetch(post('things', { name: 'drawer', parent: id }))).status).toBe(201);
    const { data } = await read(api.fetch(new Request(`http://in-process/things/${id}?include=below`)));
    expect(data).toMatchObject({ name: 'desk', below: [{ name: 'drawer' }] });
    expect(data).not.toHaveProperty('note');
  });
});

describe('what is compiled in another copy is a configuration error', () => {
  const otherApi = (db: Db) => {
    const shop = other.service();
    return shop.api({ db, resources: [shop.resource({ model: Thing as never })] }) as unknown as library.Api;
  };
  const message = (name: string) =>
    `${name} needs an api of its own copy of koa-mongo-resource, and another copy has made this one: \`npm ls koa-mongo-resource\` shows them.`;

  it('to `openapiDocument` and `openapiText`', () => {
    expect(() => library.openapiDocument(otherApi(database.db))).toThrow(new ConfigurationError(message('`openapiDocument`')));
    expect(() => library.openapiText(otherApi(database.db))).toThrow(ConfigurationError);
  });

  it('to the functions of indexes and validators', async () => {
    const api = otherApi(database.db);
    for (const plan of [library.planIndexes, library.applyIndexes]) await expect(plan(api)).rejects.toThrow(message('`planIndexes`'));
    for (const plan of [library.planValidators, library.applyValidators])
      await expect(plan(api)).rejects.toThrow(message('`planValidators`'));
  });

  it('to an MCP server', () => {
    const shop = service();
    const api = shop.api({ db: database.db, resources: [shop.resource({ model: Thing })] });
    expect(() => otherMcp.mcpServer(api)).toThrow(message('An MCP server'));
    expect(() => otherMcp.mcpRoutes(api)).toThrow(ConfigurationError);
  });

  it('to `api()`, which takes the resources of its own copy', () => {
    const shop = service();
    const resource = other.service().resource({ model: Thing as never });
    expect(() => shop.api({ db: database.db, resources: [resource as never] })).toThrow(
      'The resource `things` of an api was not made by `resource()` of its service',
    );
  });

  it('to a middleware that takes references', () => {
    const references = other.compileReferences({
      db: database.db,
      targets: [{ model: Thing as never, scope: () => everything as never }],
    }) as never;
    expect(() => library.insert(Thing, { db: database.db, references })).toThrow(ConfigurationError);
  });

  it('and so is what is no api', () => {
    expect(() => library.openapiDocument({} as never)).toThrow('`openapiDocument` needs an api, which `api()` of a service returns.');
  });
});

describe('a `ctx.scope` of another copy', () => {
  it.each([
    ['everything', () => everything],
    ['values', () => ({ owner: 'bob' })],
    ['operators', () => ({ owner: { in: ['bob'] } })],
  ])('opens nothing to a store, if it is a filter of %s', async (_what, scope) => {
    const model = other.defineModel('Thing', { collection: 'things', fields: fields(other) });
    await other.openStore(model, { db: database.db }).create({ name: 'mine' });
    const handler = async (ctx: { scope: unknown }) => {
      const mine = other.openStore(model, { db: database.db, scope: ctx.scope as never });
      return { count: await mine.count({}) };
    };
    const shop = service();
    const operations = { count: { method: 'GET', path: '/count', handler: handler as never } } as const;
    const things = shop.resource({ model: Thing, scope: scope as never, operations });
    const errors: Error[] = [];
    const api = shop.api({ db: database.db, resources: [things], onError: (error) => errors.push(error) });
    const { status } = await api.fetch(new Request('http://in-process/things/count'));
    expect([status, errors.map(({ message }) => message)]).toEqual([500, [expect.stringMatching(/scope/i)]]);
  });
});
