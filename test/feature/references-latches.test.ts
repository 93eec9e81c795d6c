import { openStore, service } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Bill, Job, Memo, Project, Step } from '../support/models/workspace.ts';
import { until } from '../support/until.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi(database, (shop) => [
  shop.resource({ model: Project }),
  shop.resource({ model: Job }),
  shop.resource({ model: Step }),
  shop.resource({ model: Bill }),
  shop.resource({ model: Memo }),
]);
const models = [Project, Job, Step, Bill, Memo];
const few = useApi(database, (shop) => models.map((model) => shop.resource({ model } as { readonly model: typeof Job })), {
  maxLatches: 3,
});
const of = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);
const post = (path: string, body: object) => api.request('POST', `/api/${path}`, { body });
const countOf = (name: string) => commands.names.filter((one) => one === name).length;

beforeEach(async () => {
  for (const name of ['projects', 'jobs', 'steps', 'bills', 'memos', 'reference_latches']) {
    await database.db.createCollection(name).catch(() => undefined);
    await of(name).deleteMany({});
  }
  await of('projects').insertMany(['a', 'b', 'c'].map((_id) => ({ _id, name: 'p', owner: 'ann', revision: 3 })));
  commands.clear();
});

describe('writers of references to one record', () => {
  it('do not write into it after the first one, and send four commands each', async () => {
    await post('jobs', { id: 'j', projectId: 'a' });
    commands.clear();
    const before = await of('projects').findOne({ _id: 'a' });
    commands.clear();
    expect((await post('jobs', { projectId: 'a' })).status).toBe(201);
    expect(commands.names).toEqual(['update', 'find', 'insert', 'commitTransaction']);
    expect(await of('projects').findOne({ _id: 'a' })).toEqual(before);
  });

  it('are 120 at once without a 503, and without more commands for each', async () => {
    const answers = await Promise.all(Array.from({ length: 120 }, () => post('jobs', { projectId: 'a' })));
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    expect(await of('jobs').countDocuments()).toBe(120);
    expect(commands.names.length).toBeLessThan(120 * 4);
  });

  it('send one command for the latches of several references, and one query', async () => {
    const three = { projectId: 'a', keptNull: 'b', team: ['a', 'c'] };
    await post('memos', three);
    commands.clear();
    expect((await post('memos', three)).status).toBe(201);
    expect(commands.names).toEqual(['update', 'find', 'insert', 'commitTransaction']);
  });

  it('do not exclude each other in long transactions', async () => {
    await post('jobs', { projectId: 'a' });
    const shop = service();
    const { transaction } = shop.api({ db: database.db, resources: [shop.resource({ model: Job })], models: [Project, Step, Bill] });
    await transaction(async (one) => {
      await one.store(Job).create({ id: 'one', projectId: 'a' });
      await transaction(async (two) => {
        await two.store(Job).create({ id: 'two', projectId: 'a' });
      });
      expect(await of('jobs').findOne({ _id: 'two' })).not.toBeNull();
      expect(await of('jobs').findOne({ _id: 'one' })).toBeNull();
    });
    expect(await of('jobs').countDocuments()).toBe(3);
  });

  it('share one transaction of all if each creates again as soon as it can', async () => {
    const jobs = openStore(Job, { db: database.db, models: [Project, Step, Bill] });
    await jobs.create({ id: 'first', projectId: 'a' });
    commands.clear();
    const write = async () => {
      for (let n = 0; n < 5; n++) await jobs.create({ projectId: 'a' });
    };
    await Promise.all(Array.from({ length: 40 }, write));
    expect(await of('jobs').countDocuments()).toBe(201);
    expect(countOf('commitTransaction')).toBe(5);
  });

  it('are refused by the record of another one only: each answer is its own when they share a transaction', async () => {
    await post('jobs', { id: 'taken', projectId: 'a' });
    const bodies = [{}, { id: 'taken' }, { projectId: 'none' }, {}, {}].map((one) => ({ projectId: 'a', ...one }));
    const answers = await Promise.all(bodies.map((body) => post('jobs', body)));
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 422, 201, 201]);
    expect(await of('jobs').countDocuments()).toBe(4);
  });
});

