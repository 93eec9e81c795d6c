import { ConfigurationError, type Context, defineModel, everything, problems, scope, t, Unauthorized } from '../../src/index.ts';
import { markOf } from '../../src/mongo/predicate/row-scope.ts';
import { useServer } from '../support/http/serve.ts';
import { Note } from '../support/models/note.ts';

const serve = useServer();

async function ask(filterOf: (ctx: Context) => unknown) {
  let left: unknown = 'not reached';
  const { request, errors } = await serve(problems(), scope(Note, filterOf), (ctx: Context) => {
    left = ctx.scope;
    ctx.body = 'passed';
  });
  const { status } = await request('GET', '/', { headers: { 'x-owner': 'ann' } });
  return { status, left, errors };
}

describe('scope()', () => {
  it.each<[string, (ctx: Context) => unknown, unknown]>([
    ['a filter of the request', (ctx) => ({ owner: ctx.get('x-owner') }), { owner: { $eq: 'ann' } }],
    ['a promise of one', async () => ({ id: { in: ['a', 'b'] } }), { _id: { $in: ['a', 'b'] } }],
    ['operators side by side', () => ({ 'place.city': { gte: 'A', lt: 'B' } }), { 'place.city': { $gte: 'A', $lt: 'B' } }],
    ['a private field', () => ({ secret: 'x' }), { secret: { $eq: 'x' } }],
    ['text that looks like an operator', () => ({ owner: '$where' }), { owner: { $eq: '$where' } }],
    ['an empty `in`, which nothing matches', () => ({ owner: { in: [] } }), { owner: { $in: [] } }],
    ['everything', () => everything, {}],
  ])('leaves the row filter in ctx.scope: %s', async (_name, filterOf, filter) => {
    expect(await ask(filterOf)).toEqual({ status: 200, left: filter, errors: [] });
  });

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['an empty filter', () => ({})],
    ['an undefined value', () => ({ owner: undefined })],
    ['a list with a hole', () => ({ owner: { in: new Array(1) } })],
    ['an empty `nin` alone', () => ({ owner: { nin: [] } })],
    ['an empty `nin` beside what narrows', () => ({ owner: 'ann', id: { nin: [] } })],
    ['an empty `prefix` beside what narrows', () => ({ owner: { prefix: '' }, id: 'a' })],
    ['an empty `nin` beside what narrows on the same field', () => ({ owner: { eq: 'ann', nin: [] } })],
    ['an unknown field', () => ({ onwer: 'ann' })],
    ['an operator of MongoDB', () => ({ owner: { $gt: '' } })],
    ['a rejected promise', () => Promise.reject(new Error('lookup failed'))],
  ])('is a closed door when it returns %s: 500, reported, and nothing behind it runs', async (_name, filterOf) => {
    const { status, left, errors } = await ask(filterOf);
    expect([status, left, errors.length]).toEqual([500, 'not reached', 1]);
  });

  it.each<[string, (() => unknown)[], unknown]>([
    ['on another field', [() => ({ owner: 'ann' }), () => ({ id: 'a' })], { owner: { $eq: 'ann' }, _id: { $eq: 'a' } }],
    [
      'on the same field',
      [() => ({ owner: 'ann' }), () => ({ owner: 'ben' })],
      { $and: [{ owner: { $eq: 'ben' } }, { owner: { $eq: 'ann' } }] },
    ],
    ['by everything', [() => ({ owner: 'ann' }), () => everything], { owner: { $eq: 'ann' } }],
    ['what was everything', [() => everything, () => ({ owner: 'ann' })], { owner: { $eq: 'ann' } }],
  ])('narrows what a scope above it has left: %s', async (_name, scopes, filter) => {
    let left: unknown;
    const { request } = await serve(problems(), ...scopes.map((filterOf) => scope(Note, filterOf)), (ctx: Context) => {
      left = ctx.scope;
      ctx.body = 'passed';
    });
    expect([(await request('GET', '/')).status, left]).toEqual([200, filter]);
  });

  it.each<[string, () => unknown]>([
    ['a filter', () => ({ owner: 'ann' })],
    ['everything', () => everything],
  ])('leaves a filter that cannot be changed in place, where the database alone would learn of it: %s', async (_name, filterOf) => {
    const { request, errors } = await serve(problems(), scope(Note, filterOf), (ctx: Context) => {
      Object.assign(ctx.scope as object, { secret: 'x' });
      ctx.body = 'passed';
    });
    expect((await request('GET', '/')).status).toBe(500);
    expect(errors).toMatchObject([{ name: 'TypeError' }]);
  });

  it('leaves a filter whose copy has the conditions and nothing else, for who adds to it', async () => {
    let copied: unknown;
    const scoped = scope(Note, () => ({ owner: 'ann' }));
    const { request } = await serve(problems(), scoped, (ctx: Context) => {
      copied = Reflect.ownKeys({ ...ctx.scope });
      ctx.body = 'passed';
    });
    expect([(await request('GET', '/')).status, copied]).toEqual([200, ['owner']]);
  });

  it('is known by its filter alone, and not by a clone with all its properties', async () => {
    const marks: boolean[] = [];
    const { request } = await serve(
      problems(),
      scope(Note, () => ({ owner: 'ann' })),
      (ctx: Context) => {
        const given = ctx.scope as object;
        const clone = Object.create(Object.getPrototypeOf(given), Object.getOwnPropertyDescriptors(given));
        marks.push(markOf(given) !== undefined, markOf(clone) !== undefined, markOf(new Proxy(given, {})) !== undefined);
        ctx.body = 'passed';
      },
    );
    await request('GET', '/');
    expect(marks).toEqual([true, false, false]);
  });

  it('may refuse a request itself', async () => {
    const { status, errors } = await ask(() => {
      throw new Unauthorized();
    });
    expect([status, errors]).toEqual([401, []]);
  });

  it('refuses what is no function and what is no model, when it is made', () => {
    expect(() => scope(Note, undefined as never)).toThrow(ConfigurationError);
    expect(() => scope(Note, { owner: 'ann' } as never)).toThrow(ConfigurationError);
    expect(() => scope({} as never, () => everything)).toThrow(ConfigurationError);
    expect(() => scope(defineModel('Bad', { collection: '', fields: { a: t.string() } }), () => everything)).toThrow(ConfigurationError);
  });
});
