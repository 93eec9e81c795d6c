import { defineModel, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

// What `docs/reference/writes.md` says of the commands of a write.

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const serve = useServer();

const fields = { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() };
const closed = t.int({ default: 1, policy: { insert: false, update: false } });
const reference = (model: string, options: { readonly exists: true } | { readonly onDelete: 'restrict' }) =>
  t.optional(t.ref(model, { id: t.string(), ...options }));

const models = [
  defineModel('Plain', { collection: 'plain', fields }),
  defineModel('Checked', { collection: 'checked', fields: { ...fields, closed }, check: () => undefined }),
  defineModel('Hooked', { collection: 'hooked', fields }),
  defineModel('Kept', { collection: 'kept', fields, history: true }),
  defineModel('Told', { collection: 'told', fields, outbox: true }),
  defineModel('Existing', { collection: 'existing', fields: { ...fields, to: reference('Plain', { exists: true }) } }),
  defineModel('Target', { collection: 'target', fields }),
  defineModel('Held', { collection: 'held', fields: { ...fields, to: reference('Target', { onDelete: 'restrict' }) } }),
];
let app: TestServer;

beforeAll(async () => {
  const shop = service();
  const hook = [() => undefined];
  const resources = models.map((model) =>
    shop.resource({
      model,
      ops: ['get', 'create', 'patch', 'put', 'delete'],
      ...(model.name === 'Hooked' && { within: { write: hook } }),
    } as never),
  );
  const api = shop.api({ db: database.db, shareRoundTrips: false, idempotency: { principal: () => 'ann' }, resources });
  for (const name of ['kept_history', 'events', 'reference_latches', 'idempotency_keys']) await database.db.createCollection(name);
  const stored = { _id: 'a', text: 'a', closed: 1, revision: 0 };
  for (const { collection } of models) await database.db.collection<typeof stored>(collection).insertOne({ ...stored });
  app = await serve(api.routes());
});

const key = { 'idempotency-key': '"1"' };
const write = 'findAndModify';
const commit = 'commitTransaction';

it.each<[what: string, sent: string, status: number, commands: readonly string[], body?: object, headers?: Record<string, string>]>([
  ['a create', 'POST /plain', 201, ['insert'], { id: 'b' }],
  ['a patch', 'PATCH /plain/a', 200, [write], { text: 'x' }],
  ['a put', 'PUT /plain/a', 200, [write], { text: 'y' }],
  ['a delete', 'DELETE /plain/b', 204, [write]],
  ['a patch without changes', 'PATCH /plain/a', 200, ['find'], {}],
  ['a miss', 'PATCH /plain/none', 404, [write, 'find'], { text: 'x' }],
  ['a put whose check needs closed values', 'PUT /checked/a', 200, ['find', write], { text: 'y' }],
  ['a patch of a model with a check', 'PATCH /checked/a', 200, [write], { text: 'x' }],
  ['a create with hooks within', 'POST /hooked', 201, ['insert', commit], { id: 'b' }],
  ['a patch with hooks within', 'PATCH /hooked/a', 200, ['find', write, commit], { text: 'x' }],
  ['a delete with hooks within', 'DELETE /hooked/a', 204, [write, commit]],
  ['a create with a history', 'POST /kept', 201, ['insert', 'insert', commit], { id: 'b' }],
  ['a patch with a history', 'PATCH /kept/a', 200, ['find', write, 'insert', commit], { text: 'x' }],
  ['a patch with an outbox', 'PATCH /told/a', 200, ['find', write, 'insert', commit], { text: 'x' }],
  ['a create with a reference that `exists`', 'POST /existing', 201, ['find', 'insert'], { id: 'b', to: 'a' }],
  ['a create without that reference', 'POST /existing', 201, ['insert'], { id: 'c' }],
  ['a create with a reference that holds', 'POST /held', 201, ['update', 'update', 'insert', commit], { id: 'b', to: 'a' }],
  ['a patch of other fields beside that', 'PATCH /held/a', 200, [write], { text: 'x' }],
  ['a create with a key', 'POST /plain', 201, ['find', 'update', 'insert', 'update', commit], { id: 'k' }, key],
])('%s sends the commands that the page says', async (...[, sent, status, wanted, body, headers]) => {
  const [method = '', path = ''] = sent.split(' ');
  const answer = await app.request(method, path, { ...(body && { body }), ...(headers && { headers }) });
  expect([answer.status, commands.names]).toEqual([status, wanted]);
});
