import type { Document } from 'mongodb';
import { applyIndexes, cursorPaging, planIndexes, service } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import type { Stored } from '../support/models/books.ts';
import { type Caller, callerOf, projectResources } from '../support/models/related-tasks.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const shop = service<Caller>({ authenticate: (ctx) => callerOf(ctx.get('x-tenant')) });
const serve = (more: object = {}) =>
  shop.api({ db: database.db, resources: projectResources(shop, { paging: cursorPaging({ max: 20, total: true }) }), ...more });

const count = 6_000;

beforeAll(async () => {
  const { db } = database;
  await applyIndexes(serve());
  const many = (make: (n: number) => Stored) => Array.from({ length: count }, (_, n) => make(n));
  await db.collection<Stored>('members').insertMany(many((n) => ({ _id: `m${n}`, tenant: 'a', name: `M${n}` })));
  await db.collection<Stored>('projects').insertMany(
    many((n) => ({
      _id: `p${n}`,
      tenant: n % 2 === 0 ? 'a' : 'b',
      name: `P${n % 500}`,
      status: n % 4 === 0 ? 'open' : 'done',
      budget: n,
      ownerId: `m${n}`,
    })),
  );
  await db
    .collection<Stored>('tasks')
    .insertMany(many((n) => ({ _id: `t${n}`, rank: n % 100, project: `p${(n * 7) % count}`, more: 'x'.repeat(4_000) })));
});

/** Asks as tenant `a`, and explains all commands that were sent. */
async function costOf(query: string, api = serve()) {
  commands.clear();
  const answer = await api.fetch(new Request(`http://in-process/tasks?${query}`, { headers: { 'x-tenant': 'a' } }));
  expect([query, answer.status]).toEqual([query, 200]);
  const { data, page } = (await answer.json()) as Any;
  const sent = commands.events.map(({ command }) => command);
  const costs = await Promise.all(sent.map(explain));
  return { data, page, names: sent.map(({ find, aggregate }) => find ?? `${aggregate} aggregate`), costs };
}

/**
 * Explains a command, and if it is a union, each of its ranges by itself: mongod 6.0 crashes if it explains a `$lookup`
 * within a `$unionWith`.
 */
async function explain({ find, filter, sort, limit, projection, aggregate, pipeline }: Document) {
  if (find) return readExplain({ find, filter, limit, ...(sort && { sort }), ...(projection && { projection }) });
  const isUnion = (stage: Document) => '$unionWith' in stage;
  const ranges: Document[][] = [
    pipeline.filter((stage: Document) => !isUnion(stage)),
    ...pipeline.filter(isUnion).map(({ $unionWith }: Document) => $unionWith.pipeline),
  ];
  const costs = await Promise.all(ranges.map((range) => readExplain({ aggregate, pipeline: range, cursor: {} })));
  const most = (name: keyof Cost) => Math.max(...costs.map((cost) => cost[name]));
  return {
    documents: most('documents'),
    lookedUp: most('lookedUp'),
    lookupScans: most('lookupScans'),
    scans: most('scans'),
    sorts: most('sorts'),
  };
}

type Cost = Awaited<ReturnType<typeof readExplain>>;

async function readExplain(command: Document) {
  const explained = await database.db.command({ explain: command, verbosity: 'executionStats' });
  const parts = collect(explained);
  const lookups = parts.filter((part) => '$lookup' in part);
  const sum = (of: readonly Document[], name: string) => of.reduce((total, part) => total + Number(part[name] ?? 0), 0);
  return {
    /** Of the collection of the command itself. */
    documents: Number((explained.executionStats ?? explained.stages[0].$cursor?.executionStats)?.totalDocsExamined ?? 0),
    lookedUp: sum(lookups, 'totalDocsExamined'),
    lookupScans: sum(lookups, 'collectionScans'),
    scans: parts.filter(({ stage }) => stage === 'COLLSCAN').length + sum(parts, 'collectionScans'),
    sorts: parts.filter((part) => part.stage === 'SORT' || '$sort' in part).length,
  };
}

/** Every object of an explanation, but not the commands that it repeats. */
function collect(value: unknown): Document[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.entries(value).flatMap(([key, one]) => (key === 'command' || key === 'rejectedPlans' ? [] : collect(one)));
  return Array.isArray(value) ? within : [value, ...within];
}

