import { type Context, checkCreate, checkPatch, checkPut, jsonBody, problems, type ResourceMiddleware } from '../../src/index.ts';
import { useServer } from '../support/http/serve.ts';
import { Note } from '../support/models/note.ts';

const serve = useServer();

async function ask(middleware: ResourceMiddleware, body: unknown, before: ResourceMiddleware = jsonBody()) {
  let left: Context | undefined;
  const { request } = await serve(problems(), before, middleware, (ctx: Context) => {
    left = ctx;
    ctx.body = 'passed';
  });
  const answer = await request('POST', '/', { body });
  return {
    status: answer.status,
    fields: answer.body?.errors?.map(({ field }: { field: string }) => field),
    created: left?.created,
    changes: left?.changes,
  };
}

/** A body that another parser has left. */
const parsed =
  (body: unknown): ResourceMiddleware =>
  async (ctx, next) => {
    Object.assign(ctx.request, { body });
    await next();
  };

describe('checkCreate()', () => {
  it('leaves the document to insert in ctx.created, with defaults, server fields and revision 0', async () => {
    const { created } = await ask(checkCreate(Note, { serverFields: () => ({ owner: 'ben' }) }), { id: 'a', text: 'x' });
    expect(created).toEqual({ _id: 'a', text: 'x', owner: 'ben', secret: 'hidden', revision: 0 });
  });

  it('is 422 naming everything that is wrong', async () => {
    expect(await ask(checkCreate(Note), { id: 1, owner: 'x', place: {} })).toMatchObject({ status: 422, created: undefined });
    expect((await ask(checkCreate(Note), { id: 1, owner: 'x', place: {} })).fields.sort()).toEqual(['id', 'owner', 'place.city', 'text']);
  });

  it('takes explicitWrites', async () => {
    expect((await ask(checkCreate(Note, { explicitWrites: true }), { id: 'a', text: 'x' })).fields).toEqual(['text']);
  });
});

describe('checkPatch()', () => {
  it('leaves what the update changes in ctx.changes', async () => {
    const { changes } = await ask(checkPatch(Note), { text: 'x', place: { city: 'Ulm' } });
    expect(changes?.assignments.map(({ path }) => path)).toEqual(['text', 'place.city']);
    expect(changes?.embedded.map(({ path }) => path)).toEqual(['place']);
    expect((await ask(checkPatch(Note, { mergePatch: false }), { place: { city: 'Ulm' } })).changes?.embedded).toEqual([]);
  });

  it('is 422 naming everything that is wrong', async () => {
    expect(await ask(checkPatch(Note), { secret: 1, text: null })).toMatchObject({ status: 422, changes: undefined });
  });
});

describe('checkPut()', () => {
  it('leaves what the update changes in ctx.changes: everything that the client may write', async () => {
    const { changes } = await ask(checkPut(Note), { text: 'x' });
    expect(changes?.assignments.map(({ path }) => path)).toEqual(['text', 'place']);
  });

  it('is 422 for a required field that is left out', async () => {
    expect(await ask(checkPut(Note), {})).toMatchObject({ status: 422, fields: ['text'], changes: undefined });
  });
});

describe('each of them', () => {
  it.each([
    ['checkCreate', checkCreate(Note)],
    ['checkPatch', checkPatch(Note)],
    ['checkPut', checkPut(Note)],
  ])('reads the body of any parser, and is 422 without an object: %s', async (_name, middleware) => {
    expect((await ask(middleware, undefined, parsed({ id: 'a', text: 'x' }))).status).toBe(middleware.name === 'checkCreate' ? 200 : 422);
    expect((await ask(middleware, undefined, parsed({ text: 'x' }))).status).toBe(middleware.name === 'checkCreate' ? 422 : 200);
    for (const body of [undefined, null, [], 'text', 5]) expect((await ask(middleware, undefined, parsed(body))).status).toBe(422);
  });
});
