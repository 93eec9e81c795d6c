import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { until } from '../support/until.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { id: t.string({ policy: { insert: true } }) } });

let waiting: (() => void)[] = [];
const database = useDatabase();
const definition = {
  model: Doc,
  ops: ['get', 'create'],
  operations: { wait: { path: '/wait', handler: () => new Promise<void>((resolve) => void waiting.push(resolve)) } },
} as const;
const api = useApi(database, (shop) => [shop.resource(definition)], { batch: true, maxConcurrency: 4 });
const fair = useApi<string>(database, (shop) => [shop.resource(definition)], {
  batch: true,
  maxConcurrency: { each: 3, by: (ctx) => ctx.principal },
  authenticate: (ctx) => ctx.get('x-caller'),
});
const sendAs = (caller: string) =>
  fair.request('POST', '/api/batch', { headers: { 'x-caller': caller }, body: { operations: [{ method: 'POST', path: '/docs/wait' }] } });
const send = () => api.request('POST', '/api/batch', { body: { operations: [{ method: 'POST', path: '/docs/wait' }] } });

beforeEach(() => {
  waiting = [];
});

describe('batches', () => {
  it('take at most half of the places of `maxConcurrency`, and give them back', async () => {
    for (let time = 0; time < 2; time++) {
      const running = [send(), send()];
      await until(() => waiting.length === 2);
      const third = await send();
      expect([third.status, third.body.code, third.headers['retry-after']]).toEqual([503, 'overloaded', '1']);
      expect((await api.request('GET', '/api/docs/none')).status).toBe(404);
      for (const resolve of waiting.splice(0)) resolve();
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  it('of one client take at most half of its places, and give them back', async () => {
    for (let time = 0; time < 2; time++) {
      const running = [sendAs('ann'), sendAs('ann')];
      await until(() => waiting.length === 2);
      const third = await sendAs('ann');
      expect([third.status, third.body.code, third.headers['retry-after']]).toEqual([429, 'too_many_requests', '1']);
      expect(third.body.detail).toBe('This client has as many batches in flight as it may have (2); wait until one of them has ended.');
      expect((await fair.request('GET', '/api/docs/none', { headers: { 'x-caller': 'ann' } })).status).toBe(404);
      running.push(sendAs('bob'));
      await until(() => waiting.length === 3);
      for (const resolve of waiting.splice(0)) resolve();
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
    }
  });
});
