import { ObjectId } from 'mongodb';
import { defineModel, Problem, type RequestContext, t } from '../../../src/index.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    owner: t.string({ policy: { filter: true } }),
    size: t.int({ policy: { filter: true, sort: true, aggregate: true } }),
    secret: t.optional(t.string({ policy: { private: true } })),
    deletedAt: t.deletedAt(),
  },
});
const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(24));
const [a, b, c, d, e] = ids as [string, string, string, string, string];

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let engine: (q: string, ctx: RequestContext<string>) => unknown;
const server = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
      search: (q, ctx) => engine(q, ctx) as string[],
      aggregate: true,
      export: {},
    }),
  ],
  { authenticate: (ctx) => ctx.get('authorization') || 'ann', maxSearchMatches: 5, maxSearchLength: 20, undescribed: ['gone'] },
);

beforeEach(async () => {
  await database.db.collection('docs').deleteMany({});
  await database.db.collection('docs').insertMany(
    [
      { _id: a, size: 1 },
      { _id: b, size: 2 },
      { _id: c, size: 3, owner: 'ben' },
      { _id: d, size: 4 },
      { _id: e, size: 5, deletedAt: new Date() },
    ].map((one) => ({ owner: 'ann', ...one, _id: new ObjectId(one._id) })),
  );
  commands.clear();
});

const ask = (query: string) => server.request('GET', `/api/docs?${query}`);
async function find(query: string): Promise<string> {
  const { status, body } = await ask(query);
  return status === 200 ? body.data.map(({ id }: { id: string }) => id.charAt(0)).join(' ') : `${status} ${body.code ?? ''}`.trim();
}

describe('`search` of a resource', () => {
  it('gets the text and the context, and its ids are the order of the records', async () => {
    const given: unknown[] = [];
    engine = (q, ctx) => {
      given.push(q, ctx.principal);
      return [d, a, b];
    };
    expect(await find('q=%20some%20"text"%20')).toBe('d a b');
    expect(given).toEqual(['some "text"', 'ann']);
    expect(commands.names).toEqual(['aggregate']);
  });

  it('finds nothing outside of the scope, of the living records and of the filters', async () => {
    engine = async () => [e, d, c, b, a];
    expect(await find('q=x')).toBe('d b a');
    expect(await find('q=x&size[lt]=4')).toBe('b a');
    expect(await find('q=x&owner=ben')).toBe('');
    expect(await find('q=x&sort=size')).toBe('a b d');
    const { body } = await server.request('GET', '/api/docs?q=x&limit=2', { headers: { authorization: 'ann' } });
    expect(body.page).toEqual({ size: 2, has_next: true, next_cursor: null, prev_cursor: null });
    expect(JSON.stringify(body)).not.toContain('related');
  });

  it('is one page, or pages by cursor where there is a sort', async () => {
    engine = () => [d, a, b];
    const { body } = await ask('q=x&sort=-size&limit=2');
    expect(await find(`q=x&sort=-size&limit=2&after=${body.page.next_cursor}`)).toBe('a');
    expect(await find(`q=y&sort=-size&limit=2&after=${body.page.next_cursor}`)).toBe('400 invalid_cursor');
    expect(await find(`q=x&after=${body.page.next_cursor}`)).toBe('400 invalid_query');
  });

  it('filters an aggregate and an export', async () => {
    engine = () => [d, c, a];
    const { body } = await server.request('GET', '/api/docs/aggregate?q=x&sum=size');
    expect(body.data).toEqual([{ sum: { size: 5 } }]);
    const { text } = await server.request('GET', '/api/docs?q=x', { headers: { accept: 'text/csv' } });
    expect(
      text
        .split('\r\n')
        .slice(1, 3)
        .map((line) => line.charAt(0)),
    ).toEqual(['a', 'd']);
  });

  it('knows the scope wherever it is asked', async () => {
    const scopes: unknown[] = [];
    engine = (_q, ctx) => {
      scopes.push(ctx.scope);
      return [d, c, a];
    };
    await ask('q=x');
    await server.request('POST', '/api/docs/query', { body: { q: 'x' } });
    await server.request('GET', '/api/docs/aggregate?q=x');
    const { text } = await server.request('GET', '/api/docs?q=x', { headers: { accept: 'application/x-ndjson' } });
    expect(text).toContain('{"end":true,"count":2}');
    expect(scopes).toEqual(Array.from({ length: 4 }, () => ({ owner: { $eq: 'ann' } })));
  });

  it('may return ids in document form, as texts, twice, and such as no record has', async () => {
    engine = () => [new ObjectId(b), 'unknown', 'f'.repeat(24), a.toUpperCase(), b, 7, 7n, new Date(), d];
    expect(await find('q=x')).toBe('422 too_many_matches');
    engine = () => [new ObjectId(b), 'unknown', a.toUpperCase(), 7, d];
    expect(await find('q=x')).toBe('b a d');
    engine = () => [];
    expect(await find('q=x')).toBe('');
  });

  it.each<[string, () => unknown, RegExp]>([
    ['nothing', () => undefined, /`search` of Doc must return an array of ids; it has returned undefined/],
    ['an object', () => ({ ids }), /must return an array of ids; it has returned an object/],
    ['records', () => [{ id: a }], /must return an array of ids; it has an object among them/],
    ['a hole', () => [a, undefined], /it has undefined among them/],
    ['null', () => [null], /it has null among them/],
    ['an error', () => Promise.reject(new Error('engine away')), /engine away/],
  ])('is 500 if it returns %s', async (_what, returned, message) => {
    engine = returned;
    server.errors.length = 0;
    expect(await find('q=x')).toBe('500');
    expect(server.errors[0]?.message).toMatch(message);
    expect(commands.names).toEqual([]);
  });

  it('may throw a problem', async () => {
    engine = () => {
      throw new Problem({ status: 410, code: 'gone', title: 'Gone', detail: 'The engine is gone.' });
    };
    expect(await find('q=x')).toBe('410 gone');
  });

  it('is not asked without q, and not for one that is refused', async () => {
    engine = () => {
      throw new Error('The engine was asked.');
    };
    expect(await find('')).toBe('a b d');
    expect(await find('q=')).toBe('400 invalid_query');
    expect(await find(`q=${'x'.repeat(21)}`)).toBe('400 invalid_query');
  });
});
