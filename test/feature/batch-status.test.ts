import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string({ policy: { insert: true } }), revision: t.revision() } });
const database = useDatabase();
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Note,
      operations: {
        nothing: { answer: 'none', handler: () => undefined },
        accept: { status: 202, answer: t.string(), handler: () => 'later' },
        copy: { status: 201, answer: 'record', handler: (ctx) => ctx.store(Note).create({ id: `${ctx.params.id}-copy` }) },
        own: {
          handler(ctx) {
            ctx.status = 203;
            return 'own';
          },
        },
      },
    }),
  ],
  { batch: true },
);
beforeEach(async () => {
  await database.db.collection('notes').deleteMany({});
});

it.each([
  ['returns nothing', 'nothing', 204],
  ['has a status', 'accept', 202],
  ['has created a record', 'copy', 201],
  ['sets a status', 'own', 203],
])('a custom operation that %s has the status in a batch that it has alone', async (_what, name, status) => {
  const alone = await api.request('POST', `/api/notes/a/${name}`);
  await database.db.collection('notes').deleteMany({});
  const { body } = await api.request('POST', '/api/batch', { body: { operations: [{ method: 'POST', path: `/notes/a/${name}` }] } });
  const [member] = body.data;
  expect([alone.status, member.status, member.location]).toEqual([status, status, alone.headers.location]);
});
