import { connect } from 'node:net';
import { defineModel, type Service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { until } from '../support/until.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }) },
});

/** Called at each place that an operation comes to, with its id. */
let reach: (place: string, ctx: Any) => unknown = () => undefined;
const ended: string[] = [];

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const at = (place: string) => (ctx: Any) => reach(place, ctx);
const serveDocs = (shop: Service<never>) => [
  shop.resource({
    model: Doc,
    ops: ['create', 'patch'],
    guards: [
      async (ctx) => {
        await reach('guard', ctx);
        return true;
      },
    ],
    within: { create: [at('within')] },
    after: { create: [at('after')] },
    operations: {
      act: {
        path: '/act',
        use: [
          async (_ctx, next) => {
            try {
              await next();
            } finally {
              ended.push('chain');
            }
          },
        ],
        handler: at('handler'),
      },
    },
  }),
];
const api = useApi(database, serveDocs, { batch: true, maxConcurrency: 1 });
const hasty = useApi(database, serveDocs, { batch: true, maxConcurrency: 1, requestTimeout: 500 });
const docs = () => database.db.collection<{ _id: string }>('docs');
const operations = [
  { method: 'POST', path: '/docs/act' },
  { method: 'POST', path: '/docs', body: { id: 'a' } },
];

beforeEach(async () => {
  ended.length = 0;
  api.errors.length = 0;
  reach = () => undefined;
  await docs().deleteMany({});
  commands.clear();
});

const never = new Promise(() => undefined);

describe('a batch that is given up', () => {
  it.each([
    ['guard', 503, 'request_given_up'],
    ['handler', 503, 'request_given_up'],
    ['within', 503, 'request_given_up'],
  ])('in a %s is %i, writes nothing, and ends every chain', async (place, status, code) => {
    reach = (reached, ctx) => (reached === place && (place !== 'guard' || ctx.path.endsWith('/docs')) ? never : undefined);
    const answer = await hasty.request('POST', '/api/batch', { body: { operations } });
    expect(answer.body).toMatchObject({ status, code });
    expect(answer.body).not.toHaveProperty('operation');
    if (place !== 'handler') await until(() => ended.includes('chain'));
    expect(await docs().countDocuments()).toBe(0);
    reach = () => undefined;
    await until(async () => (await hasty.request('POST', '/api/batch', { body: { operations } })).status === 200);
  });

  it('in a hook of after is 500, and what was written stays', async () => {
    reach = (reached) => (reached === 'after' ? never : undefined);
    const answer = await hasty.request('POST', '/api/batch', { body: { operations } });
    expect(answer.status).toBe(500);
    expect(await docs().countDocuments()).toBe(1);
  });
});

describe('a batch whose client goes', () => {
  it.each(['guard', 'handler', 'within'])('in a %s writes nothing, and ends every chain', async (place) => {
    const body = JSON.stringify({ operations });
    const socket = connect(api.port, '127.0.0.1');
    let aborted = false;
    reach = async (reached, ctx) => {
      if (reached !== place || (place === 'guard' && !ctx.path.endsWith('/docs'))) return;
      socket.destroy();
      await until(() => ctx.signal.aborted);
      aborted = true;
    };
    socket.write(`POST /api/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await until(() => aborted && ended.includes('chain'));
    reach = () => undefined;
    await until(async () => (await api.request('POST', '/api/batch', { body: { operations: [operations[0]] } })).status === 200);
    expect(await docs().countDocuments()).toBe(0);
    expect(api.errors).toEqual([]);
  });

  it('while its hooks run is carried out', async () => {
    const body = JSON.stringify({ operations });
    const socket = connect(api.port, '127.0.0.1');
    let done = false;
    reach = async (reached, ctx) => {
      if (reached !== 'after') return;
      socket.destroy();
      await until(() => ctx.signal.aborted);
      done = true;
    };
    socket.write(`POST /api/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await until(() => done);
    expect(await docs().countDocuments()).toBe(1);
  });
});
