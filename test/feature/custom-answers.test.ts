import { useDatabase } from '../support/database/database.ts';
import { ann, useCustomOrders } from '../support/models/custom-orders.ts';

const { api, orders } = useCustomOrders(useDatabase());

describe('what a handler returns', () => {
  it.each<[string, string, string, number, unknown]>([
    ['a record that it loaded', 'GET', '/a/look', 200, { id: 'a', status: 'open', carrier: null, total: '12.50', revision: 3 }],
    [
      'JSON, with the values that JSON has no type for',
      'GET',
      '/a/total',
      200,
      {
        total: '12.50',
        carrier: null,
        id: 'a',
        at: '1970-01-01T00:00:00.000Z',
        big: 9007199254740992,
        list: [null, '0123456789abcdef01234567'],
      },
    ],
    [
      'records inside of JSON',
      'GET',
      '/a/wrap',
      200,
      { order: expect.objectContaining({ id: 'a' }), orders: [expect.objectContaining({ id: 'a' })] },
    ],
    ['a list', 'GET', '/overdue', 200, ['ann']],
    ['text', 'PUT', '/a/lines/last', 200, 'the last'],
    ['null', 'DELETE', '', 200, null],
  ])('is the data of the answer: %s', async (_what, method, path, status, data) => {
    const answer = await api.request(method, `/api/orders${path}`, { headers: ann });
    expect([answer.status, answer.body]).toEqual([status, { data }]);
    expect(answer.text).not.toContain('owner');
  });

  it('has an ETag where it is a record, and no other', async () => {
    const { headers } = await api.request('GET', '/api/orders/a/look', { headers: ann });
    expect(headers.etag).toBe('"3"');
    expect((await api.request('GET', '/api/orders/a/look', { headers: { ...ann, 'if-none-match': '"3"' } })).status).toBe(304);
    for (const path of ['/a/total', '/a/wrap', '/overdue'])
      expect((await api.request('GET', `/api/orders${path}`, { headers: ann })).headers).not.toHaveProperty('etag');
  });

  it('is written exactly', async () => {
    expect((await api.request('GET', '/api/orders/a/total', { headers: ann })).text).toContain('"big":9007199254740993');
  });

  it('is 204 where it is nothing', async () => {
    const { status, text, headers } = await api.request('POST', '/api/orders/a/touch', { headers: ann });
    expect([status, text]).toEqual([204, '']);
    expect(headers).not.toHaveProperty('content-type');
  });

  it('leaves a status, headers and a body that were set by hand', async () => {
    const answered = await api.request('POST', '/api/orders/answered', { headers: ann });
    expect([answered.status, answered.headers['x-job'], answered.body]).toEqual([202, '5', { data: { queued: true } }]);
    expect((await api.request('POST', '/api/orders/accepted', { headers: ann })).status).toBe(202);
    const csv = await api.request('GET', '/api/orders/csv', { headers: ann });
    expect([csv.status, csv.headers['content-type'], csv.text]).toEqual([200, 'text/csv; charset=utf-8', 'a;b\nc;d\n']);
  });

  it('may be an error that speaks, or one that does not', async () => {
    expect((await api.request('POST', '/api/orders/fails', { headers: ann })).body).toMatchObject({
      status: 403,
      detail: 'Not on Sundays.',
    });
    expect((await api.request('POST', '/api/orders/breaks', { headers: ann })).status).toBe(500);
    expect(api.errors.map(({ message }) => message)).toEqual(['a bug']);
  });

  it.each([
    ['a copy of a record, of which nobody knows what is private', 'copies', /with `owner`, the name of a private field/],
    ['what save() gives for a copy', 'savesCopy', /`ctx\.save\(\)` takes the record that `ctx\.load\(\)` gave/],
  ])('is never %s', async (_what, name, message) => {
    const { status, text } = await api.request('POST', `/api/orders/a/${name}`, { headers: ann });
    expect(status).toBe(500);
    expect(text).not.toContain('ann');
    expect(api.errors[0]?.message).toMatch(message);
    expect(await orders().findOne({ _id: 'a' })).toMatchObject({ revision: 3 });
  });
});
