import { beforeEach, describe, expect, it } from '@jest/globals';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { until } from '../support/until.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { id: t.string({ policy: { insert: true } }) } });

let waiting: (() => void)[] = [];
const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['get', 'create'],
      operations: { wait: { path: '/wait', handler: () => new Promise<void>((resolve) => void waiting.push(resolve)) } },
    }),
  ],
  { batch: true, maxConcurrency: 4 },
);
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
});
