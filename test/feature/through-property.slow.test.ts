import fc from 'fast-check';
import { cursorPaging, offsetPaging } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { type Asked, type AskedKey, isSeen, listTasks, type Row, type World } from '../support/fuzzing/through-oracle.ts';
import { useApi } from '../support/http/api.ts';
import type { TestServer } from '../support/http/serve.ts';
import type { Stored } from '../support/models/books.ts';
import { type Caller, callerOf, projectResources } from '../support/models/related-tasks.ts';

const database = useDatabase();
const authenticate = (ctx: { get(name: string): string }) => callerOf(ctx.get('x-tenant'));
const paging = cursorPaging({ max: 100, total: true });
const serve = (maxIdsThrough: number, ways: object = { paging }) =>
  useApi<Caller>(database, (shop) => projectResources(shop, ways), { authenticate, maxIdsThrough });
/** The same list by ids, by `$lookup`s, and by both. */
const apis = [serve(1_000), serve(1), serve(2)];
const numbered = serve(1, { paging: offsetPaging({ total: true }) });

const maybe = <T>(value: fc.Arbitrary<T>, absent: unknown = undefined) => fc.option(value, { nil: absent, freq: 3 });
const tenant = fc.constantFrom('a', 'b');
const text = fc.constantFrom('', 'A', 'Aa', 'B', 'null', '😀', '\uffff');
const memberId = fc.constantFrom('m1', 'm2', 'm3', 'gone', null);
const projectId = fc.constantFrom('p1', 'p2', 'p3', 'p4', 'gone', null);
const tagId = fc.constantFrom('g1', 'g2', 'gone');
/** Values of other types than the model's, too. */
const name = fc.oneof({ weight: 6, arbitrary: text }, fc.constant(null), fc.constant(7));
const number = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -2, max: 2 }) }, fc.constantFrom(0.5, null, 'x'));