describe('the indexes of filters through relations', () => {
  it('are those of the fields that hold references, and of the fields that are filtered, in the collections of their models', async () => {
    const { collections } = await planIndexes(serve());
    const reasons = collections.flatMap(({ collection, existing }) =>
      existing.map(({ key, reasons: own }) => `${collection} ${key.map(([path]) => path).join(',')}: ${own.join('; ')}`),
    );
    expect(
      reasons.filter(
        (reason) => reason.includes('through') || reason.includes('filter by project.') || reason.includes('filter by review'),
      ),
    ).toEqual([
      'tasks project,_id: tasks: filter by project; tasks: filter through project',
      'tasks tagIds,_id: tasks: filter through tagIds',
      'tasks review.byId,_id: tasks: filter through review.byId',
      'tasks lines.tagId,_id: tasks: filter through lines.tagId',
      'projects tenant,name,_id: projects: filter and sort by name; tasks: filter by project.name',
      'projects tenant,status,_id: projects: filter by status; tasks: filter by project.status',
      'projects tenant,budget,_id: projects: filter and sort by budget; tasks: filter by project.budget',
      'projects tenant,place.city,_id: projects: filter and sort by place.city; tasks: filter by project.place.city',
      'projects tenant,ownerId,_id: tasks: filter through ownerId; projects: filter through ownerId',
      'members tenant,name,_id: members: filter and sort by name; tasks: filter by project.owner.name; tasks: filter by review.by.name; projects: filter by owner.name',
    ]);
    expect(collections.flatMap(({ missing }) => missing)).toEqual([]);
  });
});

describe('the cost of a filter through a relation', () => {
  it('is that of two narrow queries if few related records match', async () => {
    const { names, costs, data } = await costOf('project.budget[gte]=100&project.budget[lt]=140');
    expect([names, data.length]).toEqual([['projects', 'tasks'], 20]);
    expect(costs.map(({ scans }) => scans)).toEqual([0, 0]);
    expect(costs[0]?.documents).toBeLessThanOrEqual(20);
    expect(costs[1]?.documents).toBeLessThanOrEqual(21);
  });

  it('asks each of several relations by an index', async () => {
    const { names, costs, data } = await costOf('project.owner.name=M700');
    expect([names, data.length]).toEqual([['members', 'projects', 'tasks'], 1]);
    expect(costs.map(({ scans, documents }) => [scans, documents <= 1])).toEqual(Array(3).fill([0, true]));
  });

  it.each(['', '&sort=rank', '&sort=-rank', '&sort=-id'])(
    'is that of a few looks at an index for each record of the page if many related records match, wherever the page lies: %s',
    async (order) => {
      const query = `project.status=open&limit=20${order}`;
      let { page, costs, names, data } = await costOf(query);
      for (const _page of [1, 2, 3]) {
        expect([names, data.length]).toEqual([['projects', 'tasks aggregate'], 20]);
        // A quarter of all tasks match. The database reads them in batches of up to 4 MiB, which are a thousand of
        // these, and looks up what it needs.
        expect(costs[1]).toMatchObject({ lookupScans: 0, sorts: 0 });
        expect(costs[1]?.documents).toBeLessThan(1_100);
        expect(costs[1]?.lookedUp).toBeLessThan(400);
        ({ page, costs, names, data } = await costOf(`${query}&after=${page.next_cursor}`));
      }
    },
  );

  it('reads no more ids than the limit and one', async () => {
    const { costs } = await costOf('project.status=done');
    expect(costs[0]?.documents).toBeLessThanOrEqual(1001);
  });

  it('looks at each match once for a sort, by the index of the ids, and in one pass with a cursor', async () => {
    const query = 'project.budget[gte]=1000&project.budget[lt]=1100&sort=project.name';
    const first = await costOf(query);
    const second = await costOf(`${query}&after=${first.page.next_cursor}`);
    for (const { names, costs } of [first, second]) {
      expect(names).toEqual(['projects', 'tasks aggregate', 'tasks aggregate']);
      expect(costs[2]).toMatchObject({ scans: 0, lookupScans: 0 });
      // MongoDB counts what a plain `$lookup` reads as documents of the list: 50 tasks, and a project for each.
      const { documents = Number.NaN, lookedUp = Number.NaN } = costs[2] ?? {};
      expect(documents + lookedUp).toBeLessThanOrEqual(100);
    }
  });
});
