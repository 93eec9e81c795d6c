import { defineModel, service, t } from '../../src/index.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { useServer } from '../support/http/serve.ts';
import { Job, Label, Project, Step, Ticket } from '../support/models/workspace.ts';
import { until } from '../support/until.ts';
import { count, makeLedger, post, postings, reset } from './parts/ledger.ts';
import { type Deployment, startMongods } from './parts/mongods.ts';
import { Parcel, parcelsApi } from './parts/parcels.ts';

const serve = useServer();
let deployment: Deployment;
beforeAll(async () => {
  deployment = await startMongods('standalone');
});
afterAll(() => deployment.stop());

it('a standalone server is named at start, and what needs transactions is 501 and writes nothing', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const db = (await deployment.connect()).db('ledger');
  await reset(db);
  const ledger = makeLedger(db);
  const said = warn.mock.calls.map(([message]) => String(message));
  warn.mockRestore();
  expect(said).toEqual([expect.stringMatching(/standalone server .* `batch`, `idempotency`, `within` of resource `accounts` need/)]);
  const before = await count(db);
  for (const posting of Object.values(postings))
    for (const key of [undefined, 'k'])
      expect(await post(ledger, posting, key)).toMatchObject({ status: 501, code: 'replica_set_required' });
  expect(await count(db)).toEqual(before);
  expect((await ledger.fetch(new Request('http://ledger/accounts/a'))).status).toBe(200);
});

it('a standalone server answers 501 to writes of references that hold, and to deletes of what they lead to, and to nothing else', async () => {
  const db = (await deployment.connect()).db('references');
  const shop = service();
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const api = shop.api({ db, resources: [Project, Job, Label, Ticket].map((model) => shop.resource({ model } as never)), models: [Step] });
  const said = warn.mock.calls.map(([message]) => String(message));
  warn.mockRestore();
  const send = async (method: string, path: string, body?: object) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': type } } : {};
    return (await api.fetch(new Request(`http://in-process${path}`, { method, ...init }))).status;
  };
  await db.collection<{ _id: string; projectId: string }>('jobs').insertOne({ _id: 'j', projectId: 'a' });
  expect(await send('POST', '/projects', { id: 'a' })).toBe(201);
  expect(await send('POST', '/labels', { id: 'l' })).toBe(201);
  expect(await send('POST', '/tickets', { labelId: 'l' })).toBe(201); // `exists` alone needs no transaction
  expect(await send('POST', '/tickets', { labelId: 'none' })).toBe(422);
  expect(await send('DELETE', '/labels/l')).toBe(204);
  expect(await send('PATCH', '/projects/a', { name: 'b' })).toBe(200);
  expect(await send('PATCH', '/jobs/j', { text: 'y' })).toBe(200);
  expect(await send('POST', '/jobs', { projectId: 'a' })).toBe(501);
  expect(await send('PATCH', '/jobs/j', { projectId: 'a' })).toBe(501);
  expect(await send('DELETE', '/projects/a')).toBe(501);
  expect((await api.planDelete(Project, 'a')).steps).toEqual([{ model: 'Job', action: 'delete', count: 1, ids: ['j'] }]);
  expect(await db.collection('jobs').countDocuments()).toBe(1);
  expect(said).toEqual([expect.stringMatching(/`onDelete` of references to Project, `onDelete` of references to Job/)]);
});

it('a standalone server answers 501 to live lists and records, and JSON as ever', async () => {
  const shop = service();
  const api = shop.api({ db: (await deployment.connect()).db('live'), resources: [shop.resource({ model: Label, live: true } as never)] });
  const { port, request } = await serve(api.routes());
  expect((await request('POST', '/labels', { body: { id: 'l' } })).status).toBe(201);
  for (const path of ['/labels', '/labels/l', '/labels']) {
    const stream = await new LiveStream(port, path).opened();
    expect([stream.status, stream.problem.code]).toEqual([501, 'replica_set_required']);
  }
  expect((await request('GET', '/labels')).body.data).toHaveLength(1);
});

it('a standalone server answers 501 to writes of models whose changes are kept, and writes nothing', async () => {
  const db = (await deployment.connect()).db('kept');
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const fields = { id: t.string({ policy: { insert: true } }), text: t.string({ default: 'x' }), revision: t.revision() };
  const Doc = defineModel('Doc', { collection: 'docs', history: true, fields });
  const desk = service();
  const api = desk.api({ db, resources: [desk.resource({ model: Doc })] });
  const said = warn.mock.calls.map(([message]) => String(message));
  warn.mockRestore();
  expect(said).toEqual([expect.stringContaining('`history` of model Doc need')]);
  await db.collection('docs').insertOne({ _id: 'd' as never, text: 'x', revision: 0 });
  const send = async (method: string, path: string, body?: object) => {
    const init = { method, ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }) };
    const answer = await api.fetch(new Request(`http://desk${path}`, init));
    return { status: answer.status, code: ((await answer.json()) as { code: string }).code };
  };
  const refused = { status: 501, code: 'replica_set_required' };
  expect(await send('POST', '/docs', { id: 'e' })).toEqual(refused);
  expect(await send('PATCH', '/docs/d', { text: 'y' })).toEqual(refused);
  expect(await send('DELETE', '/docs/d')).toEqual(refused);
  expect(await db.collection('docs').find().toArray()).toEqual([{ _id: 'd', text: 'x', revision: 0 }]);
});

it('a standalone server delivers the events that were brought to it, though no write of the model adds one there', async () => {
  const db = (await deployment.connect()).db('outbox');
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const api = parcelsApi(db);
  warn.mockRestore();
  await expect(api.store(Parcel).create({ id: 1, n: 1 })).rejects.toMatchObject({ code: 'replica_set_required' });
  const brought = {
    type: 'parcel.patched',
    model: 'Parcel',
    subject: '1',
    record: 1,
    life: null,
    at: new Date(),
    change: 'patched',
    actor: null,
  };
  await db.collection('events').insertMany([2, 1, 3].map((revision) => ({ ...brought, revision, state: 'pending' })));
  const seen: number[] = [];
  const delivery = await api.deliver({ handle: ({ revision }) => seen.push(revision), poll: 100 });
  await until(async () => (await db.collection('events').countDocuments({ state: 'delivered' })) === 3);
  await delivery.close();
  expect(seen).toEqual([1, 2, 3]);
});