const without = (row: object): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as unknown as Row;
const rows = (ids: readonly unknown[], fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(...ids.map((_id) => fc.option(fc.record({ _id: fc.constant(_id), ...fields }), { nil: undefined, freq: 6 })))
    .map((found) => found.filter((row) => row !== undefined).map(without));

const members = rows(['m1', 'm2', 'm3', null], { tenant, name: maybe(name) });
const projects = rows(['p1', 'p2', 'p3', 'p4', null], {
  tenant,
  name: maybe(name),
  status: maybe(fc.constantFrom('open', 'done')),
  budget: maybe(number),
  place: maybe(fc.record({ city: name })),
  ownerId: maybe(memberId),
});
const world: fc.Arbitrary<World> = fc.record({
  members,
  projects,
  tags: rows(['g1', 'g2'], { name: maybe(name) }),
  tasks: rows(
    Array.from({ length: 9 }, (_, index) => `t${index}`),
    {
      rank: maybe(fc.integer({ min: 0, max: 2 })),
      title: maybe(text),
      project: maybe(projectId),
      tagIds: maybe(fc.array(tagId, { maxLength: 3 })),
      review: maybe(fc.record({ byId: memberId })),
      lines: maybe(fc.array(fc.record({ tagId }), { maxLength: 2 })),
    },
  ),
});

const texts = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix'];
const numbers = texts.filter((operator) => operator !== 'prefix');

function condition(way: readonly string[], field: string, operators: readonly string[], one: fc.Arbitrary<unknown>): fc.Arbitrary<Asked> {
  return fc.constantFrom(...operators).chain((operator) => {
    const value =
      operator === 'exists' ? fc.boolean() : operator === 'in' || operator === 'nin' ? fc.array(one, { minLength: 1, maxLength: 2 }) : one;
    return value.map((found) => ({ way, field, operator, value: found }));
  });
}

const some = fc.constantFrom('A', 'Aa', 'B', '😀');
const ranks = fc.integer({ min: -2, max: 2 });
const conditions = fc.uniqueArray(
  fc.oneof(
    condition([], 'title', texts, some),
    condition([], 'rank', numbers, ranks),
    condition(['project'], 'name', texts, some),
    condition(['project'], 'status', ['eq', 'ne', 'in', 'nin', 'exists'], fc.constantFrom('open', 'done')),
    condition(['project'], 'budget', numbers, ranks),
    condition(['project'], 'place.city', texts, some),
    condition(['project'], '_id', texts, fc.constantFrom('p1', 'p3')),
    condition(['project', 'owner'], 'name', texts, some),
    condition(['project', 'owner'], '_id', texts, fc.constantFrom('m1', 'm2')),
    condition(['tags'], 'name', texts, some),
    condition(['review.by'], 'name', texts, some),
    condition(['lines.tag'], 'name', texts, some),
  ),
  { maxLength: 4, selector: ({ way, field, operator }) => `${way}.${field}.${operator}` },
);
const sort = fc.uniqueArray(
  fc.record({
    key: fc.constantFrom<readonly [readonly string[], string]>(
      [['project'], 'name'],
      [['project'], 'budget'],
      [['project'], 'place.city'],
      [['project'], '_id'],
      [['project', 'owner'], 'name'],
      [['review.by'], 'name'],
      [[], 'rank'],
      [[], 'title'],
    ),
    isDescending: fc.boolean(),
  }),
  { maxLength: 3, selector: ({ key }) => String(key) },
);
const query = fc.record({
  conditions,
  sort: sort.map((keys) => keys.map(({ key: [way, field], isDescending }): AskedKey => ({ way, field, isDescending }))),
  header: fc.constantFrom('a', 'b', '', 'a?'),
  limit: fc.integer({ min: 1, max: 4 }),
  api: fc.nat({ max: apis.length - 1 }),
});

const nameOf = (way: readonly string[], field: string) => [...way, field === '_id' ? 'id' : field].join('.');

function write(asked: readonly Asked[], keys: readonly AskedKey[]): string {
  const filters = asked.map(({ way, field, operator, value }) => `${nameOf(way, field)}[${operator}]=${encodeURIComponent(String(value))}`);
  const order = keys.map(({ way, field, isDescending }) => `${isDescending ? '-' : ''}${nameOf(way, field)}`).join(',');
  return [...filters, ...(order === '' ? [] : [`sort=${order}`])].join('&');
}

/** The driver would give a record whose id is null another id. */
const asGiven = { forceServerObjectId: true };

async function fill(given: World): Promise<void> {
  for (const [collection, records] of Object.entries(given)) {
    await database.db.collection<Stored>(collection).deleteMany({});
    if (records.length > 0) await database.db.collection<Stored>(collection).insertMany([...records] as Stored[], asGiven);
  }
}

/** Walks a list to its end and back. Returns the ids of both ways, and all that was answered. */
async function walk(api: TestServer, path: string, header: string) {
  const answers: string[] = [];
  const get = async (more: string) => {
    const { status, headers, text: answer, body } = await api.request('GET', `${path}${more}`, { headers: { 'x-tenant': header } });
    expect([path, status]).toEqual([path, 200]);
    answers.push(`${headers.link} ${answer}`);
    return { ids: body.data.map(({ id }: { id: string }) => id), page: body.page };
  };
  let page = await get('');
  const there = [...page.ids];
  const { total } = page.page;
  while (page.page.next_cursor !== null) {
    page = await get(`&after=${page.page.next_cursor}`);
    there.push(...page.ids);
  }
  const back = [...page.ids];
  while (page.page.prev_cursor !== null) {
    page = await get(`&before=${page.page.prev_cursor}`);
    back.unshift(...page.ids);
  }
  return { there, back, total, answers };
}

describe('a list that is filtered and sorted through relations', () => {
  it('has exactly the records, in exactly the order, that its documentation says, whatever is stored and whoever asks', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.array(query, { minLength: 3, maxLength: 3 }), async (given, queries) => {
        await fill(given);
        for (const { conditions: asked, sort: keys, header, limit, api } of queries) {
          const expected = listTasks(given, asked, keys, header);
          const path = `/api/tasks?${write(asked, keys)}&total=true&limit=${limit}`;
          const { there, back, total } = await walk(apis[api] as TestServer, path, header);
          expect({ path, there, back, total }).toEqual({ path, there: expected, back: expected, total: expected.length });
          const second = await numbered.request('GET', `${path}&page=2`, { headers: { 'x-tenant': header } });
          expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(expected.slice(limit, 2 * limit));
        }
      }),
      cases(25),
    );
  });

  it('is byte for byte the same, cursors and totals too, if the databases differ only in records out of sight', async () => {
    await fc.assert(
      fc.asyncProperty(world, members, projects, fc.array(query, { minLength: 2, maxLength: 2 }), async (given, others, more, queries) => {
        for (const { conditions: asked, sort: keys, header, limit, api } of queries) {
          const path = `/api/tasks?${write(asked, keys)}&total=true&limit=${limit}`;
          await fill(given);
          const first = await walk(apis[api] as TestServer, path, header);
          await fill({
            ...given,
            members: exchange('members', given.members, others, header),
            projects: exchange('projects', given.projects, more, header),
          });
          const second = await walk(apis[api] as TestServer, path, header);
          expect(second.answers).toEqual(first.answers);
        }
      }),
      cases(50),
    );
  });
});

/** Keeps the records in sight, and takes those out of sight from elsewhere. */
function exchange(collection: keyof World, own: readonly Row[], others: readonly Row[], header: string): Row[] {
  const seen = own.filter((row) => isSeen(collection, row, header));
  const ids = new Set(seen.map(({ _id }) => _id));
  return [...seen, ...others.filter((row) => !isSeen(collection, row, header) && !ids.has(row._id))];
}
