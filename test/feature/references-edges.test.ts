import { ConfigurationError, defineModel, openapiText, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = t.string();
const own = t.string({ policy: { insert: true } });
const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id: own,
    name: t.string({ policy: { filter: true } }),
    team: t.string({ default: 'x' }),
    jobs: t.hasMany('Job', { via: 'projectId' }),
    notes: t.hasMany('Note', { via: 'hidden' }),
  },
});
const Job = defineModel('Job', {
  collection: 'jobs',
  fields: {
    id: own,
    projectId: t.ref('Project', { id, onDelete: 'cascade' }),
    bossId: t.optional(t.ref('Project', { id, as: 'boss', exists: true, policy: { private: true, insert: true, update: true } })),
  },
});
const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: own, hidden: t.optional(t.ref('Project', { id, policy: { private: true } })) },
});
const nullified = t.nullable(t.ref('Project', { id, onDelete: 'nullify' }));
const One = defineModel('One', { collection: 'shared', fields: { id: own, a: nullified, revision: t.revision() } });
const Two = defineModel('Two', { collection: 'shared', fields: { id: own, b: nullified, revision: t.revision() } });
interface Stored {
  readonly _id: string;
  readonly [key: string]: unknown;
}

const database = useDatabase();
const collection = (name: string) => database.db.collection<Stored>(name);
const deleted: unknown[] = [];
let within = async () => undefined as unknown;
const api = useApi(database, (shop) => [
  shop.resource({ model: Project, ops: ['get', 'deleteMany'], scope: () => ({ team: 'x' }), nested: ['jobs', 'notes'] }),
  shop.resource({
    model: Job,
    scope: () => ({ projectId: { in: ['a', 'b'] } }),
    within: { delete: [() => within()] },
    after: { delete: [(_ctx, job) => void deleted.push(job.id)] },
  }),
  shop.resource({ model: Note }),
]);
const shop = service();
const resources = [Project, Job, Note].map((model) => shop.resource({ model: model as typeof Note }));
const stores = () => shop.api({ db: database.db, resources, models: [One, Two] });
const project = (_id: string, more: object = {}) => ({ _id, name: _id, team: 'x', ...more });

beforeEach(async () => {
  for (const name of ['projects', 'jobs', 'notes', 'shared']) await collection(name).deleteMany({});
  await collection('projects').insertMany([project('a'), project('b'), project('far'), project('foreign', { team: 'y' })]);
  deleted.length = 0;
  within = async () => undefined;
});

describe('deletes with what follows', () => {
  it('run no hook after an attempt that was lost, if the next one deletes nothing', async () => {
    await collection('jobs').insertOne({ _id: 'j', projectId: 'a' });
    let outside: Promise<unknown> | undefined;
    within = async () => {
      outside ??= collection('projects').updateMany({ name: 'a' }, { $set: { name: 'new' } }); // waits for the lock
      throw Object.assign(new Error('conflict'), { hasErrorLabel: (label: string) => label === 'TransientTransactionError' });
    };
    const { status, body } = await api.request('DELETE', '/api/projects?name=a');
    await outside;
    expect([status, body.data, deleted, await collection('jobs').countDocuments()]).toEqual([200, { matched: 0, modified: 0 }, [], 1]);
  });

  it('may be caught in a transaction when they are 404, 412 or 422: nothing of them was written', async () => {
    await stores().transaction(async (tx) => {
      await expect(tx.store(Project).remove('none')).rejects.toMatchObject({ code: 'not_found' });
      await expect(tx.store(Project).updateMany({}, { name: 'x' }, { max: 1 })).rejects.toMatchObject({ code: 'too_many_matches' });
      await expect(tx.store(Project).removeMany({}, { max: 1 })).rejects.toMatchObject({ code: 'too_many_matches' });
      await tx.store(Note).create({ id: 'n' });
    });
    expect(await collection('notes').countDocuments()).toBe(1);
  });

  it('make one step of the revision of a record that two models describe', async () => {
    await collection('shared').insertOne({ _id: 's', a: 'a', b: 'a', revision: 5 });
    await stores().store(Project).remove('a');
    expect(await collection('shared').findOne({ _id: 's' })).toEqual({ _id: 's', revision: 6 });
  });
});

describe('a reference', () => {
  it('that is private is checked even if the record has it already: otherwise a write would tell its value', async () => {
    await collection('jobs').insertMany([
      { _id: 'held', projectId: 'a', bossId: 'foreign' },
      { _id: 'other', projectId: 'a', bossId: 'a' },
    ]);
    const answers = await Promise.all(
      ['held', 'other'].map((job) => api.request('PATCH', `/api/jobs/${job}`, { body: { bossId: 'foreign' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  });

  it('in the path of a create that the scope of the new record does not reach is 404', async () => {
    expect((await api.request('POST', '/api/projects/a/jobs', { body: { id: 'j' } })).status).toBe(201);
    expect((await api.request('POST', '/api/projects/far/jobs', { body: { id: 'k' } })).status).toBe(404);
    expect(api.errors).toEqual([]);
  });

  it('that is private is not named by the description of the creates below its record', () => {
    const below = service();
    const described = below.api({
      db: database.db,
      resources: [below.resource({ model: Project, nested: ['notes'] }), below.resource({ model: Note })],
      models: [Job],
    });
    expect(openapiText(described)).not.toContain('hidden');
  });

  it('that becomes null cannot stand in an array of unique items', () => {
    const Group = defineModel('Group', {
      collection: 'groups',
      fields: { id: own, all: t.array(t.nullable(t.ref('Project', { id, onDelete: 'nullify' })), { uniqueItems: true, default: [] }) },
    });
    const define = () => shop.api({ db: database.db, resources: [...resources, shop.resource({ model: Group })] });
    expect(define).toThrow(ConfigurationError);
    expect(define).toThrow('Use `pull`');
  });
});
