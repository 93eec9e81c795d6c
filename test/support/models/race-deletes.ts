import type { Db } from 'mongodb';
import type { TestServer } from '../http/serve.ts';

/** What became of the clients of all rounds. */
export interface Raced {
  readonly statuses: ReadonlyMap<string, number>;
  /** The children whose parent is gone. */
  readonly orphans: number;
  /** Answers that do not agree with what is stored. */
  readonly lies: readonly string[];
}

/**
 * Lets clients create jobs of a project while others delete the project, in rounds. Each round has a project of its
 * own, with a job and a step that were there before.
 */
export async function raceDeletes(api: TestServer, db: Db, rounds: number, clients = 20): Promise<Raced> {
  const statuses = new Map<string, number>();
  const lies: string[] = [];
  const count = (key: string) => statuses.set(key, (statuses.get(key) ?? 0) + 1);
  const has = async (name: string, _id: string) => (await db.collection<{ _id: string }>(name).countDocuments({ _id })) > 0;
  for (let round = 0; round < rounds; round++) {
    const project = `p${round}`;
    await db.collection<{ _id: string; owner: string }>('projects').insertOne({ _id: project, owner: 'ann' });
    await db.collection<{ _id: string; projectId: string }>('jobs').insertOne({ _id: `${project}-0`, projectId: project });
    const create = async (index: number) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 30)); // each round is another order of creates and delete
      const isStep = index % 4 === 0; // a child of a child: only the cascade meets it
      const [path, body] = isStep ? ['steps', { jobId: `${project}-0` }] : ['jobs', { projectId: project }];
      const id = `${project}-${index}`;
      const { status } = await api.request('POST', `/api/${path}`, { body: { id, ...body } });
      count(`${path} ${status}`);
      return { path, id, status };
    };
    const remove = async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 30)); // between the creates, as they
      const { status } = await api.request('DELETE', `/api/projects/${project}`);
      count(`delete ${status}`);
      return status;
    };
    const [deleted, ...made] = await Promise.all([remove(), ...Array.from({ length: clients }, (_, index) => create(index + 1))]);
    const isThere = await has('projects', project);
    if (isThere !== (deleted !== 204))
      lies.push(`${project}: a delete answered ${deleted}, and the project is ${isThere ? '' : 'not '}there`);
    for (const { path, id, status } of made)
      if (status !== 201 && (await has(path, id))) lies.push(`${id}: answered ${status}, and is there`);
  }
  return { statuses, orphans: await countOrphans(db), lies };
}

/** The children whose parent is gone. */
export async function countOrphans(db: Db): Promise<number> {
  const edges = [
    ['jobs', 'projectId', 'projects'],
    ['steps', 'jobId', 'jobs'],
  ] as const;
  let orphans = 0;
  for (const [from, localField, to] of edges) {
    const lookup = { $lookup: { from: to, localField, foreignField: '_id', as: 'parent' } };
    orphans += (
      await db
        .collection(from)
        .aggregate([lookup, { $match: { parent: [] } }])
        .toArray()
    ).length;
  }
  return orphans;
}
