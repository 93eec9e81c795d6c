import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { assorted, typedFields } from '../support/models/assorted.ts';

/*
 * Operators of MongoDB wherever a client may write anything: bodies, keys, queries, paths, cursors and headers. The
 * kinds of vectors are those of the OWASP Web Security Testing Guide ("Testing for NoSQL Injection") and of the payload
 * lists of PayloadsAllTheThings; the vectors themselves are written here. What holds of each: nobody else's record is
 * read, changed or counted, nothing is a 500, and what is stored is stored as the data that it is.
 */

const database = useDatabase();
const api = useApi(database, assorted);
const records = () => database.db.collection<{ _id: string; [key: string]: unknown }>('assorted');

const theirs = { _id: 'theirs', text: 'secret', int: 7, owner: 'bob', revision: 3 };
const mine = { _id: 'mine', text: 'hello', int: 1, owner: 'ann', revision: 0 };

beforeEach(async () => {
  api.errors.length = 0;
  await records().deleteMany({});
  await records().insertMany([structuredClone(theirs), structuredClone(mine)]);
});

/** That the record of somebody else is as it was, and in no answer. */
async function expectUntouched(answers: readonly { status: number; text: string }[]): Promise<void> {
  expect(await records().findOne({ _id: 'theirs' })).toEqual(theirs);
  for (const { status, text } of answers) {
    expect(status).toBeLessThan(500);
    expect(text).not.toContain('secret');
  }
  expect(api.errors).toEqual([]);
}

const operators: readonly object[] = [
  { $ne: null },
  { $ne: '' },
  { $gt: '' },
  { $gte: 0 },
  { $lt: '~' },
  { $exists: true },
  { $in: ['hello', 'theirs'] },
  { $nin: [] },
  { $not: { $eq: 'x' } },
  { $regex: '.*' },
  { $regex: '^s', $options: 'i' },
  { $regularExpression: { pattern: '.*', options: '' } },
  { $where: 'sleep(1000) || true' },
  { $expr: { $eq: [1, 1] } },
  { $or: [{}, { a: 1 }] },
  { $and: [] },
  { $type: 2 },
  { $mod: [1, 0] },
  { $all: [] },
  { $elemMatch: {} },
  { $size: 0 },
  { $jsonSchema: {} },
  { $text: { $search: 's' } },
  { $comment: 'x' },
  { $function: { body: 'function(){return true}', args: [], lang: 'js' } },
  { $accumulator: {} },
  { $set: { owner: 'ann' } },
  { $unset: { owner: '' } },
  { $inc: { revision: 1 } },
  { $rename: { owner: 'text' } },
  { $push: { tags: 'x' } },
  { $literal: 1 },
  { $concat: ['$owner', '$text'] },
  { $getField: 'owner' },
  { $lookup: { from: 'assorted', pipeline: [], as: 'x' } },
  { $out: 'assorted' },
  { $merge: 'assorted' },
  { $oid: '0123456789abcdef01234567' },
  { $date: '2026-01-31T00:00:00Z' },
  { $numberLong: '5' },
  { $numberDecimal: '5' },
  { $binary: { base64: 'AA==', subType: '00' } },
  { $code: 'function(){}' },
  { $ref: 'assorted', $id: 'theirs' },
  { $minKey: 1 },
  { $undefined: true },
  { _bsontype: 'ObjectId', id: '0123456789ab' },
  { _bsontype: 'Code', code: 'function(){}' },
  { _bsontype: 'DBRef', collection: 'assorted', oid: 'theirs' },
];

const texts: readonly string[] = [
  "' || '1'=='1",
  "' || 1==1//",
  "' && this.owner.match(/.*/)//",
  '"; return true; var x="',
  "'; sleep(1000); '",
  "';db.assorted.drop();'",
  '$where: 1',
  '{"$gt":""}',
  '{$ne: null}',
  '[$ne]',
  '$owner',
  '$$ROOT',
  '$$CURRENT.owner',
  '$_id',
  'true, $where: "1 == 1"',
  '.*',
  '^.*$',
  '(?:.*)',
  '\\',
  'a|.*',
  '%00',
  '|| 1==1',
];

const write = async (method: string, body: unknown) =>
  api.request(method, method === 'POST' ? '/api/assorted' : '/api/assorted/mine', { body });

