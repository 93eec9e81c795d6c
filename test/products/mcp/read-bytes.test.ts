import { cursorPaging, defineModel, offsetPaging, service, t } from '../../../src/index.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type Agent, connect } from './connect.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { sort: true } }), text: t.string(), secret: t.nullable(t.string({ policy: { private: true } })) },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const shop = service();
const make = () =>
  shop.api({
    db: database.db,
    prefix: '/api',
    resources: [
      shop.resource({ model: Doc, ops: ['list', 'get'], paging: cursorPaging({ max: 100, size: 100 }) }),
      shop.resource({ model: Doc, path: 'numbered', ops: ['list'], paging: offsetPaging({ max: 100, size: 100 }) }),
    ],
  });
const docs = () => database.db.collection<{ _id: string; text: string; secret?: string }>('docs');
const names = Array.from({ length: 30 }, (_, index) => `d${String(index).padStart(2, '0')}`);
let agent: Agent;

beforeEach(async () => {
  agent = await connect(make(), { maxAnswer: 10_000 });
  await docs().deleteMany({});
  await docs().insertMany(names.map((_id) => ({ _id, text: 'x'.repeat(2_000), secret: 'y'.repeat(50_000) })));
  commands.clear();
});

describe('a list that an agent reads', () => {
  it('ends where its answer is full: no more is read, and a walk sees each record once', async () => {
    const seen: string[] = [];
    for (let after: string | null = '', pages = 0; after !== null; pages++) {
      const { isError, json, text } = await agent.call('docs_list', { sort: 'id', ...(after && { after }) });
      expect([isError, text.length <= 10_000, pages < 20]).toEqual([false, true, true]);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      after = json.page.next_cursor;
    }
    expect(seen).toEqual(names);
    const [measured, read] = commands.events.map(({ command }) => command);
    expect([measured?.aggregate, read?.find, read?.limit]).toEqual(['docs', 'docs', 4]);
  });

  it('shows a record that is larger than its answer as too large, and not as the end', async () => {
    await docs().updateOne({ _id: 'd00' }, { $set: { text: 'x'.repeat(20_000) } });
    expect(await agent.call('docs_list', { sort: 'id' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('more than 10000 bytes'),
    });
    expect(commands.events[2]?.command.limit).toBe(1);
  });

  it('by number asks for a smaller page', async () => {
    const { isError, text } = await agent.call('numbered_list', {});
    expect([isError, text]).toEqual([true, expect.stringContaining('more than 9000 bytes: ask for fewer records')]);
    expect((await agent.call('numbered_list', { limit: 4 })).json.data).toHaveLength(4);
  });
});

describe('`maxPageBytes` of `fetch`', () => {
  it('bounds a page if it is less than that of the api, and costs nothing otherwise', async () => {
    const get = async (maxPageBytes: number) =>
      (await (await make().fetch(new Request('http://x/api/docs'), { maxPageBytes })).json()) as { data: unknown[] };
    expect((await get(2 ** 30)).data).toHaveLength(30);
    expect(commands.names).toEqual(['find']);
    expect((await get(5_000)).data).toHaveLength(2);
  });
});
