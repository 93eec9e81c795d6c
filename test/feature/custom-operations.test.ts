import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { withQuery } from '../support/http/with-query.ts';
import { ann, useCustomOrders } from '../support/models/custom-orders.ts';

const database = useDatabase({ monitorCommands: true });
const { api, calls, orders, send } = useCustomOrders(database);
const commands = useCommands(database);

describe('a custom operation', () => {
  it('is POST /:id/<name>: it loads, changes and saves the record, and answers with it and its ETag', async () => {
    const { status, headers, body } = await send();
    expect([status, headers.etag, headers['content-type']]).toEqual([200, '"4"', 'application/json; charset=utf-8']);
    expect(body).toEqual({ data: { id: 'a', status: 'sent', carrier: 'DHL', total: '12.50', revision: 4 } });
    expect(commands.names).toEqual(['find', 'findAndModify']);
    expect(await orders().findOne({ _id: 'a' })).toMatchObject({ status: 'sent', carrier: 'DHL', owner: 'ann', revision: 4 });
  });

  it('runs its hooks with the saved record, before the answer', async () => {
    await send();
    expect(calls.at(-1)).toEqual(['after send', expect.objectContaining({ id: 'a', status: 'sent', owner: 'ann', revision: 4 }), false]);
    await api.request('POST', '/api/orders/a/touch', { headers: ann });
    expect(calls.at(-1)).toEqual(['after touch', expect.objectContaining({ carrier: 'touched', revision: 5 })]);
    await api.request('GET', '/api/orders/overdue', { headers: ann });
    expect(calls.at(-1)).toEqual(['after overdue', ['ann']]);
    await orders().insertOne({ _id: 'r', owner: 'root' });
    await api.request('POST', '/api/orders/r/close', { headers: { authorization: 'root' } });
    expect(calls.at(-1)).toEqual(['after close', undefined]);
  });

  it.each([
    ['bad credentials', 401, { authorization: 'stolen' }],
    ['no credentials', 401, { authorization: undefined }],
    ['a closed guard', 403, { authorization: 'guest' }],
    ['a record that is out of scope', 404, { authorization: 'ben' }],
    ['another revision', 412, { 'if-match': '"2"' }],
    ['a malformed If-Match', 400, { 'if-match': '2' }],
  ])('is refused: %s', async (_what, status, headers) => {
    expect((await send({ headers })).status).toBe(status);
    expect(await orders().findOne({ _id: 'a' })).toMatchObject({ status: 'open', revision: 3 });
    expect(api.errors).toEqual([]);
  });

  it('has guards of its own, beside those of all operations', async () => {
    expect((await api.request('POST', '/api/orders/a/close', { headers: ann })).status).toBe(403);
    expect((await api.request('POST', '/api/orders/a/close', { headers: { authorization: 'root' } })).status).toBe(204);
  });

  it.each(['"3"', '"1", "3"', '*'])('honours If-Match: %s', async (match) => {
    expect((await send({ headers: { 'if-match': match } })).status).toBe(200);
  });

  it('honours If-Match on a GET, and needs none where writes do', async () => {
    const look = (match?: string) => api.request('GET', '/api/orders/a/look', { headers: { ...ann, 'if-match': match } });
    expect([(await look('"3"')).status, (await look('"2"')).status, (await look('x')).status]).toEqual([200, 412, 400]);
    expect((await api.request('GET', '/api/notes/n/read')).status).toBe(200);
  });
});

