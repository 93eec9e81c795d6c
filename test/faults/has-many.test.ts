import type { Db } from 'mongodb';
import { type Api, service } from '../../src/index.ts';
import { Project, projects, type Stored, Tag, Task, tags, tasks } from '../support/models/projects.ts';
import { failures } from './parts/failures.ts';
import { type Deployment, failCommands, startMongods, untilGone } from './parts/mongods.ts';

/** One of each kind; `failures-of-a-set.test.ts` plays all of them. */
const kinds = /^(?:13|50|91|112|262|10107|11600|11602) |connection|^64/i;
const someFailures = failures.filter(({ name }) => kinds.test(name));

function serve(db: Db): Api {
  const shop = service();
  const resources = [
    shop.resource({ model: Project, include: ['tasks', 'taskCount'], nested: ['tasks'], links: ['tags'] }),
    shop.resource({ model: Task }),
    shop.resource({ model: Tag }),
  ];
  return shop.api({ db, resources, maxTimeMS: 500, onError: () => undefined });
}

async function send(api: Api, method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await api.fetch(new Request(`http://x/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
  return { status: response.status, text: await response.text() };
}

let deployment: Deployment;
let db: Db;
beforeAll(async () => {
  deployment = await startMongods(1);
  db = deployment.admin.db('has-many');
});
afterAll(() => deployment.stop());

/** Plays every failure of a command, for good, against one request. Returns what was wrong with the answers. */
async function play(command: string, ask: (api: Api) => Promise<{ status: number; text: string }>, isWrong: Judge): Promise<string[]> {
  const wrong: string[] = [];
  for (const failure of someFailures) {
    for (const name of ['projects', 'tasks', 'tags']) await db.collection(name).deleteMany({});
    await db.collection<Stored>('projects').insertMany(projects);
    await db.collection<Stored>('tasks').insertMany(tasks);
    await db.collection<Stored>('tags').insertMany(tags);
    const client = await deployment.connect({ heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 });
    await failCommands(deployment, 'alwaysOn', { failCommands: [command], ...failure.data });
    const answer = await ask(serve(client.db('has-many')));
    await failCommands(deployment, 'off');
    await client.close();
    await untilGone(deployment);
    if (await isWrong(answer)) wrong.push(`${failure.name}: ${answer.status} ${answer.text}`);
  }
  return wrong;
}

type Judge = (answer: { readonly status: number; readonly text: string }) => boolean | Promise<boolean>;

describe('when the database fails', () => {
  it.each(['projects?include=tasks', 'projects/full?include=taskCount'])('in the middle of include, nothing is shown: %s', async (path) => {
    const isWrong: Judge = ({ status, text }) => ![500, 503, 504].includes(status) || text.includes('Full');
    expect(await play('aggregate', (api) => send(api, 'GET', path), isWrong)).toEqual([]);
  });

  it('in the check of the record of a nested create, nothing is stored', async () => {
    const isWrong: Judge = async ({ status }) =>
      ![500, 503, 504].includes(status) || (await db.collection('tasks').countDocuments({})) !== tasks.length;
    expect(await play('find', (api) => send(api, 'POST', 'projects/few/tasks', { id: 'x', title: 'X' }), isWrong)).toEqual([]);
  });

  it('in the write of a link, the answer says whether it was written', async () => {
    const isWrong: Judge = async ({ status, text }) => {
      const { tagIds, revision = 0 } = (await db.collection<Stored>('projects').findOne({ _id: 'few' })) as unknown as {
        tagIds: string[];
        revision?: number;
      };
      const isWritten = tagIds.includes('blue') && revision === 1;
      if (!isWritten && (tagIds.length !== 1 || revision !== 0)) return true;
      return status === 204 ? !isWritten : isWritten && !text.includes('write_outcome_unknown');
    };
    expect(await play('findAndModify', (api) => send(api, 'PUT', 'projects/few/tags/blue'), isWrong)).toEqual([]);
  });
});
