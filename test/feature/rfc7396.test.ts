import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Inner = t.object('Inner', {
  bb: t.optional(t.object('Innermost', { ccc: t.optional(t.any()) })),
  b: t.optional(t.string()),
  c: t.optional(t.string()),
});
const fieldsOf = (a: Parameters<typeof t.optional>[0]) => ({
  a: t.optional(a),
  b: t.optional(t.any()),
  c: t.optional(t.any()),
  e: t.nullable(t.any(), { storeNone: true }),
});
// An embedded object is what merges; `any` stands for what is replaced whole, as a value that is no object does in the
// RFC.
const Whole = t.object('Whole', fieldsOf(t.any()));
const Deep = t.object('Deep', fieldsOf(Inner));
const Doc = defineModel('Doc', { collection: 'docs', fields: { id: t.string(), whole: t.optional(Whole), deep: t.optional(Deep) } });

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Doc })]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

beforeEach(() => docs().deleteMany({}));

describe('RFC 7396, appendix A', () => {
  it.each<[target: 'whole' | 'deep', original: object, patch: unknown, result: object | 422]>([
    ['whole', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['whole', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['whole', { a: 'b' }, { a: null }, {}],
    ['whole', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    ['whole', { a: ['b'] }, { a: 'c' }, { a: 'c' }],
    ['whole', { a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    ['deep', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    ['whole', { a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    ['whole', { a: 'b' }, ['c'], 422], // a field keeps its type
    ['whole', { a: 'foo' }, 'bar', 422],
    ['whole', { e: null }, { a: 1 }, { e: null, a: 1 }],
    ['deep', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%s: %j patched by %j is %j', async (target, original, patch, result) => {
    await docs().insertOne({ _id: 'd', [target]: original });
    const { status } = await api.request('PATCH', '/api/docs/d', { body: { [target]: patch } });
    const stored = await docs().findOne({ _id: 'd' });
    expect([status, stored?.[target]]).toEqual(result === 422 ? [422, original] : [200, result]);
  });

  it.each([['["c","d"]'], ['null'], ['"bar"'], ['[]']])('a record is an object and stays one: %s is 422', async (body) => {
    await docs().insertOne({ _id: 'd' });
    const { status } = await api.request('PATCH', '/api/docs/d', { body });
    expect([status, await docs().findOne({})]).toEqual([422, { _id: 'd' }]);
  });
});
