import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const all = { policy: { sort: true, filter: true } } as const;
const numbers = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`field_number_${n}`, t.nullable(t.int64(), all)]));
const kind = t.nullable(t.enum(['member_0', ...Array.from({ length: 249 }, (_, n) => `member_${n + 1}`)]), all);
const Wide = defineModel('Wide', { collection: 'wide', fields: { ...numbers, kind } });

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Wide, fields: true })]);

const many = (count: number, make: (n: number) => string, separator: string) =>
  Array.from({ length: count }, (_, n) => make(n)).join(separator);

describe('the errors of a request', () => {
  it.each([
    ['empty keys of a sort', `sort=${','.repeat(14_000)}`],
    ['misspelt keys of a sort', `sort=${many(900, (n) => `feld_numbr_${n}`, ',')}`],
    ['keys of a sort that are given twice', `sort=${many(900, () => 'kind', ',')}`],
    ['misspelt members', many(900, (n) => `kind=memb_${n}`, '&')],
    ['misspelt members of lists', `${many(900, () => 'kind[in]=x', '&')}`],
    ['unknown parameters', many(900, (n) => `feld_nmbr_${n}=`, '&')],
    ['unknown operators', many(400, (n) => `field_number_${n % 60}[x${n}]=`, '&')],
    ['a parameter given many times', many(900, () => 'field_number_1=1', '&')],
    ['unknown fields to read', `fields=${many(900, (n) => `feld_nmbr_${n}`, ',')}`],
    ['mistakes of every sort', `sort=x,y,z&fields=a,b,c&${many(900, () => 'kind=x', '&')}`],
  ])('are at most 20 in a query string, in an answer that is no longer than need be: %s', async (_name, query) => {
    const { status, body, text } = await api.request('GET', `/api/wide?${query}`);
    expect([status, body.errors.length]).toEqual([400, 20]);
    expect(text.length).toBeLessThan(8000);
  });

  it('are at most 20 for integers beyond 64 bits, too', async () => {
    const { status, body } = await api.request('GET', `/api/wide?${many(60, (n) => `field_number_${n}=${2n ** 64n}`, '&')}`);
    expect([status, body.errors.length]).toEqual([422, 20]);
  });

  it('are one for a list of values, however many are wrong, with the first ten of what would be right', async () => {
    const { body } = await api.request('GET', `/api/wide?kind[in]=${many(500, (n) => `x${n}`, ',')}`);
    const legal = many(10, (n) => `member_${n}`, ', ');
    expect(body.errors).toMatchObject([{ field: 'kind[in]', message: `must be one of ${legal}, …` }]);
  });

  it('are at most 20 in the fields to read of one record', async () => {
    const { status, body } = await api.request('GET', `/api/wide/0123456789abcdef01234567?fields=${many(900, (n) => `x${n}`, ',')}`);
    expect([status, body.errors.length]).toEqual([400, 20]);
  });

  it('are at most 100 in a body', async () => {
    const json = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`feld_nmbr_${n}`, 1])));
    const { status, body, text } = await api.request('POST', '/api/wide', { body: json, headers: { 'content-type': 'application/json' } });
    expect([status, body.errors.length]).toEqual([422, 100]);
    expect(text.length).toBeLessThan(20_000);
  });
});