describe('jsonBody with a schema', () => {
  it('leaves the body as handlers hold documents, with defaults', async () => {
    await send({ body: { carrier: 'DHL', on: '2026-01-31T12:00:00Z' } });
    expect(calls[0]).toEqual(['body', { carrier: 'DHL', on: new Date('2026-01-31T12:00:00Z'), tags: [] }]);
  });

  it.each<[string, unknown, string[]]>([
    ['a missing key and a wrong one', { carier: 'DHL' }, ['carier', 'carrier']],
    ['wrong values at any depth', { carrier: 'D', on: 'soon', tags: ['a', 5] }, ['carrier', 'on', 'tags.1']],
    ['null for an optional key', { carrier: 'DHL', on: null }, ['on']],
    ['no object', [], ['']],
    ['no body', undefined, ['']],
  ])('is 422 with every error at once: %s', async (_what, body, fields) => {
    const answer = await send({ body });
    expect([answer.status, answer.body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, fields]);
    expect(commands.names).toEqual([]);
  });

  it('is 413 above the limit of the api, and 415 and 400 as anywhere', async () => {
    expect((await send({ body: { carrier: 'x'.repeat(300) } })).status).toBe(413);
    expect((await send({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await send({ body: '{' })).status).toBe(400);
    expect((await api.request('POST', '/api/orders/a/given', { headers: ann, body: { x: 'x'.repeat(300) } })).status).toBe(413);
  });

  it('is read before If-Match, and validated behind it and before the record', async () => {
    expect((await send({ body: '{', headers: { 'if-match': 'x' } })).body.code).toBe('malformed_json');
    expect((await send({ body: {}, headers: { 'if-match': 'x' } })).body.code).toBe('malformed_header');
    expect((await send({ body: {}, headers: { 'if-match': '"9"' } })).status).toBe(422);
    expect((await send({ body: {} }, '/api/orders/none/send')).status).toBe(422);
  });
});

describe('the path of a custom operation', () => {
  it('that is literal goes before a record of that id, for every method', async () => {
    expect((await api.request('GET', '/api/orders/overdue', { headers: ann })).body).toEqual({ data: ['ann'] });
    const { status, headers } = await api.request('DELETE', '/api/orders/overdue', { headers: ann });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('may have parameters, and a literal goes before them too', async () => {
    expect((await api.request('PUT', '/api/orders/a/lines/%C3%BC', { headers: ann })).body).toEqual({ data: { line: 'ü', of: 'a' } });
    expect((await api.request('PUT', '/api/orders/a/lines/last', { headers: ann })).body).toEqual({ data: 'the last' });
  });

  it('shares its methods with the standard operations there', async () => {
    expect((await api.request('PATCH', '/api/orders', { headers: ann })).headers.allow).toBe(withQuery('GET, HEAD, POST, DELETE'));
    expect((await api.request('GET', '/api/orders/a/send', { headers: ann })).headers.allow).toBe('POST');
    expect((await api.request('HEAD', '/api/orders/a/look', { headers: ann })).headers.etag).toBe('"3"');
  });

  it('has no record where it has no id: load() is a mistake there', async () => {
    expect((await api.request('POST', '/api/orders/lost', { headers: ann })).status).toBe(500);
    expect(api.errors[0]?.message).toContain('`:id`');
  });

  it('may end in middlewares instead of a handler', async () => {
    const { status, body } = await api.request('POST', '/api/orders/search?limit=1', { headers: ann });
    expect([status, body.data.length, body.page.has_next]).toEqual([200, 1, true]);
    expect(body.data[0].id).toBe('a');
    expect((await api.request('POST', '/api/orders/search?x=1', { headers: ann })).status).toBe(400);
  });
});

describe('preconditionRequired', () => {
  it('is of every operation that may write a record: 428, and 412 on a model without a revision', async () => {
    const write = (match?: string) => api.request('POST', '/api/notes/n/write', { headers: { 'if-match': match } });
    expect((await write()).status).toBe(428);
    expect((await write('"0"')).status).toBe(412);
    const written = await write('*');
    expect([written.status, written.body.data.text]).toEqual([200, 'written']);
    expect(written.headers).not.toHaveProperty('etag');
    expect((await api.request('GET', '/api/notes/n/read')).status).toBe(200);
    expect((await api.request('POST', '/api/notes/all')).body).toEqual({ data: 'all' });
  });
});