describe('`maxLatches`', () => {
  it('is the number of latches of a record, for which more writers wait', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `j${n}`);
    for (const id of ids) await few.request('POST', '/api/jobs', { body: { id, projectId: 'a' } });
    const moved = await Promise.all(ids.map((id) => few.request('PATCH', `/api/jobs/${id}`, { body: { projectId: 'b' } })));
    expect(moved.map(({ status }) => status)).toEqual(moved.map(() => 200));
    const latches = () => of('reference_latches').find({ '_id.id': 'b' }).sort({ _id: 1 }).toArray();
    await until(async () => (await latches()).length > 2); // they are made beside the writers
    expect((await latches()).map(({ _id }) => (_id as unknown as { n: number }).n)).toEqual([0, 1, 2]);
  });

  it('may be another one in another process: a delete removes all latches, whoever has made them', async () => {
    const made = Array.from({ length: 1_000 }, (_, n) => ({ _id: { in: 'projects', id: 'c', n } }));
    await of('reference_latches').insertMany(made as never);
    expect((await few.request('DELETE', '/api/projects/c')).status).toBe(204);
    expect(await of('reference_latches').countDocuments()).toBe(0);
  });

  it.each([0, 1_001, 1.5, '3'])('is from 1 to 1,000: %o', (maxLatches) => {
    const shop = service();
    const limits = { maxLatches: maxLatches as number };
    expect(() => shop.api({ db: database.db, resources: [shop.resource({ model: Project })], ...limits })).toThrow(/`maxLatches` must be/);
    expect(() => openStore(Project, { db: database.db, ...limits })).toThrow(/`maxLatches`/);
  });
});

describe('a delete of a record that writers refer to', () => {
  it('removes its latches, and a record born again with its id can be referred to', async () => {
    await Promise.all(Array.from({ length: 8 }, () => post('jobs', { projectId: 'a' })));
    expect(await of('reference_latches').countDocuments()).toBeGreaterThan(0);
    expect((await api.request('DELETE', '/api/projects/a')).status).toBe(204);
    expect(await of('reference_latches').countDocuments({ '_id.in': 'projects' })).toBe(0);
    expect((await post('jobs', { projectId: 'a' })).status).toBe(422);
    expect(await of('reference_latches').countDocuments({ '_id.in': 'projects' })).toBe(0);
    await post('projects', { id: 'a' });
    const again = await Promise.all(Array.from({ length: 8 }, () => post('jobs', { projectId: 'a' })));
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 201));
  });

  it('comes to its turn under a steady load of creates, and every create is 201 or 422', async () => {
    const statuses = new Set<number>();
    let isOver = false;
    const load = Array.from({ length: 16 }, async () => {
      while (!isOver) statuses.add((await post('jobs', { projectId: 'a' })).status);
    });
    while (statuses.size === 0) await new Promise((resolve) => setImmediate(resolve));
    const removed = await api.request('DELETE', '/api/projects/a');
    isOver = true;
    await Promise.all(load);
    expect(removed.status).toBe(204);
    expect([...statuses].filter((status) => ![201, 422].includes(status))).toEqual([]);
    expect(await of('jobs').countDocuments()).toBe(0);
  });

  it('opens the latches again if it is refused', async () => {
    await post('bills', { projectId: 'a' });
    const load = Array.from({ length: 12 }, () => post('jobs', { projectId: 'a' }));
    expect((await api.request('DELETE', '/api/projects/a')).status).toBe(409);
    expect((await Promise.all(load)).map(({ status }) => status)).toEqual(load.map(() => 201));
    expect((await post('jobs', { projectId: 'a' })).status).toBe(201);
  });

  it('is waited for while its latches are shut, and no longer: they open by the clock of the database', async () => {
    await post('jobs', { projectId: 'a' });
    await of('reference_latches').updateMany({}, [{ $set: { shutUntil: { $add: ['$$NOW', 300] }, shutBy: 'a process that is gone' } }]);
    expect((await post('jobs', { projectId: 'a' })).status).toBe(201);
  });
});

it('`createMany` of 100 sends four commands, also where one of them is refused', async () => {
  const jobs = openStore(Job, { db: database.db, models: [Project] });
  await post('jobs', { projectId: 'a' });
  commands.clear();
  const made = await jobs.createMany(Array.from({ length: 100 }, (_, index) => ({ projectId: index === 50 ? 'none' : 'a' })));
  expect(made.filter((one) => 'error' in one)).toHaveLength(1);
  expect([countOf('insert'), countOf('commitTransaction')]).toEqual([1, 1]);
});
