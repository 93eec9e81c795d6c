import { defineModel, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const maxAnswerBytes = 5_000;
/** What the hook of `after` does in the test at hand. */
let after: () => unknown = () => undefined;
/** The handler of `race`. */
let race: (ctx: Any) => unknown = () => undefined;

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['create', 'patch', 'delete', 'get'],
      after: { patch: [() => after()] },
      operations: { large: { path: '/large', handler: () => 'ä'.repeat(1_200) }, race: { handler: (ctx) => race(ctx) } },
    }),
  ],
  { batch: { maxAnswerBytes }, idempotency: { principal: () => 'ann' } },
);
const docs = () => database.db.collection<{ _id: string; text: string; revision: number }>('docs');
const send = (operations: object[], headers: Record<string, string> = {}) =>
  api.request('POST', '/api/batch', { body: { operations }, headers });
const nothing = (id: string) => ({ method: 'PATCH', path: `/docs/${id}`, body: {} });
const change = (id: string, text: string) => ({ method: 'PATCH', path: `/docs/${id}`, body: { text } });

beforeEach(async () => {
  after = () => undefined;
  await docs().deleteMany({});
  await docs().insertMany(['a', 'b', 'c', 'd'].map((_id) => ({ _id, text: _id.repeat(1_500), revision: 0 })));
  commands.clear();
});

describe('the answer of a batch', () => {
  it('of more than `maxAnswerBytes` is 413 with the first operation that does not fit, and nothing is written', async () => {
    const { status, body } = await send([change('a', 'new'), ...['b', 'c', 'd', 'b', 'c'].map(nothing)]);
    expect([status, body.code, body.operation]).toEqual([413, 'body_too_large', 4]);
    expect(body.detail).toContain(`${maxAnswerBytes} bytes`);
    expect(await docs().findOne({ _id: 'a' })).toMatchObject({ text: 'a'.repeat(1_500), revision: 0 });
    expect(commands.names).not.toContain('commitTransaction');
  });

  it('is written no further than it fits', async () => {
    await send(Array.from({ length: 50 }, () => nothing('a')));
    expect(commands.names.filter((name) => name === 'find').length).toBe(4);
  });

  it('counts the records of deletes, which wait for the hooks', async () => {
    const { status, body } = await send(['a', 'b', 'c', 'd'].map((id) => ({ method: 'DELETE', path: `/docs/${id}` })));
    expect([status, body.code, body.operation]).toEqual([413, 'body_too_large', 3]);
    expect(await docs().countDocuments()).toBe(4);
  });

  it('counts bytes and not characters, of handlers too', async () => {
    const large = { method: 'POST', path: '/docs/large' };
    expect((await send([large, large])).status).toBe(200);
    expect((await send([large, large, large])).body).toMatchObject({ status: 413, operation: 2 });
  });

  it('counts from the beginning where a lost transaction is repeated', async () => {
    let attempts = 0;
    race = async (ctx) => {
      const doc = await ctx.load();
      if (attempts++ === 0) await docs().updateOne({ _id: 'c' }, { $set: { revision: 1 } });
      doc.text = 'short';
      return ctx.save(doc);
    };
    const { status, body } = await send([nothing('a'), nothing('b'), { method: 'POST', path: '/docs/c/race' }]);
    expect([status, body.data?.length, attempts]).toEqual([200, 3, 2]);
  });

  it('shows what fits although hooks of `after` fail', async () => {
    after = () => {
      throw new Error('no');
    };
    const { status, body } = await send(['a', 'b', 'c'].map((id) => change(id, 'x')));
    expect([status, body.data.map((one: Any) => one.status)]).toEqual([200, [500, 500, 500]]);
  });

  it('frees the Idempotency-Key if it is too large', async () => {
    const headers = { 'idempotency-key': 'k' };
    const tooMany = ['a', 'b', 'c', 'd'].map(nothing);
    for (let time = 0; time < 2; time++) expect((await send(tooMany, headers)).status).toBe(413);
    expect((await send(tooMany.slice(1), headers)).status).toBe(200);
  });
});

describe('`maxAnswerBytes` of `batch`', () => {
  it('must be a number of bytes that an answer can have', () => {
    const shop = service();
    const make = () => shop.api({ db: database.db, resources: [shop.resource({ model: Doc })], batch: { maxAnswerBytes: 10 } });
    expect(make).toThrow(/`maxAnswerBytes` of `batch` must be a whole number of bytes from 1024 to 268435456/);
  });
});
