import { useDatabase } from '../support/database/database.ts';
import { rounds as factor } from '../support/fuzzing/rounds.ts';
import { useApi } from '../support/http/api.ts';
import { raceDeletes } from '../support/models/race-deletes.ts';
import { Job, Project, Step } from '../support/models/workspace.ts';

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Project }), shop.resource({ model: Job }), shop.resource({ model: Step })]);

beforeAll(async () => {
  for (const name of ['projects', 'jobs', 'steps']) await database.db.createCollection(name);
});

/** `ROUNDS=5` takes 20 seconds on two idle cores; docs/about/reliability.md has its result. */
const rounds = 40 * factor;

describe(`references that hold, in ${rounds} rounds of 20 clients`, () => {
  it('leave no orphan, and every answer is true', async () => {
    const { statuses, orphans, lies } = await raceDeletes(api, database.db, rounds);
    expect({ orphans, lies }).toEqual({ orphans: 0, lies: [] });
    expect([...statuses.keys()].sort()).toEqual(['delete 204', 'jobs 201', 'jobs 422', 'steps 201', 'steps 422']);
  });
});
