import { defineModel, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const id = () => t.string({ policy: { insert: true } });
const Group = defineModel('Group', { collection: 'groups', fields: { id: id() } });
const Label = defineModel('Label', {
  collection: 'labels',
  fields: { id: t.int(), groupId: t.ref('Group', { id: t.string(), onDelete: 'cascade' }) },
});
const Post = defineModel('Post', {
  collection: 'posts',
  history: true,
  outbox: true,
  fields: { id: id(), labelIds: t.array(t.ref('Label', { id: t.int(), onDelete: 'pull' })), revision: t.revision() },
});

const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({ model: Group, ops: ['create', 'delete'] }),
    shop.resource({ model: Label, ops: ['get'] }),
    shop.resource({ model: Post, history: true }),
  ],
  { maxCascade: 10_000 },
);
const rowsOf = (name: string) => database.db.collection<Any>(name).find().sort({ _id: 1 }).toArray();

it('a delete that pulls more ids out of a record than one command takes is one change of it', async () => {
  const most = 5_000;
  const labels = Array.from({ length: most + 1 }, (_, index) => ({ _id: index, groupId: 'g' }));
  await api.request('POST', '/api/groups', { body: { id: 'g' } });
  await database.db.collection<Any>('labels').insertMany(labels);
  const created = await api.request('POST', '/api/posts', { body: { id: 'p', labelIds: [0, most] } });
  expect(created.status).toBe(201);
  expect((await api.request('DELETE', '/api/groups/g')).status).toBe(204);

  expect((await rowsOf('posts')).map(({ labelIds, revision }) => [labelIds, revision])).toEqual([[[], 1]]);
  const [, entry, ...others] = await rowsOf('posts_history');
  expect(entry).toMatchObject({
    change: 'patched',
    previous: 0,
    revision: 1,
    changes: [{ path: 'labelIds', before: [0, most], after: [] }],
  });
  expect([others, (await rowsOf('events')).map(({ type, revision }) => [type, revision])]).toEqual([
    [],
    [
      ['post.created', 0],
      ['post.patched', 1],
    ],
  ]);
  expect((await api.request('GET', '/api/posts/p?at=0')).body.data).toMatchObject({ labelIds: [0, most] });
});
