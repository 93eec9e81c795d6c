import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { raceDeletes } from '../support/models/race-deletes.ts';
import { Job, Project, Step } from '../support/models/workspace.ts';

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Project }), shop.resource({ model: Job }), shop.resource({ model: Step })]);

// A transaction that creates a collection conflicts with every other one that does.
beforeEach(async () => {
  for (const name of ['projects', 'jobs', 'steps']) {
    await database.db.collection(name).deleteMany({});
    await database.db.createCollection(name).catch(() => undefined);
  }
});

describe('references that hold', () => {
  it('leave no orphan and tell no lie when clients create children while the parent is deleted', async () => {
    const { orphans, lies } = await raceDeletes(api, database.db, 2, 8);
    expect({ orphans, lies }).toEqual({ orphans: 0, lies: [] });
  });

  it('let twenty children of one parent be created at once', async () => {
    await database.db.collection<{ _id: string; owner: string }>('projects').insertOne({ _id: 'p', owner: 'ann' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.request('POST', '/api/jobs', { body: { projectId: 'p' } })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  });
});
