import type { Db, ObjectId } from 'mongodb';
import { type Api, cursorPaging, defineModel, service, t } from '../../src/index.ts';

/** A request, without the origin of its server. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One kind of request. */
export interface Kind {
  readonly name: string;
  readonly api: Api;
  /** The status of its answer. */
  readonly status: number;
  /** Stores the records that the n-th request of the kind needs, and returns it. */
  readonly prepare: (n: number) => Sent | Promise<Sent>;
}

/** All kinds, each of an api with as few features as it needs: what an api does not use must not run. */
export function openKinds(db: Db): Kind[] {
  return [...ofNotes(db), ...ofDeletedNotes(db), ...ofTasks(db), ...ofCheckedTasks(db), ...ofNotesTogether(db)];
}

const fields = { title: t.string({ policy: { filter: ['eq'], sort: true } }), revision: t.revision(), at: t.createdAt() };
const paging = cursorPaging({ max: 20 });

/** Records alone, without relations, scope, guards or hooks. */
function ofNotes(db: Db): Kind[] {
  const Note = defineModel('Note', { collection: 'notes', fields });
  const shop = service();
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'] as const;
  const api = shop.api({ db, resources: [shop.resource({ model: Note, ops, paging })] });
  const store = storing(db, 'notes');
  return [
    { name: 'GET', api, status: 200, prepare: async () => ({ method: 'GET', path: `/notes/${await store()}` }) },
    {
      name: 'GET, `If-None-Match`',
      api,
      status: 304,
      prepare: async () => ({ method: 'GET', path: `/notes/${await store()}`, headers: { 'if-none-match': '"0"' } }),
    },
    { name: 'list', api, status: 200, prepare: listing('/notes', store) },
    { name: 'list, filtered and sorted', api, status: 200, prepare: listing('/notes?title=x&sort=-title&limit=5', store) },
    { name: 'create', api, status: 201, prepare: () => ({ method: 'POST', path: '/notes', body: { title: 'x' } }) },
    {
      name: 'PATCH',
      api,
      status: 200,
      prepare: async () => ({ method: 'PATCH', path: `/notes/${await store()}`, body: { title: 'y' } }),
    },
    {
      name: 'PATCH, `If-Match`',
      api,
      status: 200,
      prepare: async () => ({ method: 'PATCH', path: `/notes/${await store()}`, body: { title: 'y' }, headers: { 'if-match': '"0"' } }),
    },
    { name: 'PUT', api, status: 200, prepare: async () => ({ method: 'PUT', path: `/notes/${await store()}`, body: { title: 'y' } }) },
    { name: 'DELETE', api, status: 204, prepare: async () => ({ method: 'DELETE', path: `/notes/${await store()}` }) },
    { name: 'PATCH of many', api, status: 200, prepare: () => ({ method: 'PATCH', path: '/notes?title=x', body: { title: 'z' } }) },
    { name: 'DELETE of many', api, status: 200, prepare: () => ({ method: 'DELETE', path: '/notes?title=z' }) },
  ];
}

/** Records that are marked as deleted. */
function ofDeletedNotes(db: Db): Kind[] {
  const Draft = defineModel('Draft', { collection: 'drafts', fields: { ...fields, deletedAt: t.deletedAt() } });
  const shop = service();
  const api = shop.api({ db, resources: [shop.resource({ model: Draft, ops: ['delete', 'restore'] })] });
  const store = storing(db, 'drafts');
  return [
    { name: 'DELETE, `t.deletedAt()`', api, status: 204, prepare: async () => ({ method: 'DELETE', path: `/drafts/${await store()}` }) },
    {
      name: 'restore',
      api,
      status: 200,
      prepare: async () => ({ method: 'POST', path: `/drafts/${await store({ deletedAt: new Date() })}/restore` }),
    },
  ];
}

