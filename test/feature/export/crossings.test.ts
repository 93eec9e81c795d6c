import { type Api, cursorPaging, defineModel, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { getStream, type ReadStream } from '../../support/http/read-stream.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const Owner = defineModel('Owner', {
  collection: 'owners',
  fields: {
    id: t.string({ policy: { filter: true } }),
    name: t.string({ policy: { filter: true, sort: true } }),
    grade: t.string({ policy: { read: 'staff', filter: true, sort: true } }),
  },
});

const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: t.int({ policy: { filter: true, sort: true } }),
    title: t.string({ policy: { filter: true } }),
    cost: t.string({ policy: { read: 'staff', filter: true, sort: true } }),
    place: t.object('Place', { city: t.string(), code: t.string({ policy: { read: 'staff' } }) }),
    owner: t.ref('Owner', { id: t.string() }),
    deletedAt: t.deletedAt(),
  },
});

const database = useDatabase();
const serve = useServer();
const staff = new Set(['ann']);
const hidden = new Set<string>();
let asked = 0;
let api: Api;
let server: TestServer;

const count = 300;

beforeAll(async () => {
  const shop = service({
    authenticate: (ctx): string | undefined => ctx.get('x-user') || undefined,
    rules: {
      staff: async (user: string) => {
        asked++;
        return staff.has(user);
      },
    },
  });
  api = shop.api({
    db: database.db,
    resources: [
      shop.resource({
        model: Task,
        ops: ['list', 'get'],
        fields: true,
        export: {},
        include: ['owner'],
        through: ['owner'],
        paging: cursorPaging({ max: 500 }),
        deleted: { guards: [(ctx) => ctx.principal === 'ann'] },
      }),
      shop.resource({ model: Owner, nested: [], scope: () => ({ id: { nin: ['none', ...hidden] } }), ops: ['list', 'get'] }),
    ],
  });
  server = await serve(api.routes());
  const tasks = Array.from({ length: count }, (_, id) => ({
    _id: id as never,
    title: `title ${id}`,
    cost: `zq${id % 4}`,
    place: { city: 'Bern', code: 'zq' },
    owner: `o${id % 3}`,
    ...(id % 10 === 0 ? { deletedAt: new Date() } : {}),
  }));
  await database.db.collection('tasks').insertMany(tasks);
  const owners = ['o0', 'o1', 'o2'].map((_id, index) => ({ _id: _id as never, name: `name ${2 - index}`, grade: `zq${index}` }));
  await database.db.collection('owners').insertMany(owners);
});

afterEach(() => {
  staff.clear();
  staff.add('ann');
  hidden.clear();
});

const ndjson = 'application/x-ndjson';
const get = (path: string, user = '', accept = ndjson) => getStream(server.port, path, accept, user === '' ? {} : { 'x-user': user });
const paged = async (path: string, user = '') => {
  const { body } = await server.request('GET', `${path}${path.includes('?') ? '&' : '?'}limit=500`, { headers: { 'x-user': user } });
  return body.data;
};
const recordsOf = ({ lines }: ReadStream) => lines.slice(0, -1);

describe('an export shows what the caller may see', () => {
  it.each(['', 'ann', 'bob'])('as the list does, to %s', async (user) => {
    const exported = await get('/tasks', user);
    expect(recordsOf(exported)).toEqual(await paged('/tasks', user));
    expect(exported.text.includes('zq')).toBe(user === 'ann');
    const { text } = await get('/tasks?id=1', user, 'text/csv');
    expect(text.split('\r\n')[0]).toBe(
      user === 'ann' ? 'id,title,cost,place.city,place.code,owner,deletedAt' : 'id,title,place.city,owner,deletedAt',
    );
    expect(text.includes('zq')).toBe(user === 'ann');
  });

  it('and names no hidden field', async () => {
    for (const query of ['cost=zq0', 'sort=cost', 'fields=cost', 'owner.grade=zq1', 'sort=owner.grade']) {
      expect([query, (await get(`/tasks?${query}`, 'bob')).status]).toEqual([query, 400]);
      expect([query, (await get(`/tasks?${query}`, 'ann')).status]).toEqual([query, 200]);
    }
  });

  it('and ends when the rules of its caller change', async () => {
    asked = 0;
    staff.add('eve');
    let lines: ReadStream['lines'] = [];
    const reading = get('/tasks', 'eve').then((answer) => {
      lines = answer.lines;
      return answer.isCut;
    });
    while (asked < 2) await new Promise((resolve) => setImmediate(resolve));
    staff.delete('eve');
    expect(await reading).toBe(true);
    expect(lines.at(-1)).toEqual({
      end: false,
      count: 100,
      problem: expect.objectContaining({ code: 'forbidden' }),
      next_cursor: null,
    });
    expect(lines.length).toBe(101);
  });
});

describe('deleted records', () => {
  it('are not exported, unless the list shows them', async () => {
    expect(recordsOf(await get('/tasks')).every(({ id }) => id % 10 !== 0)).toBe(true);
    expect((await get('/tasks', 'ann')).lines.at(-1)).toEqual({ end: true, count: 270 });
    expect((await get('/tasks?deleted=only', 'ann')).lines.at(-1)).toEqual({ end: true, count: 30 });
    expect((await get('/tasks?deleted=with', 'ann')).lines.at(-1)).toEqual({ end: true, count: 300 });
    expect((await get('/tasks?deleted=only', 'bob')).status).toBe(403);
  });
});

describe('relations', () => {
  it.each(['owner.name=name%201', 'sort=owner.name,-id', 'sort=-owner.name&owner.name[gte]=name%201'])(
    'filter and sort: %s',
    async (query) => {
      const exported = await get(`/tasks?${query}`);
      expect(recordsOf(exported)).toEqual(await paged(`/tasks?${query}`));
      expect(exported.lines.length).toBeGreaterThan(80);
    },
  );

  it('show what the scope of their records shows at each batch', async () => {
    hidden.add('o1');
    expect(recordsOf(await get('/tasks?owner.name=name%201'))).toEqual([]);
    expect(recordsOf(await get('/tasks?sort=owner.name'))).toEqual(await paged('/tasks?sort=owner.name'));
  });
});

describe('`api.fetch`', () => {
  const fetchLines = async (response: Response) =>
    (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const request = (path: string, accept = ndjson) => new Request(`http://localhost${path}`, { headers: { accept } });

  it('answers with the stream', async () => {
    const response = await api.fetch(request('/tasks'), { principal: 'ann' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect((await fetchLines(response)).at(-1)).toEqual({ end: true, count: 270 });
  });

  it('delivers the line that says why it was cut off, and then fails', async () => {
    staff.add('eve');
    const response = await api.fetch(request('/tasks'), { principal: 'eve' });
    staff.delete('eve');
    const chunks: Uint8Array[] = [];
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const reading = (async () => {
      for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
    })();
    await expect(reading).rejects.toThrow();
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ end: false, count: 100, problem: { code: 'forbidden' } });
  });

  it('gives its place back when its reader cancels', async () => {
    for (let index = 0; index < 25; index++) {
      const response = await api.fetch(request('/tasks'), { principal: 'ann' });
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
    for (let index = 0; index < 25; index++) {
      const ended = new AbortController();
      const response = await api.fetch(new Request('http://localhost/tasks', { headers: { accept: ndjson }, signal: ended.signal }));
      expect(response.status).toBe(200);
      ended.abort();
    }
  });
});
