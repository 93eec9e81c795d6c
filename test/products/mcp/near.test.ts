import { Double } from 'mongodb';
import { applyIndexes, defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type Agent, connect } from './connect.ts';

const near = { policy: { near: { maxMetres: 5000 } } } as const;
const Cafe = defineModel('Cafe', { collection: 'cafes', fields: { id: t.string(), at: t.point(near) } });
const Route = defineModel('Route', { collection: 'routes', fields: { id: t.string(), start: t.point(near), end: t.point(near) } });

const database = useDatabase();
let agent: Agent;

beforeAll(async () => {
  const shop = service();
  const ops = ['list'] as const;
  const api = shop.api({ db: database.db, resources: [shop.resource({ model: Cafe, ops }), shop.resource({ model: Route, ops })] });
  await applyIndexes(api);
  agent = await connect(api);
  const point = (...coordinates: number[]) => ({ type: 'Point', coordinates: coordinates.map((one) => new Double(one)) });
  const stored = (collection: string) => database.db.collection<Any>(collection);
  await stored('cafes').insertMany([
    { _id: 'b', at: point(8.542, 47.37) },
    { _id: 'a', at: point(8.541, 47.37) },
  ]);
  await stored('routes').insertOne({ _id: 'r', start: point(0, 0), end: point(8.54, 47.37) });
});

describe('the tool of a list with points', () => {
  it('finds what is near, and says how far away it is', async () => {
    const { json } = await agent.call('cafes_list', { near: [8.54, 47.37, 1000], distances: true });
    expect(json.data.map(({ id }: Any) => id)).toEqual(['a', 'b']);
    expect(json.page.distances).toEqual([75.4, 150.8]);
  });

  it('names the point where there are several', async () => {
    const { tools } = await agent.client.listTools();
    const { properties } = tools.find(({ name }) => name === 'routes_list')?.inputSchema ?? {};
    expect(properties?.near_end).toEqual({
      type: 'array',
      items: { type: 'number' },
      minItems: 3,
      maxItems: 3,
      description: 'Records whose `end` is around a place, nearest first: longitude, latitude, metres.',
    });
    expect((await agent.call('routes_list', { near_end: [8.54, 47.37, 10] })).json.data).toHaveLength(1);
    expect((await agent.call('routes_list', { near_start: [8.54, 47.37, 10] })).json.data).toHaveLength(0);
  });

  it('explains what it does not take', async () => {
    const { isError, text } = await agent.call('cafes_list', { near: [8.54, 147.37, 1000] });
    expect([isError, text]).toEqual([true, expect.stringContaining('must have a latitude from -90 to 90')]);
  });
});
