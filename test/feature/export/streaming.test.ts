import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { defineModel, everything, Problem, type Service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';
import { getStream, openStream, readToEnd } from '../../support/http/read-stream.ts';
import { until } from '../../support/until.ts';

const Blob = defineModel('Blob', {
  collection: 'blobs',
  fields: { id: t.int({ policy: { sort: true, filter: true } }), owner: t.string({ default: 'ann' }), text: t.string() },
});

/** Far more than the buffers between the server and a client that does not read. */
const count = 2_000;
const bytes = 20_000;

const database = useDatabase();
const scopes: string[] = [];
let owner = 'ann';
let failing: Error | undefined;
const serveBlobs = (shop: Service<never>) => [
  shop.resource({ model: Blob, export: {} }),
  shop.resource({ model: Blob, path: 'least', export: { max: count } }),
  shop.resource({
    model: Blob,
    path: 'scoped',
    export: {},
    async scope() {
      scopes.push(owner);
      if (failing && scopes.length > 2) throw failing;
      await Promise.resolve();
      return owner === '' ? everything : { owner };
    },
  }),
];
const options = { maxStreams: 2, maxConcurrency: 1 };
const api = useApi(database, serveBlobs, options);
const hasty = useApi(database, serveBlobs, { ...options, requestTimeout: 1_000 });

beforeAll(async () => {
  const text = 'x'.repeat(bytes);
  const blobs = Array.from({ length: count }, (_, id) => ({ _id: id as never, owner: 'ann', text }));
  await database.db.collection('blobs').insertMany(blobs);
});

const accept = 'application/x-ndjson';
const opened: IncomingMessage[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
  scopes.length = 0;
  owner = 'ann';
  failing = undefined;
});

async function open(path: string, { port } = api): Promise<IncomingMessage> {
  const incoming = await openStream(port, `/api/${path}`, { accept });
  opened.push(incoming);
  return incoming;
}

const status = async (path: string, headers = {}) => (await api.request('GET', `/api/${path}`, { headers })).status;

describe('an export whose client reads slowly', () => {
  it('reads no further batch meanwhile, and goes on when it reads', async () => {
    const incoming = await open('scoped');
    await once(incoming, 'readable');
    let before = 0;
    while (scopes.length > before) {
      before = scopes.length;
      await new Promise((resolve) => setTimeout(resolve, 300)); // until nothing more fits into the buffers of the system
    }
    expect(scopes.length).toBeLessThan(20);
    const { lines, isCut } = await readToEnd(incoming);
    expect([isCut, lines.at(-1)]).toEqual([false, { end: true, count }]);
    expect(scopes.length).toBeGreaterThan(30);
  });

  it('has no place of `maxConcurrency`, and is not given up by `requestTimeout`', async () => {
    const incoming = await open('blobs', hasty);
    expect((await hasty.request('GET', '/api/blobs?limit=1')).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // longer than `requestTimeout`
    expect((await readToEnd(incoming)).lines.at(-1)).toEqual({ end: true, count });
  });

  it('has one of `maxStreams`: the next one is 503 until it has ended', async () => {
    const first = await open('blobs');
    const second = await open('scoped');
    const { status: refused, headers, body } = await api.request('GET', '/api/blobs', { headers: { accept } });
    expect([refused, headers['retry-after'], body.code]).toEqual([503, '5', 'overloaded']);
    expect(await status('blobs?limit=1')).toBe(200);
    await readToEnd(first);
    await until(async () => (await getStream(api.port, '/api/blobs?id=1', accept)).status === 200);
    second.destroy();
    await until(async () => {
      const held = [await open('blobs'), await open('blobs')];
      const codes = held.map(({ statusCode }) => statusCode);
      for (const one of held) one.destroy();
      return codes.every((code) => code === 200);
    });
  });

  it('gives its place back if it is refused', async () => {
    for (let index = 0; index < 4; index++) expect((await getStream(api.port, '/api/blobs?limit=1', accept)).status).toBe(400);
    await database.db.collection('blobs').insertOne({ _id: count as never, owner: 'ann', text: '' });
    for (let index = 0; index < 4; index++) expect((await getStream(api.port, '/api/least', accept)).status).toBe(422);
    await database.db.collection('blobs').deleteOne({ _id: count as never });
    expect((await getStream(api.port, '/api/least', accept)).lines.at(-1)).toEqual({ end: true, count });
  });
});

describe('an export whose client has gone', () => {
  it('reads no further, and tells nobody of an error', async () => {
    const incoming = await open('scoped');
    await once(incoming, 'readable');
    incoming.destroy();
    await until(async () => (await getStream(api.port, '/api/blobs?id=1', accept)).status === 200);
    const asked = scopes.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([scopes.length, api.errors]).toEqual([asked, []]);
  });
});

describe('what the caller may see is asked again for each batch', () => {
  it('so that records which have left the scope are not sent', async () => {
    const incoming = await open('scoped');
    await once(incoming, 'readable');
    owner = 'bob';
    const { lines, isCut } = await readToEnd(incoming);
    expect(isCut).toBe(false);
    expect(lines.length).toBeLessThan(count / 2);
    expect(lines.at(-1)).toEqual({ end: true, count: lines.length - 1 });
  });

  it.each([
    [new Problem({ code: 'forbidden', detail: 'No more.' }), { code: 'forbidden', status: 403, detail: 'No more.' }, 0],
    [new Error('secret'), { type: 'about:blank', title: 'Internal Server Error', status: 500 }, 1],
  ])(
    'so that one which is refused meanwhile ends with its problem, a cursor and a cut connection: %s',
    async (error, problem, reported) => {
      failing = error;
      const told = api.errors.length;
      const { status: begun, lines, isCut } = await getStream(api.port, '/api/scoped', accept);
      const last = lines.at(-1);
      expect([begun, isCut, last]).toEqual([
        200,
        true,
        { end: false, count: lines.length - 1, problem: expect.objectContaining(problem), next_cursor: expect.any(String) },
      ]);
      expect(api.errors.splice(told)).toHaveLength(reported);
      failing = undefined;
      const rest = await getStream(api.port, `/api/scoped?after=${last.next_cursor}`, accept);
      expect([...lines.slice(0, -1), ...rest.lines.slice(0, -1)].map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, id) => id));
      expect(rest.lines.at(-1)).toEqual({ end: true, count: count - last.count });
    },
  );

  it('and CSV that is refused meanwhile is cut', async () => {
    failing = new Problem({ code: 'forbidden' });
    const { status: begun, text, isCut } = await getStream(api.port, '/api/scoped', 'text/csv');
    expect([begun, isCut, text.endsWith('x\r\n')]).toEqual([200, true, true]);
  });

  it('and an export has no more than `max` records, though more are stored meanwhile', async () => {
    const incoming = await open('least');
    await once(incoming, 'readable');
    await database.db.collection('blobs').insertOne({ _id: count as never, owner: 'ann', text: '' });
    const { lines, isCut } = await readToEnd(incoming);
    await database.db.collection('blobs').deleteOne({ _id: count as never });
    expect([isCut, lines.at(-1).problem.code]).toEqual([true, 'too_many_matches']);
  });
});
