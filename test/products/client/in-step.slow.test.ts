import { type Api, cursorPaging, defineModel, service, t, Unauthorized } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';
import { useClients } from './serve-streams.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    title: t.string(),
    rank: t.int({ policy: { filter: ['lt'], sort: true } }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const serve = useServer();
const open = useClients();
let api: Api<string>;
let server: TestServer;
let url: string;

beforeAll(async () => {
  const board = service({
    authenticate(ctx) {
      if (ctx.get('authorization') !== 'Bearer ann') throw new Unauthorized('Sign in.');
      return 'ann';
    },
  });
  api = board.api({
    db: database.db,
    prefix: '/api',
    resources: [board.resource({ model: Card, live: true, paging: cursorPaging({ max: 50 }) })],
  });
  server = await serve(api.routes());
  url = `http://127.0.0.1:${server.port}/api/cards`;
});
beforeEach(() => database.db.collection('cards').deleteMany({}));

const headers = { authorization: 'Bearer ann' };
const ask = (method: string, path: string, body?: unknown) =>
  server.request(method, `/api/cards${path}`, { headers, ...(body ? { body } : {}) });
const create = async (rank: number) => (await ask('POST', '', { title: `Card ${rank}`, rank })).body.data as Any;

describe('with the service, a client', () => {
  it('has what the list has, whatever is written, also across connections that break', async () => {
    const query = '?sort=-rank&limit=4&rank[lt]=80';
    const connections: AbortController[] = [];
    const breakable = ((input: string, init: RequestInit) => {
      const connection = new AbortController();
      connections.push(connection);
      init.signal?.addEventListener('abort', () => connection.abort());
      return fetch(input, { ...init, signal: connection.signal });
    }) as typeof fetch;
    const client = open(url + query, { headers, fetch: breakable });
    const ids: string[] = [];
    let random = 7;
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % below;
    };
    for (let step = 0; step < 60; step++) {
      const [id] = ids.splice(next(ids.length + 1), 1);
      if (id === undefined || ids.length < 4) ids.push((await create(next(100))).id);
      if (id !== undefined && next(3) === 0) await ask('DELETE', `/${id}`);
      else if (id !== undefined) {
        await ask('PATCH', `/${id}`, next(2) ? { rank: next(100) } : { title: `Step ${step}` });
        ids.push(id);
      }
      if (step % 15 === 14) connections.at(-1)?.abort();
      if (step % 10 === 9) {
        const { data, page } = (await ask('GET', query)).body;
        await until(() => JSON.stringify(client.state) === JSON.stringify({ data, page }));
      }
    }
    expect(client.state).toEqual((await ask('GET', query)).body);
    expect([client.errors.length > 0, client.ends]).toEqual([true, []]);
  });

  it('goes on without a list if nothing has changed since its last state', async () => {
    await create(1);
    const bodies: string[] = [];
    const controllers: AbortController[] = [];
    const watched = (async (input: string, init: RequestInit) => {
      const controller = new AbortController();
      controllers.push(controller);
      init.signal?.addEventListener('abort', () => controller.abort());
      const answer = await fetch(input, { ...init, signal: controller.signal });
      const at = bodies.push('') - 1;
      const decoder = new TextDecoder();
      const watch = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, stream) {
          bodies[at] += decoder.decode(chunk, { stream: true });
          stream.enqueue(chunk);
        },
      });
      return new Response(answer.body?.pipeThrough(watch), answer);
    }) as typeof fetch;
    const client = open(url, { headers, fetch: watched });
    await until(() => client.states.length === 1);
    controllers[0]?.abort();
    await until(() => client.states.length === 2);
    expect(client.states[1]).toBe(client.states[0]);
    expect([bodies[0]?.includes('event: page'), bodies[1]?.includes('event: page'), bodies[1]?.includes('event: same')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('follows a record, with the ETag for the next change', async () => {
    const { id } = await create(1);
    const client = open(`${url}/${id}`, { headers });
    await until(() => client.states.length === 1);
    await ask('PATCH', `/${id}`, { rank: 2 });
    await until(() => client.state.data?.rank === 2);
    expect(client.state).toEqual({ data: { id, title: 'Card 1', rank: 2, revision: 1 }, etag: '"1"' });
    await ask('DELETE', `/${id}`);
    await until(() => client.state.data === null);
    expect(client.ends).toEqual([]);
  });

  it('is told why there is no list: no token, no record, a cursor', async () => {
    const refused = [open(url), open(`${url}/${'0'.repeat(24)}`, { headers }), open(`${url}?after=x`, { headers })];
    await until(() => refused.every(({ ends }) => ends.length === 1));
    expect(refused.map(({ ends: [end] }) => [end.status, end.code])).toEqual([
      [401, 'unauthorized'],
      [404, 'not_found'],
      [400, 'invalid_query'],
    ]);
  });
});
