import { ObjectId } from 'mongodb';
import { cursorPaging, defineModel, offsetPaging, service, t } from '../../src/index.ts';
import { auditCollection } from '../../src/products/audit/audit-collection.ts';
import { formatAudits } from '../../src/products/cli/commands/audit.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const fields = { rank: t.int({ policy: { sort: true, filter: true } }), secret: t.optional(t.string({ policy: { private: true } })) };
const byObjectId = defineModel('Thing', { collection: 'things', fields });
const byInt = defineModel('Thing', { collection: 'things', fields: { ...fields, id: t.int() } });
const byText = defineModel('Thing', { collection: 'things', fields: { ...fields, id: t.string() } });

const ids = {
  objectId: Array.from({ length: 12 }, (_, index) => new ObjectId(index.toString(16).padStart(24, '0'))),
  int: Array.from({ length: 25 }, (_, index) => index),
  string: ['399', 'a', 'b'],
  object: Array.from({ length: 9 }, (_, index) => ({ shop: 1, no: index })),
};

beforeAll(async () => {
  const all = Object.values(ids).flat() as unknown[];
  await database.db.collection<{ _id: unknown }>('things').insertMany(all.map((_id, index) => ({ _id, rank: (index * 7) % 11 })));
});

function build(model: Any, paging: Any) {
  const errors: Error[] = [];
  const things = service<never>().resource({ model, ops: ['list', 'get'], paging } as Any);
  const api = service<never>().api({
    db: database.db,
    openapi: false,
    resources: [things],
    onError: (error: Any) => errors.push(error),
  } as Any);
  const read = async (path: string) => {
    const answer = await api.fetch(new Request(`http://in-process/things${path}`));
    const text = await answer.text();
    return { status: answer.status, body: JSON.parse(text) as Any, text };
  };
  return { read, errors };
}

const models: [string, Any, string[]][] = [
  ['ObjectIds', byObjectId, ids.objectId.map(String)],
  ['integers', byInt, ids.int.map(String)],
  ['texts', byText, ids.string],
];

describe.each(models)('a list of records with ids of several types, of a model with %s', (_name, model, own) => {
  it.each(['id', '-id', 'rank', '-rank'].flatMap((sort) => [1, 4, 20].map((limit) => [sort, limit] as const)))(
    'shows each record that GET finds once, by cursor, sorted by %s, %d at a time',
    async (sort, limit) => {
      const order = sort.endsWith('id') ? '' : `&sort=${sort}`;
      const { read, errors } = build(model, cursorPaging({ max: 50 }));
      const seen: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const { status, body, text } = await read(`?limit=${limit}${order}${next && `&after=${next}`}`);
        expect([status, status === 200 ? '' : text]).toEqual([200, '']);
        expect(body.data.length === limit || body.page.next_cursor === null).toBe(true);
        seen.push(...body.data.map(({ id }: Any) => String(id)));
        next = body.page.next_cursor;
      }
      expect([...seen].sort()).toEqual([...own].sort());
      expect(errors[0]?.message).toMatch(
        /^The record of Thing with the id .+ is left out of a list: its id is of another type than those of the model/,
      );
      for (const id of seen.slice(0, 3)) expect((await read(`/${id}`)).status).toBe(200);
    },
  );

  it('shows each of them once by number, too', async () => {
    const { read } = build(model, offsetPaging({ max: 50 }));
    const seen: string[] = [];
    for (let page = 1, more = true; more; page++) {
      const { body } = await read(`?limit=4&page=${page}`);
      seen.push(...body.data.map(({ id }: Any) => String(id)));
      more = body.page.has_next;
    }
    expect([...seen].sort()).toEqual([...own].sort());
  });

  it('has an audit that counts the ids of each type, and names those without a path', async () => {
    let last: Any;
    for await (last of auditCollection(model, { db: database.db }));
    expect(last.idTypes).toEqual({ int: 25, objectId: 12, object: 9, string: 3 });
    expect(last.misfits).toMatchObject([{ path: 'id', rule: 'type', records: 49 - own.length }]);
    expect(formatAudits([last])).toContain("  Ids: int 25, objectId 12, object 9, string 3. Only those of the model's type have a path.\n");
  });
});
