import { createHash } from 'node:crypto';
import { applyIndexes } from 'koa-mongo-resource';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { LocalObjectStore } from './parts/object-store.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/uploads.md';
const database = useDatabase();
const serve = useServer();
const objects = new LocalObjectStore();
const ann = { authorization: 'Bearer ann' };
const day = 24 * 3_600_000;

let written: WrittenPage;
let api: Any;
let server: TestServer;
let upload: Any;
beforeAll(async () => {
  await objects.start();
  written = await writePage(page);
  const authenticate = byName({ ann: { name: 'ann' }, ben: { name: 'ben' } });
  api = (await written.load('files.ts')).createFiles({ db: database.db, objects, authenticate });
  await applyIndexes(api);
  server = await serve(api.routes());
  ({ upload } = await written.load('send-file.ts'));
});
afterAll(() => objects.stop());

const ask = (method: string, path: string, body?: object, headers = ann) =>
  server.request(method, `/api/files${path}`, { headers, ...(body && { body }) });
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');
const describeText = (text: string) => ({ name: 'a.pdf', type: 'application/pdf', bytes: text.length, sha256: sha256(text) });
const sweep = async (now: number) => (await written.load('sweep.ts')).sweep(api, objects, now);
const files = () => database.db.collection('files');

describe('the guide on files in an object store', () => {
  it('uploads a file past the api, and gets it back under its name', async () => {
    const id = await upload(`http://127.0.0.1:${server.port}/api`, 'père.pdf', new Blob(['one'], { type: 'application/pdf' }), ann);
    const shown = (await ask('GET', `/${id}`)).body.data;
    expect(shown).toMatchObject({ name: 'père.pdf', type: 'application/pdf', bytes: 3, status: 'stored' });
    expect(Object.keys(shown)).not.toContain('key');
    const link = (await ask('POST', `/${id}/download`)).body.data;
    const file = await fetch(link.url, { method: link.method, headers: link.headers });
    expect([await file.text(), file.headers.get('content-disposition')]).toEqual(['one', "attachment; filename*=UTF-8''p%C3%A8re.pdf"]);
    expect([(await ask('POST', `/${id}/upload`)).status, (await ask('POST', `/${id}/confirm`)).status]).toEqual([409, 200]);
  });

  it('signs one request for the bytes that were described, and no other', async () => {
    const { id } = (await ask('POST', '', describeText('two'))).body.data;
    const { url, method, headers } = (await ask('POST', `/${id}/upload`)).body.data;
    const send = (body: string, others: object = {}) => fetch(url, { method, headers: { ...headers, ...others }, body });
    const statuses = [await send('longer'), await send('owt'), await send('two', { 'content-type': 'text/html' }), await fetch(url)];
    expect(statuses.map(({ status }) => status)).toEqual([403, 400, 403, 403]);
    expect((await ask('POST', `/${id}/confirm`)).body.detail).toBe('The store does not have these bytes.');
    expect((await ask('POST', `/${id}/download`)).status).toBe(409);
    expect([(await send('two')).status, (await ask('POST', `/${id}/confirm`)).status]).toEqual([200, 200]);
  });

  it('lets a client describe neither the key, nor the status, nor other bytes later', async () => {
    const refused = await ask('POST', '', { ...describeText('x'), key: 'k', status: 'stored', owner: 'ben' });
    expect(refused.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['key', 'owner', 'status']);
    const { id } = (await ask('POST', '', describeText('x'))).body.data;
    expect((await ask('PATCH', `/${id}`, { bytes: 2 })).status).toBe(422);
    const ben = { authorization: 'Bearer ben' };
    const statuses = await Promise.all(['upload', 'confirm', 'download'].map((name) => ask('POST', `/${id}/${name}`, undefined, ben)));
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
    await ask('DELETE', `/${id}`);
  });

  it('removes what nobody has confirmed, and what was deleted, each with its object', async () => {
    const { id } = (await ask('POST', '', describeText('late'))).body.data;
    const { url, method, headers } = (await ask('POST', `/${id}/upload`)).body.data;
    expect((await fetch(url, { method, headers, body: 'late' })).status).toBe(200);
    const [kept] = (await ask('GET', '?status=stored')).body.data;
    const [gone] = (await ask('GET', `?status=stored&sort=-createdAt`)).body.data;
    expect((await ask('DELETE', `/${gone.id}`)).status).toBe(204);
    expect((await ask('POST', `/${gone.id}/download`)).status).toBe(404);

    await sweep(Date.now());
    expect([objects.objects.size, await files().countDocuments()]).toEqual([3, 4]);
    await sweep(Date.now() + 1.1 * day); // the pending one is deleted by now
    expect([(await ask('GET', '')).body.data.map((file: Any) => file.id), objects.objects.size]).toEqual([[kept.id], 3]);
    await sweep(Date.now() + 9 * day);
    await sweep(Date.now() + 9 * day);
    const left = await files().find().toArray();
    expect([left.map(({ _id }) => String(_id)), [...objects.objects.keys()]]).toEqual([[kept.id], [left[0]?.key]]);
    expect(server.errors).toEqual([]);
  });
});
