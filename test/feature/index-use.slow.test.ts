import { Decimal128, ObjectId } from 'mongodb';
import { applyIndexes, cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useExplain } from '../support/database/explain.ts';

const open = { policy: { filter: true, sort: true } } as const;
const Row = defineModel('Row', {
  collection: 'rows',
  fields: {
    id: t.objectId(open),
    owner: t.string(),
    name: t.string(open),
    rank: t.nullable(t.float(), open),
    price: t.optional(t.decimal(open)),
    day: t.optional(t.date(open)),
    done: t.boolean(open),
    place: t.nullable(t.object('Place', { city: t.string(open) })),
    tags: t.array(t.string(), { policy: { filter: true } }),
    stops: t.array(t.object('Stop', { name: t.string({ policy: { filter: ['eq'] } }) })),
    code: t.optional(t.string({ unique: true, policy: { filter: ['eq', 'in'] } })),
  },
  indexes: [{ fields: ['done', 'name', 'id'] }],
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explainLast = useExplain(database, commands);
const shop = service();
const api = () =>
  shop.api({
    db: database.db,
    resources: [
      shop.resource({ model: Row, paging: cursorPaging({ size: 4 }) }),
      shop.resource({
        model: Row,
        path: 'own',
        paging: cursorPaging({ size: 4 }),
        scope: () => ({ owner: 'ann' }),
        scopeFields: ['owner'],
      }),
    ],
  });

const count = 600;

beforeAll(async () => {
  await applyIndexes(api());
  const rows = Array.from({ length: count }, (_, n) => ({
    _id: new ObjectId(n.toString(16).padStart(24, '0')),
    owner: n % 2 === 0 ? 'ann' : 'ben',
    name: `n${n % 40}`,
    ...(n % 7 === 0 ? {} : { rank: n % 7 === 1 ? null : n % 30 }),
    ...(n % 3 === 0 ? {} : { price: Decimal128.fromString(`${n % 25}.50`), day: new Date((n % 20) * 1e7) }),
    done: n % 4 === 0,
    ...(n % 5 === 0 ? {} : { place: { city: `c${n % 30}` } }),
    tags: [`t${n % 20}`, `u${n % 15}`],
    stops: [{ name: `s${n % 20}` }, { name: `r${n % 25}` }],
    ...(n % 2 === 0 ? { code: `k${n}` } : {}),
  }));
  await database.db.collection<{ _id: ObjectId }>('rows').insertMany(rows);
});

const filters = [
  ...['name=n4', 'rank=6', 'rank=null', 'price=2.5', 'day=1970-01-01T05:33:20Z', 'done=true', 'place.city=c4', 'tags=t4', 'stops.name=s4'],
  ...['name[in]=n4,n6', 'rank[in]=2,4,null', 'done[in]=true,false', 'place.city[in]=c4,c8', 'tags[in]=t4,u4'],
];
const orders = ['id', 'name', 'rank', 'price', 'day', 'done', 'place.city'];
const ranges = ['name[prefix]=n1&sort=name', 'rank[gte]=3&sort=-rank', 'price[lt]=9&sort=price', 'day[gt]=1970-01-01T05:33:20Z&sort=-day'];
const queries = [...filters, ...orders.flatMap((name) => [`sort=${name}`, `sort=-${name}`]), ...ranges, 'done=true&sort=-name'];

describe.each(['rows', 'own'])('a list of `%s` that an index was derived for', (path) => {
  it.each(queries)('?%s reads a part of an index in the order of the list, on every page', async (query) => {
    const { pathname, search } = new URL(`http://in-process/${path}?${query}`);
    for (let cursor = ''; cursor !== 'none'; ) {
      const answer = await api().fetch(new Request(`http://in-process${pathname}${search}${cursor}`));
      const { data, page } = (await answer.json()) as { data: unknown[]; page: { next_cursor: string | null } };
      const { stages, keys, documents } = await explainLast();
      expect({ query, cursor, sorted: stages.has('SORT'), scanned: stages.has('COLLSCAN') }).toEqual({
        query,
        cursor,
        sorted: false,
        scanned: false,
      });
      expect(documents).toBeLessThanOrEqual(20); // a page, in two ranges at most; null is looked for among the missing
      expect(keys).toBeLessThanOrEqual(60);
      expect(data.length).toBeGreaterThan(0);
      cursor = cursor === '' && page.next_cursor ? `&after=${page.next_cursor}` : 'none';
    }
  });

  it.each(['code=k4', 'code[in]=k4,k8'])('?%s reads a unique index, and nothing else', async (query) => {
    await api().fetch(new Request(`http://in-process/${path}?${query}`));
    const { indexes, documents } = await explainLast();
    expect([[...indexes], documents <= 2]).toEqual([['code_1'], true]);
  });
});
