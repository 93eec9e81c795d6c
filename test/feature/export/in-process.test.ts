import { MongoClient } from 'mongodb';
import { type Api, defineModel, everything, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/database-proxy.ts';
import { until } from '../../support/until.ts';

const Row = defineModel('Row', { collection: 'rows', fields: { id: t.int({ policy: { sort: true } }), text: t.string() } });
const database = useDatabase();
const count = 3_000;
let proxy: DatabaseProxy;
let client: MongoClient;
let api: Api;
let batches = 0;
let atBatch: ((number: number) => unknown) | undefined;

beforeAll(async () => {
  const text = 'x'.repeat(2_000); // about 500 for each batch
  await database.db.collection('rows').insertMany(Array.from({ length: count }, (_, id) => ({ _id: id as never, text })));
  proxy = await startDatabaseProxy(process.env.MONGODB_URI ?? '');
  client = await MongoClient.connect(proxy.uri);
});

afterAll(async () => {
  await client?.close();
  await proxy?.close();
});

afterEach(() => {
  batches = 0;
  atBatch = undefined;
});

const request = (query = '', accept = 'application/x-ndjson', init: RequestInit = {}) =>
  new Request(`http://localhost/rows${query}`, { ...init, headers: { accept } });

function define(): Api {
  const shop = service();
  const scope = async (): Promise<typeof everything> => {
    batches++;
    await atBatch?.(batches);
    return everything;
  };
  return shop.api({
    db: client.db(database.db.databaseName),
    maxStreams: 1,
    resources: [shop.resource({ model: Row, ops: ['list'], export: {}, scope })],
  });
}

/** Resolves when the database can be reached again. */
async function mend(): Promise<void> {
  proxy.mend();
  await client.db('admin').command({ ping: 1 });
}

/** Reads a body as far as it comes. */
async function read(response: Response): Promise<{ readonly lines: readonly Any[]; readonly text: string; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let isCut = false;
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) chunks.push(chunk);
  } catch {
    isCut = true;
  }
  const text = Buffer.concat(chunks).toString();
  const isNdjson = response.headers.get('content-type')?.includes('ndjson') === true;
  return {
    lines: isNdjson
      ? text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [],
    text,
    isCut,
  };
}

const idsOf = (lines: readonly { readonly id?: number }[]) => lines.flatMap(({ id }) => (id === undefined ? [] : [id]));
const all = Array.from({ length: count }, (_, id) => id);

describe('an export in the process, without a connection', () => {
  beforeAll(() => {
    api = define();
  });

  it('is complete over many batches', async () => {
    const { lines, isCut } = await read(await api.fetch(request()));
    expect([isCut, idsOf(lines), lines.at(-1)]).toEqual([false, all, { end: true, count }]);
    expect(batches).toBeGreaterThan(5);
  });

  it('is complete as CSV, backwards', async () => {
    const { text, isCut } = await read(await api.fetch(request('?sort=-id', 'text/csv')));
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((row) => Number(row.split(',')[0]));
    expect([isCut, ids]).toEqual([false, all.toReversed()]);
  });

  it('reads no batch before its reader has taken the one before it', async () => {
    const response = await api.fetch(request());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 200)); // time for a batch that must not come: no event tells of it
    expect(batches).toBeLessThanOrEqual(2);
    await reader.cancel();
    await until(async () => (await api.fetch(request())).status === 200);
  });
});

describe('a database that fails in the middle of an export', () => {
  it('ends it with its problem, and a cursor that continues behind the last record', async () => {
    api = define();
    atBatch = (batch) => batch === 4 && proxy.cut();
    const first = await read(await api.fetch(request()));
    const last = first.lines.at(-1);
    expect(first.isCut).toBe(true);
    expect(last).toEqual({
      end: false,
      count: first.lines.length - 1,
      problem: expect.objectContaining({ status: 503, code: 'database_unavailable' }),
      next_cursor: expect.any(String),
    });
    expect(Object.keys(last)).toEqual(['end', 'count', 'problem', 'next_cursor']);
    await mend();
    atBatch = undefined;
    const rest = await read(await api.fetch(request(`?after=${last.next_cursor}`)));
    expect([...idsOf(first.lines), ...idsOf(rest.lines)]).toEqual(all);
    expect([rest.isCut, rest.lines.at(-1)]).toEqual([false, { end: true, count: count - last.count }]);
  }, 20_000);

  it('cuts a table off behind whole rows', async () => {
    api = define();
    atBatch = (batch) => batch === 4 && proxy.cut();
    const { text, isCut } = await read(await api.fetch(request('', 'text/csv')));
    await mend();
    expect([isCut, text.endsWith('x\r\n'), text.split('\r\n').length < count]).toEqual([true, true, true]);
  }, 20_000);

  it('is answered as a problem before the first byte', async () => {
    api = define();
    atBatch = () => proxy.cut();
    const response = await api.fetch(request());
    await mend();
    expect([response.status, response.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    atBatch = undefined;
    expect((await read(await api.fetch(request()))).lines.at(-1)).toEqual({ end: true, count }); // the only place is free
  }, 20_000);
});

describe('who ends an export in the process', () => {
  it('is a reader that cancels, while the application is asked: `ctx.signal` is aborted', async () => {
    const shop = service();
    let signal: AbortSignal | undefined;
    let calls = 0;
    const resource = shop.resource({
      model: Row,
      ops: ['list'],
      export: {},
      scope: async (ctx): Promise<typeof everything> => {
        signal = ctx.signal;
        if (++calls > 2) await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)));
        return everything;
      },
    });
    api = shop.api({ db: database.db, maxStreams: 1, resources: [resource] });
    const response = await api.fetch(request());
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    while (calls < 3) await Promise.race([reader.read(), new Promise((resolve) => setTimeout(resolve, 20))]); // the last batch never comes
    expect(signal?.aborted).toBe(false);
    await reader.cancel();
    await until(() => signal?.aborted === true);
    calls = -100;
    expect((await read(await api.fetch(request()))).lines.at(-1)).toEqual({ end: true, count });
  });

  it('is `api.close()`, by a line with a cursor', async () => {
    api = define();
    let closed: Promise<void> | undefined;
    atBatch = (batch) => {
      if (batch === 3) closed = api.close();
    };
    const { lines, isCut } = await read(await api.fetch(request()));
    expect([isCut, lines.at(-1)]).toMatchObject([
      true,
      { end: false, problem: { code: 'shutting_down' }, next_cursor: expect.any(String) },
    ]);
    await closed;
  });

  it('is `requestTimeout`, before the first byte only', async () => {
    const shop = service();
    let calls = 0;
    const scope = async (): Promise<typeof everything> => {
      calls++;
      if (calls === 1) await new Promise(() => undefined);
      return everything;
    };
    api = shop.api({
      db: database.db,
      maxStreams: 1,
      requestTimeout: 1_000,
      resources: [shop.resource({ model: Row, ops: ['list'], export: {}, scope })],
    });
    const refused = await api.fetch(request());
    expect([refused.status, ((await refused.json()) as Any).code]).toEqual([503, 'request_given_up']);
    const response = await api.fetch(request());
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // longer than `requestTimeout`
    expect([response.status, (await read(response)).lines.at(-1)]).toEqual([200, { end: true, count }]);
  });
});
