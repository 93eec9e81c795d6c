import { type Api, defineModel, openapiDocument, type RequestContext, service, t, Unauthorized } from '../../src/index.ts';
import { docsFiles } from '../../src/openapi/docs-page.ts';
import { db } from '../openapi/fixtures.ts';
import type { Any } from '../support/any.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });
const asked: string[] = [];

function signedIn(ctx: RequestContext<string>): boolean {
  asked.push(ctx.principal ?? 'nobody');
  if (!ctx.principal) throw new Unauthorized('Sign in.', { 'www-authenticate': 'Basic' });
  return true;
}

const notGuest = (ctx: RequestContext<string>) => ctx.requirePrincipal() !== 'guest';

function makeApi(options: object = {}): Api<string> {
  const shop = service<string>({ authenticate: (ctx) => ctx.get('authorization') || undefined });
  return shop.api({
    db,
    prefix: '/api',
    docs: true,
    openapi: { guards: [signedIn, notGuest] },
    securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
    resources: [shop.resource({ model: Note })],
    ...options,
  });
}

const serve = useServer();
let server: TestServer;

beforeAll(async () => {
  server = await serve(makeApi().routes());
});

const ann = { authorization: 'ann' };
const paths = ['openapi.json', 'docs', 'docs/start.js', ...docsFiles.map((name) => `docs/${name}`)].map((path) => `/api/${path}`);

describe('a description with guards', () => {
  it.each(paths)('is 401 to an anonymous caller, as a guard says, with its page: %s', async (path) => {
    const { status, headers, body } = await server.request('GET', path);
    expect([status, headers['www-authenticate'], headers['content-type']]).toEqual([401, 'Basic', 'application/problem+json']);
    expect(body).toMatchObject({ code: 'unauthorized', detail: 'Sign in.' });
    expect(headers).not.toHaveProperty('etag');
  });

  it.each(paths)('is 403 where a guard does not return true: %s', async (path) => {
    expect((await server.request('GET', path, { headers: { authorization: 'guest' } })).status).toBe(403);
  });

  it.each(paths)('is there for whom every guard lets pass: %s', async (path) => {
    asked.length = 0;
    const { status, headers } = await server.request('GET', path, { headers: ann });
    expect([status, asked]).toEqual([200, ['ann']]);
    expect((await server.request('GET', path, { headers: { ...ann, 'if-none-match': headers.etag } })).status).toBe(304);
    expect((await server.request('GET', path, { headers: { 'if-none-match': '*' } })).status).toBe(401);
    expect((await server.request('HEAD', path)).status).toBe(401);
  });

  it('must be asked for again by every cache, and be refused again', async () => {
    for (const path of paths) expect((await server.request('GET', path, { headers: ann })).headers['cache-control']).toBe('no-cache');
  });

  it('is given in process to the principal that is given', async () => {
    const read = (principal?: string) =>
      makeApi().fetch(new Request('http://in-process/api/openapi.json'), principal === undefined ? {} : { principal });
    expect((await read('ann')).status).toBe(200);
    expect((await read()).status).toBe(401);
  });

  it('says of itself who may read it', async () => {
    const { body } = await server.request('GET', '/api/openapi.json', { headers: ann });
    const { get } = body.paths['/api/openapi.json'];
    expect(body.security).toEqual([{ basic: [] }]);
    expect(get).not.toHaveProperty('security');
    expect(Object.keys(get.responses)).toEqual(['200', '304', '401', '403', '405', '500', '503']);
    const open = openapiDocument(makeApi({ openapi: true })).paths['/api/openapi.json'] as Any;
    expect(open.get.security).toEqual([]);
    expect(Object.keys(open.get.responses)).toEqual(['200', '304', '405']);
  });

  it('leaves the resources as they are', async () => {
    const other = await serve(makeApi({ prefix: '/other' }).routes());
    expect((await other.request('GET', '/other/notes?x=1')).status).toBe(400);
  });
});

describe('`openapi` of an api', () => {
  it.each([
    ['no', '`openapi` must be true, false or `{ guards: […], perCaller: true }`.'],
    [null, '`openapi` must be true, false or `{ guards: […], perCaller: true }`.'],
    [[], '`openapi` must be true, false or `{ guards: […], perCaller: true }`.'],
    [{}, 'The options of `openapi` must have `guards` or `perCaller`: `true` serves it to everybody.'],
    [{ perCaller: 'yes' }, '`perCaller` of `openapi` must be true or false, or be left out.'],
    [{ guards: [] }, '`guards` of `openapi` must be an array of at least one function, or be left out.'],
    [{ guards: signedIn }, '`guards` of `openapi` must be an array of at least one function, or be left out.'],
    [{ guards: ['signedIn'] }, '`guards` of `openapi` must be an array of at least one function, or be left out.'],
    [{ guard: [signedIn] }, '`guard` is not an option of `openapi`; did you mean `guards`?'],
  ])('cannot be %o', (openapi, message) => {
    expect(() => makeApi({ openapi })).toThrow(message);
  });
});