/** Records with references that nothing checks. */
function ofTasks(db: Db): Kind[] {
  const Project = defineModel('Project', { collection: 'projects', fields });
  const projectId = t.ref('Project', { as: 'project', policy: { filter: ['eq'] } });
  const Task = defineModel('Task', { collection: 'tasks', fields: { ...fields, projectId } });
  const shop = service();
  const including = shop.resource({ model: Task, ops: ['list', 'get'], paging, include: ['project'] });
  const through = shop.resource({ model: Task, path: 'through', ops: ['list'], paging, through: ['project'] });
  const api = shop.api({ db, resources: [shop.resource({ model: Project, ops: ['get'] }), including, through] });
  const [project, task] = [storing(db, 'projects'), storing(db, 'tasks')];
  const store = async () => task({ projectId: await project() });
  return [
    {
      name: 'GET, with include',
      api,
      status: 200,
      prepare: async () => ({ method: 'GET', path: `/tasks/${await store()}?include=project` }),
    },
    { name: 'list, with include', api, status: 200, prepare: listing('/tasks?include=project', store) },
    { name: 'list, filtered through a relation', api, status: 200, prepare: listing('/through?project.title=x', store) },
  ];
}

/** Records with references that hold. */
function ofCheckedTasks(db: Db): Kind[] {
  const Board = defineModel('Board', { collection: 'boards', fields });
  const exists = t.ref('Board', { as: 'board', exists: true });
  const cascade = t.ref('Board', { as: 'board', onDelete: 'cascade' });
  const shop = service();
  const boards = shop.resource({ model: Board, ops: ['get', 'delete'] });
  const open = (Card: ReturnType<typeof defineModel>) =>
    shop.api({ db, resources: [boards, shop.resource({ model: Card, path: 'cards', ops: ['create'] })] });
  const checked = open(defineModel('Card', { collection: 'cards', fields: { ...fields, boardId: exists } }));
  const held = open(defineModel('Card', { collection: 'heldCards', fields: { ...fields, boardId: cascade } }));
  const [board, card] = [storing(db, 'boards'), storing(db, 'heldCards')];
  const create = async () => ({ method: 'POST', path: '/cards', body: { title: 'x', boardId: await board() } });
  return [
    { name: 'create, `exists`', api: checked, status: 201, prepare: create },
    { name: 'create, `onDelete`', api: held, status: 201, prepare: create },
    {
      name: 'DELETE, with a cascade',
      api: held,
      status: 204,
      async prepare() {
        const id = await board();
        await card({ boardId: id });
        return { method: 'DELETE', path: `/boards/${id}` };
      },
    },
  ];
}

/** Writes in the transaction of a batch, or of an `Idempotency-Key`. */
function ofNotesTogether(db: Db): Kind[] {
  const Memo = defineModel('Memo', { collection: 'memos', fields });
  const shop = service();
  const resources = [shop.resource({ model: Memo, ops: ['create'] })];
  const keyed = shop.api({ db, resources, idempotency: { principal: () => 'ann' } });
  const batched = shop.api({ db, resources, batch: true });
  const memo = { method: 'POST', path: '/memos', body: { title: 'x' } };
  const key = (n: number) => ({ 'idempotency-key': `"00000000-${n}"` });
  return [
    { name: 'create, `Idempotency-Key`', api: keyed, status: 201, prepare: (n) => ({ ...memo, headers: key(n) }) },
    {
      name: 'batch of two creates',
      api: batched,
      status: 200,
      prepare: () => ({ method: 'POST', path: '/batch', body: { operations: [memo, memo] } }),
    },
  ];
}

/** Stores a record, and returns its id. */
function storing(db: Db, collection: string): (more?: object) => Promise<ObjectId> {
  return async (more = {}) => {
    const { insertedId } = await db.collection(collection).insertOne({ title: 'x', revision: 0, at: new Date(), ...more });
    return insertedId;
  };
}

/** Lists records, of which there is at least one: an empty list runs less. */
function listing(path: string, store: () => Promise<ObjectId>): () => Promise<Sent> {
  return async () => {
    await store();
    return { method: 'GET', path };
  };
}