describe('an operator as a value in a body', () => {
  it.each(operators)('is 422 wherever a field has a type: %j', async (operator) => {
    const answers = [];
    for (const method of ['POST', 'PATCH', 'PUT']) {
      const body = Object.fromEntries([...typedFields, ...(method === 'POST' ? ['id'] : [])].map((name) => [name, operator]));
      const answer = await write(method, { ...body, tags: [operator], place: { city: operator } });
      expect([method, answer.status, answer.body.code]).toEqual([method, 422, 'validation_failed']);
      const named = answer.body.errors.map(({ field }: { field: string }) => field);
      expect(named.toSorted()).toEqual([...Object.keys(body), 'tags.0', 'place.city'].toSorted());
      answers.push(answer);
    }
    expect(await records().findOne({ _id: 'mine' })).toEqual(mine);
    await expectUntouched(answers);
  });

  it.each(operators)('is data in an untyped field, stored and served as it is: %j', async (operator) => {
    const answers = [];
    for (const [method, body] of [
      ['PATCH', { any: operator, map: { key: operator, ...operator } }],
      ['PUT', { any: [operator], map: { deep: { deeper: operator } } }],
    ] as const) {
      const answer = await write(method, body);
      expect([method, answer.status, answer.body.data]).toMatchObject([method, 200, body]);
      answers.push(answer, await api.request('GET', '/api/assorted/mine'));
      expect(answers.at(-1)?.text).toBe(answer.text);
    }
    await expectUntouched(answers);
  });

  it.each(operators)('is an unknown field where fields are declared: %j', async (operator) => {
    const [key = ''] = Object.keys(operator);
    const answers = [];
    for (const body of [
      operator,
      { place: { city: 'x', ...operator } },
      { [`place.${key}`]: 1 },
      { 'owner.$set': 'ann' },
      { 'place.city': 'x' },
    ]) {
      const answer = await write('PATCH', body);
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
      answers.push(answer);
    }
    expect(await records().findOne({ _id: 'mine' })).toEqual(mine);
    await expectUntouched(answers);
  });
});

describe('an operator in a query', () => {
  const keys = [
    '$where',
    '$or',
    '$expr',
    'text[$ne]',
    'text[$gt]',
    'text[$regex]',
    'text[$where]',
    'text[eq][$ne]',
    '$or[0][text]',
    'text[][$ne]',
    'owner',
    'owner[ne]',
    'owner[prefix]',
    'owner.$ne',
    'text.$ne',
    'any.$where',
    'map.a',
    'sort[$meta]',
    'limit[$gt]',
    '__proto__[$ne]',
    '_id[$ne]',
    '_id',
  ];

  it.each(keys)('is 400 as a key: %s', async (key) => {
    const answers = [];
    for (const value of ['', '1', '.*', 'bob', '{"$gt":""}']) {
      const answer = await api.request('GET', `/api/assorted?${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_query']);
      answers.push(answer);
    }
    await expectUntouched(answers);
  });

  it.each([...texts, ...operators.map((one) => JSON.stringify(one))])(
    'is a text as a value, and finds what is called so: %s',
    async (text) => {
      await records().updateOne({ _id: 'mine' }, { $set: { text } });
      const answers = [];
      const value = encodeURIComponent(text);
      for (const [query, finds] of [
        [`text=${value}`, true],
        [`text[in][]=${value}`, true],
        [`text[prefix]=${value}`, true],
        [`text[ne]=${value}`, false],
        [`text[nin][]=${value}`, false],
        [`text[gt]=${value}`, false],
        [`place.city=${value}`, false],
        [`tags=${value}`, false],
      ] as const) {
        const answer = await api.request('GET', `/api/assorted?${query}&total=false`);
        expect([query, answer.status, answer.body.data.map(({ id }: { id: string }) => id)]).toEqual([query, 200, finds ? ['mine'] : []]);
        answers.push(answer);
      }
      for (const name of [
        'int',
        'float',
        'decimal',
        'flag',
        'date',
        'ref',
        'uuid',
        'kind',
        'int[gt]',
        'sort',
        'fields',
        'limit',
        'include',
        'total',
        'page',
        'after',
      ]) {
        const answer = await api.request('GET', `/api/assorted?${name}=${value}`);
        expect([name, answer.status]).toEqual([name, 400]);
        answers.push(answer);
      }
      await expectUntouched(answers);
    },
  );
});

describe('an operator in a path or a header', () => {
  it.each([...texts, ...operators.map((one) => JSON.stringify(one)), 'theirs', 'theirs%00', '../assorted/theirs', 'mine/../theirs'])(
    'is the id of no record: %s',
    async (id) => {
      const answers = [];
      for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
        const answer = await api.request(
          method,
          `/api/assorted/${encodeURIComponent(id)}`,
          method.startsWith('P') ? { body: { text: 'x' } } : {},
        );
        expect([method, answer.status]).toEqual([method, 404]);
        answers.push(answer);
      }
      await expectUntouched(answers);
    },
  );

  it.each(['"{$gt:0}"', '"$ne"', '"[object Object]"', '"\\u0024"', '{"$gt":""}', '$where'])('matches no revision: %s', async (tag) => {
    const answers = [];
    for (const method of ['PATCH', 'DELETE']) {
      const answer = await api.request(method, '/api/assorted/mine', {
        headers: { 'if-match': tag },
        ...(method === 'PATCH' && { body: {} }),
      });
      expect([400, 412]).toContain(answer.status);
      answers.push(
        answer,
        await api.request(method, '/api/assorted/theirs', { headers: { 'if-none-match': tag }, ...(method === 'PATCH' && { body: {} }) }),
      );
      expect([400, 404]).toContain(answers.at(-1)?.status);
    }
    expect(await records().findOne({ _id: 'mine' })).toEqual(mine);
    await expectUntouched(answers);
  });
});
