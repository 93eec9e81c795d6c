import { defineModel, everything, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { id: t.string(), owner: t.string({ default: 'ann' }) } });
const Log = defineModel('Log', { collection: 'logs', fields: { id: t.string({ policy: { insert: true } }) } });

let owner: string | undefined;
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({ model: Log, ops: ['create'] }),
    shop.resource({
      model: Doc,
      ops: ['get'],
      scope: () => (owner === undefined ? everything : { owner }),
      operations: {
        all: {
          path: '/all',
          handler: (ctx) => ctx.store(Doc, { scope: everything }).find({ id: { gte: 's' } } as Any, { limit: 200_000 } as Any),
        },
        some: {
          path: '/some/:from/:to',
          handler: async (ctx) => {
            await ctx.store(Log).create({ id: `${ctx.params.from}` });
            const bounds = { gte: String(ctx.params.from), lt: String(ctx.params.to) };
            return ctx.store(Doc).find({ id: bounds } as Any, { limit: 200_000 } as Any);
          },
        },
      },
    }),
  ],
  {
    authenticate: () => 'ann',
    idempotency: { principal: () => 'ann', maxAnswerBytes: 15 * 2 ** 20 },
    batch: true,
    maxTimeMS: 60_000,
    requestTimeout: 120_000,
  } as Any,
);
const collectionOf = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);
const send = (path: string, body: object): Promise<Any> =>
  api.request('POST', `/api${path}`, { body, headers: { 'idempotency-key': 'k' } });
const finds = () => commands.events.filter(({ command }) => command.find === 'docs');

/** Long ids begin with `l`, short ones with `s`. */
beforeAll(async () => {
  const long = Array.from({ length: 25_000 }, (_, index) => `l${String(index).padStart(6, '0')}${'x'.repeat(400)}`);
  const short = Array.from({ length: 130_000 }, (_, index) => `s${String(index).padStart(6, '0')}`);
  for (const ids of [long, short]) await collectionOf('docs').insertMany(ids.map((_id) => ({ _id, owner: 'ann' })));
}, 600_000); // a net for a hung test: 130,000 records take their time on a busy machine

beforeEach(async () => {
  owner = undefined;
  for (const name of ['idempotency_keys', 'logs']) await collectionOf(name).deleteMany({});
  commands.clear();
});

describe('an answer with very many records', () => {
  it('is 413 if the key cannot hold the answer with the ids of its records, and nothing is written', async () => {
    const refused = await send('/docs/some/l/m', {});
    expect([refused.status, refused.body.code]).toEqual([413, 'body_too_large']);
    expect([await collectionOf('logs').countDocuments(), await collectionOf('idempotency_keys').countDocuments()]).toEqual([0, 0]);
  });

  it('is 413 in a batch too', async () => {
    const paths = Array.from({ length: 25 }, (_, index) => {
      const at = (count: number) => `l${String(count).padStart(6, '0')}`;
      return `/docs/some/${at(index * 1000)}/${at((index + 1) * 1000)}`;
    });
    const operations = paths.map((path) => ({ method: 'POST', path, body: {} }));
    const refused = await send('/batch', { operations });
    expect([refused.status, refused.body.code, await collectionOf('logs').countDocuments()]).toEqual([413, 'body_too_large', 0]);
    const first = await send('/batch', { operations: operations.slice(0, 10) });
    expect(first.status).toBe(200);
    commands.clear();
    expect((await send('/batch', { operations: operations.slice(0, 10) })).text).toBe(first.text);
    expect(finds()).toHaveLength(2); // 5,000 records each
    await collectionOf('docs').updateOne({ _id: { $gte: 'l009999', $lt: 'l01' } }, { $set: { owner: 'bob' } });
    owner = 'ann';
    expect((await send('/batch', { operations: operations.slice(0, 10) })).body).toMatchObject({ status: 404, operation: 9 });
  });

  it('is 204 if all of them are out of the scope of the caller, however many', async () => {
    owner = 'bob';
    const first = await send('/docs/all', {});
    expect([first.status, first.body.data.length]).toEqual([200, 130_000]);
    const again = await send('/docs/all', {});
    expect([again.status, again.text]).toEqual([204, '']);
  }, 600_000); // a net for a hung test: 130,000 records take their time on a busy machine
});
