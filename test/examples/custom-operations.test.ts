import { ObjectId } from 'mongodb';
import { createHelpdesk } from '../../examples/custom-operations/api.ts';
import { type Api, applyIndexes, openapiDocument } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const database = useDatabase();
const serve = useServer();
const told: string[] = [];
let helpdesk: Api<{ readonly name: string; readonly isAgent: boolean }>;
let server: TestServer;
let path: string;

const ann = { authorization: 'Bearer ann' };
const bob = { authorization: 'Bearer agent-bob' };
const carol = { authorization: 'Bearer agent-carol' };

beforeAll(async () => {
  helpdesk = createHelpdesk(database.db, (reporter, { title, resolution }) => told.push(`${reporter}: ${title}, ${resolution}`));
  await applyIndexes(helpdesk);
  server = await serve(helpdesk.routes());
});

beforeEach(async () => {
  told.length = 0;
  await database.db.collection('tickets').deleteMany({});
  const { headers } = await server.request('POST', '/api/tickets', { headers: ann, body: { title: 'It is broken' } });
  path = headers.location as string;
});

describe('the list of tickets', () => {
  const csv = (headers: object) => server.request('GET', '/api/tickets', { headers: { ...headers, accept: 'text/csv' } });

  it('is a table for agents, without what is finance to know', async () => {
    await server.request('POST', '/api/tickets', { headers: ann, body: { title: '=HYPERLINK("https://evil.example")' } });
    const { status, headers, text } = await csv(bob);
    expect([status, headers['content-disposition']]).toEqual([200, 'attachment; filename="tickets.csv"']);
    expect(text.split('\r\n')).toHaveLength(4);
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    const { text: ofFinance } = await csv({ authorization: 'Bearer agent-fay' });
    const [own, wider] = [text, ofFinance].map((table) => table.split('\r\n')[0]?.split(',') ?? []);
    expect(wider?.filter((name) => !own?.includes(name))).not.toEqual([]);
    expect((await csv(ann)).status).toBe(403);
  });
});

it('finds tickets by words, within what the caller may see', async () => {
  await server.request('POST', `${path}/comments`, { headers: ann, body: { text: 'The printer smells' } });
  const find = async (q: string, headers: object) => {
    const { body } = await server.request('GET', `/api/tickets?q=${q}`, { headers: { ...headers } });
    return body.data.map(({ title }: { title: string }) => title);
  };
  expect(await find('broken+printer', ann)).toEqual(['It is broken']);
  expect(await find('broken+printer', bob)).toEqual(['It is broken']);
  expect(await find('printer', { authorization: 'Bearer eve' })).toEqual([]);
});

describe('a ticket', () => {
  it('is taken by one agent', async () => {
    const taken = await server.request('POST', `${path}/take`, { headers: bob });
    expect(taken).toMatchObject({ status: 200, headers: { etag: '"1"' }, body: { data: { assignee: 'bob', revision: 1 } } });
    const late = await server.request('POST', `${path}/take`, { headers: carol });
    expect(late).toMatchObject({ status: 409, body: { code: 'already_taken', detail: 'bob has taken the ticket already.' } });
    expect((await server.request('POST', `${path}/take`, { headers: ann })).status).toBe(403);
    const anonymous = await server.request('POST', `${path}/take`);
    expect([anonymous.status, anonymous.headers['www-authenticate']]).toEqual([401, 'Bearer realm="helpdesk"']);
  });

  it('is taken by one of two who try at once', async () => {
    const answers = await Promise.all([bob, carol].map((headers) => server.request('POST', `${path}/take`, { headers })));
    const [first, second] = answers.map(({ status }) => status).sort();
    expect(first).toBe(200);
    expect([409, 412]).toContain(second);
  });

  it('is given back by the agent who has taken it, in a chain of the middlewares of a patch', async () => {
    const release = (headers: object, body: unknown = { internalNotes: 'needs a new part' }) =>
      server.request('POST', `${path}/release`, { headers: { ...headers }, body });
    await server.request('POST', `${path}/take`, { headers: bob });
    expect((await release(ann)).status).toBe(403);
    expect((await release(carol)).status).toBe(404);
    expect((await release(bob, { internalNotes: 'x'.repeat(2_000) })).status).toBe(413);
    expect((await release(bob, { title: 'Mended' })).body.errors).toMatchObject([
      { field: 'title', rule: 'unknown_field' },
      { field: 'internalNotes', rule: 'required' },
    ]);
    expect((await release({ ...bob, 'if-match': '"0"' })).status).toBe(412);
    const released = await release({ ...bob, 'if-match': '"1"' });
    expect(released).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(released.body.data).toMatchObject({ assignee: null, internalNotes: 'needs a new part', revision: 2 });
    expect((await release(bob)).status).toBe(404);
  });

  it('is closed with a resolution, and its reporter is told', async () => {
    const close = (body: unknown, headers = bob) => server.request('POST', `${path}/close`, { headers, body });
    expect((await close({})).body.errors).toMatchObject([{ field: 'resolution', message: 'is required' }]);
    expect((await close({ resolution: 'mended' }, ann)).status).toBe(403);
    expect((await close({ resolution: 'mended' })).body.data).toMatchObject({ status: 'closed', resolution: 'mended', revision: 1 });
    expect(told).toEqual(['ann: It is broken, mended']);
  });

  it('collects comments, and tells only agents who wrote them', async () => {
    const comment = (headers: object, text: string) =>
      server.request('POST', `${path}/comments`, { headers: { ...headers }, body: { text } });
    expect((await comment(ann, 'Please hurry')).status).toBe(200);
    expect((await comment(bob, 'I do')).body.data.comments[1]).toMatchObject({ text: 'I do', by: 'bob' });
    const { body, text } = await server.request('GET', path, { headers: ann });
    expect(body.data.comments.map((one: { text: string }) => one.text)).toEqual(['Please hurry', 'I do']);
    expect(text).not.toContain('bob');
    const stored = await database.db.collection('tickets').findOne({ _id: new ObjectId(path.split('/').at(-1)) });
    expect(stored?.comments.map(({ by }: { by: string }) => by)).toEqual(['ann', 'bob']);
    expect((await server.request('PATCH', path, { headers: ann, body: { comments: [] } })).status).toBe(422);
  });

  it('has notes that agents read and write, and for nobody else exist', async () => {
    const note = (headers: object) => server.request('PATCH', path, { headers: { ...headers }, body: { internalNotes: 'pays late' } });
    expect((await note(bob)).body.data).toMatchObject({ internalNotes: 'pays late' });
    expect((await note(ann)).body.errors).toMatchObject([{ field: 'internalNotes', rule: 'unknown_field' }]);
    expect((await server.request('GET', path, { headers: ann })).body.data).not.toHaveProperty('internalNotes');
    expect((await server.request('GET', path, { headers: carol })).body.data).toMatchObject({ internalNotes: 'pays late' });
  });

  it('has a cost price by which finance filters and sorts, and for other agents none', async () => {
    const fay = { authorization: 'Bearer agent-fay' };
    expect((await server.request('PATCH', path, { headers: fay, body: { costPrice: '12.50' } })).body.data.costPrice).toBe('12.50');
    const list = (headers: object) => server.request('GET', '/api/tickets?costPrice[gte]=10&sort=-costPrice', { headers: { ...headers } });
    expect((await list(fay)).body.data).toHaveLength(1);
    expect((await list(bob)).body.errors).toMatchObject([
      { field: 'costPrice[gte]', rule: 'unknown_parameter' },
      { field: 'sort', rule: 'not_sortable' },
    ]);
    expect((await server.request('GET', path, { headers: bob })).text).not.toContain('costPrice');
  });

  it("is another reporter's own: 404", async () => {
    const eve = { authorization: 'Bearer eve' };
    for (const [method, below, body] of [
      ['GET', '', undefined],
      ['POST', '/comments', { text: 'x' }],
    ] as const) {
      expect((await server.request(method, `${path}${below}`, { headers: eve, body })).status).toBe(404);
    }
  });
});

