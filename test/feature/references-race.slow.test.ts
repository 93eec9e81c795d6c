import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { raceDeletes } from '../support/models/race-deletes.ts';
import { Job, Project, Step } from '../support/models/workspace.ts';

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Project }), shop.resource({ model: Job }), shop.resource({ model: Step })]);

beforeAll(async () => {
  for (const name of ['projects', 'jobs', 'steps']) await database.db.createCollection(name);
});

describe('references that hold, in 200 rounds of 20 clients', () => {
  it('leave no orphan, and every answer is true', async () => {
    const { statuses, orphans, lies } = await raceDeletes(api, database.db, 200);
    expect({ orphans, lies }).toEqual({ orphans: 0, lies: [] });
    expect([...statuses.keys()].sort()).toEqual(['delete 204', 'jobs 201', 'jobs 422', 'steps 201', 'steps 422']);
  }, 900_000);
});
