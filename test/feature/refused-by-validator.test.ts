import { defineModel, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { insert: true } }),
    total: t.int({ default: 0, policy: { filter: ['gte'] } }),
    place: t.optional(t.object('Place', { zip: t.string() })),
    lines: t.optional(t.array(t.int())),
    revision: t.revision(),
  },
});
const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Note, ops: ['list', 'create', 'get', 'patch', 'put', 'patchMany'] })]);
const reported = (): Any[] => api.errors.splice(0) as Any[];

const $jsonSchema = {
  required: ['total'],
  properties: {
    total: { maximum: 5 },
    place: { properties: { zip: { pattern: '^[0-9]+$' } } },
    lines: { items: { minimum: 0 } },
  },
};

async function validate(validator: object): Promise<void> {
  await database.db.command({ collMod: 'notes', validator });
}

beforeEach(async () => {
  await database.db.dropCollection('notes').catch(() => undefined);
  await database.db.createCollection('notes');
  await database.db.collection('notes').insertOne({ _id: 'a' as never, total: 1, revision: 0 });
});

describe('a write that the validator of the collection refuses', () => {
  it.each<[string, string, object, string, string]>([
    ['POST', '/notes', { id: 'b', total: 7 }, 'b', '`total` breaks `maximum`'],
    ['POST', '/notes', { id: 'b', place: { zip: 'x' }, lines: [1, -1] }, 'b', '`place.zip` breaks `pattern`, `lines.1` breaks `minimum`'],
    ['PATCH', '/notes/a', { total: 7 }, 'a', '`total` breaks `maximum`'],
    ['PUT', '/notes/a', { total: 7 }, 'a', '`total` breaks `maximum`'],
    ['PATCH', '/notes?total[gte]=1', { total: 7 }, 'a', '`total` breaks `maximum`'],
  ])('by %s %s is a bare 500, and `onError` gets an error that names rule and record', async (method, path, body, id, rules) => {
    await validate({ $jsonSchema });
    const answer = await api.request(method, `/api${path}`, { body });
    expect([answer.status, answer.body]).toEqual([500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }]);
    expect(reported()).toEqual([
      expect.objectContaining({
        message: `The validator of the collection \`notes\` refuses the record "${id}": ${rules}.`,
        code: 121,
        cause: expect.objectContaining({ code: 121 }),
      }),
    ]);
  });

  it.each<[string, object, string]>([
    ['a key that is missing', { $jsonSchema: { required: ['owner'] } }, '`owner` breaks `required`'],
    [
      'a key too much',
      { $jsonSchema: { properties: { _id: {}, total: {} }, additionalProperties: false } },
      '`revision` breaks `additionalProperties`',
    ],
    [
      'alternatives',
      { $jsonSchema: { anyOf: [{ required: ['x'] }, { properties: { total: { maximum: 1 } } }] } },
      '`x` breaks `required`, `total` breaks `maximum`',
    ],
    ['a query', { $and: [{ total: { $lt: 3 } }, { revision: { $gte: 0 } }] }, '`$lt` does not hold'],
    ['an expression', { $expr: { $lt: ['$total', 3] } }, '`$expr` does not hold'],
  ])('is told of %s', async (_what, validator, rules) => {
    await validate(validator);
    expect((await api.request('POST', '/api/notes', { body: { id: 'b', total: 4 } })).status).toBe(500);
    expect(reported().map(({ message }) => message)).toEqual([
      `The validator of the collection \`notes\` refuses the record "b": ${rules}.`,
    ]);
  });
});