describe('the tickets of an agent', () => {
  it('are a list of their own, with its filters and pages', async () => {
    expect((await server.request('GET', '/api/tickets/mine', { headers: bob })).body.data).toEqual([]);
    await server.request('POST', `${path}/take`, { headers: bob });
    expect((await server.request('GET', '/api/tickets/mine?status=open', { headers: bob })).body.data).toEqual([
      expect.objectContaining({ assignee: 'bob' }),
    ]);
    expect((await server.request('GET', '/api/tickets/mine', { headers: carol })).body.data).toEqual([]);
    expect((await server.request('GET', '/api/tickets/mine?reporter=ann', { headers: bob })).status).toBe(400);
  });

  it('are found when they have been open for long', async () => {
    const stale = (query: string, headers = bob) => server.request('GET', `/api/tickets/stale${query}`, { headers });
    expect((await stale('')).body).toEqual({ data: [] });
    const old = { status: 'open', comments: [], reporter: 'eve', costPrice: 5, revision: 0 };
    await database.db.collection('tickets').insertMany([
      { ...old, title: 'Old', assignee: 'bob', createdAt: new Date('2020-02-02') },
      { ...old, title: 'Older', assignee: 'carol', createdAt: new Date('2020-01-01') },
    ]);
    const titles = async (query: string) => (await stale(query)).body.data.map(({ title }: { title: string }) => title);
    expect(await titles('')).toEqual(['Older', 'Old']);
    expect([await titles('?assignee=bob,dan&days=30'), await titles('?limit=1')]).toEqual([['Old'], ['Older']]);
    expect((await stale('')).text).not.toContain('costPrice');
    expect((await stale('?days=0&limt=5')).body.errors).toMatchObject([
      { field: 'limt', rule: 'unknown_parameter' },
      { field: 'days', rule: 'minimum' },
    ]);
    expect((await stale('?x=1', ann)).status).toBe(403);
  });

  it('are summed by groups, for agents, as far as each of them sees', async () => {
    const report = (as: object) => helpdesk.fetch(new Request('http://x/api/tickets/aggregate?group=status&sum=costPrice&count=true'), as);
    const fay = await report({ principal: { name: 'fay', isAgent: true, isOfFinance: true } });
    expect([fay.status, await fay.json()]).toEqual([200, { data: [{ group: { status: 'open' }, count: 1, sum: { costPrice: null } }] }]);
    expect((await report({ principal: { name: 'dan', isAgent: true } })).status).toBe(400);
    expect((await report({ principal: { name: 'ann', isAgent: false } })).status).toBe(403);
  });

  it('are counted, in this process too', async () => {
    const response = await helpdesk.fetch(new Request('http://in-process/api/tickets/counts'), {
      principal: { name: 'dan', isAgent: true },
    });
    expect([response.status, await response.json()]).toEqual([200, { data: { open: 1, closed: 0 } }]);
  });
});

it('is described', () => {
  const { paths } = openapiDocument(helpdesk);
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      '/api/tickets/{id}/take',
      '/api/tickets/{id}/release',
      '/api/tickets/{id}/comments',
      '/api/tickets/mine',
      '/api/tickets/counts',
    ]),
  );
});
